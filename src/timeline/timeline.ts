// All snapshots of a context, as a row of eras: stretches of cycles with an index each. Going back is an array access;
// finding an id in any snapshot is a look into a list and into the map of each era, of which there are few. A fork shares
// the eras before it, and copies the part of the one it leaves from, so neither keeps the other's later snapshots alive.
//
// Where history is limited, whole eras are let go behind it, and what still holds of them goes into the base. Which
// snapshots there are does not depend on that: one that is older than the limit is not there, even if its era is.

import {
  EMPTY_RECEIPT,
  Gone,
  type CheckpointSnapshot,
  type NodeRecord,
  type Receipt,
  type Version,
} from '../core/index.js'
import { Base } from './base.js'
import { Era } from './era.js'
import type { Erasing } from './erase.js'
import type { LinkHints } from './reference-index.js'
import type { Tree } from './tree.js'

const NO_CHANGES: readonly Version[] = []

/** A new era begins after so many cycles: a fork copies one at the most, 20 µs for a full one. */
const ERA = 1024
/** Older eras are joined as long as they are not longer than this; every look for an id passes them all. */
const LONGEST = 16 * ERA
/** Of a limited history an era is at most this part, so that little is kept beyond the limit. */
const SHARE = 4
/** The newest eras are not joined, since most forks leave from there. */
const APART = 2

/** What timelines hand on to each other. */
type Past = Readonly<{
  /** Oldest first, each behind the one before. */
  eras: readonly Era[]
  base: Base
  /** The cycle of the oldest snapshot there is. */
  oldest: number | undefined
  /** The cycle of the oldest snapshot there ever was. */
  first: number | undefined
}>

const NO_PAST: Past = { eras: [], base: Base.NONE, oldest: undefined, first: undefined }

export class Timeline {
  readonly #eras: Era[]
  #base: Base
  #oldest: number | undefined
  #first: number | undefined
  /** Whether the last era is nobody else's, so that it may grow. */
  #isOwn: boolean
  /** How many snapshots are kept. */
  readonly #history: number

  private constructor({ eras, base, oldest, first }: Past, isOwn: boolean, history: number) {
    this.#eras = [...eras]
    this.#base = base
    this.#oldest = oldest
    this.#first = first
    this.#isOwn = isOwn
    this.#history = history
  }

  /** A timeline without a snapshot, that keeps so many of them, the newest. */
  static empty(history: number = Infinity): Timeline {
    return new Timeline(NO_PAST, true, history)
  }

  /** A timeline that begins with a snapshot from elsewhere. */
  static imported(era: Era, history: number = Infinity): Timeline {
    return new Timeline({ ...NO_PAST, eras: [era], oldest: era.first, first: era.first }, true, history)
  }

  /** A timeline that begins with a snapshot of which the past is not known but for what it has left there. */
  static beginning(
    {
      cycle,
      first,
      tree,
      log,
      receipt,
    }: Readonly<{ tree: Tree }> & Pick<CheckpointSnapshot, 'cycle' | 'first' | 'log' | 'receipt'>,
    base: Base,
    history: number = Infinity,
  ): Timeline {
    const timeline = new Timeline({ ...NO_PAST, base, first }, true, history)
    timeline.append(cycle, tree, log, receipt)
    return timeline
  }

  /** A timeline with the same past up to a cycle, as far as it keeps it. */
  fork(cycle: number, history: number = this.#history): Timeline {
    const at = this.#indexOf(cycle)
    const era = this.#eras[at]!
    const isCut = era.last > cycle
    if (!isCut && at === this.#eras.length - 1) this.#isOwn = false
    const eras = [...this.#eras.slice(0, at), isCut ? era.upTo(cycle) : era]
    const fork = new Timeline({ ...this.#past, eras }, isCut, history)
    fork.#letGo()
    return fork
  }

  /** A timeline with the same past, for trying out the next snapshot: it costs nothing, and nobody else sees it. */
  trial(): Timeline {
    return new Timeline(this.#past, false, this.#history)
  }

  get #past(): Past {
    return { eras: this.#eras, base: this.#base, oldest: this.#oldest, first: this.#first }
  }

  /** The cycle of the newest snapshot; undefined before the first. */
  get newest(): number | undefined {
    return this.#eras.at(-1)?.last
  }

  /** The cycle of the oldest snapshot; undefined before the first. */
  get oldest(): number | undefined {
    return this.#oldest
  }

  /** How many snapshots there are. */
  get size(): number {
    return this.#oldest === undefined ? 0 : this.newest! - this.#oldest + 1
  }

  /** Both; undefined before the first snapshot. `first` is the oldest that there ever was. */
  get bounds(): Readonly<{ oldest: number; newest: number; first: number }> | undefined {
    const { oldest, newest } = this
    if (oldest === undefined || newest === undefined) return undefined
    return { oldest, newest, first: this.#first! }
  }

  /** Whether it is known what was there before the commit of this cycle. */
  knowsBefore(cycle: number): boolean {
    return this.#oldest === this.#first || cycle > this.#oldest!
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

  /** The same, or since when and why there is none any more; nothing about what no snapshot there is holds. */
  versionAt(id: string, cycle: number): Version | undefined {
    const oldest = this.#oldest
    if (oldest === undefined || cycle < oldest) return undefined
    for (let at = this.#indexOf(cycle); at >= 0; at--) {
      const version = this.#eras[at]!.versionAt(id, cycle)
      if (version !== undefined) return version instanceof Gone && version.born <= oldest ? undefined : version
    }
    return this.#base.find(id)
  }

  /** Ids of nodes whose refs may name this id, in any snapshot (see Links). */
  *referrersOf(id: string): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.referrersOf(id)
  }

  /** Ids of nodes that may carry this call id, in any snapshot (see Links). */
  *carriersOf(callId: string): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.carriersOf(callId)
  }

  /** The same, those that came last first. */
  *newestCarriersOf(callId: string): Generator<string, void, undefined> {
    for (const links of [...this.#links()].toReversed()) {
      const ids = links.carriersOf(callId)
      for (let i = ids.length - 1; i >= 0; i--) yield ids[i]!
    }
  }

  /** Ids of nodes that may stand in for this id, in any snapshot (see Links). */
  *standInsOf(id: string): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.standInsOf(id)
  }

  /** Oldest first. */
  *#links(): Generator<LinkHints, void, undefined> {
    yield* this.#base.links()
    for (const { links } of this.#eras) yield links
  }

  /** Takes up the snapshot of the next cycle. Cannot fail, so that a commit is one step. */
  append(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    let era = this.#eras.at(-1)
    if (era === undefined || !this.#isOwn || era.size >= Math.min(ERA, this.#history / SHARE)) {
      era = new Era(cycle)
      this.#eras.push(era)
      this.#isOwn = true
      this.#join()
    }
    era.append(tree, [...versions], receipt)
    this.#first ??= cycle
    this.#oldest ??= cycle
    this.#letGo()
  }

  /** Lets go of what is older than the limit. */
  #letGo(): void {
    if (this.#history === Infinity || this.#oldest === undefined) return
    this.#oldest = Math.max(this.#oldest, this.newest! - this.#history + 1)
    while (this.#eras[0]!.last < this.#oldest) this.#base = this.#base.after(this.#eras.shift()!)
  }

  /** Takes out what nodes said, in every snapshot (D56). */
  erase(erasing: Erasing): void {
    for (const [at, era] of this.#eras.entries()) this.#eras[at] = erasing.era(era)
    this.#base = this.#base.mapped(erasing)
  }

  /** Joins older eras of about one length, so that there are few of them, and each cycle is copied a few times. */
  #join(): void {
    for (;;) {
      const at = this.#eras.length - APART - 1
      const [older, newer] = [this.#eras[at - 1], this.#eras[at]]
      if (older === undefined || newer === undefined) return
      const longest = Math.min(LONGEST, this.#history / SHARE)
      if (newer.size * 2 < older.size || older.size + newer.size > longest) return
      this.#eras.splice(at - 1, 2, Era.joined(older, newer))
    }
  }

  #eraOf(cycle: number): Era | undefined {
    return cycle < this.#oldest! ? undefined : this.#eras[this.#indexOf(cycle)]
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
