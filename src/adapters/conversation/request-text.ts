// The bytes of a request, as JSON.stringify writes it, and which of them are whose. The bytes of a piece are worked out once, so a
// request after a commit costs its copy.

import type { ByteRange, Chunk } from '../../thread/index.js'
import type { Owned, Owners } from './owners.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Piece, Rendered } from './rendering.js'

/** By piece: pieces do not change, and go when their part of the tree goes. */
const known = new WeakMap<Piece, Chunk>()

/** The request in pieces of bytes; joined they are its body. */
export function requestBytes(rendered: Rendered, list: string): readonly Chunk[] {
  const chunks: Chunk[] = []
  const head = new Marks(rendered.owners)
  head.text('{')
  for (const key of Object.keys(rendered.before)) {
    head.entry(rendered.before, key)
    head.text(',')
  }
  const { instead } = rendered
  head.text(`${JSON.stringify(list)}:${instead === undefined ? '[' : ''}`)
  if (instead !== undefined) head.texts([instead])
  chunks.push(head.done())
  if (instead === undefined) chunks.push(...listBytes(rendered))
  const tail = new Marks(rendered.owners)
  if (instead === undefined) tail.text(']')
  for (const key of Object.keys(rendered.after)) {
    tail.text(',')
    tail.entry(rendered.after, key)
  }
  tail.text('}')
  chunks.push(tail.done())
  return chunks
}

function listBytes({ pieces, owners }: Rendered): readonly Chunk[] {
  const chunks: Chunk[] = []
  for (const piece of pieces) {
    if (piece.list.length === 0) continue
    if (chunks.length > 0) chunks.push(COMMA)
    chunks.push(pieceBytes(piece, owners))
  }
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

  /** A key of an object with its value. */
  entry(object: PlainObject, key: string): void {
    this.text(`${JSON.stringify(key)}:`)
    const owner = this.#owners.at(object, key)
    if (owner === undefined) this.value(object[key]!)
    else if (typeof owner === 'string') this.#owned(object[key]!, owner)
    else this.texts(owner)
  }

  /** One text that several nodes say; the range of one that says it alone is the whole of it. */
  texts(parts: readonly Owned[]): void {
    const [only] = parts
    if (parts.length === 1 && only!.node !== undefined) return this.#owned(only!.text, only!.node)
    this.text('"')
    for (const { text, node } of parts) {
      const start = this.#length
      this.text(JSON.stringify(text).slice(1, -1))
      if (node !== undefined) this.#ranges.push({ node, start, end: this.#length })
    }
    this.text('"')
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
    else this.#object(value as PlainObject)
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

  #object(object: PlainObject): void {
    this.text('{')
    for (const [i, key] of Object.keys(object).entries()) {
      if (i > 0) this.text(',')
      this.entry(object, key)
    }
    this.text('}')
  }
}

const ASCII = /^[\0-\x7f]*$/

export function bytesIn(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).length
}
