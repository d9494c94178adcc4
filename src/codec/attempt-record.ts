// Attempts as canonical JSON bytes, for a store to write and to read again.

import type {
  AttemptError,
  AttemptId,
  SentRecord,
  JsonObject,
  JsonValue,
  Lens,
  Reported,
  SentStructure,
} from '../core/index.js'
import { withoutBigints } from './document.js'
import {
  checked,
  count,
  cycle,
  encodeRecord,
  frozen,
  jsonObject,
  list,
  name,
  object,
  oneOf,
  optional,
  orNull,
  parseRecord,
  record,
  text,
  textLike,
  type Form,
} from './forms.js'
import { fault } from './raw.js'
import { Scope, type BodyReader, type BodyWriter } from './scope.js'

const HASH = textLike(/^[0-9a-f]{64}$/, 'A SHA-256 of 64 lower-case hexadecimal digits')
const TIME = textLike(
  /^(?:\d{4}|[+-]\d{6,})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/,
  'A time such as 2026-01-31T12:00:00.000000000Z',
)
const LENS = textLike(/^(?:working|preview|@t[+-]?\d+|@c\d+)$/, 'A lens') as Form<Lens>
const IDS = frozen(list(name))

/** An object with numbers for bigints, as JSON.parse gives it and as the record had it when it was written. */
const PLAIN_OBJECT: Form<JsonObject> = {
  write: jsonObject.write,
  read: (value, path, scope) => jsonObject.read(withoutBigints(value as JsonValue), path, scope),
}

/** Params as the text that they were sent as, since the order of their keys counts. Rows of earlier versions have an object, with sorted keys. */
const PARAMS: Form<JsonObject> = {
  write: (params, scope) => text.write(JSON.stringify(params), scope),
  read: (value, path, scope) =>
    PLAIN_OBJECT.read(typeof value === 'string' ? parsedText(value, path) : value, path, scope),
}

function parsedText(value: string, path: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw fault(path, 'A JSON text is expected here.')
  }
}

const NODES = frozen(
  list(
    checked(jsonObject, (node, path, scope) => {
      name.read(node['id'], `${path}.id`, scope)
    }),
  ),
)

const PLACE = frozen(object<SentStructure['places'][number]>({ parent_id: name, ids: IDS }))
const STRUCTURE = frozen(object<SentStructure>({ nodes: NODES, absent_ids: IDS, places: frozen(list(PLACE)) }))
const ERROR = frozen(object<AttemptError>({ name, message: text }))

/** Every attempt is called so by the context that starts it. */
const ATTEMPT_ID = name as Form<AttemptId>

const ATTEMPT = record<SentRecord>({
  attempt_id: ATTEMPT_ID,
  cycle_id: cycle,
  status: oneOf(['running', 'completed', 'canceled', 'error']),
  started_at: TIME,
  ended_at: orNull(TIME),
  provider: name,
  model: name,
  params_hash: HASH,
  params: optional(orNull(PARAMS)),
  append: optional(orNull(text)),
  token_in: orNull(count),
  token_out: orNull(count),
  reported: optional(PLAIN_OBJECT as Form<Reported>),
  thread_hash: HASH,
  request_hash: optional(HASH),
  request_body: optional(orNull(text)),
  adapter: optional(name),
  adapter_version: optional(count),
  adapter_options: optional(PLAIN_OBJECT),
  lens: LENS,
  base_cycle: orNull(cycle),
  nodes: NODES,
  thread_indexes: frozen(list(count)),
  absent_ids: IDS,
  base_attempt: optional(ATTEMPT_ID),
  structure: optional(STRUCTURE),
  error: optional(ERROR),
})

export function encodeAttempt(attempt: SentRecord): Uint8Array {
  return encodeRecord(ATTEMPT, attempt, new Scope<BodyWriter>(undefined, 0n))
}

export function decodeAttempt(bytes: Uint8Array): SentRecord {
  const attempt = ATTEMPT.read(parseRecord(bytes), '', new Scope<BodyReader>(undefined, 0n))
  checkRequest(attempt)
  checkIndexes(attempt)
  checkEnd(attempt)
  return Object.freeze(attempt)
}

function checkRequest(attempt: SentRecord): void {
  if (attempt.request_body !== undefined && attempt.request_hash === undefined) {
    throw fault('request_body', 'A body is kept with its hash.')
  }
  if (attempt.adapter !== undefined) {
    if (attempt.adapter_version === undefined) throw fault('adapter_version', 'An adapter has a version.')
    return
  }
  for (const field of ['adapter_version', 'adapter_options', 'structure', 'params', 'append'] as const) {
    if (attempt[field] !== undefined) throw fault(field, 'This describes an adapter, and the attempt names none.')
  }
}

/** Each node has a place in the thread, in the order of the thread. */
function checkIndexes({ nodes, thread_indexes: indexes }: SentRecord): void {
  if (indexes.length !== nodes.length) throw fault('thread_indexes', 'There is one index for each of the nodes.')
  const at = indexes.findIndex((index, i) => i > 0 && index <= indexes[i - 1]!)
  if (at >= 0) throw fault(`thread_indexes[${at}]`, 'The nodes are in the order of the thread.')
}

function checkEnd({ status, ended_at: end, error }: SentRecord): void {
  if ((end === null) !== (status === 'running')) {
    throw fault('ended_at', 'A running attempt has no end, and every other attempt has one.')
  }
  if ((error !== undefined) !== (status === 'error')) {
    throw fault('error', 'A failed attempt has an error, and no other attempt has one.')
  }
}
