// A tree as one text: the items of its nodes one behind another, and which part of the text is whose. The text of a leaf of
// the tree is kept with the leaf, and so are the lengths of its items; a leaf never changes, so a text after a commit costs
// what the commit touched, two lenses in turn do not disturb each other, and forks share what they share of the tree.

import type { NodeRecord } from '../core/index.js'
import type { Chunk, RenderedBytes } from './rendered-bytes.js'
import { Branch, eachRecord, Fact, recordOf, Sequence, type TreeNode, type View } from '../timeline/index.js'

/** The text of one node in ASCII, of those that have one. Nodes in `^sys` may read otherwise than the rest. */
export type RenderItem = (record: NodeRecord, isSystem: boolean) => string

/** Which of the items a node is, and which part of the text is its own. */
export type ItemPlace = Readonly<{ index: number; start: number; end: number }>

export type ItemRange = Readonly<{ node: string; start: number; end: number }>

/** The ids of the items of a leaf and how long each is, in order. */
type Marks = Readonly<{ ids: readonly string[]; lengths: readonly number[] }>

export class Rendering {
  readonly #item: RenderItem
  readonly #rest: Side
  readonly #system: Side

  constructor(item: RenderItem) {
    this.#item = item
    this.#rest = new Side((record) => item(record, false))
    this.#system = new Side((record) => item(record, true))
  }

  /** The texts that joined by commas are all items; those of the newest segments one by one, since their leaf still grows. */
  *pieces(view: View): Generator<string, void, undefined> {
    for (const { side, leaf, record, isGrowing } of this.#parts(view)) {
      if (record !== undefined) yield side.item(record)
      else if (!isGrowing) yield* some(side.ofLeaf(leaf!))
      else for (const child of leaf!.items!) yield* some(side.ofChild(child))
    }
  }

  /** The same with brackets and commas, and whose bytes they are. */
  bytes(view: View): RenderedBytes {
    const chunks: Chunk[] = [OPEN]
    const add = (chunk: Chunk): void => {
      if (chunk.items.length === 0) return
      if (chunks.length > 1) chunks.push(COMMA)
      chunks.push(chunk)
    }
    for (const { side, leaf, record, isGrowing } of this.#parts(view)) {
      if (record !== undefined) add(chunkOf(side.item(record), marksOf([record], side.item)))
      else if (!isGrowing) add(side.chunkOf(leaf!))
      else for (const child of leaf!.items!) add(side.chunkOfChild(child))
    }
    chunks.push(CLOSE)
    return chunks
  }

  /** Where a node's item is; by the sums of what stands before it. */
  placeOf(view: View, record: NodeRecord): ItemPlace | undefined {
    const index = view.threadIndexOf(record)
    if (index === undefined) return undefined
    const before = view.sumBefore(
      record,
      (each, isSystem) => (each.isRendered ? this.#item(each, isSystem).length : 0),
      (part, isSystem) => this.#side(isSystem).lengthOf(part),
    )
    // A bracket opens the list, and a comma follows every item before it.
    const start = 1 + before + index
    return Object.freeze({ index, start, end: start + this.#item(record, view.isInSystem(record)).length })
  }

  /** Every item, in order, with its part of the text. */
  ranges(view: View): readonly ItemRange[] {
    const ranges: ItemRange[] = []
    let start = 1
    const add = (node: string, length: number): void => {
      ranges.push(Object.freeze({ node, start, end: start + length }))
      start += length + 1
    }
    for (const { side, leaf, record } of this.#parts(view)) {
      if (record !== undefined) add(record.id, side.item(record).length)
      else {
        const { ids, lengths } = side.marksOf(leaf!)
        for (const [i, id] of ids.entries()) add(id, lengths[i]!)
      }
    }
    return Object.freeze(ranges)
  }

  /** The tree in order: the root and regions that have an item themselves, and the leaves of each region. */
  *#parts({ tree }: View): Generator<Part, void, undefined> {
    if (tree.root.isRendered) yield { side: this.#rest, record: tree.root }
    for (const [at, region] of tree.regions.entries()) {
      const side = this.#side(at === 0)
      if (region.record.isRendered) yield { side, record: region.record }
      const leaves = [...region.children.leaves()]
      for (const [i, leaf] of leaves.entries()) yield { side, leaf, isGrowing: at === 1 && i === leaves.length - 1 }
    }
  }

  #side(isSystem: boolean): Side {
    return isSystem ? this.#system : this.#rest
  }
}

const bare = (text: string): Chunk => ({ text, byteLength: text.length, ranges: [], items: [] })
const OPEN = bare('[')
const COMMA = bare(',')
const CLOSE = bare(']')

function chunkOf(text: string, { ids, lengths }: Marks): Chunk {
  let start = 0
  const ranges = ids.map((node, i) => {
    const range = { node, start, end: start + lengths[i]! }
    start = range.end + 1
    return range
  })
  return { text, byteLength: text.length, ranges, items: ranges.map((range) => range.start) }
}

type Part = Readonly<{ side: Side; leaf?: Sequence; record?: NodeRecord; isGrowing?: boolean }>

function* some(text: string): Generator<string, void, undefined> {
  if (text !== '') yield text
}

/** What is kept for the nodes in `^sys`, or for those elsewhere. */
class Side {
  readonly item: (record: NodeRecord) => string
  readonly #leaf: Fact<Sequence, string>
  readonly #branch: Fact<Branch, string>
  readonly #branchChunk: Fact<Branch, Chunk>
  readonly #length: Fact<Sequence, Readonly<{ length: number }>>
  readonly #branchLength: Fact<Branch, Readonly<{ length: number }>>
  readonly #marks: Fact<Sequence, Marks>
  readonly #chunk: Fact<Sequence, Chunk>

  constructor(item: (record: NodeRecord) => string) {
    this.item = item
    this.#branch = new Fact((branch) => this.#texts(branch).join(','))
    this.#branchChunk = new Fact((branch) => this.#chunkOf(branch))
    this.#leaf = new Fact((leaf) => this.#join(leaf))
    this.#length = new Fact(({ chunks }) => ({ length: chunks!.reduce((sum, chunk) => sum + this.lengthOf(chunk), 0) }))
    this.#branchLength = new Fact((branch) => ({ length: lengthIn(this.#branch.once(branch), renderedIn(branch)) }))
    this.#chunk = new Fact((leaf) => chunkOf(this.ofLeaf(leaf), this.marksOf(leaf)))
    this.#marks = new Fact((leaf) =>
      marksOf(
        leaf.items!.flatMap((child) => this.#records(child)),
        this.item,
      ),
    )
  }

  chunkOf(leaf: Sequence): Chunk {
    return this.#chunk.of(leaf)
  }

  /** The same one as long as the child stands in a leaf that grows, so that whoever compares or counts knows it again. */
  chunkOfChild(child: TreeNode): Chunk {
    return child instanceof Branch ? this.#branchChunk.of(child) : this.#chunkOf(child)
  }

  #chunkOf(child: TreeNode): Chunk {
    return chunkOf(this.ofChild(child), marksOf(this.#records(child), this.item))
  }

  ofLeaf(leaf: Sequence): string {
    return this.#leaf.of(leaf)
  }

  ofChild(child: TreeNode): string {
    return child instanceof Branch ? this.#branch.of(child) : this.item(child)
  }

  /** How long the items are of all that stands there, without what joins them. */
  lengthOf(part: Sequence | TreeNode): number {
    if (part instanceof Sequence) {
      return part.chunks === undefined ? lengthIn(this.ofLeaf(part), part.rendered) : this.#length.of(part).length
    }
    return part instanceof Branch ? this.#branchLength.of(part).length : this.item(part).length
  }

  marksOf(leaf: Sequence): Marks {
    return this.#marks.of(leaf)
  }

  /** From now on the leaf has the texts of its children, so they need not. Joined once: each join copies all of it. */
  #join(leaf: Sequence): string {
    const texts: string[] = []
    for (const child of leaf.items!) {
      const known = child instanceof Branch ? this.#branch.known(child) : undefined
      if (known === undefined) this.#collect(child, texts)
      else if (known !== '') texts.push(known)
      if (!(child instanceof Branch) || child.facts === undefined) continue
      this.#branch.drop(child)
      this.#branchChunk.drop(child)
    }
    return texts.join(',')
  }

  #texts(branch: Branch): string[] {
    const texts: string[] = []
    this.#collect(branch, texts)
    return texts
  }

  /** A walk of its own: one that calls back for each node takes a third longer, and every message comes by here. */
  #collect(node: TreeNode, texts: string[]): void {
    const record = recordOf(node)
    if (record.isRendered) texts.push(this.item(record))
    if (node instanceof Branch) this.#collectIn(node.children, texts)
  }

  #collectIn({ chunks, items }: Sequence, texts: string[]): void {
    if (chunks !== undefined) for (const chunk of chunks) this.#collectIn(chunk, texts)
    else for (const item of items!) this.#collect(item, texts)
  }

  #records(node: TreeNode): NodeRecord[] {
    const records: NodeRecord[] = []
    eachRecord(node, (record) => {
      if (record.isRendered) records.push(record)
    })
    return records
  }
}

/** Without the commas. */
function lengthIn(text: string, items: number): number {
  return text.length - Math.max(0, items - 1)
}

function renderedIn(branch: Branch): number {
  return branch.children.rendered + (recordOf(branch).isRendered ? 1 : 0)
}

function marksOf(records: readonly NodeRecord[], item: (record: NodeRecord) => string): Marks {
  return { ids: records.map(({ id }) => id), lengths: records.map((record) => item(record).length) }
}
