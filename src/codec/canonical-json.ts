// One text per JSON value (D33): what Python's json.dumps writes with sorted keys, no spaces and ASCII only, since the
// content hash and every snapshot are hashed from these bytes. Writing and copying walk a value in the same way and ask
// the same rules about it, in the one pass that also reads it: a getter cannot show one value to the check and another
// to the writer, and there is no second walk to pay for.

import { asCall, PactError } from '../errors/index.js'
import { compareText, LIMITS, type JsonValue } from '../core/index.js'
import { withJsonForm } from './json-form.js'

/** Writes a value as canonical JSON; what is not JSON is refused with its path. */
export function canonicalJson(value: unknown): string {
  // Most content is one string, and a string needs no walk.
  if (typeof value === 'string' && value.length <= LIMITS.text) return quoteJson(value)
  return asCall(canonicalJson, () => walkThrough(value, write))
}

/** Gives a deep-frozen copy of a JSON value, under the rules of canonicalJson. */
export function copyJson(value: unknown): JsonValue {
  if (typeof value === 'string' && value.length <= LIMITS.text) return value
  return walkThrough(value, copy)
}

/** Quotes text as Python does with ensure_ascii: everything but printable ASCII is escaped, DEL too. */
export function quoteJson(text: string): string {
  if (isPlain(text)) return `"${text}"`
  // JSON.stringify writes the same escapes, but leaves everything from DEL upwards as it is.
  return ASCII.test(text) ? JSON.stringify(text) : quoteUnicode(text)
}

/** What stands between the quotes; text that needs no escape is given back as it is. */
export function escapeJson(text: string): string {
  return isPlain(text) ? text : quoteJson(text).slice(1, -1)
}

const PLAIN = /^[ !#-[\]-~]*$/
const ASCII = /^[\0-~]*$/

/** Tells whether text needs no escape. A regex looks at long text fastest, but starting one costs as much as a name. */
export function isPlain(text: string): boolean {
  if (text.length > 24) return PLAIN.test(text)
  for (let i = 0; i < text.length; i++) {
    if (!isPlainUnit(text.charCodeAt(i))) return false
  }
  return true
}

function isPlainUnit(unit: number): boolean {
  return unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c // neither " nor \
}

// ---- Writing

type Scalar = string | number | bigint | boolean | null

function write(value: unknown, depth: number, walk: Walk): string {
  if (typeof value !== 'object' || value === null) {
    checkScalar(value, walk)
    return typeof value === 'string' ? quoteJson(value) : typeof value === 'number' ? writeNumber(value) : `${value}`
  }
  checkContainer(value, depth, walk)
  return Array.isArray(value)
    ? writeArray(value, depth, walk)
    : writeObject(value as Record<string, unknown>, depth, walk)
}

function writeArray(items: readonly unknown[], depth: number, walk: Walk): string {
  let text = '['
  let i = 0
  try {
    for (; i < items.length; i++) {
      const item = write(items[i], depth + 1, walk)
      text += i === 0 ? item : `,${item}`
    }
  } catch (error) {
    throw under(i, error)
  }
  return `${text}]`
}

function writeObject(object: Readonly<Record<string, unknown>>, depth: number, walk: Walk): string {
  const { sorted, names } = layOut(Object.keys(object))
  let text = '{'
  let i = 0
  try {
    for (; i < sorted.length; i++) {
      const value = object[sorted[i]!]
      if (value === undefined) continue
      countText(sorted[i]!.length, walk)
      text += text.length === 1 ? names[i]! : `,${names[i]!}`
      text += write(value, depth + 1, walk)
    }
  } catch (error) {
    throw under(sorted[i]!, error)
  }
  return `${text}}`
}

/** The keys of an object: as they came, by code point, and as they stand in the text before their values. */
type Layout = Readonly<{ keys: readonly string[]; sorted: readonly string[]; names: readonly string[] }>

// Objects come in a few shapes, so sorting and quoting their keys is worth remembering: one layout in each slot.
const layouts: (Layout | undefined)[] = []

function layOut(keys: readonly string[]): Layout {
  const slot = layoutSlot(keys)
  const known = layouts[slot]
  if (known !== undefined && isSameList(known.keys, keys)) return known
  const plain = keys.every(isPlain)
  // UTF-16 units and code points rank alike until surrogates come in, and comparing units is many times faster.
  const sorted = plain ? keys.toSorted() : keys.toSorted(compareText)
  const layout = { keys, sorted, names: sorted.map((key) => `${quoteJson(key)}:`) }
  if (keys.length <= 32 && keys.every((key) => key.length <= 32)) layouts[slot] = layout
  return layout
}

/** Spreads shapes over 128 slots by what is at hand: how many keys there are, and two first letters. */
function layoutSlot(keys: readonly string[]): number {
  if (keys.length === 0) return 0
  return (keys.length * 31 + keys[0]!.charCodeAt(0) * 7 + keys[keys.length - 1]!.charCodeAt(0)) & 127
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
  }
  return true
}

/**
 * Writes a number as Python does: a safe integer as an int, anything else as a float. Both languages print the fewest
 * digits that read back, but Python turns to an exponent at 1e16 and below 1e-4, gives it two digits, and marks a whole
 * float with `.0`.
 */
function writeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value) // -0 prints as 0
  const size = Math.abs(value)
  if (size >= 1e16 || size < 1e-4) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

const CHUNK = 1024
let scratch: { readonly bytes: Uint8Array; readonly decoder: InstanceType<typeof TextDecoder> } | undefined

/** Quotes text with characters beyond ASCII. Through bytes: a string that grows by one escape at a time is slow. */
function quoteUnicode(text: string): string {
  scratch ??= { bytes: new Uint8Array(CHUNK * 6), decoder: new TextDecoder() }
  const { bytes, decoder } = scratch
  let quoted = '"'
  for (let start = 0; start < text.length; start += CHUNK) {
    const size = escapeInto(bytes, text, start, Math.min(start + CHUNK, text.length))
    quoted += decoder.decode(bytes.subarray(0, size))
  }
  return `${quoted}"`
}

function escapeInto(bytes: Uint8Array, text: string, start: number, end: number): number {
  let size = 0
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (isPlainUnit(unit)) {
      bytes[size++] = unit
      continue
    }
    bytes[size++] = 0x5c
    const letter = shortEscape(unit)
    if (letter !== 0) {
      bytes[size++] = letter
      continue
    }
    bytes[size] = 0x75 // u
    bytes[size + 1] = hexDigit(unit >> 12)
    bytes[size + 2] = hexDigit((unit >> 8) & 15)
    bytes[size + 3] = hexDigit((unit >> 4) & 15)
    bytes[size + 4] = hexDigit(unit & 15)
    size += 5
  }
  return size
}

/** The letter after the backslash, 0 where there is none. */
function shortEscape(unit: number): number {
  switch (unit) {
    case 0x22: // "
    case 0x5c: // \
      return unit
    case 0x08:
      return 0x62 // b
    case 0x09:
      return 0x74 // t
    case 0x0a:
      return 0x6e // n
    case 0x0c:
      return 0x66 // f
    case 0x0d:
      return 0x72 // r
    default:
      return 0
  }
}

function hexDigit(digit: number): number {
  return digit < 10 ? 0x30 + digit : 0x57 + digit
}

// ---- Copying

function copy(value: unknown, depth: number, walk: Walk): JsonValue {
  if (typeof value !== 'object' || value === null) {
    checkScalar(value, walk)
    return value
  }
  checkContainer(value, depth, walk)
  return Array.isArray(value)
    ? copyArray(value, depth, walk)
    : copyObject(value as Record<string, unknown>, depth, walk)
}

function copyArray(items: readonly unknown[], depth: number, walk: Walk): JsonValue {
  const result: JsonValue[] = []
  let hasBigint = false
  let i = 0
  try {
    for (; i < items.length; i++) {
      const item = copy(items[i], depth + 1, walk)
      hasBigint ||= typeof item === 'bigint'
      result.push(item)
    }
  } catch (error) {
    throw under(i, error)
  }
  return Object.freeze(hasBigint ? withJsonForm(result) : result)
}

function copyObject(object: Readonly<Record<string, unknown>>, depth: number, walk: Walk): JsonValue {
  const result: Record<string, JsonValue> = {}
  let hasBigint = false
  let key = ''
  try {
    for (key of Object.keys(object)) {
      const value = object[key]
      if (value === undefined) continue
      countText(key.length, walk)
      const item = copy(value, depth + 1, walk)
      hasBigint ||= typeof item === 'bigint'
      // Assigning to __proto__ would set the prototype; here it is a name like any other.
      if (key === '__proto__') Object.defineProperty(result, key, { value: item, enumerable: true })
      else result[key] = item
    }
  } catch (error) {
    throw under(key, error)
  }
  return Object.freeze(hasBigint ? withJsonForm(result) : result)
}

// ---- The rules

/** How much one call has seen so far. */
type Walk = { values: number; text: number }

/** Why a value is no content; gathers its path, last step first, on the way out, so that a good value pays nothing. */
class Refusal extends Error {
  readonly steps: (string | number)[] = []
}

function walkThrough<T>(value: unknown, visit: (value: unknown, depth: number, walk: Walk) => T): T {
  try {
    return visit(value, 0, { values: 0, text: 0 })
  } catch (error) {
    const { message, steps, cause } = asRefusal(error)
    const path = formatPath(steps.toReversed())
    const place = path === '' ? 'The value' : `The value at ${shorten(path, 120)}`
    throw new PactError('E_CONTENT_INVALID', `${place} ${message}.`, { path }, cause === undefined ? {} : { cause })
  }
}

function under(step: string | number, error: unknown): Refusal {
  const refusal = asRefusal(error)
  refusal.steps.push(step)
  return refusal
}

/** Anything but a refusal was thrown by a getter or a proxy: the caller's code, not ours. */
function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('cannot be read; pass plain data', { cause: error })
}

function checkScalar(value: unknown, walk: Walk): asserts value is Scalar {
  countValue(walk)
  switch (typeof value) {
    case 'string':
      return countText(value.length, walk)
    case 'boolean':
      return
    case 'number':
      if (Number.isFinite(value)) return
      return refuse(`is ${value}, a number that JSON does not have; use null or a string`)
    case 'bigint':
      if (fitsDigits(value)) return countText(digitWeight(value), walk)
      return refuse(`has more than ${LIMITS.digits} digits; pass it as a string`)
    case 'undefined':
      return refuse('is undefined or an array hole; use null or leave it out')
    case 'object':
      return // null: whoever calls has taken everything else
    default:
      return refuse(`is a ${typeof value}, which JSON does not have; pass plain data`)
  }
}

function checkContainer(value: object, depth: number, walk: Walk): void {
  countValue(walk)
  if (depth >= LIMITS.depth) {
    refuse(`is nested deeper than ${LIMITS.depth} levels, or circular; flatten it`)
  }
  if (!Array.isArray(value) && !isPlainObject(value)) {
    refuse(`is ${className(value)}, not a plain object or array; convert it to plain data first`)
  }
}

function countValue(walk: Walk): void {
  if (++walk.values > LIMITS.values) {
    refuse(`makes more than ${LIMITS.values} values in all; split the content`)
  }
}

/**
 * Holds the text of a whole value, not only of each string, to the limit: then its canonical form, with six characters
 * for each of these, always fits the longest string a JavaScript engine can hold.
 */
function countText(length: number, walk: Walk): void {
  walk.text += length
  if (walk.text > LIMITS.text) refuse(`makes more than ${LIMITS.text} characters in all; split the content`)
}

let digitBound: bigint | undefined

function fitsDigits(value: bigint): boolean {
  digitBound ??= 10n ** BigInt(LIMITS.digits)
  return value < digitBound && value > -digitBound
}

/** How much text an integer counts for: nothing while it is about as long as any number, then its hex digits. */
function digitWeight(value: bigint): number {
  return BigInt.asIntN(64, value) === value ? 0 : value.toString(16).length
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // Another realm (an iframe, a vm context) has its own Object; its source text is the same everywhere.
  if (Object.getPrototypeOf(prototype) !== null) return false
  const maker = ownValue(prototype as object, 'constructor')
  return typeof maker === 'function' && maker.prototype === prototype && sourceOf(maker) === sourceOf(Object)
}

function sourceOf(maker: unknown): string {
  return Function.prototype.toString.call(maker)
}

function className(value: object): string {
  const maker = ownValue(Object.getPrototypeOf(value) as object, 'constructor')
  const name = typeof maker === 'function' ? ownValue(maker, 'name') : undefined
  return typeof name === 'string' && name !== ''
    ? `an instance of ${shorten(name, 60)}`
    : 'an object with its own prototype'
}

function ownValue(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

function refuse(reason: string): never {
  throw new Refusal(reason)
}

function formatPath(steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => (typeof step === 'number' ? `${path}[${step}]` : pathTo(path, step)), '')
}

/** The path of a named part; a name that is no plain word stands in brackets and quotes. */
export function pathTo(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name) || name.length > 120) return `${path}[${quoteJson(shorten(name, 120))}]`
  return path === '' ? name : `${path}.${name}`
}

/** The path of a part of a part. */
export function joinPaths(path: string, inner: string): string {
  return inner === '' || inner.startsWith('[') || path === '' ? path + inner : `${path}.${inner}`
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
