// One commit, in the documented order (03 §7): expire, compact and prune, seal; the rest is the snapshot. It works on copies, so if a stage
// throws, the caller's draft and mint are unchanged.

import { EMPTY_RECEIPT, type CutNode, type Dialect, type Mint, type NodeRecord, type Receipt } from '../core/index.js'
import { headSeals, type Draft } from '../timeline/index.js'
import { Budget } from './budget.js'
import { cascade, emptiedByEdits } from './cascade.js'
import { compactTurns } from './compact.js'
import { Empties } from './empties.js'
import { expireNodes, type Held } from './expire.js'
import { limitsOf } from './measure.js'
import { dropIdleNames } from './names.js'
import { leaveNote } from './note.js'
import { pruneNodes } from './prune.js'
import { protectedSegments, type PrunePolicy } from './policy.js'
import { sealHead } from './seal.js'
import { madeInCycle, shedResults, type ShedAtOnce } from './shed.js'
import { Taking } from './taking.js'
import type { TokenCounts } from './tokens.js'
import { keepTurnOrder } from './turn-order.js'
import type { Verdict, Waiting } from './waiting.js'

export type CommitInput = Readonly<{
  draft: Draft
  mint: Mint
  dialect: Dialect
  policy: PrunePolicy | undefined
  tokens: TokenCounts
  held: Held
  /** The ids whose last hold has ended since the last commit. */
  released: Iterable<string>
  /** The nodes that wait in the last snapshot; undefined if they have not been searched for yet. */
  waiting: Waiting | undefined
  /** The treatment of segments that have become empty (D55). */
  emptySegments: EmptySegments
  /** The results that the policy never sheds. */
  excepted: (draft: Draft) => ReadonlySet<string>
  /** The nodes that a request of this cycle left out; they leave before anything else does for a limit. */
  cut: readonly CutNode[]
  /** The tokens of a request that are in no node; 0 for a commit. */
  extra?: number | undefined
}>

export type EmptySegments = 'keep' | 'remove'

/** The tree of the next snapshot, not yet part of any timeline. */
export type Commit = Readonly<{
  draft: Draft
  mint: Mint
  receipt: Receipt
  verdict: Verdict
  shed: ShedAtOnce['shed']
}>

/** Works out the next snapshot. */
export function commitCycle(input: CommitInput): Commit {
  const draft = input.draft.copy()
  const mint = input.mint.copy()
  const { held, waiting, released } = input
  const takesSegments = input.emptySegments === 'remove'
  const empties = new Empties({ draft, known: waiting?.emptied, released, takesSegments })
  empties.look()
  const emptied = emptiedByEdits(draft, held, empties)
  const expiry = expireNodes({ draft, held, released, waiting })
  draft.mark()
  empties.look()
  cascade(draft, held, 'expired', empties, emptied)
  const { receipt, shed } = meetLimits(draft, mint, input, empties)
  const inherit = (from: NodeRecord, to: NodeRecord): void => input.tokens.inherit(from, to)
  sealHead(draft, mint, input.dialect, inherit)
  dropIdleNames({ draft, held, released, isFirst: waiting === undefined, onChange: inherit })
  const { judged, keepers, outside } = expiry
  const verdict = { judged, keepers, outside, touched: () => draft.touched, emptied: empties.verdict }
  return { draft, mint, receipt, verdict, shed }
}

/**
 * Brings the tree within the limits of the policy, by shedding and by whole turns first if it says so, and gives the receipt. Nothing leaves
 * after the limits were measured: containers that a unit empties go with the unit.
 */
function meetLimits(
  draft: Draft,
  mint: Mint,
  { policy, dialect, tokens, held, excepted, cut, extra = 0 }: CommitInput,
  empties: Empties,
): Pick<Commit, 'receipt' | 'shed'> {
  if (policy === undefined) {
    const made = madeInCycle(draft)
    const isEmpty = made.shed.length === 0 && made.compacted === undefined
    return { receipt: isEmpty ? EMPTY_RECEIPT : Object.freeze({ ...EMPTY_RECEIPT, ...made }), shed: [] }
  }
  const limits = limitsOf(policy, tokens, extra)
  const { results } = policy
  const taking = new Taking(draft, protectedSegments(policy, headSeals(draft)), held, empties)
  const cutFor = limits.filter(({ rule }) => cut.some((each) => each.rule === rule))
  const before = new Map(cutFor.map(({ rule, actual }) => [rule, actual(draft)]))
  taking.takeCut(cut)
  const { shed, before: beforeShed } = results
    ? shedResults({ draft, mint, limits, results, tokens, excepted })
    : NOTHING_SHED
  // A request is never refused: it says that it is over its limit.
  const budget = new Budget(limits, taking, extra > 0 ? 'report' : policy.unmet, new Map([...beforeShed, ...before]))
  keepTurnOrder(draft.region('^seq').children)
  if (policy.unit === 'turn') compactTurns(budget)
  pruneNodes(budget)
  const { names: most = 0 } = policy
  if (most > 0 && taking.calls.length > 0) {
    leaveNote({ draft, mint, dialect, most, calls: taking.calls, limits, tokens })
  }
  return { receipt: budget.receipt(madeInCycle(draft)), shed }
}

const NOTHING_SHED: ShedAtOnce = { shed: [], before: new Map() }
