// The conversations of a file, one at a time, by what its first value is: a conversation, a message of the only one, or an entry of
// a session.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { ImportFormat } from '../../formats/index.js'
import { LIST_KEYS } from './read-conversation.js'
import { readRecords, type FileRecord, type FileValue } from './records.js'
import {
  isClaudeEntry,
  isPiHeader,
  readClaudeSession,
  readPiSession,
  type Entry,
  type Session,
  type Unread,
} from './sessions.js'
import { isExport, isObject } from './shapes.js'

/** A conversation that a file holds, not read yet. */
export type FoundConversation = Readonly<{
  /** The line that it begins on. */
  line: number
  /** Its place in a list of conversations, from 1; undefined where the file is no such list. */
  item?: number
  /** Its own id. */
  id?: string
  body: JsonValue
  /** The format, if the file names it; else its shape decides. */
  format?: ImportFormat
  /** Lines that belong to it and could not be read, or are nothing that is said. */
  unread: readonly Unread[]
}>

/** A conversation, or a line with none. */
export type FoundOrNot = FoundConversation | Readonly<{ line: number; reason: string }>

export type FindOptions = Readonly<{
  /** The largest length of a line, in bytes. */
  longest?: number | undefined
  /** Makes each value smaller as soon as it is read, for callers that need less than all of it. */
  reduce?: ((value: JsonValue) => JsonValue) | undefined
}>

/** Finds conversation by conversation; one that is spread over many lines is held whole. */
export async function* findConversations(
  chunks: AsyncIterable<Uint8Array>,
  { longest, reduce }: FindOptions = {},
): AsyncGenerator<FoundOrNot, void, undefined> {
  const read = readRecords(chunks, longest)
  const records = reduce === undefined ? read : reduced(read, reduce)
  for await (const record of records) {
    if (!('value' in record)) yield record
    else if (isObject(record.value) && isSpread(record.value)) return yield* spreadOver(record, records)
    else yield* alone(record)
  }
}

async function* reduced(
  records: AsyncIterable<FileRecord>,
  reduce: (value: JsonValue) => JsonValue,
): AsyncGenerator<FileRecord, void, undefined> {
  for await (const record of records) {
    // An export is read from its text.
    if (!('value' in record) || isExport(record.value)) yield record
    else yield { line: record.line, value: reduce(record.value), text: '' }
  }
}

/** True if the value is a part of a conversation that continues on the next lines. */
function isSpread(value: JsonObject): boolean {
  return isPiHeader(value) || isClaudeEntry(value) || isMessage(value)
}

function isMessage(value: JsonObject): boolean {
  if (LIST_KEYS.some((key) => Array.isArray(value[key]) || (key === 'input' && typeof value[key] === 'string')))
    return false
  return !isExport(value) && ['role', 'from', 'type'].some((key) => typeof value[key] === 'string')
}

/** A list is a conversation, or a list of conversations. */
function* alone({ line, value, text }: FileValue): Generator<FoundOrNot> {
  if (Array.isArray(value) && value.length > 0 && value.every(isWhole)) {
    for (const [i, body] of value.entries()) yield { line, item: i + 1, ...named(body), body, unread: [] }
    return
  }
  // Our own export is read from its text, which has every digit.
  if (isExport(value)) yield { line, body: text, format: 'pact', unread: [] }
  else yield { line, ...named(value), body: value, unread: [] }
}

function isWhole(value: JsonValue): boolean {
  return (
    Array.isArray(value) || (isObject(value) && !isMessage(value) && LIST_KEYS.some((key) => value[key] !== undefined))
  )
}

async function* spreadOver(
  first: FileValue,
  records: AsyncIterable<FileRecord>,
): AsyncGenerator<FoundOrNot, void, undefined> {
  const { value } = first
  const kind =
    isObject(value) && isPiHeader(value) ? 'pi' : isObject(value) && isClaudeEntry(value) ? 'claude' : 'plain'
  let entries: Entry[] = []
  let unread: Unread[] = []
  const take = (record: FileRecord): void => {
    if (!('value' in record)) unread.push({ line: record.line, what: record.reason })
    else if (isObject(record.value)) entries.push({ line: record.line, value: record.value })
    else unread.push({ line: record.line, what: 'It is no message.' })
  }
  take(first)
  for await (const record of records) {
    if (kind === 'pi' && 'value' in record && isObject(record.value) && isPiHeader(record.value)) {
      yield sessionOf(kind, entries, unread)
      entries = []
      unread = []
    }
    take(record)
  }
  yield sessionOf(kind, entries, unread)
}

function sessionOf(
  kind: 'pi' | 'claude' | 'plain',
  entries: readonly Entry[],
  faults: readonly Unread[],
): FoundConversation {
  const line = entries[0]?.line ?? 1
  if (kind === 'plain') {
    const [messages, rest] = [
      entries.filter(({ value }) => isMessage(value)),
      entries.filter(({ value }) => !isMessage(value)),
    ]
    const unread = [...faults, ...rest.map(({ line }) => ({ line, what: 'It is no message, as the first line is.' }))]
    return { line, body: messages.map(({ value }) => value), unread: inOrder(unread) }
  }
  const session: Session = kind === 'pi' ? readPiSession(entries) : readClaudeSession(entries)
  const { id, messages, unread } = session
  const format = kind === 'pi' ? 'pi-agent' : 'claude-code'
  return { line, ...(id === undefined ? {} : { id }), body: messages, format, unread: inOrder([...faults, ...unread]) }
}

function inOrder(unread: readonly Unread[]): readonly Unread[] {
  return unread.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function named(body: JsonValue): { id?: string } {
  const id = isObject(body) ? body['id'] : undefined
  return typeof id === 'string' && id !== '' ? { id } : {}
}
