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
  return JSON.stringify(text).replace(BEYOND_ASCII, escapeRun)
}

function escapeRun(run: string): string {
  let escaped = ''
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i)
    escaped += `\\u${HEX[unit >> 8]}${HEX[unit & 0xff]}`
  }
  return escaped
}

/** The text between the quotes. Text that needs no escape is returned unchanged. */
export function escapeJson(text: string): string {
  return isPlain(text) ? text : quoteJson(text).slice(1, -1)
}

const PLAIN = /^[ !#-[\]-~]*$/
const BEYOND_ASCII = /[\u007f-\uffff]+/g
/** The two digits of each byte. */
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

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
  const names = Object.keys(object)
  // UTF-16 units and code points rank alike until surrogates come in, and comparing units is many times faster.
  const sorted = names.every(isPlain) ? names.sort() : names.sort(compareText)
  let text = '{'
  let name = ''
  try {
    for (name of sorted) {
      const value = object[name]
      if (value === undefined) continue
      countText(name.length, walk)
      text += `${text.length === 1 ? '' : ','}${quoteJson(name)}:${write(value, depth + 1, walk)}`
    }
  } catch (error) {
    throw under(name, error)
  }
  return `${text}}`
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

/** The work of one call so far. */
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
      return // null: the callers handle all other objects
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

/** The text that an integer counts for: nothing up to 64 bits, then its hex digits. */
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

/** The path of a named part. A name that is no plain word is put in brackets and quotes. */
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
