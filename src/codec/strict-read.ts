// Reading values that only the engine writes: each has one form, and anything else is damage, told with its place.

import { PactError } from '../errors/index.js'
import { LIMITS, NEVER, type JsonValue } from '../core/index.js'
import { copyJson, pathTo } from './canonical-json.js'
import { fault } from './raw.js'
import { decodeUtf8, parseJson } from './json-text.js'
import { checkSure } from './quick-parse.js'

/** The value that canonical bytes hold; content may nest as deep as the tree, and stands a few levels down. */
export function parseBytes(bytes: Uint8Array): unknown {
  return parseText(decodeUtf8(bytes))
}

/**
 * The same where the bytes are known to be those that were written, since they have the hash of these: several times faster,
 * with the host's parser, which does not see a name that stands twice in an object.
 */
export function parseWritten(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  try {
    const value: unknown = JSON.parse(text)
    checkSure(value)
    return value
  } catch {
    return parseText(text)
  }
}

function parseText(text: string): unknown {
  return parseJson(text, LIMITS.depth * 3 + 16)
}

/** An object with these names, of which some may be left out; no others. */
export function objectWith<Name extends string>(
  value: unknown,
  path: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  const object = plainObject(value, path)
  const known: ReadonlySet<string> = new Set(names)
  for (const name of Object.keys(object)) {
    if (!known.has(name)) throw fault(pathTo(path, name), 'Nothing of this name is ever written here.')
  }
  return object as Partial<Record<Name, unknown>>
}

/** What stands under whatever names. */
export function mapOf(value: unknown, path: string): ReadonlyMap<string, JsonValue> {
  const entries = Object.entries(plainObject(value, path))
  return new Map(entries.map(([name, held]) => [name, jsonOf(held, pathTo(path, name))]))
}

function plainObject(value: unknown, path: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw fault(path, 'An object is expected here.')
}

/** A list, of this many parts if a number is given. */
export function listOf(value: unknown, path: string, least = 0, most: number = Infinity): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least && value.length <= most) return value
  throw fault(
    path,
    most === Infinity ? 'A list is expected here.' : `A list of ${least} to ${most} parts is expected here.`,
  )
}

/** Every part of a list. */
export function eachIn<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): readonly T[] {
  return listOf(value, path).map((each, i) => read(each, `${path}[${i}]`))
}

/** Every part of a list that is left out where it is empty. */
export function eachOf<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): readonly T[] {
  return value === undefined ? [] : eachIn(listOf(value, path, 1), path, read)
}

export function textOf(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw fault(path, 'A string is expected here.')
}

export function nameOf(value: unknown, path: string): string {
  const name = textOf(value, path)
  if (name !== '') return name
  throw fault(path, 'A string that is not empty is expected here.')
}

export function integerOf(value: unknown, path: string, least: number = Number.MIN_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw fault(path, 'An integer is expected here, within its bounds.')
}

/** A cycle that there can be. */
export function cycleOf(value: unknown, path: string): number {
  const cycle = integerOf(value, path, 0)
  if (cycle < NEVER - 1) return cycle
  throw fault(path, 'No context has so many cycles.')
}

/** Any number; what is whole and large reads as a bigint. */
export function numberOf(value: unknown, path: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  throw fault(path, 'A number is expected here.')
}

/** What is left out where it is false. */
export function trueOf(value: unknown, path: string): boolean {
  if (value === undefined || value === true) return value === true
  throw fault(path, 'true is expected here, or nothing.')
}

export function booleanOf(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  throw fault(path, 'true or false is expected here.')
}

/** An integer of any size, as its digits. */
export function digitsOf(value: unknown, path: string): bigint {
  const digits = textOf(value, path)
  if (DIGITS.test(digits) && digits.length <= LIMITS.digits + 1) return BigInt(digits)
  throw fault(path, 'The digits of an integer are expected here.')
}

const DIGITS = /^(?:0|-?[1-9][0-9]*)$/

export function oneOf<T extends string>(value: unknown, path: string, values: readonly T[]): T {
  const found = values.find((each) => each === value)
  if (found !== undefined) return found
  throw fault(path, `One of ${values.join(', ')} is expected here.`)
}

/** Any JSON, as the tree keeps it. */
export function jsonOf(value: unknown, path: string): JsonValue {
  if (value === undefined) throw fault(path, 'A value is missing here.')
  try {
    return copyJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw fault(path, error.message)
  }
}

/** The canonical text of an object whose values are written; those that are undefined are left out. */
export function objectText(fields: Readonly<Record<string, string | undefined>>): string {
  let text = ''
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name]
    if (value !== undefined) text += `${text === '' ? '' : ','}"${name}":${value}`
  }
  return `{${text}}`
}

/** The text of a list; undefined, which leaves it out, where it is empty. */
export function listText<T>(values: Iterable<T>, write: (value: T) => string): string | undefined {
  const list = Array.isArray(values) ? (values as readonly T[]) : [...values]
  if (list.length === 0) return undefined
  let text = write(list[0]!)
  for (let i = 1; i < list.length; i++) text += `,${write(list[i]!)}`
  return `[${text}]`
}
