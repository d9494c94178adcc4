// An attempt without what was forgotten.

import type { JsonObject, JsonValue, SentRecord, SentStructure } from '../core/index.js'
import { erasedJson } from '../codec/index.js'
import type { Erasing } from '../timeline/index.js'

/**
 * The record without the contents of erased nodes; hashes of the sent bytes stay (D56). Any erasure drops a kept body and the message of an
 * error, since they may quote the text and a record does not list everything that was sent. Params, options and reports are searched: they go if
 * the attempt itself was found.
 */
export function erasedAttempt(record: SentRecord, erasing: Erasing): SentRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  const structure = record.structure && erasedStructure(record.structure, erasing)
  const quoteless = erasing.ids.size > 0 ? withoutQuotes(record) : record
  const left = erasing.ids.has(record.attempt_id) ? withoutWords(quoteless) : quoteless
  if (nodes === record.nodes && structure === record.structure) return left
  return Object.freeze({ ...left, nodes, ...(structure === undefined ? {} : { structure }) })
}

/** The texts of a call that are in no node: its params, the appended message, options, report, kept body and error; undefined if there are none. */
export function wordsOf(record: SentRecord): JsonObject | undefined {
  const { params, append, adapter_options: options, reported, request_body: body, error } = record
  const words = Object.entries({ params, append, options, reported, body, error } as Readonly<
    Record<string, JsonValue | undefined>
  >)
  const said = words.filter(([, value]) => value !== undefined && value !== null && !isEmpty(value))
  return said.length === 0 ? undefined : (Object.fromEntries(said) as JsonObject)
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The record without them; a reader sees that there were params. */
function withoutWords(record: SentRecord): SentRecord {
  const { adapter_options: _options, reported: _reported, ...rest } = withoutQuotes(record)
  return Object.freeze({
    ...rest,
    ...(rest.params === undefined ? {} : { params: null }),
    ...(rest.append === undefined ? {} : { append: null }),
  })
}

/** The same without a kept body and the message of an error; the same record if it has neither. */
export function withoutQuotes(record: SentRecord): SentRecord {
  const { request_body: body, error } = record
  if (typeof body !== 'string' && (error?.message ?? '') === '') return record
  return Object.freeze({
    ...record,
    ...(body === undefined ? {} : { request_body: null }),
    ...(error === undefined ? {} : { error: Object.freeze({ name: error.name, message: '' }) }),
  })
}

function erasedStructure(structure: SentStructure, erasing: Erasing): SentStructure {
  const nodes = erasedJson(structure.nodes, erasing.ids)
  return nodes === structure.nodes ? structure : Object.freeze({ ...structure, nodes })
}

/**
 * For a store (D56): also without the hashes of what was sent, by which a short text could be guessed, and without options and errors,
 * which may quote it.
 */
export function eraseFromAttempt(record: SentRecord, erasing: Erasing): SentRecord {
  return withoutHashes(erasedAttempt(record, erasing))
}

/** A record whose contents are not known: only its existence and its outcome are kept. */
export function mutedAttempt(record: SentRecord): SentRecord {
  const { structure: _structure, base_attempt: _base, ...rest } = withoutWords(record)
  return withoutHashes({ ...rest, nodes: [], thread_indexes: [], absent_ids: [] })
}

function withoutHashes(record: SentRecord): SentRecord {
  const { adapter_options: _options, request_hash: hash, ...rest } = withoutQuotes(record)
  return Object.freeze({
    ...rest,
    thread_hash: NO_HASH,
    ...(hash === undefined ? {} : { request_hash: NO_HASH }),
  })
}

/** True if a store has erased something that the request may have held. */
export function isMuted({ request_hash: hash }: SentRecord): boolean {
  return hash === NO_HASH
}

const NO_HASH = '0'.repeat(64)
