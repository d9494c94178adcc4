// The order in which compaction takes turns (D51): lowest priority first, which is the highest of the blocks in it, then
// the oldest segment. What a chunk promises is kept with the chunk, so that the first turn is found without looking at the
// others, and only contexts that compact pay for it.

import { compareForPruning, type PruningKey } from '../core/index.js'
import { childrenOf, Fact, recordOf, type Sequence, type TreeNode } from '../timeline/index.js'
import type { Order } from './pruning-queue.js'

/** Turns that hold a block. */
export const TURNS: Order = { firstOf: (chunk) => FIRST.of(chunk).full, keyOf: fullKeyOf, wholeItems: true }

/** These, but first the turns that hold none (D55). */
export const EMPTY_AND_TURNS: Order = {
  firstOf: (chunk) => FIRST.of(chunk).empty ?? FIRST.of(chunk).full,
  keyOf: turnKeyOf,
  wholeItems: true,
}

/** Brings what is known of the turns up to the newest, so that no commit has to look at many. */
export function keepTurnOrder(segments: Sequence): void {
  FIRST.of(segments)
}

/** For tests that count: how many turns all commits so far have looked at. */
export function countTurns(): number {
  return lookedAt
}

let lookedAt = 0

/** The place of a turn; none if something in it is pinned, since nothing takes it then. */
export function turnKeyOf(segment: TreeNode): PruningKey | undefined {
  lookedAt++
  const record = recordOf(segment)
  const priority = record.rare?.pinned === true ? PINNED : HIGHEST.of(childrenOf(segment))
  return priority === PINNED ? undefined : { priority, createdAtNs: record.createdAtNs, id: record.id }
}

function fullKeyOf(segment: TreeNode): PruningKey | undefined {
  const key = turnKeyOf(segment)
  return key?.priority === NO_BLOCK ? undefined : key
}

const NO_BLOCK = -Infinity
const PINNED = Infinity

/** The highest priority of the blocks below. */
const HIGHEST = new Fact<Sequence, number>(({ chunks, items }) => {
  let highest = NO_BLOCK
  for (const chunk of chunks ?? []) highest = Math.max(highest, HIGHEST.of(chunk))
  for (const item of items ?? []) {
    const { nodeClass, priority, rare } = recordOf(item)
    if (rare?.pinned === true) return PINNED
    highest = Math.max(highest, nodeClass === 'block' ? priority : HIGHEST.of(childrenOf(item)))
  }
  return highest
})

type First = Readonly<{ full: PruningKey | undefined; empty: PruningKey | undefined }>

/** The first of the turns in a chunk of ^seq. */
const FIRST = new Fact<Sequence, First>(({ chunks, items }) => {
  let [full, empty]: (PruningKey | undefined)[] = []
  for (const chunk of chunks ?? []) {
    const first = FIRST.of(chunk)
    full = sooner(full, first.full)
    empty = sooner(empty, first.empty)
  }
  for (const item of items ?? []) {
    const key = turnKeyOf(item)
    if (key?.priority === NO_BLOCK) empty = sooner(empty, key)
    else full = sooner(full, key)
  }
  return { full, empty }
})

function sooner(a: PruningKey | undefined, b: PruningKey | undefined): PruningKey | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return compareForPruning(a, b) <= 0 ? a : b
}
