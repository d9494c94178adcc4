// The lowest layer of a base where its tree lies in pages: a node is found, and so is who names it, by reading the few leaves
// that may hold it. Every link to a leaf tells which cycles its ids name and has hashes of its names. An id that the mint
// gave tells its cycle (`block:12-3`), so it is looked for where that lies between; for other names all hashes are
// put in one order, when the first of them is asked for.

import type { NodeRecord, PageLink, Version } from '../core/index.js'
import { hashOfName, unpackNames } from '../codec/index.js'
import type { Layer } from './base.js'
import { cycleNamedBy } from './era.js'
import type { Erasing } from './erase.js'
import { Links, type LinkHints } from './reference-index.js'
import type { Sequence } from './sequence.js'
import { eachRecord } from './tree.js'

type Kind = keyof NonNullable<PageLink['names']>

export type PagedTree = Readonly<{
  /** The cycle of the snapshot: what holds only since then is no part of what came before it. */
  cycle: number
  /** What stands before the segments, and what stands behind them, in order. */
  before: readonly NodeRecord[]
  behind: readonly NodeRecord[]
  leaves: readonly Sequence[]
  links: readonly PageLink[]
}>

/** How many leaves are looked at one by one. */
const FEW = 8

export class PagedLayer implements Layer {
  readonly #tree: PagedTree
  readonly #names: readonly LeafNames[]
  readonly #indexes: Indexes
  /** The records of what stands around the segments, and of every leaf in which one was looked for. */
  readonly #known = new Map<string, NodeRecord>()
  readonly #isRead: boolean[] = []
  readonly #linksIn: (Links | undefined)[] = []
  readonly #before: Links
  readonly #behind: Links
  #versions: ReadonlyMap<string, Version> | undefined
  readonly links: LinkHints

  constructor(
    tree: PagedTree,
    names: readonly LeafNames[] = tree.links.map((link) => new LeafNames(link)),
    indexes: Indexes = new Indexes(names),
  ) {
    this.#tree = tree
    this.#names = names
    this.#indexes = indexes
    for (const list of [tree.before, tree.behind]) for (const record of list) this.#known.set(record.id, record)
    this.#before = this.#linksOf(tree.before)
    this.#behind = this.#linksOf(tree.behind)
    this.links = {
      referrersOf: (id) => this.#hints('refs', id, (links) => links.referrersOf(id)),
      carriersOf: (callId) => this.#hints('calls', callId, (links) => links.carriersOf(callId)),
      standInsOf: (id) => this.#hints('standIns', id, (links) => links.standInsOf(id)),
    }
  }

  get size(): number {
    const { before, behind, leaves } = this.#tree
    return leaves.reduce((sum, { count }) => sum + count, before.length + behind.length)
  }

  find(id: string): NodeRecord | undefined {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    for (const at of this.#leavesWith(id)) {
      if (this.#isRead[at] === true) continue
      this.#read(at)
      const found = this.#known.get(id)
      if (found !== undefined) return found
    }
    return undefined
  }

  get versions(): ReadonlyMap<string, Version> {
    return (this.#versions ??= new Map(
      this.#older([...this.records()])
        .sort((a, b) => a.born - b.born)
        .map((record) => [record.id, record]),
    ))
  }

  /** Every record, in order; reads all leaves. */
  *records(): Generator<NodeRecord, void, undefined> {
    const { before, behind, leaves } = this.#tree
    yield* before
    for (const leaf of leaves) yield* recordsIn(leaf)
    yield* behind
  }

  /** Erasing leaves every name where it is. */
  mapped(erasing: Erasing): Layer {
    const { before, behind, leaves, ...tree } = this.#tree
    const record = (each: NodeRecord): NodeRecord => erasing.record(each)
    return new PagedLayer(
      {
        ...tree,
        before: before.map(record),
        behind: behind.map(record),
        leaves: leaves.map((leaf) => erasing.sequence(leaf)),
      },
      this.#names,
      this.#indexes,
    )
  }

  #leavesWith(id: string): readonly number[] {
    const named = cycleNamedBy(id)
    if (named < 0) return this.#indexes.of('ids').leavesWith(id)
    const spanning = this.#indexes.spanning(named)
    if (spanning.length > FEW) return this.#indexes.of('ids').leavesWith(id)
    return spanning.filter((at) => this.#names[at]!.mayHold('ids', hashOfName(id)))
  }

  #read(at: number): void {
    this.#isRead[at] = true
    for (const record of recordsIn(this.#tree.leaves[at]!)) this.#known.set(record.id, record)
  }

  /** What came first stands first, as if the commits had been seen. */
  #hints(kind: Kind, name: string, ask: (links: Links) => readonly string[]): readonly string[] {
    const inLeaves = this.#indexes
      .of(kind)
      .leavesWith(name)
      .flatMap((at) => ask((this.#linksIn[at] ??= this.#linksOf(recordsIn(this.#tree.leaves[at]!)))))
    const ids = [...ask(this.#before), ...inLeaves, ...ask(this.#behind)]
    return ids.length < 2 ? ids : ids.sort((a, b) => this.find(a)!.born - this.find(b)!.born)
  }

  #linksOf(records: readonly NodeRecord[]): Links {
    const links = new Links()
    for (const record of this.#older(records)) links.add(record)
    return links
  }

  #older(records: readonly NodeRecord[]): NodeRecord[] {
    return records.filter(({ born }) => born !== this.#tree.cycle)
  }
}

function recordsIn(leaf: Sequence): readonly NodeRecord[] {
  const records: NodeRecord[] = []
  for (const item of leaf.items!) eachRecord(item, (record) => records.push(record))
  return records
}

/** The names in one leaf, as its link tells them. */
export class LeafNames {
  readonly #link: PageLink
  readonly #hashes: Partial<Record<Kind, Uint32Array>> = {}

  constructor(link: PageLink) {
    this.#link = link
  }

  get named(): PageLink['named'] {
    return this.#link.named
  }

  hashes(kind: Kind): Uint32Array {
    return (this.#hashes[kind] ??= unpackNames(this.#link.names![kind]))
  }

  mayHold(kind: Kind, hash: number): boolean {
    const hashes = this.hashes(kind)
    const at = lowerBound(hashes, hash)
    return at < hashes.length && hashes[at] === hash
  }

  /** Whether a node with this id may be there. */
  mayHoldNode(id: string): boolean {
    const cycle = cycleNamedBy(id)
    const [lowest, highest] = this.named
    return (cycle < 0 || (cycle >= lowest && cycle <= highest)) && this.mayHold('ids', hashOfName(id))
  }
}

/** What is known of all leaves together; made when first asked for. */
class Indexes {
  readonly #names: readonly LeafNames[]
  readonly #lowest: Float64Array
  readonly #highest: Float64Array
  readonly #ofKind: Partial<Record<Kind, NameIndex>> = {}

  constructor(names: readonly LeafNames[]) {
    this.#names = names
    this.#lowest = Float64Array.from(names, ({ named }) => named[0])
    this.#highest = Float64Array.from(names, ({ named }) => named[1])
  }

  of(kind: Kind): NameIndex {
    return (this.#ofKind[kind] ??= new NameIndex(this.#names, kind))
  }

  /** The leaves between whose cycles this one lies. */
  spanning(cycle: number): readonly number[] {
    const [lowest, highest] = [this.#lowest, this.#highest]
    const leaves: number[] = []
    for (let at = 0; at < lowest.length; at++) if (lowest[at]! <= cycle && cycle <= highest[at]!) leaves.push(at)
    return leaves
  }
}

/** The hashes of all leaves in one order, each with the number of its leaf in its lowest bits. */
class NameIndex {
  readonly #entries: Float64Array

  constructor(names: readonly LeafNames[], kind: Kind) {
    const lists = names.map((each) => each.hashes(kind))
    this.#entries = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const [at, list] of lists.entries()) {
      for (let i = 0; i < list.length; i++) this.#entries[end++] = list[i]! * LEAVES + at
    }
    this.#entries.sort()
  }

  /** The leaves that may have a name, in order. */
  leavesWith(name: string): readonly number[] {
    const entries = this.#entries
    if (entries.length === 0) return NONE
    const from = hashOfName(name) * LEAVES
    const leaves: number[] = []
    for (let at = lowerBound(entries, from); at < entries.length && entries[at]! < from + LEAVES; at++) {
      leaves.push(entries[at]! - from)
    }
    return leaves
  }
}

/** More leaves than this no tree has; with 32 bits of hash they fit into what a number holds exactly. */
const LEAVES = 2 ** 21
const NONE: readonly number[] = []

/** The first place whose value is not below this one. */
function lowerBound(sorted: Uint32Array | Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
