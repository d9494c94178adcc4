// The conversations of a file, one at a time, by what its first value is: a conversation, a message of the only one, or an entry of
// a session.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import type { ImportFormat } from '../../formats/index.js'
import { isClaudeEntry, readClaudeSession } from './claude-session.js'
import { isCodexHeader, isCodexLine, readCodexSession, withSizes } from './codex-session.js'
import { isPiHeader, readPiSession } from './pi-session.js'
import type { Entry, Session, Unread } from './plan.js'
import { LIST_KEYS } from './read-conversation.js'
import { readRecords, type FileRecord, type FileValue } from './records.js'
import { isExport } from './shapes.js'

/** A conversation that a file holds, not read yet. */
export type FoundConversation = Readonly<{
  /** The line that it begins on. */
  line: number
  /** Its place in a list of conversations, from 1; undefined where the file is no such list. */
  item?: number
  /** Its own id. */
  id?: string
  /** The messages, unless it is a session. */
  body: JsonValue
  session?: Session
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
  const records = prepared(readRecords(chunks, longest), reduce)
  for await (const record of records) {
    if (!('value' in record)) yield record
    else {
      const kind = isObject(record.value) ? kindOf(record.value) : undefined
      if (kind !== undefined) return yield* spreadOver(kind, record, records)
      yield* alone(record)
    }
  }
}

async function* prepared(
  records: AsyncIterable<FileRecord>,
  reduce: FindOptions['reduce'],
): AsyncGenerator<FileRecord, void, undefined> {
  let isCodex: boolean | undefined
  for await (const record of records) {
    if ('value' in record) isCodex ??= isObject(record.value) && kindOf(record.value) === 'codex'
    // An export is read from its text.
    if (!('value' in record) || isExport(record.value)) yield record
    else {
      const value = isCodex === true ? withSizes(record.value) : record.value
      yield reduce === undefined ? { ...record, value } : { line: record.line, value: reduce(value), text: '' }
    }
  }
}

type Kind = 'pi' | 'claude' | 'codex' | 'plain'

/** The kind of a conversation that is spread over the next lines too; undefined if it is all in this one. */
function kindOf(value: JsonObject): Kind | undefined {
  if (isPiHeader(value)) return 'pi'
  if (isClaudeEntry(value)) return 'claude'
  if (isCodexLine(value) || isCodexHeader(value)) return 'codex'
  return isMessage(value) ? 'plain' : undefined
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
  kind: Kind,
  first: FileValue,
  records: AsyncIterable<FileRecord>,
): AsyncGenerator<FoundOrNot, void, undefined> {
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

const SESSIONS = {
  pi: { read: readPiSession, format: 'pi-agent' },
  claude: { read: readClaudeSession, format: 'claude-code' },
  codex: { read: readCodexSession, format: 'codex' },
} as const

function sessionOf(kind: Kind, entries: readonly Entry[], faults: readonly Unread[]): FoundConversation {
  const line = entries[0]?.line ?? 1
  if (kind === 'plain') {
    const [messages, rest] = [
      entries.filter(({ value }) => isMessage(value)),
      entries.filter(({ value }) => !isMessage(value)),
    ]
    const unread = [...faults, ...rest.map(({ line }) => ({ line, what: 'It is no message, as the first line is.' }))]
    return { line, body: messages.map(({ value }) => value), unread: inOrder(unread) }
  }
  const { read, format } = SESSIONS[kind]
  const session = read(entries)
  const { id } = session
  const unread = inOrder([...faults, ...session.unread])
  return { line, ...(id === undefined ? {} : { id }), body: [], session, format, unread }
}

function inOrder(unread: readonly Unread[]): readonly Unread[] {
  return unread.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function named(body: JsonValue): { id?: string } {
  const id = isObject(body) ? body['id'] : undefined
  return typeof id === 'string' && id !== '' ? { id } : {}
}
