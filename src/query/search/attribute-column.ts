// The values of one attribute in the rows of a chunk. To compare a text with hundreds of values is to fetch each of them from
// somewhere in memory, 50 ns a time. So each leaves two numbers here: a hash, which tells whether it can equal a text, and a
// sieve of its characters, three by three, which tells whether it can contain one. Only what passes is looked at.

import type { JsonValue } from '../../core/index.js'
import type { Rows } from '../match/match.js'
import type { Clue } from '../plan/plan.js'
import { EVERYTHING, hashOf, sieveOf } from './text-sieve.js'

type AttributeClue = Extract<Clue, { kind: 'attribute' }>

export class AttributeColumn {
  /** The rows that have a value, in order, and the values. */
  readonly #rows: number[] = []
  readonly #values: JsonValue[] = []
  /** Of each value; what is no text may equal or contain anything. Made for the first clue that asks for them. */
  #hashes: Int32Array | undefined
  #sieves: Int32Array | undefined

  add(row: number, value: JsonValue): void {
    this.#rows.push(row)
    this.#values.push(value)
  }

  /** Whether some value may be accepted. */
  mayHold({ like }: AttributeClue): boolean {
    return like === undefined || like.op === '!=' || this.#first(like, 0) < this.#rows.length
  }

  /** The rows whose value is accepted. */
  accepted({ like, accepts }: AttributeClue): Rows {
    const [rows, values] = [this.#rows, this.#values]
    const found: number[] = []
    if (like === undefined || like.op === '!=') {
      for (let i = 0; i < rows.length; i++) if (accepts(values[i]!)) found.push(rows[i]!)
      return found
    }
    for (let i = this.#first(like, 0); i < rows.length; i = this.#first(like, i + 1)) {
      if (accepts(values[i]!)) found.push(rows[i]!)
    }
    return found
  }

  /** Those of some rows, in order, whose value is accepted, or that have none where that is. */
  acceptedOf(clue: AttributeClue, rows: Rows): Rows {
    return clue.acceptsNone ? this.#most(clue, rows) : within(rows, this.accepted(clue))
  }

  /** Those without a value too; what cannot equal the text of a `!=` is taken unseen. */
  #most({ accepts, like }: AttributeClue, rows: Rows): Rows {
    const [own, values] = [this.#rows, this.#values]
    const unlike = like?.op === '!=' ? hashOf(like.text) : undefined
    const hashes = unlike === undefined ? undefined : (this.#hashes ??= this.#each(hashOf, NO_HASH))
    if (hashes !== undefined && !hashes.includes(unlike!) && !hashes.includes(NO_HASH)) return rows
    const found: number[] = []
    let at = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      while (own[at]! < row) at++
      const isUnseen = own[at] !== row || (hashes !== undefined && hashes[at] !== unlike && hashes[at] !== NO_HASH)
      if (isUnseen || accepts(values[at]!)) found.push(row)
    }
    return found
  }

  /** The first value from some index on that may equal, or contain, a text. */
  #first({ op, text }: NonNullable<AttributeClue['like']>, from: number): number {
    const { length } = this.#rows
    let i = from
    if (op === '~') {
      const sieves = (this.#sieves ??= this.#each(sieveOf, EVERYTHING))
      const wanted = sieveOf(text)
      while (i < length && (sieves[i]! & wanted) !== wanted) i++
    } else {
      const hashes = (this.#hashes ??= this.#each(hashOf, NO_HASH))
      const wanted = hashOf(text)
      while (i < length && hashes[i] !== wanted && hashes[i] !== NO_HASH) i++
    }
    return i
  }

  #each(work: (text: string) => number, otherwise: number): Int32Array {
    return Int32Array.from(this.#values, (value) => (typeof value === 'string' ? work(value) : otherwise))
  }
}

const NO_HASH = 0

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
