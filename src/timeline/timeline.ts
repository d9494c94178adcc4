// All snapshots of a context, as a row of eras: stretches of cycles with an index each. Going back is an array access;
// finding an id in any snapshot is a look into a list and into the map of each era, of which there are few. A fork shares
// the eras before it, and copies the part of the one it leaves from, so neither keeps the other's later snapshots alive.

import { EMPTY_RECEIPT, type NodeRecord, type Receipt } from '../core/index.js'
import { Era } from './era.js'
import type { Tree } from './tree.js'
import { Gone, type Version } from './version.js'

const NO_CHANGES: readonly Version[] = []

/** A new era begins after so many cycles: a fork copies one at the most, 20 µs for a full one. */
const ERA = 1024
/** Older eras are joined as long as they are not longer than this; every look for an id passes them all. */
const LONGEST = 16 * ERA
/** The newest eras are not joined, since most forks leave from there. */
const APART = 2

export class Timeline {
  /** Oldest first, each behind the one before. */
  readonly #eras: Era[]
  /** Whether the last era is nobody else's, so that it may grow. */
  #isOwn: boolean

  constructor(eras: readonly Era[] = [], isOwn = true) {
    this.#eras = [...eras]
    this.#isOwn = isOwn
  }

  /** A timeline with the same past up to a cycle. */
  fork(cycle: number): Timeline {
    const at = this.#indexOf(cycle)
    const era = this.#eras[at]!
    const older = this.#eras.slice(0, at)
    if (era.last > cycle) return new Timeline([...older, era.upTo(cycle)], true)
    if (at === this.#eras.length - 1) this.#isOwn = false
    return new Timeline([...older, era], false)
  }

  /** A timeline with the same past, for trying out the next snapshot: it costs nothing, and nobody else sees it. */
  trial(): Timeline {
    return new Timeline(this.#eras, false)
  }

  /** The cycle of the newest snapshot; undefined before the first. */
  get newest(): number | undefined {
    return this.#eras.at(-1)?.last
  }

  /** The cycle of the oldest snapshot; undefined before the first. */
  get oldest(): number | undefined {
    return this.#eras[0]?.first
  }

  /** How many snapshots there are. */
  get size(): number {
    return this.#eras.reduce((size, era) => size + era.size, 0)
  }

  /** Both; undefined before the first snapshot. */
  get bounds(): Readonly<{ oldest: number; newest: number }> | undefined {
    const { oldest, newest } = this
    return oldest === undefined || newest === undefined ? undefined : { oldest, newest }
  }

  treeAt(cycle: number): Tree | undefined {
    return this.#eraOf(cycle)?.treeAt(cycle)
  }

  receiptAt(cycle: number): Receipt {
    return this.#eraOf(cycle)?.receiptAt(cycle) ?? EMPTY_RECEIPT
  }

  /** What the commit of this cycle changed. */
  changesAt(cycle: number): readonly Version[] {
    return this.#eraOf(cycle)?.logAt(cycle) ?? NO_CHANGES
  }

  /** The version of a node that the snapshot of this cycle holds. */
  find(id: string, cycle: number): NodeRecord | undefined {
    const version = this.versionAt(id, cycle)
    return version instanceof Gone ? undefined : version
  }

  /** The same, or since when and why there is none any more. */
  versionAt(id: string, cycle: number): Version | undefined {
    for (let at = this.#indexOf(cycle); at >= 0; at--) {
      const version = this.#eras[at]!.versionAt(id, cycle)
      if (version !== undefined) return version
    }
    return undefined
  }

  /** Ids of nodes whose refs may name this id, in any snapshot (see Links). */
  *referrersOf(id: string): Generator<string, void, undefined> {
    for (const { links } of this.#eras) yield* links.referrersOf(id)
  }

  /** Ids of nodes that may carry this call id, in any snapshot (see Links). */
  *carriersOf(callId: string): Generator<string, void, undefined> {
    for (const { links } of this.#eras) yield* links.carriersOf(callId)
  }

  /** The same, those that came last first. */
  *newestCarriersOf(callId: string): Generator<string, void, undefined> {
    for (let at = this.#eras.length - 1; at >= 0; at--) {
      const ids = this.#eras[at]!.links.carriersOf(callId)
      for (let i = ids.length - 1; i >= 0; i--) yield ids[i]!
    }
  }

  /** Ids of nodes that may stand in for this id, in any snapshot (see Links). */
  *standInsOf(id: string): Generator<string, void, undefined> {
    for (const { links } of this.#eras) yield* links.standInsOf(id)
  }

  /** Takes up the snapshot of the next cycle. Cannot fail, so that a commit is one step. */
  append(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    let era = this.#eras.at(-1)
    if (era === undefined || !this.#isOwn || era.size >= ERA) {
      era = new Era(cycle)
      this.#eras.push(era)
      this.#isOwn = true
      this.#join()
    }
    era.append(tree, [...versions], receipt)
  }

  /** Joins older eras of about one length, so that there are few of them, and each cycle is copied a few times. */
  #join(): void {
    for (;;) {
      const at = this.#eras.length - APART - 1
      const [older, newer] = [this.#eras[at - 1], this.#eras[at]]
      if (older === undefined || newer === undefined) return
      if (newer.size * 2 < older.size || older.size + newer.size > LONGEST) return
      this.#eras.splice(at - 1, 2, Era.joined(older, newer))
    }
  }

  #eraOf(cycle: number): Era | undefined {
    return this.#eras[this.#indexOf(cycle)]
  }

  /** Which era a cycle belongs to: the last one that does not begin after it; -1 for none. */
  #indexOf(cycle: number): number {
    const eras = this.#eras
    let low = 0
    let high = eras.length
    // Nearly everybody asks for the newest.
    if (high > 0 && eras[high - 1]!.first <= cycle) return high - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (eras[middle]!.first <= cycle) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
