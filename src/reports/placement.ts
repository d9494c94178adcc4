// The parts of a context that end the prefix of its requests again and again, found in its snapshots: a prompt cache keeps nothing behind
// them. Changes within the newest turn are ignored, since they cost one turn at most.

import { grouped, type NodeRecord } from '../core/index.js'
import { checkOption, wholeFrom } from '../errors/index.js'
import { rangesOf, type RenderedBytes } from '../thread/index.js'
import { lineOf, recordOf, type View } from '../timeline/index.js'
import { rendererOf, type PrefixOptions } from './prefix.js'
import type { ReportSource } from './source.js'

export type PlacementOptions = PrefixOptions &
  Readonly<{
    /** The number of newest commits to look at; 20 by default. */
    last?: number | undefined
  }>

/** A part of the context that ends the prefix in at least every second commit. */
export type PlacementFinding = Readonly<{
  /** `edited`: its text changes; `time`: only a time in it changes; `expires`, `pruned`: nodes like it leave by themselves. */
  rule: 'edited' | 'time' | 'expires' | 'pruned'
  /** The newest node that it was seen in, and its key, if it has one. */
  node: string
  key?: string
  /** In how many of the commits that were looked at, and how many those were. */
  breaks: number
  commits: number
  /** The tokens behind it that have to be read again, for each commit. */
  tokens: number
  /** The finding and its remedy, in words. */
  text: string
}>

type Break = Readonly<{ group: string; rule: PlacementFinding['rule']; record: NodeRecord; lost: number }>

/** Checks the options; gives how many commits to look at, and how to render. */
export function checkPlacementOptions({ last = 20, ...rest }: PlacementOptions): [last: number, rest: PrefixOptions] {
  checkOption('last', last, wholeFrom(1))
  return [last, rest]
}

/** The findings over snapshots, given by cycle from oldest to newest; the costliest comes first. */
export function placementFindings(
  cycles: readonly number[],
  { trees, dialect, tokens }: ReportSource,
  options: PrefixOptions,
): readonly PlacementFinding[] {
  const render = rendererOf(options, dialect)
  const views = cycles.map((cycle) => trees.still(`@c${cycle}`))
  const breaks = views.slice(1).flatMap((after, i) => {
    const before = views[i]!
    return breaksBetween(before, after, render(before), render(after), tokens.byNode(before))
  })
  return findingsOf(breaks, views.length - 1)
}

/** Nodes before the newest turn that read differently afterwards, one break for each group. */
function breaksBetween(
  before: View,
  after: View,
  earlier: RenderedBytes,
  later: RenderedBytes,
  tokensOf: (node: string) => number,
): readonly Break[] {
  const now = wordsOf(later)
  const newest = newestTurn(before)
  const found = new Map<string, Break>()
  const ranges = rangesOf(earlier)
  const words = wordsOf(earlier)
  let lost = 0
  for (const { node } of ranges.toReversed()) {
    lost += tokensOf(node)
    if (now.get(node) === words.get(node)) continue
    const record = before.find(node)
    if (record === undefined || isUnder(record, newest, before)) continue
    const kind = breakOf(record, after, words.get(node)!, now.get(node))
    if (kind !== undefined) found.set(kind.group, { ...kind, record, lost })
  }
  return [...found.values()]
}

function breakOf(
  record: NodeRecord,
  after: View,
  was: string,
  is: string | undefined,
): Omit<Break, 'record' | 'lost'> | undefined {
  const name = record.rare?.key === undefined ? record.id : `#${record.rare.key}`
  if (is !== undefined) return { group: name, rule: isOnlyTime(was, is) ? 'time' : 'edited' }
  const cause = after.departureOf(record.id)?.cause
  if (cause === 'expired') return { group: 'expired', rule: 'expires' }
  if (cause === 'pruned') return { group: 'pruned', rule: 'pruned' }
  return { group: name, rule: 'edited' }
}

/** The bytes of every node, as text. */
function wordsOf(chunks: RenderedBytes): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  for (const { text, ranges } of chunks) {
    const bytes = encoder.encode(text)
    for (const { node, start, end } of ranges)
      words.set(node, (words.get(node) ?? '') + decoder.decode(bytes.subarray(start, end)))
  }
  return words
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const TIME =
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?|\b1\d{9}(?:\d{3})?\b/g

function isOnlyTime(was: string, is: string): boolean {
  return was.replaceAll(TIME, '') === is.replaceAll(TIME, '')
}

function newestTurn({ tree: { regions } }: View): string | undefined {
  const { last } = regions[1].children
  return last && recordOf(last).id
}

function isUnder(record: NodeRecord, top: string | undefined, view: View): boolean {
  return lineOf(view, record).some(({ id }) => id === top)
}

function findingsOf(breaks: readonly Break[], commits: number): readonly PlacementFinding[] {
  const groups = grouped(breaks, ({ group }) => group)
  const findings = [...groups.values()].flatMap((each): readonly PlacementFinding[] => {
    if (each.length < 2 || each.length * 2 < commits) return []
    const { record, rule: last } = each.at(-1)!
    const rule = last === 'time' && each.some((one) => one.rule !== 'time') ? 'edited' : last
    const tokens = Math.round(each.reduce((sum, { lost }) => sum + lost, 0) / commits)
    const key = record.rare?.key
    const text = TEXTS[rule](
      `${record.id}${key === undefined ? '' : ` (key ${key})`}`,
      `${each.length} of ${commits} commits`,
      tokens,
    )
    const named = key === undefined || rule === 'expires' || rule === 'pruned' ? {} : { key }
    return [Object.freeze({ rule, node: record.id, ...named, breaks: each.length, commits, tokens, text })]
  })
  return Object.freeze(findings.toSorted((a, b) => b.tokens - a.tokens || (a.node < b.node ? -1 : 1)))
}

const TEXTS: Readonly<Record<PlacementFinding['rule'], (what: string, when: string, tokens: number) => string>> = {
  edited: (what, when, tokens) =>
    `${what} changed in ${when} and is before the newest turn: about ${tokens} tokens behind it are read again each time; give it with ctx.set, which puts it behind the newest turn.`,
  time: (what, when, tokens) =>
    `${what} holds a time that changed in ${when}: about ${tokens} tokens behind it are read again each time; leave the time out, or say it in a block behind the newest turn.`,
  expires: (what, when, tokens) =>
    `Blocks of older turns, the newest being ${what}, expired in ${when}: about ${tokens} tokens behind them are read again each time; give them a ttl of 1, or let them stay.`,
  pruned: (what, when, tokens) =>
    `Nodes, the newest being ${what}, were pruned in ${when}: about ${tokens} tokens behind them are read again each time; leave prune.target out, or set it well below 1, so that it happens rarely.`,
}
