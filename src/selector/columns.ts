// The records of a leaf of `^seq`, segment by segment or, where all segments have one shape, position by position: what
// a structural selector finds in a leaf is then a column that is already there.

import type { NodeRecord } from '../core/index.js'
import { eachRecord, shapeOf, type Branch, type Sequence, type Shape } from '../timeline/index.js'

export class Columns {
  /** The one shape of all segments, if there is only one. */
  readonly uniform: Shape | undefined
  readonly segments: readonly Branch[]
  /** The records of each segment, itself first, in document order. */
  readonly rows: readonly (readonly NodeRecord[])[]
  readonly #records: (readonly NodeRecord[])[] = []
  readonly #ids: (readonly string[])[] = []

  constructor(leaf: Sequence) {
    this.segments = leaf.items as readonly Branch[]
    this.rows = this.segments.map((segment) => {
      const row: NodeRecord[] = []
      eachRecord(segment, (record) => row.push(record))
      return row
    })
    const shape = shapeOf(this.segments[0]!)
    this.uniform = this.segments.every((segment) => shapeOf(segment) === shape) ? shape : undefined
  }

  /** The records at one position of every segment; only for one shape. */
  recordsAt(position: number): readonly NodeRecord[] {
    return (this.#records[position] ??= this.rows.map((row) => row[position]!))
  }

  idsAt(position: number): readonly string[] {
    return (this.#ids[position] ??= this.rows.map((row) => row[position]!.id))
  }
}

/** How many leaves are remembered beyond those of two whole trees. */
const SPARE = 64

/** Keeps columns of leaves that will not grow any more; the last one, which grows with every commit, is made each time. */
export class ColumnCache {
  readonly #columns = new Map<Sequence, Columns>()

  get(leaf: Sequence, isLast: boolean, leaves: number): Columns {
    const known = this.#columns.get(leaf)
    if (known !== undefined) return known
    const columns = new Columns(leaf)
    if (!isLast) {
      this.#columns.set(leaf, columns)
      if (this.#columns.size > leaves * 2 + SPARE) this.#columns.delete(this.#columns.keys().next().value!)
    }
    return columns
  }
}
