// The lowest layer of a base where its tree lies in pages: a node is found, and so is who names it, by reading the few leaves
// that may hold it. Every link tells which cycles the ids below it name, and that of a leaf has hashes of its names. An id
// that the mint gave tells its cycle (`block:12-3`), so it is looked for where that lies between; for other names all hashes
// are put in one order, when the first of them is asked for.

import type { LeafNames, NodeRecord, PageLink } from '../core/index.js'
import { hashOfName, unpackNames } from '../codec/index.js'
import type { Layer } from './base.js'
import { cycleNamedBy } from './era.js'
import type { Erasing } from './erase.js'
import { Links, type LinkHints } from './reference-index.js'
import type { Sequence } from './sequence.js'
import { eachRecord } from './tree.js'

type Kind = keyof LeafNames

export type PagedTree = Readonly<{
  /** The cycle of the snapshot: what holds only since then is no part of what came before it. */
  cycle: number
  /** What stands before the segments, and what stands behind them, in order. */
  before: readonly NodeRecord[]
  behind: readonly NodeRecord[]
  /** The segments; undefined where there are none. */
  seq: PagedChunk | undefined
}>

/** How many leaves are looked at one by one. */
const FEW = 8

export class PagedLayer implements Layer {
  readonly #tree: PagedTree
  readonly #indexes: Indexes
  /** The records of what stands around the segments, and of every leaf in which one was looked for. */
  readonly #known = new Map<string, NodeRecord>()
  readonly #read = new Set<PagedChunk>()
  readonly #linksIn = new Map<PagedChunk, Links>()
  readonly #before: Links
  readonly #behind: Links
  readonly #leaves: Partial<Record<Kind, readonly PagedChunk[]>> = {}
  readonly links: LinkHints

  constructor(tree: PagedTree, indexes: Indexes = new Indexes()) {
    this.#tree = tree
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

  /** Nothing is joined to it, since that would read all of it in the midst of a commit. */
  get versions(): undefined {
    return undefined
  }

  mayHold(id: string): boolean {
    try {
      return this.#known.has(id) || this.#leavesWith(id).length > 0
    } catch {
      // A page above the leaves is damaged, which is told to whoever asks for what it holds.
      return true
    }
  }

  find(id: string): NodeRecord | undefined {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    for (const leaf of this.#leavesWith(id)) {
      if (this.#read.has(leaf)) continue
      this.#read.add(leaf)
      for (const record of recordsIn(leaf)) this.#known.set(record.id, record)
      const found = this.#known.get(id)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Every record, in order; reads all leaves. */
  *records(): Generator<NodeRecord, void, undefined> {
    const { before, behind } = this.#tree
    yield* before
    for (const leaf of this.#leavesOf('ids')) yield* recordsIn(leaf)
    yield* behind
  }

  /** Erasing leaves every name where it is. */
  mapped(erasing: Erasing): Layer {
    const { cycle, before, behind, seq } = this.#tree
    const record = (each: NodeRecord): NodeRecord => erasing.record(each)
    return new PagedLayer(
      { cycle, before: before.map(record), behind: behind.map(record), seq: seq?.mapped(erasing) },
      this.#indexes,
    )
  }

  #leavesWith(id: string): readonly PagedChunk[] {
    const named = cycleNamedBy(id)
    if (named >= 0) {
      const spanning: PagedChunk[] = []
      this.#tree.seq?.addSpanning(named, spanning)
      if (spanning.length <= FEW) return spanning.filter((leaf) => leaf.mayHold('ids', hashOfName(id)))
    }
    return this.#leavesNaming('ids', id)
  }

  #leavesNaming(kind: Kind, name: string): readonly PagedChunk[] {
    const leaves = this.#leavesOf(kind)
    return this.#indexes
      .of(kind, leaves)
      .leavesWith(name)
      .map((at) => leaves[at]!)
  }

  /** The leaves that have names of a kind. */
  #leavesOf(kind: Kind): readonly PagedChunk[] {
    return (this.#leaves[kind] ??= [...(this.#tree.seq?.leaves(kind) ?? [])])
  }

  /** What came first stands first, as if the commits had been seen. */
  #hints(kind: Kind, name: string, ask: (links: Links) => readonly string[]): readonly string[] {
    const inLeaves = this.#leavesNaming(kind, name).flatMap((leaf) => {
      let links = this.#linksIn.get(leaf)
      if (links === undefined) this.#linksIn.set(leaf, (links = this.#linksOf(recordsIn(leaf))))
      return ask(links)
    })
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

function recordsIn({ chunk }: PagedChunk): readonly NodeRecord[] {
  const records: NodeRecord[] = []
  for (const item of chunk.items!) eachRecord(item, (record) => records.push(record))
  return records
}

/** A chunk with what its link tells of it. */
export class PagedChunk {
  readonly link: PageLink
  readonly chunk: Sequence
  readonly #linkOf: (chunk: Sequence) => PageLink
  #below: readonly PagedChunk[] | undefined
  #ids: Uint32Array | undefined

  constructor(chunk: Sequence, link: PageLink, linkOf: (chunk: Sequence) => PageLink, below?: readonly PagedChunk[]) {
    this.chunk = chunk
    this.link = link
    this.#linkOf = linkOf
    this.#below = below
  }

  get below(): readonly PagedChunk[] {
    const linkOf = this.#linkOf
    return (this.#below ??= (this.chunk.chunks ?? []).map((chunk) => new PagedChunk(chunk, linkOf(chunk), linkOf)))
  }

  /** The leaves that have names of a kind, in order; nothing else is opened. */
  *leaves(kind: Kind): Generator<PagedChunk, void, undefined> {
    const { height, ties } = this.link
    if (kind !== 'ids' && ties[kind] === 0) return
    if (height === 0) yield this
    else for (const each of this.below) yield* each.leaves(kind)
  }

  /** Adds the leaves between whose cycles this one lies, in order. */
  addSpanning(cycle: number, leaves: PagedChunk[]): void {
    const { named, height } = this.link
    if (cycle < named[0] || cycle > named[1]) return
    if (height === 0) leaves.push(this)
    else for (const each of this.below) each.addSpanning(cycle, leaves)
  }

  /** Whether a leaf may have a name. */
  mayHold(kind: Kind, hash: number): boolean {
    const hashes = kind === 'ids' ? (this.#ids ??= this.hashes(kind)) : this.hashes(kind)
    const at = lowerBound(hashes, hash)
    return at < hashes.length && hashes[at] === hash
  }

  hashes(kind: Kind): Uint32Array {
    return unpackNames(this.link.names![kind])
  }

  /** The same with what was erased; what holds nothing of that is the same. */
  mapped(erasing: Erasing): PagedChunk {
    const chunk = erasing.sequence(this.chunk)
    if (chunk === this.chunk) return this
    const below = this.link.height === 0 ? undefined : this.below.map((each) => each.mapped(erasing))
    return new PagedChunk(chunk, this.link, this.#linkOf, below)
  }
}

/** Whether a node with this id may stand in a chunk, by what its link tells. */
export function mayHold({ named, names }: PageLink, id: string): boolean {
  const cycle = cycleNamedBy(id)
  if (cycle >= 0 && (cycle < named[0] || cycle > named[1])) return false
  return names === undefined || unpackNames(names.ids).includes(hashOfName(id))
}

/** What is known of the names of all leaves together; made when first asked for. */
class Indexes {
  readonly #ofKind: Partial<Record<Kind, NameIndex>> = {}

  of(kind: Kind, leaves: readonly PagedChunk[]): NameIndex {
    return (this.#ofKind[kind] ??= new NameIndex(leaves.map((leaf) => leaf.hashes(kind))))
  }
}

/** The hashes of all leaves in one order, each with the number of its leaf in its lowest bits. */
class NameIndex {
  readonly #entries: Float64Array

  constructor(lists: readonly Uint32Array[]) {
    this.#entries = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const [at, list] of lists.entries()) {
      for (let i = 0; i < list.length; i++) this.#entries[end++] = list[i]! * LEAVES + at
    }
    this.#entries.sort()
  }

  /** The numbers of the leaves that may have a name, in order. */
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
