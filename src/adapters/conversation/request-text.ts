// The text of a request, as JSON.stringify writes it, in pieces, and which of its bytes are whose. The text of a piece is written once, so
// a request after a commit costs what the commit touched; whose it is, is only worked out when somebody asks.

import type { ByteRange, Chunk } from '../../thread/index.js'
import { Fact } from '../../timeline/index.js'
import type { Owned, Owners } from './owners.js'
import type { Piece } from './piece.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Rendered } from './rendering.js'

/** The request in pieces; joined they are its body. */
export function requestChunks(rendered: Rendered, list: string): readonly Chunk[] {
  const { before, after, instead, owners, pieces } = rendered
  const name = `${JSON.stringify(list)}:`
  const entries = Object.keys(before).map((key) => `${entryText(before, key)},`)
  const head = `{${entries.join('')}${name}${instead === undefined ? '[' : JSON.stringify(instead.text)}`
  const chunks: Chunk[] = [new WrittenChunk(head, owners, (marks) => markHead(marks, rendered, name))]
  if (instead === undefined) addPieces(chunks, pieces)
  const closing = instead === undefined ? ']' : ''
  const tail = `${closing}${Object.keys(after)
    .map((key) => `,${entryText(after, key)}`)
    .join('')}}`
  chunks.push(
    new WrittenChunk(tail, owners, (marks) => {
      marks.text(closing)
      for (const key of Object.keys(after)) {
        marks.text(',')
        marks.entry(after, key)
      }
    }),
  )
  return chunks
}

function entryText(object: PlainObject, key: string): string {
  return `${JSON.stringify(key)}:${JSON.stringify(object[key])}`
}

function markHead(marks: Marks, { before, instead }: Rendered, name: string): void {
  marks.text('{')
  for (const key of Object.keys(before)) {
    marks.entry(before, key)
    marks.text(',')
  }
  marks.text(name)
  if (instead !== undefined) marks.texts([instead])
}

function addPieces(chunks: Chunk[], pieces: readonly Piece[]): void {
  let kind = firstChunk
  for (let i = 0; i < pieces.length; i++) {
    if (pieces[i]!.isEmpty) continue
    chunks.push(kind.of(pieces[i]!))
    kind = nextChunk
  }
}

/** A piece with a comma before it, as all have it that do not stand first. */
const nextChunk = new Fact((piece: Piece): Chunk => {
  const { owners, list } = piece
  return new WrittenChunk(nextText(piece), owners, (marks) => {
    for (const message of list) {
      marks.text(',')
      marks.item(message)
    }
  })
})

/** The piece that stands first. */
const firstChunk = new Fact((piece: Piece): Chunk => {
  const { owners, list } = piece
  return new WrittenChunk(nextChunk.of(piece).text.slice(1), owners, (marks) => {
    for (const [i, message] of list.entries()) {
      if (i > 0) marks.text(',')
      marks.item(message)
    }
  })
})

function nextText({ list, parts }: Piece): string {
  if (list.length === 0) return ''
  // What JSON.stringify writes between the brackets.
  if (parts === undefined) return `,${JSON.stringify(list).slice(1, -1)}`
  const texts = parts.map((part) => nextChunk.once(part).text)
  // From now on the whole has the texts of its parts, so they need not.
  for (const part of parts) for (const kind of [nextChunk, firstChunk]) kind.drop(part)
  return texts.join('')
}

class WrittenChunk implements Chunk {
  readonly text: string
  readonly byteLength: number
  readonly #owners: Owners
  readonly #walk: (marks: Marks) => void
  #marks: Marks | undefined

  /** `walk` writes the text once more, value by value. */
  constructor(text: string, owners: Owners, walk: (marks: Marks) => void) {
    this.text = text
    this.byteLength = bytesIn(text)
    this.#owners = owners
    this.#walk = walk
  }

  get ranges(): readonly ByteRange[] {
    return this.#marked.ranges
  }

  get items(): readonly number[] {
    return this.#marked.items
  }

  get #marked(): Marks {
    if (this.#marks === undefined) this.#walk((this.#marks = new Marks(this.#owners)))
    return this.#marks
  }
}

/** Goes through JSON as it is written, and notes where the objects begin and end that are a node's. */
class Marks {
  readonly ranges: ByteRange[] = []
  readonly items: number[] = []
  readonly #owners: Owners
  #length = 0

  constructor(owners: Owners) {
    this.#owners = owners
  }

  text(text: string): void {
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
      if (node !== undefined) this.ranges.push({ node, start, end: this.#length })
    }
    this.text('"')
  }

  /** A message of the list. */
  item(value: PlainValue): void {
    this.items.push(this.#length)
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
    this.ranges.push({ node, start, end: this.#length })
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

const encoder = new TextEncoder()
const ASCII = /^[\0-\x7f]*$/

export function bytesIn(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).length
}
