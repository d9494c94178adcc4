// The nodes that have outlived their ttl, or stand inside one that has, because something needs them (D26); and for each
// the one thing that was found to keep it: its keeper.
//
// A keeper is a node that refers to it, its parent, one of its children, or a hold. Following keepers always ends at a node
// that is not at risk, or at a hold, since each was found by way of its keeper. So as long as the keepers of a node are as
// they were, all the way up, it is among the survivors, and a commit need not look at it. When a keeper leaves, changes its
// refs or comes to be at risk itself, what it kept is in doubt, and all that was kept by way of that, and nothing else:
// these are judged again, and find another keeper or go. That is exact, also for nodes that refer to each other in a ring.
//
// It tells of one snapshot, the newest of a context, and only a commit that has succeeded changes it: edits, undo and
// previews have nothing to keep up. An import and a fork begin without, and judge everything at their first commit.

import type { NodeRecord } from '../core/index.js'

/** What a commit has found out about the nodes it has judged. */
export type Verdict = Readonly<{
  /** Every id that was in doubt, whatever became of it. */
  judged: Iterable<string>
  /** Those that stay, each with the id of its keeper, or undefined for a hold. */
  keepers: ReadonlyMap<string, string | undefined>
  /** The keepers that were not in doubt themselves. */
  outside: ReadonlyMap<string, NodeRecord>
  /** What the later stages of the same commit have changed. */
  touched: readonly string[]
  /** The segments that stand empty although the context lets such go: something needs them (D55). */
  hollow: ReadonlySet<string>
}>

/** What one keeper keeps. */
type Charge = {
  readonly ids: Set<string>
  /** The refs that it had; undefined where it was in doubt itself. */
  refs: readonly string[] | undefined
}

export class Waiting {
  readonly #keepers = new Map<string, string | undefined>()
  readonly #charges = new Map<string, Charge>()
  #touched: readonly string[] = []
  #hollow: ReadonlySet<string> = new Set()

  get size(): number {
    return this.#keepers.size
  }

  has(id: string): boolean {
    return this.#keepers.has(id)
  }

  /** What has changed in its snapshot since the nodes were judged. */
  get touched(): readonly string[] {
    return this.#touched
  }

  /** The empty segments of its snapshot (D55). */
  get hollow(): ReadonlySet<string> {
    return this.#hollow
  }

  /** The nodes whose keeper has this id. */
  keptBy(id: string): Iterable<string> {
    return this.#charges.get(id)?.ids ?? NOTHING
  }

  /** Whether a node that is not at risk keeps what it kept: nothing, or by the same refs. */
  keepsOn({ id, refs }: NodeRecord): boolean {
    const charge = this.#charges.get(id)
    return charge === undefined || charge.refs === refs
  }

  /** Takes over what the commit of the next snapshot has found. */
  settle({ judged, keepers, outside, touched, hollow }: Verdict): void {
    for (const id of judged) this.#drop(id)
    for (const [id, keeper] of keepers) {
      this.#keepers.set(id, keeper)
      if (keeper === undefined) continue
      const refs = outside.get(keeper)?.refs
      const charge = this.#charges.get(keeper)
      if (charge === undefined) this.#charges.set(keeper, { ids: new Set([id]), refs })
      else {
        charge.ids.add(id)
        charge.refs = refs
      }
    }
    this.#hollow = hollow
    this.#touched = this.#keepers.size === 0 ? NOTHING : touched
  }

  #drop(id: string): void {
    const keeper = this.#keepers.get(id)
    this.#keepers.delete(id)
    const charge = keeper === undefined ? undefined : this.#charges.get(keeper)
    charge?.ids.delete(id)
    if (charge?.ids.size === 0) this.#charges.delete(keeper!)
  }
}

const NOTHING: readonly string[] = []
