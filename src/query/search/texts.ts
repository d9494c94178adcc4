// Which rows may have a text in their content, or be it, without reading the contents. Each leaves its length: fetching
// 33,000 contents to compare them takes longer than all the rest of a chain. And each leaves a sieve of as many bits as it
// has characters (an eighth of its size), in which every three characters in a row set a bit. A text can only be where the
// bits of all its threes are. Reading 13 MB takes 9 ms; the sieves of the same, 0.5 ms. They cost three readings to make,
// so both are made of what is asked about again, by one chunk at this question and by others at the next.

import type { FlatTree } from '../match/flat-tree.js'
import type { Rows } from '../match/match.js'
import { EVERYTHING, threeOf } from './text-sieve.js'

/** Chunks make their sieves at the second question, the third, or so on up to this many later. */
const SPREAD = 8
const NO_TEXT = -1
/** How many threes of a text are looked for: more would hardly keep out more. */
const MAX_HASHES = 8

export class Texts {
  readonly #flat: FlatTree
  readonly #first: number
  #asked = 0
  /** The sieves of all rows in one list, and where each begins; the number of bits is a power of two. */
  #words: Uint32Array | undefined
  #starts: Int32Array | undefined
  /** How long each content is that is a text. */
  #lengths: Int32Array | undefined

  constructor(flat: FlatTree, first: number) {
    this.#flat = flat
    this.#first = first
  }

  /** Of some rows, all that hold a text, and perhaps a few others. */
  mayHold(text: string, rows: Rows): Rows {
    const hashes = hashesOf(text)
    if (hashes.length === 0 || this.#isNew()) return rows
    if (this.#words === undefined) this.#make()
    const [words, starts] = [this.#words!, this.#starts!]
    const found: number[] = []
    for (let i = 0; i < rows.length; i++) {
      const start = starts[rows[i]!]!
      const mask = starts[rows[i]! + 1]! - start - 1
      if (mask < 0) continue
      let passed = 0
      while (passed < hashes.length) {
        const hash = hashes[passed]!
        if ((words[start + ((hash >>> 5) & mask)]! & (1 << (hash & 31))) === 0) break
        passed++
      }
      if (passed === hashes.length) found.push(rows[i]!)
    }
    return found
  }

  /** Of some rows, all whose content is a text, and others as long. */
  mayEqual({ length }: string, rows: Rows): Rows {
    if (this.#isNew()) return rows
    const { records } = this.#flat
    const lengths = (this.#lengths ??= Int32Array.from(records, (record) => lengthOf(record?.content)))
    const found: number[] = []
    for (let i = 0; i < rows.length; i++) {
      const known = lengths[rows[i]!]!
      if (known === length || known === NO_TEXT) found.push(rows[i]!)
    }
    return found
  }

  /** Whether it is not worth it yet to make anything. */
  #isNew(): boolean {
    return ++this.#asked <= 1 + (this.#flat.size % SPREAD)
  }

  /** What is no text, but may have one in it, gets a sieve that lets everything through; what has no content, none. */
  #make(): void {
    const { records, size } = this.#flat
    const starts = new Int32Array(size + 1)
    for (let row = 0; row < size; row++) {
      const content = row < this.#first ? undefined : records[row]?.content
      const words = typeof content === 'string' ? wordsFor(content.length) : content === undefined ? 0 : 1
      starts[row + 1] = starts[row]! + words
    }
    const words = new Uint32Array(starts[size]!)
    for (let row = this.#first; row < size; row++) {
      const content = records[row]?.content
      const start = starts[row]!
      if (typeof content === 'string') sift(content, words, start, starts[row + 1]! - start - 1)
      else if (content !== undefined) words[start] = EVERYTHING
    }
    this.#starts = starts
    this.#words = words
  }
}

function lengthOf(content: unknown): number {
  return typeof content === 'string' ? content.length : NO_TEXT
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
