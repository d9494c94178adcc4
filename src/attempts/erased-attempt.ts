// An attempt without what was forgotten.

import type { AttemptRecord, SentStructure } from '../core/index.js'
import { erasedJson } from '../codec/index.js'
import type { Erasing } from '../timeline/index.js'

/**
 * The same without what nodes said; the hashes stay, of what was sent (D56). A body that was kept goes with anything that is
 * forgotten: it may say it, and a record does not tell all that was in it.
 */
export function erasedAttempt(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  const structure = record.structure && erasedStructure(record.structure, erasing)
  const losesBody = typeof record.request_body === 'string' && erasing.ids.size > 0
  if (nodes === record.nodes && structure === record.structure && !losesBody) return record
  return Object.freeze({
    ...record,
    nodes,
    ...(structure === undefined ? {} : { structure }),
    ...(losesBody ? { request_body: null } : {}),
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
export function eraseFromAttempt(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  return withoutHashes(erasedAttempt(record, erasing))
}

/** The same of one of which nobody knows what it says: nothing is left but that it was, and how it ended. */
export function mutedAttempt(record: AttemptRecord): AttemptRecord {
  const { structure: _structure, base_attempt: _base, ...rest } = record
  return withoutHashes({ ...rest, nodes: [], thread_indexes: [], absent_ids: [] })
}

function withoutHashes(record: AttemptRecord): AttemptRecord {
  const { adapter_options: _options, error, request_hash: hash, request_body: body, ...rest } = record
  return Object.freeze({
    ...rest,
    thread_hash: NO_HASH,
    ...(hash === undefined ? {} : { request_hash: NO_HASH }),
    ...(body === undefined ? {} : { request_body: null }),
    ...(error === undefined ? {} : { error: { name: error.name, message: '' } }),
  })
}

const NO_HASH = '0'.repeat(64)
