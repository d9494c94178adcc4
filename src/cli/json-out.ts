// Values as JSON on standard output, with control characters escaped; and a choice of their fields.

import { UsageError } from './usage-error.js'

/** The choice of `--json`: all of a value, or some fields of it. */
export type JsonChoice = Readonly<{ fields: readonly string[] | undefined }>

/** JSON text; control and invisible characters are written as \uXXXX. */
export function jsonText(value: unknown): string {
  return escapeJson(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each), 2))
}

export function escapeJson(json: string): string {
  // Outside strings JSON has no such characters but its own line breaks, so every other one may become \uXXXX.
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    if (char === '\n') return char
    return Array.from(
      { length: char.length },
      (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('')
  })
}

/**
 * Some fields of a value: its own, where it has all of them; else of each entry where the value, or the one list in it, is a list. A list is
 * then given alone.
 */
export function picked(value: unknown, { fields }: JsonChoice): unknown {
  if (fields === undefined) return value
  const isOwn = typeof value === 'object' && value !== null && fields.every((field) => Object.hasOwn(value, field))
  const list = isOwn ? undefined : listIn(value)
  return list === undefined ? pick(value, fields) : list.map((each) => pick(each, fields))
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const lists = Object.values(value ?? {}).filter((each) => Array.isArray(each))
  return lists.length === 1 ? lists[0] : undefined
}

function pick(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const given = new Map(Object.entries(value))
  // Other entries may have a field that this one lacks. If an entry has none of the fields, they are misspelled.
  if (given.size > 0 && !fields.some((field) => given.has(field))) {
    throw new UsageError(`There is no field "${fields[0] ?? ''}"; there are ${[...given.keys()].join(', ')}.`)
  }
  return Object.fromEntries(fields.map((field) => [field, given.get(field) ?? null]))
}
