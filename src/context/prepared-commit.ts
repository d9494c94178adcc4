// A commit between its computation and its publication, and the plain value that a store writes of it.

import type { Commit } from '../commit/index.js'
import type { CommitRecord, Mint } from '../core/index.js'
import { changeBetween, type Draft } from '../timeline/index.js'
import { beginningOf, openingOf, type Beginning } from './beginning.js'

/** A commit that is worked out and not to be seen yet. It is published or discarded, once; no write comes between. */
export type PreparedCommit = Readonly<{
  /** The cycle that it closes. */
  cycle: number
  /** True if it seals no segment and follows no edit and no release of a hold. */
  isEmpty: boolean
  /** Everything that the commit changes, and the cycle that it opens, as one plain value. */
  record: (forks: number) => CommitRecord
  /** Makes it visible. The caller drops snapshots beyond the limit afterwards. Cannot fail. */
  publish: () => void
  /** Leaves everything as it was; the clock and the ids option have been asked. */
  discard: () => void
}>

/** Everything that publishing needs. */
export type Prepared = Readonly<{
  commit: Commit
  /** The next cycle with its returning nodes, over a timeline of its own; undefined if nothing is due. */
  next: Draft | undefined
  mint: Mint
  due: Due
  /** The ids whose holds had ended. */
  released: readonly string[]
}>

/** The nodes that returned when a cycle opened, and the keys that could not return. */
export type Due = Pick<Beginning, 'opened' | 'leftOut'>

/** Everything that the commit changes, and the cycle that it opens. */
export function recordOf({ commit: { draft, receipt }, next, mint, due }: Prepared, forks: number): CommitRecord {
  const { timeline, cycle, tree } = draft
  return {
    cycle,
    change: changeBetween(draft.before, (id) => timeline.find(id, cycle - 1), tree, [...draft.changes]),
    receipt,
    opening: openingOf(beginningOf(next?.tree ?? tree, next?.changes ?? [], mint, due), tree, (id) => draft.find(id)),
    forks,
    hasForeignIds: mint.sources.hasForeignIds,
  }
}
