// The order in which compaction takes turns (D51): lowest priority first, which is the highest of the blocks in the turn, then the oldest
// segment. Empty turns come before all others, and before all nodes if pruning goes by nodes (N120). The best candidate of a chunk is kept
// with the chunk, so that the first turn is found without looking at the others, and only contexts with limits pay for it.

import { compareForPruning, type PruningKey } from '../core/index.js'
import { childrenOf, Fact, recordOf, type Sequence, type TreeNode } from '../timeline/index.js'
import type { Candidate, Order } from './pruning-queue.js'

/** Turns, those that hold nothing first (D55). */
export const TURNS: Order = {
  firstOf: (chunk) => FIRST.of(chunk).empty ?? FIRST.of(chunk).full,
  keyOf: turnKeyOf,
  wholeItems: true,
}

/** The turns of a sequence that hold neither a block nor a container with content, each with its place. */
export function* emptyTurns(sequence: Sequence): Generator<Candidate, void, undefined> {
  if (FIRST.of(sequence).empty === undefined) return
  for (const chunk of sequence.chunks ?? []) yield* emptyTurns(chunk)
  for (const item of sequence.items ?? []) {
    const key = emptyKeyOf(item)
    if (key !== undefined) yield { record: recordOf(item), key }
  }
}

/** The place of a turn that holds nothing; none for any other. */
export function emptyKeyOf(segment: TreeNode): PruningKey | undefined {
  const key = turnKeyOf(segment)
  return key !== undefined && isEmptyTurn(key) ? key : undefined
}

/** The place of a turn without content. */
export function isEmptyTurn({ priority }: PruningKey): boolean {
  return priority === NOTHING
}

/** Updates the facts of the turns up to the newest, so that no commit has to look at many. */
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

const NOTHING = -Infinity
const PINNED = Infinity

/** The highest priority of the blocks below; a container with content counts as a block. */
const HIGHEST = new Fact<Sequence, number>(({ chunks, items }) => {
  let highest = NOTHING
  for (const chunk of chunks ?? []) highest = Math.max(highest, HIGHEST.of(chunk))
  for (const item of items ?? []) {
    const { nodeClass, isRendered, priority, rare } = recordOf(item)
    if (rare?.pinned === true) return PINNED
    if (isRendered) highest = Math.max(highest, priority)
    if (nodeClass !== 'block') highest = Math.max(highest, HIGHEST.of(childrenOf(item)))
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
    if (key !== undefined && isEmptyTurn(key)) empty = sooner(empty, key)
    else full = sooner(full, key)
  }
  return { full, empty }
})

function sooner(a: PruningKey | undefined, b: PruningKey | undefined): PruningKey | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return compareForPruning(a, b) <= 0 ? a : b
}
