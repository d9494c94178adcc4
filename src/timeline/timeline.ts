// All snapshots of a context, as a list of eras: runs of cycles with an index each. Going back is an array access. An id is found in the log of a
// cycle or in the map of an era, and there are few eras. A fork shares the eras before it and copies a part of the one it leaves from, so neither
// keeps the later snapshots of the other alive.
//
// With limited history, whole eras are dropped, and the versions that still hold go into the base. A snapshot beyond the limit is gone, even if
// its era is still in memory.
//
// A backed timeline has older snapshots in a store that are not loaded. A call that needs them is refused, and never answered from the snapshots
// that happen to be loaded. They are loaded as a run right below the oldest one (`prepend`), or one by one (`settle`), each as an island: a timeline
// of its own that knows nothing of the cycles in between.

import { type ErrorDetails, PactError } from '../errors/index.js'
import {
  EMPTY_RECEIPT,
  firstIndex,
  Gone,
  type CheckpointSnapshot,
  type NodeRecord,
  type Receipt,
  type Version,
} from '../core/index.js'
import { Base, type KnownVersion } from './base.js'
import { Era } from './era.js'
import type { Erasing } from './erase.js'
import { isSurelyFirst, notLoaded, spanFrom, type Bounds } from './not-loaded.js'
import { Thinned } from './thinned.js'
import type { LinkHints } from './reference-index.js'
import type { Tree } from './tree.js'

const NO_CHANGES: readonly Version[] = []

/** The number of cycles after which a new era begins. A fork copies at most one era, which takes 20 µs. */
const ERA = 1024
/** Older eras are joined up to this length, since a lookup of an id goes through all eras. */
const LONGEST = 16 * ERA
/** With limited history an era is at most this fraction of it, so that little is kept beyond the limit. */
const SHARE = 4
/** The newest eras are not joined, since most forks leave from there. */
const APART = 2

/** The state that a timeline shares with its forks. */
type Past = Readonly<{
  /** Adjacent, oldest first. */
  eras: readonly Era[]
  base: Base
  /** The cycle of the oldest loaded snapshot. */
  oldest: number | undefined
  /** The cycle of the first snapshot ever. */
  first: number | undefined
  /** True if older snapshots are in a store. */
  isBacked: boolean
  /** The oldest cycle that was loaded by name. Snapshots from there on stay, whatever the limit. */
  pinned: number
  /** Single snapshots below the oldest, by cycle. */
  islands: ReadonlyMap<number, Timeline>
  thinned: Thinned
}>

const NO_PAST: Past = {
  eras: [],
  base: Base.NONE,
  oldest: undefined,
  first: undefined,
  isBacked: false,
  pinned: Infinity,
  islands: new Map(),
  thinned: Thinned.NONE,
}

export class Timeline {
  readonly #eras: Era[]
  #base: Base
  #oldest: number | undefined
  #first: number | undefined
  /** True if no other timeline shares the last era, so that it may grow. */
  #isOwn: boolean
  /** The limit of snapshots. */
  readonly #history: number
  #isBacked: boolean
  #pinned: number
  #islands: ReadonlyMap<number, Timeline>
  /** Cycles without a snapshot. */
  thinned: Thinned
  /** The timeline that has this one as an island. */
  #mainland: Timeline | undefined
  /** The number of loads under way. */
  #held = 0

  private constructor(past: Past, isOwn: boolean, history: number) {
    this.#eras = [...past.eras]
    this.#base = past.base
    this.#oldest = past.oldest
    this.#first = past.first
    this.#isOwn = isOwn
    this.#history = history
    this.#isBacked = past.isBacked
    this.#pinned = past.pinned
    this.#islands = past.islands
    this.thinned = past.thinned
  }

  /** A timeline without a snapshot. It keeps the newest `history` snapshots. */
  static empty(history: number = Infinity, isBacked: boolean = false): Timeline {
    return new Timeline({ ...NO_PAST, isBacked }, true, history)
  }

  /** A timeline that begins with a snapshot from elsewhere. */
  static imported(era: Era, history: number = Infinity): Timeline {
    return new Timeline({ ...NO_PAST, eras: [era], oldest: era.first, first: era.first }, true, history)
  }

  /** A timeline that begins with a snapshot whose past is known only by the base. */
  static beginning(
    start: Readonly<{ tree: Tree }> & Pick<CheckpointSnapshot, 'cycle' | 'first' | 'log' | 'receipt'>,
    base: Base,
    history: number = Infinity,
    isBacked: boolean = false,
  ): Timeline {
    const timeline = new Timeline({ ...NO_PAST, base, first: start.first, isBacked }, true, history)
    timeline.append(start.cycle, start.tree, start.log, start.receipt)
    return timeline
  }

  /** A timeline with the same past up to a cycle, within its limit. Snapshots that were loaded by name do not count. */
  fork(cycle: number, history: number = this.#history): Timeline {
    const island = this.#islandAt(cycle)
    if (island !== undefined) return island.fork(cycle, history)
    const isCut = this.#eras[this.#indexOf(cycle)]!.last > cycle
    if (cycle === this.newest) this.#isOwn = false
    const [eras, thinned] = [this.#erasUpTo(cycle), this.thinned.upTo(cycle)]
    const past = { ...this.#past, base: this.#base.shared(), eras, thinned, pinned: Infinity, islands: NO_PAST.islands }
    const fork = new Timeline(past, isCut, history)
    fork.letGo()
    return fork
  }

  /** A timeline with the same past, to try out the next snapshot. It costs nothing and changes nothing here. */
  trial(): Timeline {
    const trial = new Timeline(this.#past, false, this.#history)
    // It drops no snapshots, so it needs no base of its own.
    trial.#held = 1
    return trial
  }

  get #past(): Past {
    return {
      eras: this.#eras,
      base: this.#base,
      oldest: this.#oldest,
      first: this.#first,
      isBacked: this.#isBacked,
      pinned: this.#pinned,
      islands: this.#islands,
      thinned: this.thinned,
    }
  }

  /** The cycle of the newest snapshot; undefined before the first. */
  get newest(): number | undefined {
    return this.#eras.at(-1)?.last
  }

  /** The cycle of the oldest snapshot; undefined before the first. */
  get oldest(): number | undefined {
    return this.#oldest
  }

  /** The number of snapshots, loaded or not. */
  get size(): number {
    if (this.#oldest === undefined) return 0
    const oldest = this.#isBacked ? this.#first! : this.#oldest
    return this.newest! - oldest + 1 - this.thinned.count(oldest, this.newest!)
  }

  /** The loaded cycles; undefined before the first snapshot. */
  get bounds(): Bounds | undefined {
    const { oldest, newest, thinned } = this
    if (oldest === undefined || newest === undefined) return undefined
    return { oldest, newest, first: this.#first!, isBacked: this.#isBacked, islands: this.#islands, thinned }
  }

  /** True if snapshots older than the oldest are in a store. */
  get isBacked(): boolean {
    return this.#isBacked
  }

  /** True if every snapshot that exists is loaded. */
  get isWhole(): boolean {
    return !this.#isBacked || this.#oldest === this.#first
  }

  /** True if this snapshot exists and is not loaded in line. An island is not in line. */
  lacks(cycle: number): boolean {
    return this.#isBacked && this.#oldest !== undefined && cycle < this.#oldest && cycle >= this.#first!
  }

  /** Refuses a call that needs this cycle, if it is not loaded. */
  need(cycle: number): void {
    if (this.lacks(cycle)) throw this.lacking(`What this needs to know of cycle ${cycle} is`, cycle)
  }

  /** Refuses a call that needs the whole history, if some of it is not loaded. */
  needAll(what: string): void {
    if (!this.isWhole) throw this.lacking(what, this.#first!, '@*')
  }

  /** The error about a cycle that is not loaded. */
  lacking(what: string, cycle: number, lens: string = spanFrom(cycle), more?: ErrorDetails): PactError {
    return notLoaded(what, cycle, (this.#mainland ?? this).bounds!, lens, more)
  }

  /** True if this version is provably the first of its node, without older snapshots. */
  isSurelyFirst(record: NodeRecord): boolean {
    return isSurelyFirst(record, this.treeAt(this.newest!)!.root)
  }

  /** True if the state before the commit of this cycle is known. */
  knowsBefore(cycle: number): boolean {
    return this.#oldest === this.#first || cycle > this.#oldest!
  }

  treeAt(cycle: number): Tree | undefined {
    return this.#eraOf(cycle)?.treeAt(cycle)
  }

  /** The timeline that has the snapshot of a cycle: this one or an island; undefined if none has. */
  holding(cycle: number): Timeline | undefined {
    return this.treeAt(cycle) === undefined ? this.#islandAt(cycle) : this
  }

  #islandAt(cycle: number): Timeline | undefined {
    return cycle < this.#oldest! ? this.#islands.get(cycle) : undefined
  }

  receiptAt(cycle: number): Receipt {
    this.need(cycle)
    return this.#eraOf(cycle)?.receiptAt(cycle) ?? EMPTY_RECEIPT
  }

  /** The log of this cycle. */
  changesAt(cycle: number): readonly Version[] {
    this.need(cycle)
    return this.#eraOf(cycle)?.logAt(cycle) ?? NO_CHANGES
  }

  /** The version of a node that the snapshot of this cycle holds. */
  find(id: string, cycle: number): NodeRecord | undefined {
    const version = this.versionAt(id, cycle)
    return version instanceof Gone ? undefined : version
  }

  /** The version at a cycle: a node, or its removal. A removal before the oldest snapshot is not reported. */
  versionAt(id: string, cycle: number): Version | undefined {
    const oldest = this.#oldest
    if (oldest === undefined) return undefined
    if (cycle < oldest) {
      this.need(cycle)
      return undefined
    }
    const version = this.#saidOf(id, cycle)
    return version instanceof Gone && version.born <= oldest ? undefined : version
  }

  /** The version of an id in eras and base, also beyond the limit. */
  #saidOf(id: string, cycle: number): Version | undefined {
    for (let at = this.#indexOf(cycle); at >= 0; at--) {
      const version = this.#eras[at]!.versionAt(id, cycle)
      if (version !== undefined) return version
    }
    return this.#base.find(id)
  }

  /** A lookup of known versions. It keeps the base of this moment: older pages are read on demand, often after `prepend` replaced the base by theirs. */
  knownVersions(): KnownVersion {
    const base = this.#base.shared()
    return (record) => {
      const held = base.find(record.id)
      return held?.born === record.born ? held : (this.known(record.id, record.born) ?? record)
    }
  }

  /** The version of a node that holds since a cycle. */
  known(id: string, born: number): NodeRecord | undefined {
    const held = this.#saidOf(id, born)
    if (held !== undefined && held.born === born) return held instanceof Gone ? undefined : held
    for (const [cycle, island] of this.#islands) {
      const version = island.find(id, cycle)
      if (version?.born === born) return version
    }
    return undefined
  }

  /** Opens the pages on the way to a node in the oldest tree, so that the book knows the chunks there. */
  openWayTo(id: string): void {
    this.#base.mayHold(id)
  }

  /**
   * Adds the snapshots before the oldest one. They stay until `unload`, whatever the limit. Snapshots that are already loaded stay as
   * they are, since another load may have come first.
   */
  prepend(older: Timeline): void {
    const own = this.#eras[0]?.first
    const { oldest: from, newest: to } = older
    // An era may reach beyond the limit.
    if (own === undefined || from === undefined || to! < own - 1 || to! > this.newest!) {
      const message = `Snapshots up to cycle ${to} do not join those from cycle ${this.#oldest} on.`
      throw new PactError('E_SNAPSHOT_INVALID', message, { path: 'cycle', cycle: to })
    }
    if (from < own) {
      this.#eras.unshift(...older.#erasUpTo(own - 1))
      this.#base = older.#base.shared()
    }
    const oldest = Math.min(from, this.#oldest!)
    this.#oldest = oldest
    this.#pinned = Math.min(from, this.#pinned)
    this.#setIslands([...this.#islands].filter(([cycle]) => cycle < oldest))
  }

  /** Adds one snapshot as an island, from a timeline that has it, unless it is loaded already. */
  settle(cycle: number, from: Timeline): void {
    if (this.holding(cycle) !== undefined) return
    if (!this.lacks(cycle) || from.treeAt(cycle) === undefined) {
      const message = `The snapshot of cycle ${cycle} is not one that can be loaded here.`
      throw new PactError('E_SNAPSHOT_INVALID', message, { path: 'cycle', cycle })
    }
    const island = from.fork(cycle, 1)
    island.#isBacked = true
    island.#first = this.#first
    island.thinned = this.thinned.upTo(cycle)
    island.#mainland = this
    this.#setIslands([...this.#islands, [cycle, island]])
  }

  /** Drops nothing until the returned function is called, since older snapshots that are being loaded have to fit. */
  hold(): () => void {
    let isHeld = true
    this.#held++
    return () => {
      if (isHeld && --this.#held === 0) this.letGo()
      isHeld = false
    }
  }

  /** Drops the snapshots that were loaded by name. */
  unload(): void {
    this.#pinned = Infinity
    this.#islands = NO_PAST.islands
    this.letGo()
  }

  #setIslands(islands: readonly (readonly [number, Timeline])[]): void {
    this.#islands = islands.length === 0 ? NO_PAST.islands : new Map(islands)
  }

  #erasUpTo(cycle: number): readonly Era[] {
    const at = this.#indexOf(cycle)
    const era = this.#eras[at]!
    return [...this.#eras.slice(0, at), era.last > cycle ? era.upTo(cycle) : era]
  }

  /** Ids of nodes whose refs may name this id, in any snapshot (see Links). */
  *referrersOf(id: string): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.referrersOf(id)
  }

  /** Ids of nodes that may carry this call id, in any snapshot (see Links). */
  *carriersOf(callId: string): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.carriersOf(callId)
  }

  /** The same, newest first. */
  *newestCarriersOf(callId: string): Generator<string, void, undefined> {
    for (const links of [...this.#links()].toReversed()) {
      const ids = links.carriersOf(callId)
      for (let i = ids.length - 1; i >= 0; i--) yield ids[i]!
    }
  }

  /** Ids of nodes that may stand in for this id, in any snapshot; without an id, all stand-ins that are not in pages (see Links). */
  *standInsOf(id: string | undefined): Generator<string, void, undefined> {
    for (const links of this.#links()) yield* links.standInsOf(id)
  }

  /** Oldest first. */
  *#links(): Generator<LinkHints, void, undefined> {
    yield* this.#base.links()
    for (const { links } of this.#eras) yield links
  }

  /** Adds the snapshot of the next cycle, and drops snapshots beyond the limit. */
  append(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    this.take(cycle, tree, versions, receipt)
    this.letGo()
  }

  /** Adds a snapshot without dropping others: reports about the commit need the snapshot before it. Cannot throw, so that a commit is one step. */
  take(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    let era = this.#eras.at(-1)
    if (era === undefined || !this.#isOwn || era.size >= Math.min(ERA, this.#history / SHARE)) {
      era = new Era(cycle)
      this.#eras.push(era)
      this.#isOwn = true
      this.#join()
    }
    // `slice` frees the spare capacity of a list that was spread from an iterator.
    era.append(tree, [...versions].slice(), receipt)
    this.#first ??= cycle
    this.#oldest ??= cycle
  }

  /** Drops snapshots beyond the limit. */
  letGo(): void {
    if (this.#history === Infinity || this.#oldest === undefined || this.#held > 0) return
    this.#oldest = Math.max(this.#oldest, Math.min(this.thinned.back(this.newest!, this.#history - 1), this.#pinned))
    while (this.#eras[0]!.last < this.#oldest) this.#base = this.#base.after(this.#eras.shift()!)
  }

  /** Erases the texts of nodes in every snapshot (D56). */
  erase(erasing: Erasing): void {
    for (const [at, era] of this.#eras.entries()) this.#eras[at] = erasing.era(era)
    this.#base = this.#base.mapped(erasing)
    for (const island of this.#islands.values()) island.erase(erasing)
  }

  /** Joins older eras of similar length, so that there are few of them and each cycle is copied a few times only. */
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

  /** The index of the era of a cycle: the last one that does not begin after it; -1 if there is none. */
  #indexOf(cycle: number): number {
    const eras = this.#eras
    // Most lookups are for the newest cycle.
    if (eras.length > 0 && eras.at(-1)!.first <= cycle) return eras.length - 1
    return firstIndex(eras.length, (at) => eras[at]!.first > cycle) - 1
  }
}
