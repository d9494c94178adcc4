// A tree as one text: the items of its nodes in order, and which part of the text belongs to which node. The text of a leaf of the tree
// is kept with the leaf. A leaf never changes, so a text after a commit costs what the commit touched, and forks share texts.

import type { NodeRecord } from '../core/index.js'
import type { ByteRange, Chunk, RenderedBytes } from './rendered-bytes.js'
import { Branch, eachRecord, Fact, recordOf, Sequence, type TreeNode, type View } from '../timeline/index.js'

/** The text of one node in ASCII, of those that have one. Nodes in `^sys` may read otherwise than the rest. */
export type RenderItem = (record: NodeRecord, isSystem: boolean) => string

/** The index of a node's item, and its part of the text. */
export type ItemPlace = Readonly<{ index: number; start: number; end: number }>

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
  pieces(view: View): readonly string[] {
    return this.#chunks(view).map(({ text }) => text)
  }

  /** The same with brackets and commas, and the node of each item. */
  bytes(view: View): RenderedBytes {
    const chunks: Chunk[] = [OPEN]
    for (const chunk of this.#chunks(view)) {
      if (chunks.length > 1) chunks.push(COMMA)
      chunks.push(chunk)
    }
    chunks.push(CLOSE)
    return chunks
  }

  /** The place of a node's item; by the sums of everything before it. */
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

  /** The tree in order: the root and regions that have an item themselves, and the leaves of each region. */
  #chunks({ tree }: View): readonly Chunk[] {
    const chunks: Chunk[] = []
    const add = (chunk: Chunk): void => void (chunk.text === '' || chunks.push(chunk))
    if (tree.root.isRendered) add(this.#rest.chunkOfChild(tree.root))
    for (const [at, region] of tree.regions.entries()) {
      const side = this.#side(at === 0)
      if (region.record.isRendered) add(side.chunkOfChild(region.record))
      const leaves = [...region.children.leaves()]
      for (const [i, leaf] of leaves.entries()) {
        if (at !== 1 || i < leaves.length - 1) add(side.chunkOf(leaf))
        else for (const child of leaf.items!) add(side.chunkOfChild(child))
      }
    }
    return chunks
  }

  #side(isSystem: boolean): Side {
    return isSystem ? this.#system : this.#rest
  }
}

const bare = (text: string): Chunk => ({ text, byteLength: text.length, ranges: [], items: [] })
const OPEN = bare('[')
const COMMA = bare(',')
const CLOSE = bare(']')

/** Some items, joined by commas. Their ranges are worked out when they are asked for. */
class ItemsChunk implements Chunk {
  readonly text: string
  readonly #ranges: () => readonly ByteRange[]
  #known: readonly ByteRange[] | undefined

  constructor(text: string, ranges: () => readonly ByteRange[]) {
    this.text = text
    this.#ranges = ranges
  }

  get byteLength(): number {
    return this.text.length
  }

  get ranges(): readonly ByteRange[] {
    return (this.#known ??= this.#ranges())
  }

  get items(): readonly number[] {
    return this.ranges.map(({ start }) => start)
  }
}

/** Everything kept for the nodes in `^sys`, or for those elsewhere. */
class Side {
  readonly #item: (record: NodeRecord) => string
  readonly #leaf: Fact<Sequence, Chunk>
  readonly #branch: Fact<Branch, Chunk>
  /** The length of all items under a sequence or branch, without commas: places are sums of these. */
  readonly #length: Fact<Sequence | Branch, Readonly<{ length: number }>>

  constructor(item: (record: NodeRecord) => string) {
    this.#item = item
    this.#branch = new Fact((branch) => this.#chunk([branch], this.#texts(branch)))
    this.#leaf = new Fact((leaf) => this.#chunk(leaf.items!, this.#joined(leaf)))
    this.#length = new Fact((part) => ({ length: this.#lengthIn(part) }))
  }

  chunkOf(leaf: Sequence): Chunk {
    return this.#leaf.of(leaf)
  }

  /** The same object as long as the child is in a leaf that grows: a comparison knows it again. */
  chunkOfChild(child: TreeNode): Chunk {
    return child instanceof Branch ? this.#branch.of(child) : this.#chunk([child], this.#texts(child))
  }

  lengthOf(part: Sequence | TreeNode): number {
    if (part instanceof Sequence || part instanceof Branch) return this.#length.of(part).length
    return this.#item(part).length
  }

  #lengthIn(part: Sequence | Branch): number {
    if (part instanceof Branch) {
      const rendered = part.children.rendered + (recordOf(part).isRendered ? 1 : 0)
      return withoutCommas(this.#branch.once(part).text, rendered)
    }
    if (part.chunks === undefined) return withoutCommas(this.#leaf.of(part).text, part.rendered)
    return part.chunks.reduce((sum, chunk) => sum + this.lengthOf(chunk), 0)
  }

  #chunk(nodes: readonly TreeNode[], texts: readonly string[]): Chunk {
    return new ItemsChunk(texts.join(','), () => {
      const ranges: ByteRange[] = []
      for (const node of nodes) {
        eachRecord(node, (record) => {
          const start = ranges.length === 0 ? 0 : ranges.at(-1)!.end + 1
          if (record.isRendered) ranges.push({ node: record.id, start, end: start + this.#item(record).length })
        })
      }
      return ranges
    })
  }

  /** From now on the leaf has the texts of its children, so they need not keep theirs. */
  #joined(leaf: Sequence): readonly string[] {
    const texts: string[] = []
    for (const child of leaf.items!) {
      const known = child instanceof Branch ? this.#branch.known(child)?.text : undefined
      if (known === undefined) this.#collect(child, texts)
      else if (known !== '') texts.push(known)
      if (child instanceof Branch && child.facts !== undefined) this.#branch.drop(child)
    }
    return texts
  }

  #texts(node: TreeNode): readonly string[] {
    const texts: string[] = []
    this.#collect(node, texts)
    return texts
  }

  /** A walk of its own: one that calls back for each node takes a third longer, and every message is visited here. */
  #collect(node: TreeNode, texts: string[]): void {
    const record = recordOf(node)
    if (record.isRendered) texts.push(this.#item(record))
    if (node instanceof Branch) this.#collectIn(node.children, texts)
  }

  #collectIn({ chunks, items }: Sequence, texts: string[]): void {
    if (chunks !== undefined) for (const chunk of chunks) this.#collectIn(chunk, texts)
    else for (const item of items!) this.#collect(item, texts)
  }
}

function withoutCommas(text: string, items: number): number {
  return text.length - Math.max(0, items - 1)
}
