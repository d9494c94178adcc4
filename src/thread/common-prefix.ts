// The common prefix of two renderings: the part that a provider's prompt cache can use again.

import { byteLengthOf, type ByteRange, type RenderedBytes } from './rendered-bytes.js'

/** The place where two renderings part: the bytes and items that they share, and the node at that place in each; undefined behind the last. */
export type Parting = Readonly<{
  bytes: number
  /** The item that they part in; the number of items where they do not. */
  item: number
  /** True if the later one has all of the earlier one. */
  isWhole: boolean
  earlier: ByteRange | undefined
  later: ByteRange | undefined
}>

export function commonPrefix(earlier: RenderedBytes, later: RenderedBytes): Parting {
  // The closing bracket is no part of a prefix: the later rendering goes on where the earlier one ends.
  const [a, b] = [new Reader(earlier.slice(0, -1)), new Reader(later.slice(0, -1))]
  while (!a.isOver && !b.isOver) {
    if (a.skipShared(b)) continue
    const same = sameBytes(a.rest, b.rest)
    const isParting = same < Math.min(a.rest.length, b.rest.length)
    a.advance(same)
    b.advance(same)
    if (isParting) break
  }
  return {
    bytes: a.at,
    item: Math.min(a.item, b.item),
    isWhole: a.isOver,
    earlier: a.range,
    later: b.range,
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let i = 0
  while (i < most && a[i] === b[i]) i++
  return i
}

const encoder = new TextEncoder()

/** Goes through the chunks of a rendering. */
class Reader {
  readonly #chunks: RenderedBytes
  #chunk = 0
  /** Those of the chunk at hand, once they are looked at. */
  #bytes: Uint8Array | undefined
  #offset = 0
  /** The number of bytes before this place. */
  at = 0
  #itemsBefore = 0

  constructor(chunks: RenderedBytes) {
    this.#chunks = chunks.filter(({ byteLength }) => byteLength > 0)
  }

  get isOver(): boolean {
    return this.#chunk >= this.#chunks.length
  }

  get rest(): Uint8Array {
    return (this.#bytes ??= encoder.encode(this.#chunks[this.#chunk]!.text)).subarray(this.#offset)
  }

  /** Passes a chunk that both have, as one object, at this place. */
  skipShared(other: Reader): boolean {
    const chunk = this.#chunks[this.#chunk]!
    if (this.#offset > 0 || other.#offset > 0 || chunk !== other.#chunks[other.#chunk]) return false
    this.advance(chunk.byteLength)
    other.advance(chunk.byteLength)
    return true
  }

  advance(bytes: number): void {
    const chunk = this.#chunks[this.#chunk]!
    this.at += bytes
    this.#offset += bytes
    if (this.#offset < chunk.byteLength) return
    this.#itemsBefore += chunk.items.length
    this.#chunk++
    this.#bytes = undefined
    this.#offset = 0
  }

  /** The number of items before this place. */
  get item(): number {
    if (this.isOver) return this.#itemsBefore
    const { items, byteLength } = this.#chunks[this.#chunk]!
    // A comma follows each but the last.
    const isOver = (_start: number, i: number): boolean => (items[i + 1] ?? byteLength + 1) - 1 <= this.#offset
    return this.#itemsBefore + items.filter(isOver).length
  }

  /** The node whose bytes are here, or come next. */
  get range(): ByteRange | undefined {
    for (let i = this.#chunk; i < this.#chunks.length; i++) {
      const start = this.at - this.#offset
      const offset = i === this.#chunk ? this.#offset : 0
      const range = this.#chunks[i]!.ranges.find(({ end }) => end > offset)
      if (range !== undefined) return shifted(range, start + this.#before(i))
    }
    return undefined
  }

  /** The number of bytes between the current chunk and a later one. */
  #before(chunk: number): number {
    return byteLengthOf(this.#chunks.slice(this.#chunk, chunk))
  }
}

function shifted({ node, start, end }: ByteRange, by: number): ByteRange {
  return { node, start: start + by, end: end + by }
}

/** The ranges of all chunks, counted from the beginning of the whole. */
export function rangesOf(chunks: RenderedBytes): readonly ByteRange[] {
  const ranges: ByteRange[] = []
  let at = 0
  for (const chunk of chunks) {
    for (const range of chunk.ranges) ranges.push(shifted(range, at))
    at += chunk.byteLength
  }
  return ranges
}
