// The text of a request, whose words each value of it is, and the node of each byte: found by writing the text once more, value by value, on demand.

import type { NodeRecord } from '../../core/index.js'
import type { ByteRange, Chunk } from '../../thread/index.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import type { Rendered } from './rendering.js'

/** A text, and how to tell whose it is. */
export class WrittenChunk implements Chunk {
  readonly text: string
  readonly #walked: () => Marks
  #byteLength: number | undefined
  #marks: Marks | undefined

  /** `walk` writes the text once more. */
  constructor(text: string, owners: Owners, walk: (marks: Marks) => void) {
    this.text = text
    this.#walked = () => new Marks(owners, walk)
  }

  get byteLength(): number {
    return (this.#byteLength ??= bytesIn(this.text))
  }

  get ranges(): readonly ByteRange[] {
    return (this.#marks ??= this.#walked()).ranges
  }

  get items(): readonly number[] {
    return (this.#marks ??= this.#walked()).items
  }
}

/** The request in chunks; joined they are its body, as JSON.stringify writes it. Those of the list are kept with its pieces. */
export function requestChunks(rendered: Rendered, list: string): readonly Chunk[] {
  const { before, after, instead, owners, pieces } = rendered
  const head = chunkOf(owners, (marks) => {
    marks.text('{')
    for (const key of Object.keys(before)) {
      marks.entry(before, key)
      marks.text(',')
    }
    marks.text(`"${list}":`)
    if (instead === undefined) marks.text('[')
    else marks.texts([instead])
  })
  const tail = chunkOf(owners, (marks) => {
    if (instead === undefined) marks.text(']')
    for (const key of Object.keys(after)) {
      marks.text(',')
      marks.entry(after, key)
    }
    marks.text('}')
  })
  const said = instead === undefined ? pieces.filter((piece) => !piece.isEmpty) : []
  return [head, ...said.map((piece, at) => (at === 0 ? piece.asFirst : piece.chunk)), tail]
}

function chunkOf(owners: Owners, walk: (marks: Marks) => void): Chunk {
  const { written: text, ranges, items } = new Marks(owners, walk)
  return { text, byteLength: bytesIn(text), ranges, items }
}

/** Goes through JSON as it is written, and notes where the objects begin and end that are a node's. */
export class Marks {
  readonly ranges: ByteRange[] = []
  readonly items: number[] = []
  /** The text so far. */
  written = ''
  readonly #owners: Owners
  #length = 0

  constructor(owners: Owners, walk: (marks: Marks) => void) {
    this.#owners = owners
    walk(this)
  }

  text(text: string): void {
    this.written += text
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

/** Part of a text, and the node that says it, if one does. */
export type Owned = Readonly<{ text: string; node: string | undefined }>

type Owner = string | readonly Owned[]

type HasOwners = Readonly<{ owners: Owners }>

export class Owners {
  readonly #nodes = new Map<object, string>()
  /** The owners of single values of an object, by key. */
  readonly #values = new Map<object, Map<string, Owner>>()
  readonly #origins = new Map<object, NodeRecord>()
  /** Who may know what is not known here. */
  readonly #others: readonly HasOwners[]

  constructor(others: readonly HasOwners[] = []) {
    this.#others = others
  }

  own(made: object, node: string): void {
    this.#nodes.set(made, node)
  }

  ownAt(made: object, key: string, owner: Owner): void {
    const values = this.#values.get(made)
    if (values === undefined) this.#values.set(made, new Map([[key, owner]]))
    else values.set(key, owner)
  }

  /** Whatever is known of an object is known of what takes its place. */
  like(made: object, original: object): void {
    const node = this.of(original)
    if (node !== undefined) this.own(made, node)
    for (const [key, owner] of this.#valuesOf(original) ?? []) this.ownAt(made, key, owner)
  }

  /** Records the node that a message comes from; later repairs of the message name this node. */
  comesFrom(made: object, record: NodeRecord): void {
    this.#origins.set(made, record)
  }

  originOf(made: object): NodeRecord | undefined {
    return this.#origins.get(made) ?? this.#fromOthers((other) => other.originOf(made))
  }

  /** The node that an object is, with all in it. */
  of(made: object): string | undefined {
    return this.#nodes.get(made) ?? this.#fromOthers((other) => other.of(made))
  }

  /** Every node whose words are in a value, without those in the values left out. */
  within(value: PlainValue, leftOut: readonly PlainValue[]): readonly string[] {
    if (typeof value !== 'object' || value === null || leftOut.includes(value)) return []
    const own = this.of(value)
    if (own !== undefined) return [own]
    return Object.entries(value).flatMap(([key, inner]) => {
      const nodes = this.nodesAt(value, key)
      return nodes.length === 0 ? this.within(inner, leftOut) : nodes
    })
  }

  /** The nodes that say the value under a key of an object. */
  nodesAt(made: object, key: string): readonly string[] {
    const owner = this.at(made, key) ?? []
    return typeof owner === 'string' ? [owner] : owner.flatMap(({ node }) => node ?? [])
  }

  /** The node that the value under a key of an object is; for a text that several nodes say, its parts. */
  at(made: object, key: string): Owner | undefined {
    return this.#valuesOf(made)?.get(key)
  }

  #valuesOf(made: object): ReadonlyMap<string, Owner> | undefined {
    return this.#values.get(made) ?? this.#fromOthers((other) => other.#valuesOf(made))
  }

  /** The last ones first: what changes from request to request is at the end. */
  #fromOthers<T>(ask: (other: Owners) => T | undefined): T | undefined {
    for (let i = this.#others.length - 1; i >= 0; i--) {
      const answer = ask(this.#others[i]!.owners)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}
