// Which rows may have a text in their content, without reading the contents: each leaves a sieve of as many bits as it has
// characters (an eighth of its size), in which every three characters in a row set a bit. A text can only be where the bits
// of all its threes are. Reading 13 MB takes 9 ms; the sieves of the same, 0.5 ms. They cost three readings to make, so
// they are made of what is asked about again, by one chunk at this question and by others at the next.

import type { FlatTree } from '../match/flat-tree.js'
import type { Rows } from '../match/match.js'
import { threeOf } from './text-sieve.js'

/** Chunks make their sieves at the second question, the third, or so on up to this many later. */
const SPREAD = 8
/** How many threes of a text are looked for: more would hardly keep out more. */
const MAX_HASHES = 8

export class Texts {
  readonly #flat: FlatTree
  readonly #first: number
  #asked = 0
  /** The sieves of all rows in one list, and where each begins; the number of bits is a power of two. */
  #words: Uint32Array | undefined
  #starts: Int32Array | undefined

  constructor(flat: FlatTree, first: number) {
    this.#flat = flat
    this.#first = first
  }

  /** Of some rows, all that hold a text, and perhaps a few others. */
  mayHold(text: string, rows: Rows): Rows {
    if (++this.#asked <= 1 + (this.#flat.size % SPREAD)) return rows
    const hashes = hashesOf(text)
    if (hashes.length === 0) return rows
    if (this.#words === undefined) this.#make()
    return rows.filter((row) => this.#passes(row, hashes))
  }

  #passes(row: number, hashes: readonly number[]): boolean {
    const words = this.#words!
    const start = this.#starts![row]!
    const mask = this.#starts![row + 1]! - start - 1
    // No sieve for what is no text.
    if (mask < 0) return typeof this.#flat.records[row]?.content !== 'string'
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i]!
      if ((words[start + ((hash >>> 5) & mask)]! & (1 << (hash & 31))) === 0) return false
    }
    return true
  }

  #make(): void {
    const { records, size } = this.#flat
    const starts = new Int32Array(size + 1)
    for (let row = 0; row < size; row++) {
      const content = row < this.#first ? undefined : records[row]?.content
      starts[row + 1] = starts[row]! + (typeof content === 'string' ? wordsFor(content.length) : 0)
    }
    const words = new Uint32Array(starts[size]!)
    for (let row = this.#first; row < size; row++) {
      const content = records[row]?.content
      if (typeof content === 'string') sift(content, words, starts[row]!, starts[row + 1]! - starts[row]! - 1)
    }
    this.#starts = starts
    this.#words = words
  }
}

/** A bit for each character, rounded up to a power of two. */
function wordsFor(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, length / 32)))
}

function sift(text: string, words: Uint32Array, start: number, mask: number): void {
  let two = 0
  let one = text.charCodeAt(0)
  for (let i = 1; i < text.length; i++) {
    const next = text.charCodeAt(i)
    if (i > 1) {
      const hash = threeOf(two, one, next)
      words[start + ((hash >>> 5) & mask)]! |= 1 << (hash & 31)
    }
    two = one
    one = next
  }
}

function hashesOf(text: string): readonly number[] {
  const hashes: number[] = []
  const step = Math.max(1, Math.floor((text.length - 2) / MAX_HASHES))
  for (let i = 0; i + 2 < text.length && hashes.length < MAX_HASHES; i += step) {
    hashes.push(threeOf(text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)))
  }
  return hashes
}
