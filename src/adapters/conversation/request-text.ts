// The bytes of a request, as JSON.stringify writes it, and which of them are whose. The bytes of a piece are worked out once, so a
// request after a commit costs its copy.

import type { ByteRange, Chunk } from '../../thread/index.js'
import type { Owners } from './owners.js'
import type { PlainValue } from './plain-json.js'
import type { Piece, Rendered } from './rendering.js'

/** By piece: pieces do not change, and go when their part of the tree goes. */
const known = new WeakMap<Piece, Chunk>()

/** The request in pieces of bytes; joined they are its body. */
export function requestBytes(rendered: Rendered, list: string): readonly Chunk[] {
  const chunks: Chunk[] = []
  const head = new Marks(rendered.owners)
  head.text('{')
  for (const [key, value] of Object.entries(rendered.before)) {
    head.text(`${JSON.stringify(key)}:`)
    head.under(rendered.before, key, value)
    head.text(',')
  }
  head.text(`${JSON.stringify(list)}:[`)
  chunks.push(head.done())
  let isFirst = true
  for (const piece of rendered.pieces) {
    if (piece.list.length === 0) continue
    if (!isFirst) chunks.push(COMMA)
    chunks.push(pieceBytes(piece, rendered.owners))
    isFirst = false
  }
  const tail = new Marks(rendered.owners)
  tail.text(']')
  for (const [key, value] of Object.entries(rendered.after)) {
    tail.text(`,${JSON.stringify(key)}:`)
    tail.under(rendered.after, key, value)
  }
  tail.text('}')
  chunks.push(tail.done())
  return chunks
}

function pieceBytes(piece: Piece, owners: Owners): Chunk {
  let chunk = known.get(piece)
  if (chunk === undefined) {
    const marks = new Marks(owners)
    for (const [i, message] of piece.list.entries()) {
      if (i > 0) marks.text(',')
      marks.item(message)
    }
    known.set(piece, (chunk = marks.done()))
  }
  return chunk
}

const encoder = new TextEncoder()
const COMMA: Chunk = { bytes: encoder.encode(','), ranges: [], items: [] }

/** Writes JSON and notes where the objects begin and end that are a node's. */
class Marks {
  readonly #owners: Owners
  readonly #texts: string[] = []
  readonly #ranges: ByteRange[] = []
  readonly #items: number[] = []
  #length = 0

  constructor(owners: Owners) {
    this.#owners = owners
  }

  done(): Chunk {
    return { bytes: encoder.encode(this.#texts.join('')), ranges: this.#ranges, items: this.#items }
  }

  text(text: string): void {
    this.#texts.push(text)
    this.#length += bytesIn(text)
  }

  /** A message of the list. */
  item(value: PlainValue): void {
    this.#items.push(this.#length)
    this.value(value)
  }

  value(value: PlainValue): void {
    if (typeof value !== 'object' || value === null) return this.text(JSON.stringify(value))
    const node = this.#owners.of(value)
    if (node !== undefined) this.#owned(value, node)
    else if (Array.isArray(value)) this.#list(value as readonly PlainValue[])
    else this.#object(value as { readonly [name: string]: PlainValue })
  }

  #owned(value: PlainValue, node: string): void {
    const start = this.#length
    this.text(JSON.stringify(value))
    this.#ranges.push({ node, start, end: this.#length })
  }

  #list(items: readonly PlainValue[]): void {
    this.text('[')
    for (const [i, item] of items.entries()) {
      if (i > 0) this.text(',')
      this.value(item)
    }
    this.text(']')
  }

  #object(object: { readonly [name: string]: PlainValue }): void {
    this.text('{')
    for (const [i, key] of Object.keys(object).entries()) {
      this.text(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
      this.under(object, key, object[key]!)
    }
    this.text('}')
  }

  /** The value under a key: it may be a node's though the object is not. */
  under(object: object, key: string, value: PlainValue): void {
    const node = this.#owners.at(object, key)
    if (node === undefined) this.value(value)
    else this.#owned(value, node)
  }
}

const ASCII = /^[\0-\x7f]*$/

export function bytesIn(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).length
}
