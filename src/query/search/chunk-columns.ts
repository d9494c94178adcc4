// The records of a chunk of `^seq` in one list, and what a pattern of positions picks from them: what a structural
// selector finds in a chunk is then a list that is already there.

import type { NodeRecord } from '../../core/index.js'
import {
  addRecords,
  addRecordsAt,
  type Branch,
  eachRecord,
  type Sequence,
  shapeOf,
  shapesOf,
  type Shape,
} from '../../timeline/index.js'
import type { Pattern, Positions } from './pattern.js'
import type { NumberField, NumberTest } from '../plan/field-test.js'

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
  // Maps are made when first needed: most chunks are only asked for a handful.
  #ids: Map<Pattern, readonly string[]> | undefined
  /** The pattern asked about last is at hand. */
  #lastPattern: Pattern | undefined
  #lastIds: readonly string[] = []
  /** The same for a few segments, by their positions. */
  #lastFew: Positions | undefined
  #lastFewIds: readonly string[] = []
  #ranged: Map<NumberTest, Map<Pattern, readonly string[]>> | undefined
  #numbers: Map<NumberField, Map<Pattern, Numbers>> | undefined
  #marks: ReadonlySet<string> | undefined

  /** Of a leaf, or of a chunk right above leaves. */
  constructor(chunk: Sequence) {
    this.segments = (chunk.items ?? chunk.chunks!.flatMap(({ items }) => items!)) as readonly Branch[]
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
    if (number !== undefined) {
      const ranges = kept((this.#ranged ??= new Map()), number, () => new Map<Pattern, readonly string[]>())
      return kept(ranges, pattern.shared, () =>
        inRange(this.idsAt(pattern, undefined), this.#numbersAt(pattern, number.field), number),
      )
    }
    const few = this.#fewAt(pattern)
    if (few !== undefined) return this.#idsOfFew(few, pattern.positions[pattern.only]!)
    if (pattern.shared !== this.#lastPattern) {
      this.#lastPattern = pattern.shared
      this.#lastIds = kept((this.#ids ??= new Map()), pattern.shared, () =>
        this.#recordsAt(pattern).map(({ id }) => id),
      )
    }
    return this.#lastIds
  }

  #idsOfFew(few: readonly number[], positions: Positions): readonly string[] {
    if (positions !== this.#lastFew) {
      this.#lastFew = positions
      this.#lastFewIds = this.#recordsOfFew(few, positions).map(({ id }) => id)
    }
    return this.#lastFewIds
  }

  /** How many there are of them. */
  countAt(pattern: Pattern, number: NumberTest | undefined): number {
    if (number !== undefined) return this.idsAt(pattern, number).length
    const { positions } = pattern
    if (pattern.isUniform) return positions[0]!.length * this.segments.length
    const { segmentsOf } = this.#byShape()
    return positions.reduce((count, each, shape) => count + each.length * segmentsOf[shape]!.length, 0)
  }

  #recordsAt(pattern: Pattern): readonly NodeRecord[] {
    const { positions } = pattern
    const few = this.#fewAt(pattern)
    if (few !== undefined) return this.#recordsOfFew(few, positions[pattern.only]!)
    const found: NodeRecord[] = []
    const records = this.#all()
    const shapes = pattern.isUniform ? undefined : this.#byShape().shapeOf
    for (let i = 0; i < this.segments.length; i++) {
      const start = this.#starts[i]!
      const own = positions[shapes === undefined ? 0 : shapes[i]!]!
      for (let j = 0; j < own.length; j++) found.push(records[start + own[j]!]!)
    }
    return found
  }

  /** Without a list of all records, which would hardly be worth it. */
  #recordsOfFew(few: readonly number[], positions: Positions): readonly NodeRecord[] {
    const found: NodeRecord[] = []
    for (const segment of few) addRecordsAt(this.segments[segment]!, positions, found)
    return found
  }

  /** The segments of the only shape that matches, if there are just a few of them among others. */
  #fewAt(pattern: Pattern): readonly number[] | undefined {
    if (pattern.isUniform || pattern.only < 0) return undefined
    const segments = this.#byShape().segmentsOf[pattern.only]!
    return segments.length <= FEW ? segments : undefined
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
    const numbers = kept((this.#numbers ??= new Map()), field, () => new Map<Pattern, Numbers>())
    return kept(numbers, pattern.shared, () => numbersOf(this.#recordsAt(pattern), field))
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

/** How many segments are read faster than a list of theirs is kept. */
const FEW = 8
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
