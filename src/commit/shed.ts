// Stage 2 of a commit, before compaction and pruning: shedding (D61). While a token limit is passed, the oldest tool results get a line in place
// of their content, as many as bring the amount to the target. Nothing leaves, so the call, its result and their order stay.

import {
  compactedOf,
  shedOf,
  type Mint,
  type NodeRecord,
  type Receipt,
  type ShedNode,
  type SummaryNode,
} from '../core/index.js'
import {
  Gone,
  headSeals,
  oldResults,
  regionNameOf,
  shedOne,
  shedVersion,
  sortByPlace,
  type Draft,
} from '../timeline/index.js'
import type { Limit } from './measure.js'
import type { ResultsPolicy } from './policy.js'
import { contentText, utf8Length, type TokenCounts } from './tokens.js'

export type Shedding = Readonly<{
  draft: Draft
  mint: Mint
  limits: readonly Limit[]
  results: ResultsPolicy
  tokens: TokenCounts
  /** The results that `except` means; asked only if a limit is passed. */
  excepted: (draft: Draft) => ReadonlySet<string>
}>

/** The shed results with the tokens of their contents, and what was measured before for each limit that was passed. */
export type ShedAtOnce = Readonly<{
  shed: readonly Readonly<{ id: string; tokens: number }>[]
  before: ReadonlyMap<string, number>
}>

/** A result that can be shed: as it would be, and what that frees. */
type Candidate = Readonly<{ record: NodeRecord; version: NodeRecord; tokens: number; freed: number }>

export function shedResults({ draft, mint, limits, results, tokens, excepted }: Shedding): ShedAtOnce {
  const shed: { id: string; tokens: number }[] = []
  const before = new Map<string, number>()
  let except: ReadonlySet<string> | undefined
  for (const { rule, limit, goal, actual } of limits) {
    if (!rule.startsWith('maxTokens')) continue
    const now = actual(draft)
    if (now <= limit) continue
    except ??= excepted(draft)
    const chosen = chosenFor({ draft, rule, keep: results.keep, tokens, except, enough: now - goal })
    const freed = chosen.reduce((sum, each) => sum + each.freed, 0)
    if (chosen.length === 0 || freed < (results.atLeast ?? AT_LEAST) * limit) continue
    before.set(rule, now)
    for (const { record, version, tokens: count } of chosen) {
      shedOne(draft, record, version, 'shed', (age) => {
        return mint.stamp([{ nodeClass: 'block', nodeType: age.nodeType, age }], draft)[0]!
      })
      shed.push({ id: record.id, tokens: count })
    }
  }
  return { shed, before }
}

type Choice = Readonly<{
  draft: Draft
  rule: string
  keep: number
  tokens: TokenCounts
  except: ReadonlySet<string>
  enough: number
}>

/** Less than this share of the limit is not worth a change of what was sent: the provider's cache ends there. */
const AT_LEAST = 0.1

/** The oldest results that may be shed, up to enough. */
function chosenFor({ draft, rule, keep, tokens, except, enough }: Choice): readonly Candidate[] {
  const chosen: Candidate[] = []
  let freed = 0
  for (const record of oldResults(draft.tree, keep)) {
    if (freed >= enough) break
    if (record.rare?.pinned === true || except.has(record.id) || !countsFor(draft, rule, record)) continue
    const own = tokens.ofNode(record, draft)
    const version = shedVersion(draft, record, own)
    const rest = version && own - tokens.ofNode(version, draft)
    if (rest === undefined || rest <= 0) continue
    chosen.push({ record, version: version!, tokens: own, freed: rest })
    freed += rest
  }
  return chosen
}

/** True if a limit counts the tokens of a result: what is about to be sealed is history already. */
function countsFor(draft: Draft, rule: string, record: NodeRecord): boolean {
  if (rule === 'maxTokens') return true
  const region = regionNameOf(draft, record)
  return rule === `maxTokens ${region}` || (rule === 'maxTokens ^seq' && headSeals(draft))
}

/** The results that were shed in this cycle, by calls and by the commit, and the summaries that were made. */
export function madeInCycle(draft: Draft): Pick<Receipt, 'shed' | 'compacted'> {
  const shed = newIn(draft, (record) => shedOf(record) && 'shed')
  const summaries = newIn(draft, (record) =>
    compactedOf(record)
      ?.nodes.map(({ id }) => id)
      .join(' '),
  )
  return {
    shed: Object.freeze(shed.map(shedEntry)),
    ...(summaries.length === 0 ? {} : { compacted: Object.freeze(summaries.map(summaryEntry)) }),
  }
}

/** The nodes with a state that they have since this cycle: the ones that they replace in the last snapshot have another one or none. */
function newIn(draft: Draft, stateOf: (record: NodeRecord) => string | undefined): readonly NodeRecord[] {
  const news: NodeRecord[] = []
  for (const version of draft.changes) {
    const state = version instanceof Gone ? undefined : stateOf(version)
    if (version instanceof Gone || state === undefined) continue
    const before = draft.timeline.find(version.rare?.supersedes ?? version.id, draft.cycle - 1)
    const own = draft.timeline.find(version.id, draft.cycle - 1)
    if ([before, own].every((each) => each === undefined || stateOf(each) !== state)) news.push(version)
  }
  return sortByPlace(draft, news)
}

function summaryEntry(record: NodeRecord): SummaryNode {
  const nodes = compactedOf(record)!.nodes.filter(({ of }) => of === undefined)
  const tokens = nodes.reduce((sum, each) => sum + (each.tokens ?? 0), 0)
  return Object.freeze({ id: record.id, nodes: nodes.length, tokens })
}

/** A shed result as receipts list it. */
export function shedEntry(record: NodeRecord): ShedNode {
  const { id, content } = shedOf(record)!
  return Object.freeze({ id, standIn: record.id, size: utf8Length(contentText(content)) })
}
