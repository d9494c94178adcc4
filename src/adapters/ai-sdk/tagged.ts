// Values that are no JSON, as a context keeps them: AI SDK parts may hold a URL or bytes. They are written under names of our own,
// and come out as they went in.

import { type JsonObject, type JsonValue, LIMITS } from '../../core/index.js'
import { fromBase64, isBase64, toBase64 } from '../conversation/media.js'
import { isObject, type PlainValue } from '../conversation/plain-json.js'

const URL_TAG = 'pact:url'
const BYTES_TAG = 'pact:bytes'
/** Around an object of somebody's own that has one of these names. */
const PLAIN_TAG = 'pact:plain'

const TAGS: readonly string[] = [URL_TAG, BYTES_TAG, PLAIN_TAG]

/**
 * A copy in which every URL and all bytes are tagged. Values that a tool may give are what the SDK sends for them: a Date is its text, NaN and
 * a hole in a list are null. What else is no JSON is left for the context to refuse.
 */
export function tag(value: unknown, depth = 0): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value !== 'object' || value === null || depth > LIMITS.depth) return value
  if (value instanceof URL) return { [URL_TAG]: value.href }
  if (value instanceof ArrayBuffer) return { [BYTES_TAG]: toBase64(new Uint8Array(value)), as: 'ArrayBuffer' }
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return { [BYTES_TAG]: toBase64(bytes), as: value.constructor.name === 'Buffer' ? 'Buffer' : 'Uint8Array' }
  }
  if (Array.isArray(value)) return Array.from(value, (item) => tag(item ?? null, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return tag(value.toJSON(), depth + 1)
  const entries = Object.entries(value).map(([key, item]) => [key, tag(item, depth + 1)] as const)
  const copy = Object.fromEntries(entries)
  return entries.some(([key]) => TAGS.includes(key)) ? { [PLAIN_TAG]: copy } : copy
}

/** The keys of a tagged object, each with its tagged value; `wrapped` makes of some of them an object again. */
export function unwrapped(value: JsonValue): JsonValue {
  const plain = isObject(value) ? value[PLAIN_TAG] : undefined
  return isObject(plain) ? plain : value
}

export function wrapped(keys: JsonObject): JsonObject {
  return Object.keys(keys).some((key) => TAGS.includes(key)) ? { [PLAIN_TAG]: keys } : keys
}

/** The value as it went in, for a request; a Buffer comes out as the Uint8Array that it is. */
export function untag(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? Number(value) : value
  if (Array.isArray(value)) return Object.freeze(value.map((item: JsonValue) => untag(item)))
  const object = value as JsonObject
  const url = urlIn(object)
  if (url !== undefined) return new URL(url)
  const base64 = bytesIn(object)
  if (base64 !== undefined) return object['as'] === 'ArrayBuffer' ? fromBase64(base64).buffer : fromBase64(base64)
  const plain = object[PLAIN_TAG]
  const entries = Object.entries(isObject(plain) ? plain : object).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.freeze(Object.fromEntries(entries.map(([key, item]) => [key, untag(item)])))
}

/** True if a value is one that JSON does not have. */
export function isForeign(value: unknown): boolean {
  return value instanceof URL || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}

/** The value as JSON: the address of a URL, the base64 of bytes. One that is JSON already is given back itself. */
export function asJson(value: PlainValue): PlainValue {
  if (typeof value !== 'object' || value === null) return value
  if ((value as object) instanceof URL) return (value as unknown as URL).href
  if (isForeign(value)) return (tag(value) as Record<string, string>)[BYTES_TAG]!
  if (Array.isArray(value)) {
    const items = value.map((item: PlainValue) => asJson(item))
    return items.every((item, i) => item === value[i]) ? (value as readonly PlainValue[]) : Object.freeze(items)
  }
  const entries = Object.entries(value).map(([key, item]) => [key, asJson(item), item] as const)
  if (entries.every(([, made, item]) => made === item)) return value
  return Object.freeze(Object.fromEntries(entries.map(([key, made]) => [key, made])))
}

export function urlIn(value: JsonValue | undefined): string | undefined {
  const url = isObject(value) ? value[URL_TAG] : undefined
  return typeof url === 'string' && URL.canParse(url) ? url : undefined
}

/** Bytes as base64; undefined if an edit has left none. */
export function bytesIn(value: JsonValue | undefined): string | undefined {
  const bytes = isObject(value) ? value[BYTES_TAG] : undefined
  return typeof bytes === 'string' && isBase64(bytes) ? bytes : undefined
}

/** True for a tag whose URL or bytes an edit has changed, so that it stands for nothing. */
export function isBrokenTag(value: object): boolean {
  return URL_TAG in value || BYTES_TAG in value
}
