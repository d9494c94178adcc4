// What the rows of a chunk carry, by value instead of by node: keys and tags, attributes, numbers, and which letters a
// content has. Worked out when a selector first asks for it, and kept with the rows: a test of some hundred nodes is then a
// look into a list. The rows at the top are other nodes in every tree, so those are asked one by one.

import type { NodeRecord } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import type { FlatTree } from '../match/flat-tree.js'
import { NO_ROWS, tested, type Rows } from '../match/match.js'
import type { Clue, NumberField, Test } from '../plan/plan.js'
import { AttributeColumn } from './attribute-column.js'
import { Texts } from './texts.js'

type Numbers = Readonly<{ values: Float64Array; lowest: number; highest: number }>
type NumberClue = Extract<Clue, { kind: 'number' }>

export class Columns {
  readonly #flat: FlatTree
  /** By key (`#key`) and tag (`+tag`), and by name. */
  #marks: Map<string, number[]> | undefined
  readonly #attributes = new Map<string, AttributeColumn>()
  /** One for each of the four fields at the most. */
  readonly #numbers = new Map<NumberField, Numbers>()
  #texts: Texts | undefined

  constructor(flat: FlatTree) {
    this.#flat = flat
  }

  /** Every key and tag in here. */
  get marks(): Iterable<string> {
    return this.#marked().keys()
  }

  /** Whether some node below the top may pass. */
  mayHold(clue: Clue, view: View): boolean {
    switch (clue.kind) {
      case 'mark':
        return this.#marked().has(clue.mark)
      case 'attribute':
        return clue.acceptsNone || this.#column(clue.name)?.mayHold(clue) === true
      case 'number': {
        const { lowest, highest } = this.#numbersOf(clue.field)
        const { low, high } = rangeIn(clue, view)
        return lowest <= high && highest >= low
      }
      case 'text':
        return true
    }
  }

  /** Which of some rows pass a test, or which of all, where that is a short list; undefined where this does not tell. */
  told(test: Test, rows: Rows | undefined, view: View): Rows | undefined {
    const { clue } = test
    if (clue === undefined) return undefined
    if (rows === undefined) {
      const few = this.#few(clue)
      return few && [...tested(this.#flat, this.#topRows, test, view), ...few]
    }
    if (clue.kind === 'mark') return undefined
    const top = rows[0]! < this.#first ? rows.filter((row) => row < this.#first) : NO_ROWS
    const below = this.#below(clue, top.length === 0 ? rows : rows.slice(top.length), test, view)
    return top.length === 0 ? below : [...tested(this.#flat, top, test, view), ...below]
  }

  #few(clue: Clue): Rows | undefined {
    if (clue.kind === 'mark') return this.#marked().get(clue.mark) ?? NO_ROWS
    if (clue.kind !== 'attribute' || clue.acceptsNone) return undefined
    return this.#column(clue.name)?.accepted(clue) ?? NO_ROWS
  }

  #below(clue: Exclude<Clue, { kind: 'mark' }>, rows: Rows, test: Test, view: View): Rows {
    if (clue.kind === 'number') return this.#inRange(clue, rows, view)
    if (clue.kind === 'attribute') {
      return this.#column(clue.name)?.acceptedOf(clue, rows) ?? (clue.acceptsNone ? rows : NO_ROWS)
    }
    this.#texts ??= new Texts(this.#flat, this.#first)
    return tested(this.#flat, this.#texts.mayHold(clue.text, rows), test, view)
  }

  #inRange(clue: NumberClue, rows: Rows, view: View): Rows {
    const { values, lowest, highest } = this.#numbersOf(clue.field)
    const { low, high } = rangeIn(clue, view)
    if (lowest >= low && highest <= high && !this.#flat.hasVirtual) return rows
    return lowest > high || highest < low ? NO_ROWS : rows.filter((row) => values[row]! >= low && values[row]! <= high)
  }

  #numbersOf(field: NumberField): Numbers {
    const known = this.#numbers.get(field)
    if (known !== undefined) return known
    const { records, size } = this.#flat
    const values = new Float64Array(size)
    let lowest = Infinity
    let highest = -Infinity
    for (let row = this.#first; row < size; row++) {
      // A virtual core stands at offset 0 and has no other number (D12).
      const value = records[row]?.[field] ?? (field === 'offset' ? 0 : NaN)
      values[row] = value
      if (value < lowest) lowest = value
      if (value > highest) highest = value
    }
    const numbers = { values, lowest, highest }
    this.#numbers.set(field, numbers)
    return numbers
  }

  #column(name: string): AttributeColumn | undefined {
    this.#marked()
    return this.#attributes.get(name)
  }

  #marked(): Map<string, number[]> {
    if (this.#marks === undefined) {
      this.#marks = new Map()
      const { records, size } = this.#flat
      for (let row = this.#first; row < size; row++) {
        const record = records[row]
        if (record?.rare !== undefined) this.#take(row, record.rare, this.#marks)
      }
    }
    return this.#marks
  }

  #take(row: number, { key, tags, attributes }: NonNullable<NodeRecord['rare']>, marks: Map<string, number[]>): void {
    if (key !== undefined) addRow(marks, `#${key}`, row)
    if (tags !== undefined) for (const tag of tags) addRow(marks, `+${tag}`, row)
    if (attributes === undefined) return
    for (const [name, value] of attributes) {
      if (value === null) continue
      let column = this.#attributes.get(name)
      if (column === undefined) this.#attributes.set(name, (column = new AttributeColumn()))
      column.add(row, value)
    }
  }

  get #first(): number {
    return this.#flat.firstSegment
  }

  get #topRows(): Rows {
    return this.#flat.seqRow === 1 ? TOP_ROWS : [0]
  }
}

const TOP_ROWS: Rows = Object.freeze([0, 1])

/** A tag that a node has twice counts once. */
function addRow(marks: Map<string, number[]>, mark: string, row: number): void {
  const rows = marks.get(mark)
  if (rows === undefined) marks.set(mark, [row])
  else if (rows.at(-1) !== row) rows.push(row)
}

/** The age is counted back from the cycle of the view. */
export function rangeIn({ low, high, isAge }: NumberClue, { cycle }: View): Readonly<{ low: number; high: number }> {
  return isAge ? { low: cycle - high, high: cycle - low } : { low, high }
}
