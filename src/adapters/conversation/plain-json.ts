// JSON as a request has it: keys in one order, whatever order they came in, so that one snapshot gives one body before and
// after an export; numbers as a provider reads them; frozen, because requests share what did not change.

import { compareText, isObject, type JsonObject, type JsonValue } from '../../core/index.js'

export { isObject }

/** JSON that JSON.stringify can write: no bigints. */
export type PlainValue = string | number | boolean | null | readonly PlainValue[] | PlainObject

export type PlainObject = { readonly [name: string]: PlainValue }

/** A frozen copy with sorted keys; `onRounded` is called for integers that a request cannot have to the digit. */
export function plainJson(value: JsonValue, onRounded?: () => void): PlainValue {
  if (typeof value === 'bigint') {
    onRounded?.()
    return Number(value)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item: JsonValue) => plainJson(item, onRounded)))
  return plainObject(value as JsonObject, onRounded)
}

export function plainObject(value: JsonObject, onRounded?: () => void): PlainObject {
  const copy: Record<string, PlainValue> = {}
  for (const key of sortedKeys(value)) put(copy, key, plainJson(value[key]!, onRounded))
  return Object.freeze(copy)
}

/** Most objects have theirs in order already. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value)
  for (let i = 1; i < keys.length; i++) if (compareText(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareText)
  return keys
}

export const NO_KEYS: PlainObject = Object.freeze({})

/**
 * An object with these keys in this order, then the others in theirs; what is undefined is left out. For messages and parts,
 * whose keys have an order in the provider's documents. Where nothing is to be left out or put in, it is the object given, frozen.
 */
export function inOrder(first: Record<string, PlainValue | undefined>, rest: PlainObject = NO_KEYS): PlainObject {
  if (rest === NO_KEYS && !Object.values(first).includes(undefined)) return Object.freeze(first) as PlainObject
  const made: Record<string, PlainValue> = {}
  for (const [key, value] of Object.entries(first)) if (value !== undefined) put(made, key, value)
  for (const [key, value] of Object.entries(rest)) if (!Object.hasOwn(first, key)) put(made, key, value)
  return Object.freeze(made)
}

/** The same for values without an order yet: the keys named first, then the others sorted. */
export function byKeys(
  first: readonly string[],
  values: Readonly<Record<string, PlainValue | undefined>>,
): PlainObject {
  const made: Record<string, PlainValue> = {}
  for (const key of first) {
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (value !== undefined) made[key] = value
  }
  const others = Object.keys(values).filter((key) => !first.includes(key))
  for (const key of others.sort(compareText)) {
    const value = values[key]
    if (value !== undefined) put(made, key, value)
  }
  return Object.freeze(made)
}

/** Text for a value that a format can only have as text; the same for equal values. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : exactText(value)
}

/** JSON text with sorted keys and every digit: digits in a string may be more than a double holds. */
function exactText(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => exactText(item)).join(',')}]`
  const object = value as JsonObject
  return `{${sortedKeys(object)
    .map((key) => `${JSON.stringify(key)}:${exactText(object[key]!)}`)
    .join(',')}}`
}

/** Whatever it is called, it is a property of the object itself. */
function put(target: Record<string, PlainValue>, key: string, value: PlainValue): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
