// The records of a leaf of `^seq`, segment by segment or, where all segments have one shape, position by position: what
// a structural selector finds in a leaf is then a column that is already there.

import type { NodeRecord } from '../core/index.js'
import {
  Branch,
  eachRecord,
  Sequence,
  shapesOf,
  type Shape,
  type Tree,
  type TreeNode,
} from '../timeline/index.js'
import { Scene } from './scene.js'
import type { NumberField } from './values.js'

export class Columns {
  /** The one shape of all segments, if there is only one. */
  readonly uniform: Shape | undefined
  readonly segments: readonly Branch[]
  readonly #rows: (readonly NodeRecord[])[] = []
  readonly #records: (readonly NodeRecord[])[] = []
  readonly #ids: (readonly string[])[] = []
  readonly #numbers: Partial<Record<NumberField, (readonly number[])[]>> = {}
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

  /** The records at one position of every segment; only for one shape. */
  recordsAt(position: number): readonly NodeRecord[] {
    return (this.#records[position] ??= this.segments.map((_, i) => this.row(i)[position]!))
  }

  idsAt(position: number): readonly string[] {
    return (this.#ids[position] ??= this.recordsAt(position).map((record) => record.id))
  }

  numbersAt(position: number, field: NumberField): readonly number[] {
    const numbers = (this.#numbers[field] ??= [])
    return (numbers[position] ??= this.recordsAt(position).map((record) => record[field]))
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

/** What searching the trees of one context leaves behind for the next search. */
export class SearchCache {
  readonly #columns = new Map<Sequence, Columns>()
  readonly #scenes = new Map<Shape, Scene>()

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
