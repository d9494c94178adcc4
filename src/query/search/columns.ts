// What the rows of a chunk carry, by value instead of by node: attributes, keys and tags among them, numbers, and which
// letters a content has. Worked out for who asks, and kept with the rows: a test of some hundred nodes is then a look into a
// list. The rows at the top are other nodes in every tree, so those are asked one by one.

import type { View } from '../../timeline/index.js'
import type { KindSet } from '../match/kinds.js'
import { NO_ROWS, tested, type Rows } from '../match/match.js'
import type { Clue, NumberField, Test } from '../plan/plan.js'
import { Texts } from './texts.js'
import { Values } from './values.js'

type Numbers = Readonly<{ values: Float64Array; lowest: number; highest: number }>
type NumberClue = Extract<Clue, { kind: 'number' }>
type AttributeClue = Extract<Clue, { kind: 'attribute' }>

export class Columns extends Values {
  /** One for each of the four fields at the most. */
  #numbers: Map<NumberField, Numbers> | undefined
  #texts: Texts | undefined

  /** Whether some node below the top may pass. */
  mayHold(clue: Clue, view: View): boolean {
    switch (clue.kind) {
      case 'attribute':
        return clue.acceptsNone || this.has(clue)
      case 'number': {
        const { lowest, highest } = this.#numbersOf(clue.field)
        const { low, high } = rangeIn(clue, view)
        return lowest <= high && highest >= low
      }
      case 'text':
        return true
    }
  }

  /** All rows below the top that pass a test, where that is a short list; undefined where it is not, or not told. */
  few({ clue }: Test): Rows | undefined {
    if (clue?.kind !== 'attribute' || clue.acceptsNone || clue.like === undefined) return undefined
    return this.rowsWhere(clue, true)
  }

  /** Which rows at the top pass it. */
  top(test: Test, view: View): Rows {
    return tested(this.flat, this.#topRows, test, view)
  }

  /** Which of some rows pass a test; undefined where this does not tell. */
  told(test: Test, rows: Rows, view: View): Rows | undefined {
    const { clue } = test
    if (clue === undefined) return undefined
    const top = rows[0]! < this.#first ? rows.filter((row) => row < this.#first) : NO_ROWS
    const below = this.#below(test, clue, top.length === 0 ? rows : rows.slice(top.length), view)
    return top.length === 0 ? below : [...tested(this.flat, top, test, view), ...below]
  }

  #below(test: Test, clue: Clue, rows: Rows, view: View): Rows {
    if (clue.kind === 'number') return this.#inRange(clue, rows, view)
    if (clue.kind === 'attribute') return this.#withValue(test, clue, rows, view)
    this.#texts ??= new Texts(this.flat, this.#first)
    if (clue.op === '~') return tested(this.flat, this.#texts.mayHold(clue.text, rows), test, view)
    const alike = this.#texts.mayEqual(clue.text, rows)
    const passed = tested(this.flat, alike, test, view)
    if (clue.op === '=') return passed
    return passed.length === alike.length ? rows : without(rows, without(alike, passed))
  }

  #withValue(test: Test, clue: AttributeClue, rows: Rows, view: View): Rows {
    if (!clue.acceptsNone) return within(rows, this.rowsWhere(clue, true))
    if (clue.like?.op !== '!=') return tested(this.flat, rows, test, view)
    // What cannot equal the text of a `!=` is taken unseen.
    return without(rows, this.rowsWhere(clue, false))
  }

  #inRange(clue: NumberClue, rows: Rows, view: View): Rows {
    const { values, lowest, highest } = this.#numbersOf(clue.field)
    const { low, high } = rangeIn(clue, view)
    if (lowest >= low && highest <= high && !this.flat.hasVirtual) return rows
    const found: number[] = []
    if (lowest > high || highest < low) return found
    for (let i = 0; i < rows.length; i++) {
      const value = values[rows[i]!]!
      if (value >= low && value <= high) found.push(rows[i]!)
    }
    return found
  }

  /** The ids of what is of some kinds below the top and has a number in a range. */
  idsInRange(clue: NumberClue, kinds: KindSet, view: View): readonly string[] {
    const { values, lowest, highest } = this.#numbersOf(clue.field)
    const { low, high } = rangeIn(clue, view)
    if (lowest > high || highest < low) return NO_IDS
    if (lowest >= low && highest <= high) return this.flat.idsOfKinds(kinds)
    const rows = this.flat.rowsOf(kinds)
    const { ids } = this.flat
    const found: string[] = []
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      const value = values[row]!
      if (value >= low && value <= high && row >= this.#first) found.push(ids[row]!)
    }
    return found
  }

  #numbersOf(field: NumberField): Numbers {
    const known = this.#numbers?.get(field)
    if (known !== undefined) return known
    const { records, size } = this.flat
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
    this.#numbers ??= new Map()
    this.#numbers.set(field, numbers)
    return numbers
  }

  get #first(): number {
    return this.flat.firstSegment
  }

  get #topRows(): Rows {
    return this.flat.seqRow === 1 ? TOP_ROWS : [0]
  }
}

const NO_IDS: readonly string[] = Object.freeze([])
const TOP_ROWS: Rows = Object.freeze([0, 1])

/** What two lists in order have in common. */
function within(rows: Rows, others: Rows): Rows {
  const found: number[] = []
  let at = 0
  for (let i = 0; i < others.length; i++) {
    while (rows[at]! < others[i]!) at++
    if (rows[at] === others[i]) found.push(others[i]!)
  }
  return found
}

/** A list in order without what is in another: itself, if that is nothing. */
function without(rows: Rows, others: Rows): Rows {
  if (others.length === 0) return rows
  const found: number[] = []
  let at = 0
  for (let i = 0; i < rows.length; i++) {
    while (at < others.length && others[at]! < rows[i]!) at++
    if (others[at] !== rows[i]) found.push(rows[i]!)
  }
  return found.length === rows.length ? rows : found
}

/** The age is counted back from the cycle of the view. */
function rangeIn({ low, high, isAge }: NumberClue, { cycle }: View): Readonly<{ low: number; high: number }> {
  return isAge ? { low: cycle - high, high: cycle - low } : { low, high }
}
