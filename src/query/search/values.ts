// The values of all attributes in the rows of a chunk, keys and tags among them, as numbers. To compare a text with hundreds
// of values is to fetch each of them from somewhere in memory, 50 ns a time. So each leaves a hash of its name, a hash of its
// name and itself, which tells whether it can equal a text, and a sieve of its characters, three by three, which tells
// whether it can contain one. Only what passes is looked at.

import type { JsonValue } from '../../core/index.js'
import type { FlatTree } from '../match/flat-tree.js'
import { NO_ROWS, type Rows } from '../match/match.js'
import { KEY, TAGS, type Clue } from '../plan/plan.js'
import { EVERYTHING, hashOf, sieveOf } from './text-sieve.js'

type AttributeClue = Extract<Clue, { kind: 'attribute' }>

/** What is no text may equal or contain anything. */
const NO_HASH = 0

export class Values {
  /** Every value, in order of rows; and one for each: its row, and its numbers. */
  readonly #values: readonly JsonValue[]
  readonly #rows: Int32Array
  readonly #names: Int32Array
  readonly #hashes: Int32Array
  readonly #sieves: Int32Array
  /** Whether some value is no text. */
  readonly #hasOthers: boolean

  constructor({ records, firstSegment, size }: FlatTree) {
    const [rows, names, hashes, sieves]: [number[], number[], number[], number[]] = [[], [], [], []]
    const values: JsonValue[] = []
    const known = new Map<string, number>()
    let hasOthers = false
    const add = (row: number, name: string, value: JsonValue | undefined): void => {
      if (value === null || value === undefined) return
      let hash = known.get(name)
      if (hash === undefined) known.set(name, (hash = hashOf(name)))
      const isText = typeof value === 'string'
      hasOthers ||= !isText
      values.push(value)
      rows.push(row)
      names.push(hash)
      hashes.push(both(hash, isText ? hashOf(value) : NO_HASH))
      sieves.push(isText ? sieveOf(value) : EVERYTHING)
    }
    for (let row = firstSegment; row < size; row++) {
      const rare = records[row]?.rare
      if (rare === undefined) continue
      add(row, KEY, rare.key)
      if (rare.tags !== undefined) for (const tag of rare.tags) add(row, TAGS, tag)
      rare.attributes?.forEach((value, name) => add(row, name, value))
    }
    this.#values = values
    this.#rows = new Int32Array(rows)
    this.#names = new Int32Array(names)
    this.#hashes = new Int32Array(hashes)
    this.#sieves = new Int32Array(sieves)
    this.#hasOthers = hasOthers
  }

  /** Whether there is a value of this name. */
  has(name: string): boolean {
    return this.#names.includes(hashOf(name))
  }

  /** The rows with a value that is accepted, or that is not, in order; a tag that a node has twice counts once. */
  rowsWhere(clue: AttributeClue, isAccepted: boolean): Rows {
    const places = this.#like(clue)
    if (places.length === 0) return NO_ROWS
    const found: number[] = []
    let last = -1
    for (let i = 0; i < places.length; i++) {
      const row = this.#rows[places[i]!]!
      if (row !== last && clue.accepts(this.#values[places[i]!]!) === isAccepted) found.push((last = row))
    }
    return found
  }

  /** Where such a value stands, and perhaps a few others; `=` and `!=` are about the same one. */
  #like({ name, like }: AttributeClue): Rows {
    const hash = hashOf(name)
    if (like === undefined) return placesOf(this.#names, hash)
    if (like.op === '~') return this.#holding(hash, sieveOf(like.text))
    const places = placesOf(this.#hashes, both(hash, hashOf(like.text)))
    const others = this.#hasOthers ? placesOf(this.#hashes, both(hash, NO_HASH)) : NO_ROWS
    return others.length === 0 ? places : [...places, ...others].sort((a, b) => a - b)
  }

  #holding(name: number, wanted: number): Rows {
    const [names, sieves] = [this.#names, this.#sieves]
    const places: number[] = []
    for (let i = 0; i < sieves.length; i++) {
      if ((sieves[i]! & wanted) === wanted && names[i] === name) places.push(i)
    }
    return places
  }
}

/** Where a number stands in a list. The host finds out fastest that it does not; to ask it for each further one costs more. */
function placesOf(numbers: Int32Array, wanted: number): Rows {
  const first = numbers.indexOf(wanted)
  if (first < 0) return NO_ROWS
  const places: number[] = []
  for (let i = first; i < numbers.length; i++) if (numbers[i] === wanted) places.push(i)
  return places
}

function both(name: number, value: number): number {
  return Math.imul(name, 31) ^ value
}
