// The nodes that have outlived their ttl, or stand inside one that has, because something needs them (D26); and for each
// the one thing that was found to keep it: its keeper.
//
// A keeper is a node that refers to it, its parent, one of its children, or a hold. Following keepers always ends at a node
// that is not at risk, or at a hold, since each was found by way of its keeper. So as long as the keepers of a node are as
// they were, all the way up, it is among the survivors, and a commit need not look at it. When a keeper leaves, changes its
// refs or comes to be at risk itself, what it kept is in doubt, and all that was kept by way of that, and nothing else:
// these are judged again, and find another keeper or go. That is exact, also for nodes that refer to each other in a ring.
//
// Empty containers that something needs (D26, D55) have keepers too, of their own: a node that refers to them, or a hold.
//
// It tells of one snapshot, the newest of a context, and only a commit that has succeeded changes it: edits, undo and
// previews have nothing to keep up. An import and a fork begin without, and judge everything at their first commit.

import type { NodeRecord } from '../core/index.js'
import { Keepers } from './keepers.js'

/** What a commit has found out about the nodes it has judged. */
export type Verdict = Readonly<{
  /** Every id that was in doubt, whatever became of it. */
  judged: Iterable<string>
  /** Those that stay, each with the id of its keeper, or undefined for a hold. */
  keepers: ReadonlyMap<string, string | undefined>
  /** The keepers that were not in doubt themselves. */
  outside: ReadonlyMap<string, NodeRecord>
  /** What the later stages of the same commit have changed; asked for only where something waits. */
  touched: () => readonly string[]
  /** The empty containers that were looked at. */
  emptied: EmptiedVerdict
}>

/** What a commit has found out about empty containers. */
export type EmptiedVerdict = Readonly<{
  /** Every id that was looked at, whatever became of it. */
  judged: Iterable<string>
  /** Those that stay, or stayed until a later stage took them, each kept by a node that refers to it or by a hold. */
  kept: Keepers
}>

export class Waiting {
  /** Those that have outlived their ttl. */
  readonly expired: Keepers = new Keepers()
  /** The empty containers and segments. */
  readonly emptied: Keepers = new Keepers()
  #touched: readonly string[] = []

  /** What has changed in its snapshot since the expired nodes were judged. */
  get touched(): readonly string[] {
    return this.#touched
  }

  /** Takes over what the commit of the next snapshot has found. */
  settle({ judged, keepers, outside, touched, emptied }: Verdict): void {
    for (const id of judged) this.expired.drop(id)
    for (const [id, keeper] of keepers) {
      this.expired.set(id, keeper, keeper === undefined ? undefined : outside.get(keeper)?.refs)
    }
    for (const id of emptied.judged) this.emptied.drop(id)
    this.emptied.add(emptied.kept)
    this.#touched = this.expired.size === 0 ? NOTHING : touched()
  }
}

const NOTHING: readonly string[] = []
