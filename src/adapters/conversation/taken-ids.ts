// Ids that may stand once in a request, such as those of Claude's calls. Those of full leaves are gathered once for as long as the same leaves
// lead, so that after a commit only the newest turns are asked about.

import type { Leaf, Turn } from './rendering.js'

export class TakenIds {
  readonly #before: ReadonlySet<string>
  readonly #new = new Set<string>()

  constructor(before: ReadonlySet<string>) {
    this.#before = before
  }

  has(id: string): boolean {
    return this.#before.has(id) || this.#new.has(id)
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.#new.add(id)
  }
}

/** Whether a leaf is sent as it is kept: it needs to know nothing of the rest, and the last turn is not in it. */
export function isWhole(leaf: Leaf, last: Turn | undefined): leaf is Leaf & { pieces: NonNullable<Leaf['pieces']> } {
  return leaf.pieces !== undefined && !(last !== undefined && leaf.turns.includes(last))
}

/** The leaves that lead and have no id twice, and their ids. */
type Whole = Readonly<{ leaves: readonly Leaf[]; ids: ReadonlySet<string> }>

/** By the last of those leaves; what is known by an earlier one is let go when a later one is reached. */
const known = new WeakMap<Leaf, Whole>()

/** How many leaves lead that are sent as they are kept, and the ids in them; the newest leaf is never one of them. */
export function wholeBefore(
  leaves: readonly Leaf[],
  last: Turn | undefined,
): Readonly<{ before: ReadonlySet<string>; whole: number }> {
  const end = leaves.findIndex((leaf, at) => at >= leaves.length - 2 || !isWhole(leaf, last))
  const newest = end < 1 ? undefined : leaves[end - 1]
  if (newest === undefined) return NONE
  const kept = known.get(newest)
  if (kept !== undefined && isStart(kept.leaves, leaves)) return { before: kept.ids, whole: kept.leaves.length }
  const made = gathered(leaves.slice(0, end))
  known.set(newest, made)
  for (const leaf of made.leaves) if (leaf !== newest) known.delete(leaf)
  return { before: made.ids, whole: made.leaves.length }
}

const NONE = { before: new Set<string>(), whole: 0 } as const

function gathered(leaves: readonly Leaf[]): Whole {
  const ids = new Set<string>()
  for (const [at, { uniqueIds }] of leaves.entries()) {
    if (uniqueIds.some((id) => ids.has(id))) return { leaves: leaves.slice(0, at), ids }
    for (const id of uniqueIds) ids.add(id)
  }
  return { leaves, ids }
}

function isStart(first: readonly Leaf[], leaves: readonly Leaf[]): boolean {
  return first.length <= leaves.length && first.every((leaf, at) => leaf === leaves[at])
}
