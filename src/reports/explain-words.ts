// The facts about a node in English, one sentence each.

import { oneLine, type Cause, type Maker } from '../core/index.js'
import type { Departure, Ending, ExplainedPlace, Facts, Keeper, Shedding } from './explanation.js'

/** `next` is the cycle of the commit after the explained tree. */
export function inWords(facts: Facts, next: number): string[] {
  const { changed, place, expires, returns, keptBy, left } = facts
  const words = origin(facts)
  if (changed !== undefined) words.push(`${changeBy(changed.by)} it in cycle ${changed.cycle}${committedBy(changed)}.`)
  if (left !== undefined) words.push(`It is in no snapshot from cycle ${left.cycle} on: ${leaving(left)}.`)
  if (facts.supersededBy !== undefined) words.push(`${facts.supersededBy} took its place.`)
  const fixed = STRUCTURE.get(facts.nodeType ?? '')
  if (fixed !== undefined) return [...words, fixed]
  if (place !== undefined) words.push(where(place, expires?.cycle !== next))
  if (facts.isThere) words.push(ending(facts, next))
  if (keptBy.refs.length > 0) {
    const [verb, they] = keptBy.refs.length === 1 ? ['refers', 'that stays'] : ['refer', 'one of them stays']
    words.push(`${list(keptBy.refs)} ${verb} to it, which keeps it as long as ${they}.`)
  }
  if (keptBy.held) words.push('A hold keeps it from expiry and pruning.')
  if (keptBy.pinned) words.push('It is pinned, so no budget takes it.')
  if (facts.isTask) words.push('It is the task, the newest message of the user, or holds it, so no budget takes it.')
  if (facts.standsFor !== undefined) words.push(standing(facts.standsFor))
  if (facts.isErased) words.push('What it said was erased.')
  if (facts.shedding !== undefined) words.push(SHEDDING[facts.shedding])
  if (facts.prunable) words.push('A budget can prune it.')
  if (returns !== undefined) {
    const every = returns.cad === 1 ? 'every cycle' : `every ${returns.cad} cycles`
    words.push(`Its key "${returns.key}" returns ${every}, next in cycle ${returns.cycle}.`)
  }
  return words
}

function origin({ id, created, changed, supersedes, redaction }: Facts): string[] {
  const words: string[] = []
  if (created?.by === 'createContext') words.push(`${id} has been there since the context was made.`)
  else if (created !== undefined) {
    // A node that replaces another has its age, so its time is not the time of the call.
    const at = supersedes === undefined ? timeInWords(created.at) : ''
    words.push(`${id} ${madeBy(created.by)} in cycle ${created.cycle}${at}${committedBy(created)}.`)
    if (created.by === undefined && changed?.by !== 'expand')
      words.push('How is older than the history that this context keeps.')
  }
  if (supersedes === undefined) return words
  words.push(`It stands in for ${supersedes}, which earlier snapshots still hold.`)
  const { author, reason } = redaction ?? {}
  if (author !== undefined) words.push(`The author of the redaction: ${author}.`)
  if (reason !== undefined) words.push(`The reason: ${reason}.`)
  return words
}

function committedBy({ author }: Readonly<{ author?: string }>): string {
  return author === undefined ? '' : `, committed by ${oneLine(author, 60)}`
}

/**
 * A time for people, to the second and in UTC. A time on the first day of 1970 comes from a clock that counts from 0, and is
 * shown as its count; an import writes 0 if no time was given.
 */
function timeInWords(iso: string): string {
  const [, date, time, fraction = ''] = ISO.exec(iso) ?? []
  if (time === undefined) return `, at ${iso}`
  if (date !== '1970-01-01') return `, at ${date} ${time} UTC`
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number]
  const ns = BigInt(hours * 3600 + minutes * 60 + seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
  return ns === 0n ? '' : `, at ${ns} ns on its clock`
}

const ISO = /^([+-]?\d{4,}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

/** Nodes that every tree has, permanently. */
const STRUCTURE: ReadonlyMap<string, string> = new Map([
  ['^root', 'It is the root, which holds the three regions.'],
  ['^sys', 'It is the system region, at depth -1.'],
  ['^seq', 'It is the history: the sealed segments, oldest first.'],
  ['^ah', 'It is the active head, at depth 0: the next commit seals what it holds.'],
])

const SHEDDING: Readonly<Record<Shedding, string>> = {
  shed: 'Its content was shed to save tokens; recall() gives it, and unshed() puts it back.',
  next: 'A token limit is passed, so the next commit or request sheds its content.',
  later: 'A budget may shed its content once a token limit is passed.',
  newest: 'It is one of the newest results, which a budget leaves whole.',
  excepted: 'It is pinned or excepted, so no budget sheds its content.',
}

const LEFT: Readonly<Record<Cause, string>> = {
  expired: 'a ttl ran out',
  pruned: 'a budget took it',
  edited: 'a call dropped it',
  moved: 'it crossed the border of ^sys and is another node there',
  superseded: 'another node took its place',
  redacted: 'it was redacted',
  shed: 'a line took the place of its content, to save tokens',
  compacted: 'a summary took its place',
  expanded: 'the nodes that it stood for came back',
  demoted: 'it was demoted',
  created: 'its id was given again',
  aged: 'a ttl ran out',
  sealed: 'it was sealed',
  cadence: 'a newer instance came',
}

function standing({ ids, tokens }: NonNullable<Facts['standsFor']>): string {
  const count = ids.length === 1 ? 'one node' : `${ids.length} nodes`
  return `It is a summary that stands for ${count} of ${tokens} tokens: ${list(ids)}; expand() puts them back.`
}

function leaving({ cause, rule, limit }: Departure): string {
  return rule === undefined ? LEFT[cause] : `the budget ${rule} (${limit}) took it`
}

function madeBy(by: Maker | undefined): string {
  if (by === undefined) return 'was made'
  if (by === 'commit') return 'was made by the commit'
  if (by === 'prune') return 'was made by pruning, for the names in the calls that left'
  if (by === 'cadence') return 'came by its cadence'
  if (by === 'import') return 'was imported; it was made'
  return `was made by ${by}()`
}

function changeBy(by: Maker): string {
  if (by === 'demotion') return 'A newer instance of its key demoted'
  if (by === 'shed') return 'A budget shed the content of'
  if (by === 'expand') return 'expand() restored'
  return by === 'move' || by === 'system.move' ? `${by}() moved` : `${by}() changed`
}

function where({ region, depth, zone, coordinate }: ExplainedPlace, isSealed: boolean): string {
  if (region === '^sys') return `It is in ^sys, at ${coordinate}.`
  const part = zone === undefined ? '' : zone === 'core' ? ', in the core' : `, in the ${zone}-context`
  if (region !== '^ah') return `It is at depth ${depth}${part}, at ${coordinate}.`
  return `It is in the active head${part}, at ${coordinate}${isSealed ? '; the next commit seals it' : ''}.`
}

function ending({ id, expires, outlives, empties, keptBy }: Facts, next: number): string {
  if (outlives !== undefined) return outliving(id, outlives, keptBy.keeper!, expires, next)
  if (empties !== undefined)
    return `It goes when it is empty: the snapshot of cycle ${empties.cycle} is the first without it.`
  if (expires === undefined) return 'No ttl ends it.'
  const { cycle, ttl, of } = expires
  const whose = of === id ? 'Its ttl' : `It leaves with ${of}, whose ttl`
  if (cycle === next) return `${whose} is ${ttl}: the next commit takes it, unless something needs it.`
  return `${whose} is ${ttl}: the snapshot of cycle ${cycle} is the first without it.`
}

function outliving(id: string, { cycle, of }: Ending, keeper: Keeper, expires: Facts['expires'], next: number): string {
  const whose = of === id ? 'Its ttl' : `The ttl of ${of}, which holds it,`
  const ends = cycle < next ? 'has run out' : `ends in cycle ${cycle}`
  const what = keeper.of === id ? 'it' : `${keeper.of}, which it stays with`
  const because = {
    ref: `${keeper.id} refers to ${what}`,
    hold: keeper.of === id ? 'a hold keeps it' : `a hold keeps ${what}`,
    schedule: `the next node of the key "${keeper.id}" refers to ${what}`,
  }[keeper.by]
  const until = expires === undefined ? '' : `: the snapshot of cycle ${expires.cycle} is the first without it`
  return `${whose} ${ends}, but ${because}${until}.`
}

function list(ids: readonly string[]): string {
  return ids.length <= FEW ? ids.join(', ') : `${ids.slice(0, FEW).join(', ')} and ${ids.length - FEW} more`
}

/** The number of ids in a sentence. */
const FEW = 3
