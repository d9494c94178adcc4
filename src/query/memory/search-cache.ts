// What searching the trees of one context leaves behind for the next search, within bounds.

import { Branch, eachRecord, Sequence, type Shape, type Tree } from '../../timeline/index.js'
import type { Budget } from '../search/budget.js'
import { addMarks, Columns } from '../search/chunk-columns.js'
import { Parts } from '../search/parts.js'
import { Scene } from '../match/flat-tree.js'

/** How many leaves and chunks above them are remembered: those of two whole trees, and some more. */
const SEGMENTS_PER_LEAF = 32
const SEGMENTS_PER_BLOCK = 1024
const SPARE = 64
/** How many shapes' scenes are remembered. */
const MAX_SCENES = 256
/** How many keys and tags are remembered of the segments below one chunk. */
const MAX_MARKS = 512

/** How often a chunk has to be met in one snapshot to be worth columns of its own. */
const OFTEN = 16

/** How often a chunk was met, and how many segments the snapshot had in which it was met first. */
type Meetings = { readonly size: number; times: number }

export class SearchCache {
  readonly #leaves = new Map<Sequence, Columns>()
  /** Full chunks above leaves: their columns, or how often they were met so far. */
  readonly #blocks = new Map<Sequence, Columns | Meetings>()
  /** The last leaf, which is another one after every commit. */
  #edge: Readonly<{ leaf: Sequence; columns: Columns }> | undefined
  #parts: Readonly<{ seq: Sequence; parts: Parts }> | undefined
  readonly #scenes = new Map<Shape, Scene>()
  readonly #marks = new WeakMap<Sequence, ReadonlySet<string> | null>()

  /** The parts of `^seq`; those of the one asked about last are at hand. */
  partsOf(seq: Sequence): Parts {
    if (this.#parts?.seq !== seq) this.#parts = { seq, parts: new Parts(seq) }
    return this.#parts.parts
  }

  /** The columns of a leaf of `^seq`. */
  columnsOf(leaf: Sequence, seq: Sequence): Columns {
    if (leaf === this.#edge?.leaf) return this.#edge.columns
    const known = this.#leaves.get(leaf)
    if (known !== undefined) return known
    const columns = new Columns(leaf)
    if (leaf.items!.at(-1) === seq.last) this.#edge = { leaf, columns }
    else keep(this.#leaves, leaf, columns, (2 * seq.size) / SEGMENTS_PER_LEAF)
    return columns
  }

  /**
   * The columns of a full chunk above leaves, once it pays to make them: where the tree changes, chunks are new in every
   * snapshot, and a thousand segments are read for nothing. So one has to be met in two snapshots, or often in one.
   */
  columnsAbove(block: Sequence, seq: Sequence): Columns | undefined {
    const known = this.#blocks.get(block)
    if (known instanceof Columns) return known
    if (known === undefined) {
      keep(this.#blocks, block, { size: seq.size, times: 1 }, (2 * seq.size) / SEGMENTS_PER_BLOCK)
      return undefined
    }
    if (known.size === seq.size && ++known.times < OFTEN) return undefined
    const columns = new Columns(block)
    // From here on the leaves are asked for themselves only by who looks at single records.
    for (const leaf of block.chunks!) this.#leaves.delete(leaf)
    this.#blocks.set(block, columns)
    return columns
  }

  /** Whether a chunk above leaves may hold a node with this key or tag. */
  mayHold(chunk: Sequence, mark: string): boolean {
    let marks = this.#marks.get(chunk)
    if (marks === undefined) this.#marks.set(chunk, (marks = this.#marksIn(chunk)))
    return marks?.has(mark) ?? true
  }

  /** Null where there are too many to be worth it. */
  #marksIn({ chunks }: Sequence): ReadonlySet<string> | null {
    const marks = new Set<string>()
    for (const { items } of chunks ?? []) {
      if (items === undefined) return null
      for (const item of items) eachRecord(item, (record) => addMarks(marks, record))
      if (marks.size > MAX_MARKS) return null
    }
    return marks
  }

  /** A scene with one unit of a shape, under the root and the region of this context. */
  sceneOf(shape: Shape, { root, regions: [sys, seq, ah] }: Tree, budget: Budget): Scene {
    let scene = this.#scenes.get(shape)
    if (scene === undefined) {
      const { model } = shape
      const { nodeType, nodeClass } = model.record
      const isRegion = nodeClass === 'region'
      const history = new Branch(seq.record, isRegion ? Sequence.EMPTY : Sequence.leaf([model]))
      const regions = [nodeType === '^sys' ? model : sys, history, nodeType === '^ah' ? model : ah] as const
      const extent = { sys: isRegion && nodeType === '^sys', head: isRegion && nodeType === '^ah', segments: undefined }
      scene = new Scene({ root, regions }, extent, budget)
      if (this.#scenes.size >= MAX_SCENES) this.#scenes.clear()
      this.#scenes.set(shape, scene)
    }
    scene.budget = budget
    return scene
  }
}

/** Keeps the newest entries, `most` and some more. */
function keep<T>(map: Map<Sequence, T>, chunk: Sequence, value: T, most: number): void {
  map.set(chunk, value)
  if (map.size > most + SPARE) map.delete(map.keys().next().value!)
}
