// Forms of the values that only the engine writes. A form writes a value as canonical JSON and reads it back; a table of forms, one per field,
// does both for a whole record. Reading is strict: every value has one form, and anything else is E_SNAPSHOT_INVALID with its path, so that
// damage is found before anything is built from it.

import { PactError } from '../errors/index.js'
import { compareText, LIMITS, NEVER, type JsonObject, type JsonValue } from '../core/index.js'
import { canonicalJson, copyJson, pathTo, quoteJson } from './canonical-json.js'
import { decodeUtf8, parseJson } from './json-text.js'
import { checkSure } from './quick-parse.js'
import { fault } from './raw.js'
import type { ReadScope, WriteScope } from './scope.js'

export type Form<T> = Readonly<{
  /** The canonical text of a value; undefined leaves the field out. */
  write: (value: T, scope: WriteScope) => string | undefined
  /** Reads a parsed value; a field that was left out is undefined. */
  read: (value: unknown, path: string, scope: ReadScope) => T
}>

/** One form per field. Fields are written and read in the order of the table. */
export type FieldTable<T> = Readonly<{ [K in keyof T]-?: Form<T[K]> }>

/** The version of the records. It changes when the same bytes would mean something else; other versions are not read. */
const FORMAT = 1

// ---- Whole records

/** The bytes of a record. Canonical JSON is ASCII, so its text has one byte per character. */
export function encodeRecord<T>(form: Form<T>, record: T, scope: WriteScope): Uint8Array {
  return new TextEncoder().encode(form.write(record, scope))
}

/** The fields of a record before they are read. */
export function parseRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const raw = plainObject(parseText(decodeUtf8(bytes)), '')
  if (raw['format'] === FORMAT) return raw
  throw fault('format', `Only the format ${FORMAT} is known here; a newer version of pact-context may read this.`)
}

/**
 * The value of a text that the engine wrote. The parser of the host is several times faster than ours, but it rounds large integers. Where that
 * could have happened, or where it finds a fault, our parser reads the text again.
 */
export function parseText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    checkSure(value)
    return value
  } catch {
    // Content may nest as deep as the tree, and is a few levels down in a record.
    return parseJson(text, LIMITS.depth * 3 + 16)
  }
}

/** An object with the format version, for `encodeRecord` and `parseRecord`. */
export function record<T extends object>(table: FieldTable<T>, names?: FieldNames<T>): Form<T> {
  const format: Form<unknown> = { write: () => `${FORMAT}`, read: () => undefined }
  return object({ ...table, format } as FieldTable<T>, names)
}

// ---- Fields side by side

/** Names of fields that differ from those of the type. */
type FieldNames<T> = Readonly<Partial<Record<keyof T & string, string>>>

/** An object whose names are known. Fields are written in the order of the table, and sorted by name in the text. */
export function object<T extends object>(table: FieldTable<T>, names?: FieldNames<T>): Form<T> {
  const fields = (Object.keys(table) as (keyof T & string)[]).map((key) => ({
    key,
    name: names?.[key] ?? key,
    form: table[key] as Form<unknown>,
  }))
  const sorted = fields.map((_, i) => i).sort((a, b) => compareText(fields[a]!.name, fields[b]!.name))
  const known = new Set(fields.map(({ name }) => name))
  return {
    write: (value, scope) => {
      const texts = fields.map(({ key, form }) => form.write(value[key], scope))
      let text = ''
      for (const i of sorted) {
        if (texts[i] !== undefined) text += `${text === '' ? '' : ','}"${fields[i]!.name}":${texts[i]}`
      }
      return `{${text}}`
    },
    read: (value, path, scope) => {
      const raw = plainObject(value, path)
      for (const name of Object.keys(raw)) {
        if (!known.has(name)) throw fault(pathTo(path, name), 'Nothing of this name is ever written here.')
      }
      const found: Record<string, unknown> = {}
      for (const { key, name, form } of fields) {
        const each = form.read(raw[name], path === '' ? name : `${path}.${name}`, scope)
        if (each !== undefined) found[key] = each
      }
      return found as T
    },
  }
}

/** A list with one field per place. The last `optional` ones are left out where they and all after them are undefined, and else null. */
export function tuple<T extends object>(table: FieldTable<T>, optional = 0): Form<T> {
  const keys = Object.keys(table) as (keyof T & string)[]
  const forms = keys.map((key) => table[key] as Form<unknown>)
  const least = keys.length - optional
  return {
    write: (value, scope) => {
      let text = ''
      let missing = ''
      for (let i = 0; i < keys.length; i++) {
        const part = forms[i]!.write(value[keys[i]!], scope)
        if (part === undefined) {
          missing += i === 0 ? 'null' : ',null'
        } else {
          text += i === 0 ? part : `${missing},${part}`
          missing = ''
        }
      }
      return `[${text}]`
    },
    read: (value, path, scope) => {
      const parts = listOf(value, path, least, keys.length)
      const { length } = parts
      if (length > least && length < keys.length && parts[length - 1] === null) {
        throw fault(`${path}[${length - 1}]`, 'A list does not end with a field that is left out.')
      }
      const found: Record<string, unknown> = {}
      for (let i = 0; i < keys.length; i++) found[keys[i]!] = forms[i]!.read(parts[i], `${path}[${i}]`, scope)
      return found as T
    },
  }
}

export function list<T>(item: Form<T>, least = 0): Form<readonly T[]> {
  return {
    write: (values, scope) => `[${values.map((value) => item.write(value, scope)).join(',')}]`,
    read: (value, path, scope) => listOf(value, path, least).map((each, i) => item.read(each, `${path}[${i}]`, scope)),
  }
}

/** A list that is left out where it is empty. */
export function some<T>(item: Form<T>): Form<readonly T[]> {
  return unless(
    (values) => values.length === 0,
    () => [],
    list(item, 1),
  )
}

// ---- Fields that may be left out

/** A field that is left out where it has its default. */
export function unless<T>(isDefault: (value: T) => boolean, make: () => T, form: Form<T>): Form<T> {
  return {
    write: (value, scope) => (isDefault(value) ? undefined : form.write(value, scope)),
    read: (value, path, scope) => (value === undefined ? make() : form.read(value, path, scope)),
  }
}

export function unlessEqual<T>(normal: T, form: Form<T>): Form<T> {
  return unless(
    (value) => value === normal,
    () => normal,
    form,
  )
}

export function optional<T>(form: Form<T>): Form<T | undefined> {
  return {
    write: (value, scope) => (value === undefined ? undefined : form.write(value, scope)),
    read: (value, path, scope) => (value === undefined ? undefined : form.read(value, path, scope)),
  }
}

/** An optional field of a tuple, which is null where another one follows. */
export function sparse<T>(form: Form<T>): Form<T | undefined> {
  const { write, read } = optional(form)
  return { write, read: (value, path, scope) => read(value ?? undefined, path, scope) }
}

export function orNull<T>(form: Form<T>): Form<T | null> {
  return {
    write: (value, scope) => (value === null ? 'null' : form.write(value, scope)),
    read: (value, path, scope) => (value === null ? null : form.read(value, path, scope)),
  }
}

// ---- Derived forms

/** A form for another type, by way of the one that is written. */
export function mapped<T, Written>(
  form: Form<Written>,
  to: (value: T, scope: WriteScope) => Written,
  from: (written: Written, path: string, scope: ReadScope) => T,
): Form<T> {
  return {
    write: (value, scope) => form.write(to(value, scope), scope),
    read: (value, path, scope) => from(form.read(value, path, scope), path, scope),
  }
}

/** The same form, with a check of what was read. */
export function checked<T>(form: Form<T>, check: (value: T, path: string, scope: ReadScope) => void): Form<T> {
  return {
    write: form.write,
    read: (value, path, scope) => {
      const found = form.read(value, path, scope)
      check(found, path, scope)
      return found
    },
  }
}

export function frozen<T>(form: Form<T>): Form<T> {
  return checked(form, Object.freeze)
}

// ---- Single values

export const text: Form<string> = { write: quoteJson, read: readText }

/** A text that is not empty. */
export const name: Form<string> = checked(text, (value, path) => {
  if (value === '') throw fault(path, 'A string that is not empty is expected here.')
})

export function textLike(pattern: RegExp, expected: string): Form<string> {
  return checked(text, (value, path) => {
    if (!pattern.test(value)) throw fault(path, `${expected} is expected here.`)
  })
}

export function oneOf<T extends string>(values: readonly T[]): Form<T> {
  return {
    write: quoteJson,
    read: (value, path) => {
      const found = values.find((each) => each === value)
      if (found !== undefined) return found
      throw fault(path, `One of ${values.join(', ')} is expected here.`)
    },
  }
}

export function integer(least: number = Number.MIN_SAFE_INTEGER): Form<number> {
  return {
    write: String,
    read: (value, path) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
      throw fault(path, 'An integer is expected here, within its bounds.')
    },
  }
}

export const count: Form<number> = integer(0)

export const cycle: Form<number> = checked(count, (value, path) => {
  if (value >= NEVER - 1) throw fault(path, 'This number is beyond the last cycle that a context can have.')
})

/** Any number. A large whole one is read as a bigint by the parser. */
export const number: Form<number> = {
  write: canonicalJson,
  read: (value, path) => {
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
    throw fault(path, 'A number is expected here.')
  },
}

export const boolean: Form<boolean> = {
  write: String,
  read: (value, path) => {
    if (typeof value === 'boolean') return value
    throw fault(path, 'true or false is expected here.')
  },
}

/** A boolean that is left out where it is false. */
export const flag: Form<boolean> = {
  write: (value) => (value ? 'true' : undefined),
  read: (value, path) => {
    if (value === undefined || value === true) return value === true
    throw fault(path, 'true is expected here, or nothing.')
  },
}

/** An integer of any size, as its digits in quotes. */
export const digits: Form<bigint> = {
  write: (value) => `"${value}"`,
  read: (value, path) => {
    const found = readText(value, path)
    if (DIGITS.test(found) && found.length <= LIMITS.digits + 1) return BigInt(found)
    throw fault(path, 'The digits of an integer are expected here.')
  },
}

const DIGITS = /^(?:0|-?[1-9][0-9]*)$/

/** Any JSON, frozen as in the tree. */
export const json: Form<JsonValue> = { write: canonicalJson, read: jsonOf }

/** An object with any names. */
export const attributes: Form<ReadonlyMap<string, JsonValue>> = {
  write: (values) => {
    const names = values.size === 1 ? [...values.keys()] : [...values.keys()].sort(compareText)
    return `{${names.map((each) => `${quoteJson(each)}:${canonicalJson(values.get(each))}`).join(',')}}`
  },
  read: (value, path) => {
    const entries = Object.entries(plainObject(value, path))
    return new Map(entries.map(([each, held]) => [each, jsonOf(held, pathTo(path, each))]))
  },
}

/** An object of JSON values, frozen. */
export const jsonObject: Form<JsonObject> = {
  write: canonicalJson,
  read: (value, path, scope) => Object.freeze(Object.fromEntries(attributes.read(value, path, scope))),
}

function jsonOf(value: unknown, path: string): JsonValue {
  if (value === undefined) throw fault(path, 'A value is missing here.')
  try {
    return copyJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw fault(path, error.message)
  }
}

function readText(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw fault(path, 'A string is expected here.')
}

export function plainObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw fault(path, 'An object is expected here.')
}

function listOf(value: unknown, path: string, least: number, most: number = Infinity): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least && value.length <= most) return value
  const length = most === Infinity ? '' : ` of ${least} to ${most} parts`
  throw fault(path, `A list${length} is expected here.`)
}
