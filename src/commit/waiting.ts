// The nodes that outlive their ttl, or are inside such a node, because something needs them (D26); and for each its keeper, the one thing
// that was found to keep it. A keeper is a node that refers to it, its parent, one of its children, or a hold.
//
// Following keepers always ends at a node that is not at risk, or at a hold, since each node was found by way of its keeper. So as long as
// the keepers of a node are unchanged, all the way up, it survives, and a commit need not look at it. When a keeper leaves, changes its
// refs or comes to be at risk itself, the nodes that it kept are in doubt, and all that were kept by way of them, and nothing else: these
// are judged again, and find another keeper or leave. That is exact, also for nodes that refer to each other in a ring. Empty containers
// that something needs (D26, D55) have keepers of their own: a node that refers to them, or a hold.
//
// The state belongs to one snapshot, the newest of a context, and only a commit that has succeeded changes it: edits, undo and previews do
// not touch it. An import and a fork begin without it, and judge everything at their first commit.

import type { NodeRecord } from '../core/index.js'
import { Keepers } from './keepers.js'

/** The verdicts of a commit on the nodes that it judged. */
export type Verdict = Readonly<{
  /** Every id that was in doubt, with either outcome. */
  judged: Iterable<string>
  /** Those that stay, each with the id of its keeper, or undefined for a hold. */
  keepers: ReadonlyMap<string, string | undefined>
  /** The keepers that were not in doubt themselves. */
  outside: ReadonlyMap<string, NodeRecord>
  /** Changes by the later stages of the same commit; read only if something waits. */
  touched: () => readonly string[]
  /** The empty containers that were looked at. */
  emptied: EmptiedVerdict
}>

/** The verdicts of a commit on empty containers. */
export type EmptiedVerdict = Readonly<{
  /** Every id that was looked at, with either outcome. */
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

  /** Changes to its snapshot since the expired nodes were judged. */
  get touched(): readonly string[] {
    return this.#touched
  }

  /** Takes over the verdicts of the commit of the next snapshot. */
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
