// The records of a chunk of `^seq` in one list, and what a pattern of positions picks from them: what a structural
// selector finds in a chunk is then a list that is already there.

import type { NodeRecord } from '../core/index.js'
import { addRecords, type Branch, eachRecord, type Sequence, shapeOf, shapesOf, type Shape } from '../timeline/index.js'
import { NOWHERE, type Pattern, type Positions } from './answers.js'
import type { NumberField, NumberTest } from './values.js'

/** Some numbers, and the ends of their range. */
type Numbers = Readonly<{ values: Float64Array; lowest: number; highest: number }>

/** Which of some shapes each segment has, and the segments of each shape. */
type Grouped = Readonly<{ shapeOf: readonly number[]; segmentsOf: readonly (readonly number[])[] }>

export class Columns {
  readonly segments: readonly Branch[]
  /** The shapes of the segments, where they can be told. */
  readonly #shapes: readonly Shape[] | undefined
  /** Every record in document order, and where in this list each segment starts. */
  #records: readonly NodeRecord[] | undefined
  readonly #starts: number[] = []
  #grouped: Grouped | undefined
  readonly #ids = new Map<Pattern, readonly string[]>()
  /** The pattern asked about last is at hand. */
  #lastPattern: Pattern | undefined
  #lastIds: readonly string[] = []
  readonly #ranged = new Map<NumberTest, Map<Pattern, readonly string[]>>()
  readonly #numbers = new Map<NumberField, Map<Pattern, Numbers>>()
  #marks: ReadonlySet<string> | undefined

  constructor(chunk: Sequence) {
    this.segments = chunk.toArray() as readonly Branch[]
    this.#shapes = shapesOf(chunk)?.shapes
  }

  /** One record of a segment; the segment itself is at 0. */
  recordAt(segment: number, position: number): NodeRecord {
    const records = this.#all()
    return records[this.#starts[segment]! + position]!
  }

  /** The records that a pattern for the shapes in here picks, with a number in some range, in document order. */
  recordsAt(pattern: Pattern, number: NumberTest | undefined): readonly NodeRecord[] {
    const found = this.#recordsAt(pattern)
    return number === undefined ? found : inRange(found, this.#numbersAt(pattern, number.field), number)
  }

  idsAt(pattern: Pattern, number: NumberTest | undefined): readonly string[] {
    if (number === undefined) {
      if (pattern !== this.#lastPattern) {
        this.#lastIds = kept(this.#ids, pattern, () => this.#recordsAt(pattern).map(({ id }) => id))
        this.#lastPattern = pattern
      }
      return this.#lastIds
    }
    const ranges = kept(this.#ranged, number, () => new Map<Pattern, readonly string[]>())
    return kept(ranges, pattern, () =>
      inRange(this.idsAt(pattern, undefined), this.#numbersAt(pattern, number.field), number),
    )
  }

  /** How many there are of them. */
  countAt(pattern: Pattern, number: NumberTest | undefined): number {
    if (number !== undefined) return this.idsAt(pattern, number).length
    if (pattern.length === 1) return pattern[0]!.length * this.segments.length
    const { segmentsOf } = this.#byShape()
    return pattern.reduce((count, positions, shape) => count + positions.length * segmentsOf[shape]!.length, 0)
  }

  #recordsAt(pattern: Pattern): readonly NodeRecord[] {
    const records = this.#all()
    const found: NodeRecord[] = []
    const add = (segment: number, positions: Positions): void => {
      const start = this.#starts[segment]!
      for (let i = 0; i < positions.length; i++) found.push(records[start + positions[i]!]!)
    }
    if (pattern.length === 1) {
      for (let i = 0; i < this.segments.length; i++) add(i, pattern[0]!)
      return found
    }
    const { shapeOf: shapes, segmentsOf } = this.#byShape()
    const first = pattern.findIndex((positions) => positions !== NOWHERE)
    const isOnly = pattern.findLastIndex((positions) => positions !== NOWHERE) === first
    if (isOnly) for (const segment of segmentsOf[first] ?? []) add(segment, pattern[first]!)
    else for (let i = 0; i < shapes.length; i++) add(i, pattern[shapes[i]!]!)
    return found
  }

  #byShape(): Grouped {
    if (this.#grouped === undefined) {
      const shapes = this.segments.map((segment) => this.#shapes!.indexOf(shapeOf(segment)!))
      const segmentsOf = this.#shapes!.map((): number[] => [])
      for (const [segment, shape] of shapes.entries()) segmentsOf[shape]!.push(segment)
      this.#grouped = { shapeOf: shapes, segmentsOf }
    }
    return this.#grouped
  }

  #numbersAt(pattern: Pattern, field: NumberField): Numbers {
    const numbers = kept(this.#numbers, field, () => new Map<Pattern, Numbers>())
    return kept(numbers, pattern, () => numbersOf(this.#recordsAt(pattern), field))
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

  #all(): readonly NodeRecord[] {
    if (this.#records === undefined) {
      const records: NodeRecord[] = []
      for (const segment of this.segments) {
        this.#starts.push(records.length)
        addRecords(segment, records)
      }
      this.#records = records
    }
    return this.#records
  }
}

/** How many lists of one kind a chunk keeps. */
const MAX_LISTS = 8

function kept<Key, T>(lists: Map<Key, T>, key: Key, make: () => T): T {
  let list = lists.get(key)
  if (list === undefined) {
    list = make()
    if (lists.size >= MAX_LISTS) lists.clear()
    lists.set(key, list)
  }
  return list
}

function numbersOf(records: readonly NodeRecord[], field: NumberField): Numbers {
  const values = new Float64Array(records.length)
  let lowest = Infinity
  let highest = -Infinity
  for (let i = 0; i < records.length; i++) {
    const value = records[i]![field]
    values[i] = value
    if (value < lowest) lowest = value
    if (value > highest) highest = value
  }
  return { values, lowest, highest }
}

function inRange<T>(
  found: readonly T[],
  { values, lowest, highest }: Numbers,
  { low, high }: NumberTest,
): readonly T[] {
  if (lowest >= low && highest <= high) return found
  const passed: T[] = []
  if (lowest > high || highest < low) return passed
  for (let i = 0; i < values.length; i++) if (values[i]! >= low && values[i]! <= high) passed.push(found[i]!)
  return passed
}

/** Adds the key (`#key`) and tags (`+tag`) of a record. */
export function addMarks(marks: Set<string>, { rare }: NodeRecord): void {
  if (rare?.key !== undefined) marks.add(`#${rare.key}`)
  for (const tag of rare?.tags ?? []) marks.add(`+${tag}`)
}
