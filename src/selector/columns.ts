// The records of a leaf of `^seq`, segment by segment or, where all segments have one shape, position by position: what
// a structural selector finds in a leaf is then a column that is already there.

import type { NodeRecord } from '../core/index.js'
import { Branch, eachRecord, Sequence, shapesOf, type Shape, type Tree, type TreeNode } from '../timeline/index.js'
import { Scene } from './scene.js'
import type { NumberField } from './values.js'

export class Columns {
  /** The one shape of all segments, if there is only one. */
  readonly uniform: Shape | undefined
  readonly segments: readonly Branch[]
  readonly #rows: (readonly NodeRecord[])[] = []
  readonly #records = new Map<readonly number[], readonly NodeRecord[]>()
  readonly #ids = new Map<readonly number[], readonly string[]>()
  readonly #numbers = new Map<NumberField, Map<readonly number[], readonly number[]>>()
  #marks: ReadonlySet<string> | undefined

  constructor(leaf: Sequence) {
    this.segments = leaf.items as readonly Branch[]
    const shapes = shapesOf(leaf)?.shapes
    this.uniform = shapes?.length === 1 ? shapes[0] : undefined
  }

  /** The records of one segment, itself first, in document order. */
  row(index: number): readonly NodeRecord[] {
    return (this.#rows[index] ??= recordsOf(this.segments[index]!))
  }

  /** The records at some positions of every segment, in document order; only for one shape. */
  recordsAt(positions: readonly number[]): readonly NodeRecord[] {
    return kept(this.#records, positions, () => {
      const found: NodeRecord[] = []
      for (let i = 0; i < this.segments.length; i++) {
        const row = this.row(i)
        for (let j = 0; j < positions.length; j++) found.push(row[positions[j]!]!)
      }
      return found
    })
  }

  idsAt(positions: readonly number[]): readonly string[] {
    return kept(this.#ids, positions, () => this.recordsAt(positions).map((record) => record.id))
  }

  numbersAt(positions: readonly number[], field: NumberField): readonly number[] {
    let numbers = this.#numbers.get(field)
    if (numbers === undefined) this.#numbers.set(field, (numbers = new Map()))
    return kept(numbers, positions, () => this.recordsAt(positions).map((record) => record[field]))
  }

  /** Every key (`#key`) and tag (`+tag`) in here. */
  get marks(): ReadonlySet<string> {
    if (this.#marks === undefined) {
      const marks = new Set<string>()
      for (const segment of this.segments) eachRecord(segment, (record) => addMarks(marks, record))
      this.#marks = marks
    }
    return this.#marks
  }
}

/** How many lists of one kind a leaf keeps. */
const MAX_LISTS = 8

function kept<T>(
  lists: Map<readonly number[], readonly T[]>,
  positions: readonly number[],
  make: () => readonly T[],
): readonly T[] {
  let list = lists.get(positions)
  if (list === undefined) {
    list = make()
    if (lists.size >= MAX_LISTS) lists.clear()
    lists.set(positions, list)
  }
  return list
}

function recordsOf(segment: TreeNode): readonly NodeRecord[] {
  const row: NodeRecord[] = []
  eachRecord(segment, (record) => row.push(record))
  return row
}

function addMarks(marks: Set<string>, { rare }: NodeRecord): void {
  if (rare?.key !== undefined) marks.add(`#${rare.key}`)
  for (const tag of rare?.tags ?? []) marks.add(`+${tag}`)
}

/** How many leaves are remembered beyond those of two whole trees. */
const SPARE = 64
/** How many shapes' scenes are remembered. */
const MAX_SCENES = 256
/** How many keys and tags are remembered of the segments below one chunk. */
const MAX_MARKS = 512

/** What searching the trees of one context leaves behind for the next search. */
export class SearchCache {
  readonly #columns = new Map<Sequence, Columns>()
  readonly #scenes = new Map<Shape, Scene>()
  readonly #marks = new WeakMap<Sequence, ReadonlySet<string> | null>()

  /** The columns of a leaf; the last one, which grows with every commit, is not kept. */
  columnsOf(leaf: Sequence, isLast: boolean, leaves: number): Columns {
    const known = this.#columns.get(leaf)
    if (known !== undefined) return known
    const columns = new Columns(leaf)
    if (!isLast) {
      this.#columns.set(leaf, columns)
      if (this.#columns.size > leaves * 2 + SPARE) this.#columns.delete(this.#columns.keys().next().value!)
    }
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
    for (const leaf of chunks ?? []) {
      if (!leaf.items) return null
      for (const mark of this.columnsOf(leaf, false, chunks!.length).marks) marks.add(mark)
      if (marks.size > MAX_MARKS) return null
    }
    return marks
  }

  /** A scene with one unit of a shape, under the root and the region of this context. */
  sceneOf(shape: Shape, { root, regions: [sys, seq, ah] }: Tree): Scene {
    let scene = this.#scenes.get(shape)
    if (scene === undefined) {
      const { model } = shape
      const { nodeType, nodeClass } = model.record
      const isRegion = nodeClass === 'region'
      const history = new Branch(seq.record, isRegion ? Sequence.EMPTY : Sequence.leaf([model]))
      const regions = [nodeType === '^sys' ? model : sys, history, nodeType === '^ah' ? model : ah] as const
      const extent = { sys: isRegion && nodeType === '^sys', head: isRegion && nodeType === '^ah', segments: undefined }
      scene = new Scene({ root, regions }, extent)
      if (this.#scenes.size >= MAX_SCENES) this.#scenes.clear()
      this.#scenes.set(shape, scene)
    }
    return scene
  }
}
