// Bytes in blocks of Bedrock: the client takes a Uint8Array, the REST API base64. A context has base64, and a request bytes that
// JSON.stringify writes as base64, so one request serves both.

import { fromBase64, isBase64, toBase64 } from '../conversation/media.js'
import { isObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'

/** A Uint8Array that is base64 in JSON. */
class JsonBytes extends Uint8Array {
  readonly #base64: string

  constructor(base64: string) {
    super(fromBase64(base64))
    this.#base64 = base64
  }

  /** Parts of the bytes are bytes like any other. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array
  }

  toJSON(): string {
    return this.#base64
  }
}

/** A copy of a message in which bytes are base64. */
export function withBase64(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (value instanceof JsonBytes) return value.toJSON()
  if (value instanceof ArrayBuffer) return toBase64(new Uint8Array(value))
  if (ArrayBuffer.isView(value)) return toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  if (Array.isArray(value)) return value.map((item) => withBase64(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withBase64(item, depth + 1)]))
}

/** Bytes are no deeper than in a picture of a result; the context checks the rest. */
const DEEPEST = 12

/** A block with bytes where the client has them: sources of media, those in results, and hidden thoughts. */
export function withBytes(block: PlainObject): PlainObject {
  const entries = Object.entries(block)
  const [[key, data] = ['', null]] = entries
  if (entries.length !== 1 || !isObject(data)) return block
  const made = withBytesIn(key, data)
  return made === data ? block : Object.freeze({ [key]: made })
}

function withBytesIn(key: string, data: PlainObject): PlainObject {
  const { source, content, redactedContent: hidden } = data
  if (key === 'reasoningContent' && typeof hidden === 'string')
    return replaced(data, 'redactedContent', bytesOf(hidden))
  if (key === 'toolResult' && Array.isArray(content)) {
    const blocks = content.map((each: PlainValue) => (isObject(each) ? withBytes(each) : each))
    return blocks.some((each, i) => each !== content[i]) ? replaced(data, 'content', Object.freeze(blocks)) : data
  }
  const bytes = isObject(source) ? source['bytes'] : undefined
  if (typeof bytes !== 'string' || !MEDIA.has(key)) return data
  return replaced(data, 'source', replaced(source as PlainObject, 'bytes', bytesOf(bytes)))
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document', 'video', 'audio'])

function replaced(data: PlainObject, key: string, value: PlainValue): PlainObject {
  return Object.freeze({ ...data, [key]: value })
}

/** Text that is no base64 stays as it is: an edit may have changed it. */
function bytesOf(base64: string): PlainValue {
  return isBase64(base64) ? (new JsonBytes(base64) as unknown as PlainValue) : base64
}

/** True for media whose bytes are a text that is no base64. Bedrock takes no such media. */
export function isBroken(media: PlainValue | undefined): boolean {
  const source = isObject(media) ? media['source'] : undefined
  const bytes = isObject(source) ? source['bytes'] : undefined
  return typeof bytes === 'string' && !isBase64(bytes)
}
