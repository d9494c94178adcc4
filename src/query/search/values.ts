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
const WIDTH = 3
/** So many are looked through by hand: the host would go on through the names behind. */
const FEW = 128

/** The values of one name and their rows, in order of rows. */
type Named = { readonly values: JsonValue[]; readonly rows: number[]; hasOthers: boolean }

export class Values {
  readonly #names: readonly string[]
  /** A hash of each name, where its values begin, and 1 if some of them are no text; then where all end. */
  readonly #heads: Int32Array
  /** Every value, name by name; and one for each: its row, and its numbers. */
  readonly #values: readonly JsonValue[]
  readonly #rows: Int32Array
  readonly #hashes: Int32Array
  readonly #sieves: Int32Array

  constructor({ records, firstSegment, size }: FlatTree) {
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
    const values: JsonValue[] = []
    const rows: number[] = []
    const heads: number[] = []
    for (const [name, of] of named) {
      heads.push(hashOf(name), values.length, of.hasOthers ? 1 : 0)
      for (let i = 0; i < of.rows.length; i++) {
        values.push(of.values[i]!)
        rows.push(of.rows[i]!)
      }
    }
    heads.push(0, values.length)
    this.#names = [...named.keys()]
    this.#heads = new Int32Array(heads)
    this.#values = values
    const count = values.length
    const numbers = new Int32Array(3 * count)
    numbers.set(rows)
    this.#rows = numbers.subarray(0, count)
    this.#hashes = numbers.subarray(count, 2 * count)
    this.#sieves = numbers.subarray(2 * count)
    for (let i = 0; i < count; i++) {
      const value = values[i]!
      const isText = typeof value === 'string'
      this.#hashes[i] = isText ? hashOf(value) : NO_HASH
      this.#sieves[i] = isText ? sieveOf(value) : EVERYTHING
    }
  }

  /** Whether there is a value of this name. */
  has(name: string): boolean {
    return this.#at(name) >= 0
  }

  /** The rows with a value that is accepted, or that is not, in order; a tag that a node has twice counts once. */
  rowsWhere(clue: AttributeClue, isAccepted: boolean): Rows {
    const at = this.#at(clue.name)
    if (at < 0) return NO_ROWS
    const places = this.#like(clue, at)
    if (places.length === 0) return NO_ROWS
    const found: number[] = []
    let last = -1
    for (let i = 0; i < places.length; i++) {
      const row = this.#rows[places[i]!]!
      if (row !== last && clue.accepts(this.#values[places[i]!]!) === isAccepted) found.push((last = row))
    }
    return found
  }

  /** Where the numbers of a name begin; -1 where there is none such. */
  #at(name: string): number {
    const heads = this.#heads
    const hash = hashOf(name)
    for (let at = 0; at + WIDTH < heads.length; at += WIDTH) {
      if (heads[at] === hash && this.#names[at / WIDTH] === name) return at
    }
    return -1
  }

  /** Where such a value stands, and perhaps a few others; `=` and `!=` are about the same one. */
  #like({ like }: AttributeClue, at: number): Rows {
    const heads = this.#heads
    const [start, end] = [heads[at + 1]!, heads[at + 1 + WIDTH]!]
    const places: number[] = []
    if (like?.op === '~') {
      const wanted = sieveOf(like.text)
      for (let i = start; i < end; i++) if ((this.#sieves[i]! & wanted) === wanted) places.push(i)
      return places
    }
    const hashes = this.#hashes
    const wanted = like && hashOf(like.text)
    const isOfTexts = heads[at + 2] === 0
    // The host finds out fastest that a number is not there; to ask it for each further one costs more.
    const first = wanted !== undefined && isOfTexts && end - start > FEW ? hashes.indexOf(wanted, start) : start
    if (first < 0) return NO_ROWS
    for (let i = first; i < end; i++) {
      const hash = hashes[i]!
      if (wanted === undefined || hash === wanted || hash === NO_HASH) places.push(i)
    }
    return places
  }
}
