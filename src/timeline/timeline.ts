// All snapshots of a context: a tree per cycle, and one index of every version of every node with the cycles it holds
// for. Going back is an array access; finding an id in any snapshot is a look into a map and a short list. A fork keeps
// only what is its own and asks its parent for the cycles before.

import { EMPTY_RECEIPT, type Cause, type NodeRecord, type Receipt } from '../core/index.js'
import { IdIndex } from './id-index.js'
import { Links } from './links.js'
import { eachRecord, type Tree } from './tree.js'

/** Marks in the index that an id is gone from this cycle on. */
export class Gone {
  readonly id: string
  readonly born: number
  /** Why it went. */
  readonly cause: Cause
  /** The id of the node that took its place, if one did. */
  readonly successor: string | undefined

  constructor(id: string, born: number, cause: Cause, successor?: string) {
    this.id = id
    this.born = born
    this.cause = cause
    this.successor = successor
  }
}

export type Version = NodeRecord | Gone

type Origin = Readonly<{ timeline: Timeline; cycle: number }>

const NO_CHANGES: readonly Version[] = []

/** Forks of forks ask one another; beyond this many, a fork makes an index of its live tree instead. */
const MAX_HOPS = 16

export class Timeline {
  #origin: Origin | undefined
  #hops: number
  /** The cycle of the first snapshot that is this timeline's own. */
  #first = 0
  #trees: Tree[] = []
  #receipts = new Map<number, Receipt>()
  #index = new IdIndex()
  #links = new Links()

  constructor(origin?: Origin) {
    this.#origin = origin
    const hops = origin === undefined ? 0 : origin.timeline.#hops + 1
    this.#hops = hops > MAX_HOPS ? 0 : hops
    if (origin && this.#hops === 0) this.#indexTree(origin.timeline.treeAt(origin.cycle)!)
  }

  /** A timeline with the same past, for trying out the next snapshot: it costs nothing, and nobody else sees it. */
  trial(): Timeline {
    const { newest } = this
    const trial = new Timeline()
    if (newest === undefined) return trial
    trial.#origin = { timeline: this, cycle: newest }
    trial.#hops = this.#hops + 1
    return trial
  }

  /** The cycle of the newest snapshot; undefined before the first. */
  get newest(): number | undefined {
    return this.#trees.length > 0 ? this.#first + this.#trees.length - 1 : this.#origin?.cycle
  }

  /** The cycle of the oldest snapshot; undefined before the first. */
  get oldest(): number | undefined {
    let timeline: Timeline = this
    while (timeline.#origin) timeline = timeline.#origin.timeline
    return timeline.#trees.length > 0 ? timeline.#first : undefined
  }

  /** Both; undefined before the first snapshot. */
  get bounds(): Readonly<{ oldest: number; newest: number }> | undefined {
    const { oldest, newest } = this
    return oldest === undefined || newest === undefined ? undefined : { oldest, newest }
  }

  treeAt(cycle: number): Tree | undefined {
    const owner = this.#ownerOf(cycle)
    return owner.#trees[cycle - owner.#first]
  }

  receiptAt(cycle: number): Receipt {
    return this.#ownerOf(cycle).#receipts.get(cycle) ?? EMPTY_RECEIPT
  }

  /** What the commit of this cycle changed. */
  changesAt(cycle: number): readonly Version[] {
    return this.#ownerOf(cycle).#index.logAt(cycle) ?? NO_CHANGES
  }

  /** The version of a node that the snapshot of this cycle holds. */
  find(id: string, cycle: number): NodeRecord | undefined {
    const version = this.versionAt(id, cycle)
    return version instanceof Gone ? undefined : version
  }

  /** The same, or since when and why there is none any more. */
  versionAt(id: string, cycle: number): Version | undefined {
    let timeline = this.#ownerOf(cycle)
    let at = cycle
    for (;;) {
      const version = timeline.#index.versionAt(id, at)
      if (version !== undefined) return version
      if (timeline.#hops === 0) return undefined
      at = timeline.#origin!.cycle
      timeline = timeline.#origin!.timeline.#ownerOf(at)
    }
  }

  /** The same, also from before a fork that made an index of its own: who left before is known only there. */
  oldVersionAt(id: string, cycle: number): Version | undefined {
    let timeline = this.#ownerOf(cycle)
    let at = cycle
    for (;;) {
      const version = timeline.versionAt(id, at)
      if (version !== undefined || timeline.#origin === undefined) return version
      at = timeline.#origin.cycle
      timeline = timeline.#origin.timeline.#ownerOf(at)
    }
  }

  /** Ids of nodes whose refs may name this id, in any snapshot (see Links). */
  *referrersOf(id: string): Generator<string, void, undefined> {
    for (const timeline of this.#indexed()) yield* timeline.#links.referrersOf(id)
  }

  /** Ids of nodes that may carry this call id, in any snapshot (see Links). */
  *carriersOf(callId: string): Generator<string, void, undefined> {
    for (const timeline of this.#indexed()) yield* timeline.#links.carriersOf(callId)
  }

  /** Ids of nodes that may stand in for this id, in any snapshot (see Links). */
  *standInsOf(id: string): Generator<string, void, undefined> {
    for (const timeline of this.#indexed()) yield* timeline.#links.standInsOf(id)
  }

  /** Takes up the snapshot of the next cycle. Cannot fail, so that a commit is one step. */
  append(cycle: number, tree: Tree, versions: Iterable<Version>, receipt: Receipt): void {
    if (this.#trees.length === 0) this.#first = cycle
    this.#trees.push(tree)
    if (receipt !== EMPTY_RECEIPT) this.#receipts.set(cycle, receipt)
    const log = [...versions]
    this.#index.append(cycle, log)
    for (const version of log) if (!(version instanceof Gone)) this.#links.add(version)
  }

  /** Ids of nodes that may carry this call id, those that came last first. */
  *newestCarriersOf(callId: string): Generator<string, void, undefined> {
    for (const timeline of this.#indexed()) {
      const ids = timeline.#links.carriersOf(callId)
      for (let i = ids.length - 1; i >= 0; i--) yield ids[i]!
    }
  }

  #indexTree(tree: Tree): void {
    const add = (record: NodeRecord): void => {
      this.#index.add(record)
      this.#links.add(record)
    }
    add(tree.root)
    for (const region of tree.regions) eachRecord(region, add)
  }

  /** The timeline whose own snapshot the cycle is: this one, or the one it was forked from. */
  #ownerOf(cycle: number): Timeline {
    let timeline: Timeline = this
    while (timeline.#origin && cycle <= timeline.#origin.cycle) timeline = timeline.#origin.timeline
    return timeline
  }

  /** The timelines whose indexes together cover the newest snapshot. */
  *#indexed(): Generator<Timeline, void, undefined> {
    let timeline: Timeline = this
    for (;;) {
      yield timeline
      if (timeline.#hops === 0) return
      timeline = timeline.#origin!.timeline.#ownerOf(timeline.#origin!.cycle)
    }
  }
}
