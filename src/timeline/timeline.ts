// All snapshots of a context, as a row of eras: stretches of cycles with an index each. Going back is an array access;
// finding an id in any snapshot is a look into a list and into the map of each era, of which there are few. A fork shares
// the eras before it, and copies the part of the one it leaves from, so neither keeps the other's later snapshots alive.
//
// Where history is limited, whole eras are let go behind it, and what still holds of them goes into the base. Which
// snapshots there are does not depend on that: one that is older than the limit is not there, even if its era is.
//
// Where a timeline is backed, older snapshots are elsewhere and can be had: they exist and are not loaded. What would need
// them is refused, and never answered from what happens to be there. They come back as a stretch right below the oldest
// one, or one by one, each on an island: a timeline of its own that knows nothing of what lies between.

import { type ErrorDetails, PactError } from '../errors/index.js'
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
import { isSurelyFirst } from './first-version.js'
import { notLoaded, spanFrom, type Bounds } from './not-loaded.js'
import { Thinned } from './thinned.js'
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
  /** Whether what is older can be had elsewhere. */
  isBacked: boolean
  /** Down to which cycle snapshots were asked for by name: these stay, whatever the limit. */
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
  /** Whether the last era is nobody else's, so that it may grow. */
  #isOwn: boolean
  /** How many snapshots are kept. */
  readonly #history: number
  #isBacked: boolean
  #pinned: number
  #islands: ReadonlyMap<number, Timeline>
  /** Cycles that nobody can name any more. */
  thinned: Thinned
  /** Whose island this is. */
  #mainland: Timeline | undefined
  /** How many loads are under way. */
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

  /** A timeline without a snapshot, that keeps so many of them, the newest. */
  static empty(history: number = Infinity, isBacked: boolean = false): Timeline {
    return new Timeline({ ...NO_PAST, isBacked }, true, history)
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
    isBacked: boolean = false,
  ): Timeline {
    const timeline = new Timeline({ ...NO_PAST, base, first, isBacked }, true, history)
    timeline.append(cycle, tree, log, receipt)
    return timeline
  }

  /** A timeline with the same past up to a cycle, as far as it keeps it; what was loaded by name is not kept for that. */
  fork(cycle: number, history: number = this.#history): Timeline {
    const island = this.#islandAt(cycle)
    if (island !== undefined) return island.fork(cycle, history)
    const isCut = this.#eras[this.#indexOf(cycle)]!.last > cycle
    if (cycle === this.newest) this.#isOwn = false
    const [eras, thinned] = [this.#erasUpTo(cycle), this.thinned.upTo(cycle)]
    const past = { ...this.#past, eras, thinned, pinned: Infinity, islands: NO_PAST.islands }
    const fork = new Timeline(past, isCut, history)
    fork.letGo()
    return fork
  }

  /** A timeline with the same past, for trying out the next snapshot: it costs nothing, and nobody else sees it. */
  trial(): Timeline {
    return new Timeline(this.#past, false, this.#history)
  }

  get #past(): Past {
    return {
      eras: this.#eras,
      base: this.#base.shared(),
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

  /** How many snapshots there are, loaded or not. */
  get size(): number {
    if (this.#oldest === undefined) return 0
    const oldest = this.#isBacked ? this.#first! : this.#oldest
    return this.newest! - oldest + 1 - this.thinned.count(oldest, this.newest!)
  }

  /** Both; undefined before the first snapshot. */
  get bounds(): Bounds | undefined {
    const { oldest, newest, thinned } = this
    if (oldest === undefined || newest === undefined) return undefined
    return { oldest, newest, first: this.#first!, isBacked: this.#isBacked, islands: this.#islands, thinned }
  }

  /** Whether older snapshots than the oldest can be had elsewhere. */
  get isBacked(): boolean {
    return this.#isBacked
  }

  /** Whether nothing of the past is left out that exists. */
  get isWhole(): boolean {
    return !this.#isBacked || this.#oldest === this.#first
  }

  /** Whether this snapshot exists and is not loaded; one that stands alone is not in line with the others. */
  lacks(cycle: number): boolean {
    return this.#isBacked && this.#oldest !== undefined && cycle < this.#oldest && cycle >= this.#first!
  }

  /** Refuses what needs to know of this cycle, where it is not loaded. */
  need(cycle: number): void {
    if (this.lacks(cycle)) throw this.lacking(`What this needs to know of cycle ${cycle} is`, cycle)
  }

  /** Refuses what needs to know of all there ever was. */
  needAll(what: string): void {
    if (!this.isWhole) throw this.lacking(what, this.#first!, '@*')
  }

  /** Why something cannot be told that lies before what is loaded. */
  lacking(what: string, cycle: number, lens: string = spanFrom(cycle), more?: ErrorDetails): PactError {
    return notLoaded(what, cycle, (this.#mainland ?? this).bounds!, lens, more)
  }

  /** Whether this version is how a node came, as far as that can be told without what was there before. */
  isSurelyFirst(record: NodeRecord): boolean {
    return isSurelyFirst(record, this.treeAt(this.newest!)!.root)
  }

  /** Whether it is known what was there before the commit of this cycle. */
  knowsBefore(cycle: number): boolean {
    return this.#oldest === this.#first || cycle > this.#oldest!
  }

  treeAt(cycle: number): Tree | undefined {
    return this.#eraOf(cycle)?.treeAt(cycle)
  }

  /** The timeline that has the snapshot of a cycle: this one, or an island; undefined where none has. */
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

  /** What the commit of this cycle changed. */
  changesAt(cycle: number): readonly Version[] {
    this.need(cycle)
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
    if (oldest === undefined) return undefined
    if (cycle < oldest) {
      this.need(cycle)
      return undefined
    }
    const version = this.#saidOf(id, cycle)
    return version instanceof Gone && version.born <= oldest ? undefined : version
  }

  /** What its eras and its base say of an id at a cycle, kept or not. */
  #saidOf(id: string, cycle: number): Version | undefined {
    for (let at = this.#indexOf(cycle); at >= 0; at--) {
      const version = this.#eras[at]!.versionAt(id, cycle)
      if (version !== undefined) return version
    }
    return this.#base.find(id)
  }

  /** The version of a node that one of its trees has, by the cycle it holds from: one version is one object, since trees are compared by these. */
  known(id: string, born: number): NodeRecord | undefined {
    const held = this.#saidOf(id, born)
    if (held !== undefined && held.born === born) return held instanceof Gone ? undefined : held
    for (const [cycle, island] of this.#islands) {
      const version = island.find(id, cycle)
      if (version?.born === born) return version
    }
    return undefined
  }

  /** Opens the pages that lead to a node in its oldest tree, so that the book knows the chunks there. */
  openWayTo(id: string): void {
    this.#base.mayHold(id)
  }

  /**
   * Takes up the snapshots before the oldest one; they stay, whatever the limit, until `unload`. What is there already is left
   * as it is: something else may have been loaded meanwhile.
   */
  prepend(older: Timeline): void {
    const own = this.#eras[0]?.first
    const { oldest: from, newest: to } = older
    // What is beyond the limit may be here still.
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

  /** Takes up one snapshot by itself, out of a timeline that has it, unless it is there already. */
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

  /** Lets go of nothing until the function that it gives is called: older snapshots are on their way, and have to fit. */
  hold(): () => void {
    let isHeld = true
    this.#held++
    return () => {
      if (isHeld && --this.#held === 0) this.letGo()
      isHeld = false
    }
  }

  /** Lets go of what was loaded by name. */
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

  /** Takes up the snapshot of the next cycle, and lets go of what is older than the limit. */
  append(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    this.take(cycle, tree, versions, receipt)
    this.letGo()
  }

  /** Only takes it up: what is said of the commit needs the snapshot before it. Cannot fail, so that a commit is one step. */
  take(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    let era = this.#eras.at(-1)
    if (era === undefined || !this.#isOwn || era.size >= Math.min(ERA, this.#history / SHARE)) {
      era = new Era(cycle)
      this.#eras.push(era)
      this.#isOwn = true
      this.#join()
    }
    // A list that is spread from an iterator has room for more; this one stays as long as its snapshot.
    era.append(tree, [...versions].slice(), receipt)
    this.#first ??= cycle
    this.#oldest ??= cycle
  }

  /** Lets go of what is older than the limit. */
  letGo(): void {
    if (this.#history === Infinity || this.#oldest === undefined || this.#held > 0) return
    this.#oldest = Math.max(this.#oldest, Math.min(this.thinned.back(this.newest!, this.#history - 1), this.#pinned))
    while (this.#eras[0]!.last < this.#oldest) this.#base = this.#base.after(this.#eras.shift()!)
  }

  /** Takes out what nodes said, in every snapshot (D56). */
  erase(erasing: Erasing): void {
    for (const [at, era] of this.#eras.entries()) this.#eras[at] = erasing.era(era)
    this.#base = this.#base.mapped(erasing)
    for (const island of this.#islands.values()) island.erase(erasing)
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
