// The versions of a snapshot whose tree is in pages. It finds nodes, and the nodes that name them, by reading the few leaves that may hold them.
// A link says which cycles the ids below it name, and the link of a leaf has the hashes of its names. A minted id names its cycle
// (`block:12-3`), so it is looked up in the leaves that span that cycle. Other names are looked up by the hashes of all leaves.

import type { LeafNames, NodeRecord, PageLink } from '../core/index.js'
import { hashOfName, unpackNames } from '../codec/index.js'
import { cycleNamedBy } from './era.js'
import type { Erasing } from './erase.js'
import type { LinkHints } from './reference-index.js'
import { recordOf, type Sequence } from './sequence.js'
import { eachNodeIn } from './tree.js'

type NameKind = keyof LeafNames

export type PagedTree = Readonly<{
  /** The cycle of the snapshot. Versions that hold since this cycle are in its log, and not in the base. */
  cycle: number
  /** The nodes before the segments and after them, in order. */
  before: readonly NodeRecord[]
  behind: readonly NodeRecord[]
  /** The segments; undefined if there are none. */
  seq: PagedChunk | undefined
}>

export class PagedLayer {
  readonly #tree: PagedTree
  /** The records outside the segments, and those of every leaf that was read to find one. */
  readonly #known: Map<string, NodeRecord>
  readonly #read = new Set<PagedChunk>()
  readonly links: LinkHints = {
    referrersOf: (id) => this.#naming('refs', id, (record) => record.refersTo(id)),
    carriersOf: (callId) => this.#naming('calls', callId, ({ callIds }) => callIds.includes(callId)),
    // To list the stand-ins of any id, a commit would have to read every page.
    standInsOf: (id) => (id === undefined ? [] : this.#naming('standIns', id, (record) => record.standsInFor(id))),
  }

  constructor(tree: PagedTree) {
    this.#tree = tree
    this.#known = new Map([...tree.before, ...tree.behind].map((record) => [record.id, record]))
  }

  /** True if it may have a version of this id. Must not throw, since a commit asks when it can no longer fail. */
  mayHold(id: string): boolean {
    try {
      return this.#known.has(id) || this.#leavesWith(id).length > 0
    } catch {
      // An inner page is damaged. The error is thrown when something in that page is read.
      return true
    }
  }

  find(id: string): NodeRecord | undefined {
    for (const leaf of this.#known.has(id) ? [] : this.#leavesWith(id)) {
      // Reading a leaf may look up its own ids, to find out which versions are known already.
      if (this.#read.has(leaf)) continue
      this.#read.add(leaf)
      for (const record of recordsIn(leaf)) this.#known.set(record.id, record)
    }
    return this.#known.get(id)
  }

  /** Every record, in order. Reads all leaves. */
  records(): readonly NodeRecord[] {
    const { before, behind, seq } = this.#tree
    return [...before, ...(seq?.leaves() ?? []).flatMap(recordsIn), ...behind]
  }

  /** The same with what was erased. */
  mapped(erasing: Erasing): PagedLayer {
    const { cycle, before, behind, seq } = this.#tree
    const record = (each: NodeRecord): NodeRecord => erasing.record(each)
    return new PagedLayer({
      cycle,
      before: before.map(record),
      behind: behind.map(record),
      seq: seq?.mapped(erasing),
    })
  }

  #leavesWith(id: string): readonly PagedChunk[] {
    const cycle = cycleNamedBy(id)
    return this.#leavesNaming('ids', id, (link) => cycle < 0 || spans(link, cycle))
  }

  #leavesNaming(kind: NameKind, name: string, counts: (link: PageLink) => boolean): readonly PagedChunk[] {
    const hash = hashOfName(name)
    return (this.#tree.seq?.leaves(counts) ?? []).filter((leaf) => leaf.hashes(kind).includes(hash))
  }

  /** Ids of nodes that name something, sorted by the cycle since which they hold, as if every commit had been seen. */
  #naming(kind: Exclude<NameKind, 'ids'>, name: string, isNaming: (record: NodeRecord) => boolean): readonly string[] {
    const { cycle, before, behind } = this.#tree
    const leaves = this.#leavesNaming(kind, name, ({ ties }) => ties[kind] > 0)
    const records = [...before, ...leaves.flatMap(recordsIn), ...behind]
    const naming = records.filter((record) => record.rare !== undefined && record.born !== cycle && isNaming(record))
    return naming.sort((a, b) => a.born - b.born).map(({ id }) => id)
  }
}

function recordsIn({ chunk }: PagedChunk): readonly NodeRecord[] {
  const records: NodeRecord[] = []
  eachNodeIn(chunk, (node) => records.push(recordOf(node)))
  return records
}

/** True if ids below a link name cycles on both sides of this one, or the cycle itself. */
function spans({ named: [lowest, highest] }: PageLink, cycle: number): boolean {
  return lowest <= cycle && cycle <= highest
}

/** A chunk and its link. */
export class PagedChunk {
  readonly chunk: Sequence
  readonly #link: PageLink
  readonly #linkOf: (chunk: Sequence) => PageLink
  #below: readonly PagedChunk[] | undefined
  readonly #hashes = new Map<NameKind, Uint32Array>()

  constructor(chunk: Sequence, link: PageLink, linkOf: (chunk: Sequence) => PageLink, below?: readonly PagedChunk[]) {
    this.chunk = chunk
    this.#link = link
    this.#linkOf = linkOf
    this.#below = below
  }

  get #chunks(): readonly PagedChunk[] {
    const linkOf = this.#linkOf
    return (this.#below ??= (this.chunk.chunks ?? []).map((chunk) => new PagedChunk(chunk, linkOf(chunk), linkOf)))
  }

  /** The leaves in order, without those below links that do not count. Reads inner pages only. */
  leaves(counts: (link: PageLink) => boolean = () => true): readonly PagedChunk[] {
    if (!counts(this.#link)) return []
    return this.#link.height === 0 ? [this] : this.#chunks.flatMap((each) => each.leaves(counts))
  }

  /** The hashes of the names in a leaf. */
  hashes(kind: NameKind): Uint32Array {
    let hashes = this.#hashes.get(kind)
    if (hashes === undefined) this.#hashes.set(kind, (hashes = unpackNames(this.#link.names![kind])))
    return hashes
  }

  /** The chunk after erasing; the same chunk if nothing in it was erased. */
  mapped(erasing: Erasing): PagedChunk {
    const chunk = erasing.sequence(this.chunk)
    if (chunk === this.chunk) return this
    const below = this.#link.height === 0 ? undefined : this.#chunks.map((each) => each.mapped(erasing))
    return new PagedChunk(chunk, this.#link, this.#linkOf, below)
  }
}

/** Tells from the link whether a node with this id may be in a chunk. */
export function mayHold(link: PageLink, id: string): boolean {
  const cycle = cycleNamedBy(id)
  if (cycle >= 0 && !spans(link, cycle)) return false
  return link.names === undefined || unpackNames(link.names.ids).includes(hashOfName(id))
}
