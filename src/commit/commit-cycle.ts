// One commit, in the documented order (03 §7): expire, prune, seal, then the snapshot is what is left. It works on
// copies, so whatever a stage throws, the caller's draft and mint are as they were.

import type { Dialect, Mint, NodeRecord, Receipt } from '../core/index.js'
import type { Draft } from '../timeline/index.js'
import { cascade, emptiedByEdits } from './cascade.js'
import { Empties } from './empties.js'
import { expireNodes, type Held } from './expire.js'
import { dropIdleNames } from './names.js'
import { pruneNodes } from './prune.js'
import type { PrunePolicy } from './policy.js'
import { sealHead } from './seal.js'
import type { TokenCounts } from './tokens.js'
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
  /** The nodes that wait in the last snapshot; undefined where nobody has looked yet. */
  waiting: Waiting | undefined
  /** What becomes of segments that nothing stands in any more (D55). */
  emptySegments: EmptySegments
}>

export type EmptySegments = 'keep' | 'remove'

/** The tree of the next snapshot, not yet part of any timeline. */
export type Commit = Readonly<{ draft: Draft; mint: Mint; receipt: Receipt; verdict: Verdict }>

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
  const receipt = pruneNodes(draft, input.policy, input.tokens, held, empties)
  empties.look()
  cascade(draft, held, 'pruned', empties, emptied)
  const inherit = (from: NodeRecord, to: NodeRecord): void => input.tokens.inherit(from, to)
  sealHead(draft, mint, input.dialect, inherit)
  dropIdleNames(draft, held, inherit)
  return { draft, mint, receipt, verdict: { ...expiry, touched: draft.touched, emptied: empties.verdict } }
}
