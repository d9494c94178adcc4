// JSON as files have it: quickly where that loses nothing, exactly where it might, and with the line where it ends.

import { PactError } from '../../errors/index.js'
import { parseJson } from '../../codec/index.js'
import type { JsonValue } from '../../core/index.js'

/** The largest depth of a conversation, as of contents in a context. */
const DEEPEST = 128

/** A number that JSON.parse would round, or a text that has such digits; then the exact parser reads it. */
const MANY_DIGITS = /\d{16}/

export type Read = Readonly<{ value: JsonValue }> | Readonly<{ reason: string; line: number }>

/** Reads a text; `reason` says what is wrong with it, and on which of its lines, from 1. */
export function readJson(text: string): Read {
  if (!MANY_DIGITS.test(text)) {
    try {
      return { value: JSON.parse(text) as JsonValue }
    } catch {
      // The error below names the line. Messages of the host's parser differ between versions.
    }
  }
  try {
    return { value: parseJson(text, DEEPEST) }
  } catch (error) {
    if (!PactError.is(error)) throw error
    const { line } = error.details
    const reason = error.message.replace(/ \(line \d+, column (\d+)\)\.$/, ' (column $1)')
    return { reason, line: typeof line === 'number' ? line : 1 }
  }
}
