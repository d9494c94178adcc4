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
  mayHold(clue: AttributeClue): boolean {
    if (clue.like === undefined || clue.like.op === '!=') return true
    const passes = this.#sieve(clue.like)
    for (let i = 0; i < this.#rows.length; i++) if (passes(i)) return true
    return false
  }

  /** The rows whose value is accepted. */
  accepted(clue: AttributeClue): Rows {
    const isAccepted = this.#test(clue)
    return this.#rows.filter((_, i) => isAccepted(i))
  }

  /** Those of some rows, in order, whose value is accepted, or that have none where that is. */
  acceptedOf(clue: AttributeClue, rows: Rows): Rows {
    const isAccepted = this.#test(clue)
    const { acceptsNone } = clue
    const own = this.#rows
    const found: number[] = []
    let at = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      while (own[at]! < row) at++
      if (own[at] === row ? isAccepted(at) : acceptsNone) found.push(row)
    }
    return found
  }

  #test({ accepts, like }: AttributeClue): (at: number) => boolean {
    const values = this.#values
    if (like === undefined) return (at) => accepts(values[at]!)
    const passes = this.#sieve(like)
    if (like.op === '!=') return (at) => !passes(at) || accepts(values[at]!)
    return (at) => passes(at) && accepts(values[at]!)
  }

  /** Whether a value may equal, or contain, a text. */
  #sieve({ op, text }: NonNullable<AttributeClue['like']>): (at: number) => boolean {
    if (op === '~') {
      const sieves = (this.#sieves ??= this.#each(sieveOf, EVERYTHING))
      const wanted = sieveOf(text)
      return (at) => (sieves[at]! & wanted) === wanted
    }
    const hashes = (this.#hashes ??= this.#each(hashOf, NO_HASH))
    const wanted = hashOf(text)
    return (at) => hashes[at] === wanted || hashes[at] === NO_HASH
  }

  #each(work: (text: string) => number, otherwise: number): Int32Array {
    return Int32Array.from(this.#values, (value) => (typeof value === 'string' ? work(value) : otherwise))
  }
}

const NO_HASH = 0
