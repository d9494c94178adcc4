// The values of all attributes in the rows of a chunk, keys and tags among them, as numbers. To compare a text with hundreds
// of values is to fetch each of them from somewhere in memory, 50 ns a time. So each leaves a hash, which tells whether it can
// equal a text, and a sieve of its characters, three by three, which tells whether it can contain one. Those of one name
// stand together: a name that few nodes have is then a few numbers, however many values there are of others. Only what
// passes is looked at.

import type { JsonValue } from '../../core/index.js'
import type { FlatTree } from '../match/flat-tree.js'
import { NO_ROWS, type Rows } from '../match/match.js'
import { KEY, TAGS, type Clue } from '../plan/plan.js'
import { EVERYTHING, hashOf, sieveOf } from './text-sieve.js'

type AttributeClue = Extract<Clue, { kind: 'attribute' }>

/** What is no text may equal or contain anything. */
const NO_HASH = 0
/** How many numbers there are for each name. */
const WIDTH = 4
/** So many are looked through by hand: the host would go on through the names behind. */
const FEW = 128
const NO_CELLS = new Int32Array(0)

/** The values of one name and their rows, in order of rows. */
type Named = { readonly values: JsonValue[]; readonly rows: number[]; hasOthers: boolean }

export class Values {
  readonly flat: FlatTree
  /**
   * For each name a hash of it, where its numbers begin, where its values do, and 1 if some of them are no text; then where
   * all end. Behind that, name by name, the hashes of its values, their rows, and their sieves.
   */
  #cells: Int32Array = NO_CELLS
  /** Each name, and its values behind it: whoever wants the one needs the other, and they are fetched together. */
  #values: readonly JsonValue[] | undefined

  constructor(flat: FlatTree) {
    this.flat = flat
  }

  /** Makes what most questions need. */
  setUp(): void {
    this.#values ??= this.#make()
  }

  #make(): readonly JsonValue[] {
    const { records, firstSegment, size } = this.flat
    const named = new Map<string, Named>()
    const add = (row: number, name: string, value: JsonValue | undefined): void => {
      if (value === null || value === undefined) return
      let of = named.get(name)
      if (of === undefined) named.set(name, (of = { values: [], rows: [], hasOthers: false }))
      of.hasOthers ||= typeof value !== 'string'
      of.values.push(value)
      of.rows.push(row)
    }
    for (let row = firstSegment; row < size; row++) {
      const rare = records[row]?.rare
      if (rare === undefined) continue
      add(row, KEY, rare.key)
      if (rare.tags !== undefined) for (const tag of rare.tags) add(row, TAGS, tag)
      rare.attributes?.forEach((value, name) => add(row, name, value))
    }
    let count = 0
    for (const { rows } of named.values()) count += rows.length
    let head = 0
    let start = WIDTH * named.size + 2
    const cells = new Int32Array(start + 3 * count)
    const values: JsonValue[] = []
    for (const [name, of] of named) {
      cells[head++] = hashOf(name)
      cells[head++] = start
      cells[head++] = values.push(name)
      cells[head++] = of.hasOthers ? 1 : 0
      const { length } = of.rows
      for (let i = 0; i < length; i++, start++) {
        const value = of.values[i]!
        const isText = typeof value === 'string'
        values.push(value)
        cells[start] = isText ? hashOf(value) : NO_HASH
        cells[start + length] = of.rows[i]!
        cells[start + 2 * length] = isText ? sieveOf(value) : EVERYTHING
      }
      start += 2 * length
    }
    cells[head + 1] = start
    this.#cells = cells
    // Without the room that it has grown by.
    return values.slice()
  }

  /** Reads something of what most questions need: see `FlatTrees.fetch`. */
  fetch(): number {
    const values = this.#values
    return this.flat.fetch() + (this.#cells[0] ?? 0) + (values?.[0] === undefined ? 0 : 1)
  }

  /** Whether there is a value of this name. */
  protected has(clue: AttributeClue): boolean {
    return this.#at(clue, (this.#values ??= this.#make())) >= 0
  }

  /** The rows with a value that is accepted, or that is not, in order; a tag that a node has twice counts once. */
  protected rowsWhere(clue: AttributeClue, isAccepted: boolean): Rows {
    const values = (this.#values ??= this.#make())
    const at = this.#at(clue, values)
    if (at < 0) return NO_ROWS
    const cells = this.#cells
    const start = cells[at + 1]!
    const count = (cells[at + 1 + WIDTH]! - start) / 3
    const { like } = clue
    let first = 0
    // The host finds out fastest that a number is not there; to ask it for each further one costs more.
    if (like !== undefined && like.op !== '~' && count > FEW && cells[at + 3] === 0) {
      first = cells.indexOf(like.hash, start) - start
      if (first < 0 || first >= count) return NO_ROWS
    }
    const found: number[] = []
    let last = -1
    for (let i = first; i < count; i++) {
      if (like !== undefined && !mayBe(like, cells, start + i, count)) continue
      const row = cells[start + count + i]!
      if (row !== last && clue.accepts(values[cells[at + 2]! + i]!) === isAccepted) found.push((last = row))
    }
    return found
  }

  /** Where the numbers of a name begin; -1 where there is none such. */
  #at({ name, hash }: AttributeClue, values: readonly JsonValue[]): number {
    const cells = this.#cells
    for (let at = 0; cells[at] !== 0; at += WIDTH) {
      if (cells[at] === hash && values[cells[at + 2]! - 1] === name) return at
    }
    return -1
  }
}

/** Whether the value at a place may be like a text; `=` and `!=` are about the same ones. */
function mayBe(
  { op, hash }: NonNullable<AttributeClue['like']>,
  cells: Int32Array,
  at: number,
  count: number,
): boolean {
  if (op === '~') return (cells[at + 2 * count]! & hash) === hash
  return cells[at] === hash || cells[at] === NO_HASH
}
