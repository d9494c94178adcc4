// The node of each byte of a text, and the starts of its messages: found by writing the text once more, value by value, on demand.

import type { ByteRange, Chunk } from '../../thread/index.js'
import type { Owned, Owners } from './owners.js'
import type { PlainObject, PlainValue } from './plain-json.js'

/** A text, and how to tell whose it is. */
export class WrittenChunk implements Chunk {
  readonly text: string
  readonly #owners: Owners
  readonly #walk: (marks: Marks) => void
  #byteLength: number | undefined
  #marks: Marks | undefined

  /** `walk` writes the text once more. */
  constructor(text: string, owners: Owners, walk: (marks: Marks) => void) {
    this.text = text
    this.#owners = owners
    this.#walk = walk
  }

  get byteLength(): number {
    return (this.#byteLength ??= bytesIn(this.text))
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
export class Marks {
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
