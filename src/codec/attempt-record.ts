// An attempt as canonical JSON bytes, for a store to write and to read again; as strict as the records of commits.

import type {
  AttemptError,
  AttemptRecord,
  AttemptStatus,
  JsonObject,
  JsonValue,
  Lens,
  SentStructure,
} from '../core/index.js'
import { canonicalJson, pathTo } from './canonical-json.js'
import { checkFormat, FORMAT } from './commit-record.js'
import { withoutBigints } from './document.js'
import { fault } from './raw.js'
import { cycleOf, eachIn, integerOf, mapOf, nameOf, objectWith, oneOf, parseBytes, textOf } from './strict-read.js'

const STATUSES: readonly AttemptStatus[] = ['running', 'completed', 'canceled', 'error']
const NAMES = [
  'absent_ids',
  'adapter',
  'adapter_options',
  'adapter_version',
  'attempt_id',
  'base_attempt',
  'base_cycle',
  'cycle_id',
  'ended_at',
  'error',
  'format',
  'lens',
  'model',
  'nodes',
  'params_hash',
  'provider',
  'request_body',
  'request_hash',
  'started_at',
  'status',
  'structure',
  'thread_hash',
  'thread_indexes',
  'token_in',
  'token_out',
] as const

export function encodeAttempt(record: AttemptRecord): Uint8Array {
  return new TextEncoder().encode(canonicalJson({ ...record, format: FORMAT }))
}

export function decodeAttempt(bytes: Uint8Array): AttemptRecord {
  const raw = objectWith(parseBytes(bytes), '', NAMES)
  checkFormat(raw.format)
  const status = oneOf(raw.status, 'status', STATUSES)
  const nodes = eachIn(raw.nodes, 'nodes', readNode)
  return Object.freeze({
    attempt_id: nameOf(raw.attempt_id, 'attempt_id'),
    cycle_id: cycleOf(raw.cycle_id, 'cycle_id'),
    status,
    started_at: timeOf(raw.started_at, 'started_at'),
    ended_at: readEnd(raw.ended_at, status),
    provider: nameOf(raw.provider, 'provider'),
    model: nameOf(raw.model, 'model'),
    params_hash: hashOf(raw.params_hash, 'params_hash'),
    token_in: orNull(raw.token_in, 'token_in', countOf),
    token_out: orNull(raw.token_out, 'token_out', countOf),
    thread_hash: hashOf(raw.thread_hash, 'thread_hash'),
    ...(raw.request_hash === undefined ? {} : { request_hash: hashOf(raw.request_hash, 'request_hash') }),
    ...readRequest(raw),
    lens: lensOf(raw.lens, 'lens'),
    base_cycle: orNull(raw.base_cycle, 'base_cycle', cycleOf),
    nodes: Object.freeze(nodes),
    thread_indexes: readIndexes(raw.thread_indexes, nodes.length),
    absent_ids: Object.freeze(eachIn(raw.absent_ids, 'absent_ids', nameOf)),
    ...(raw.base_attempt === undefined ? {} : { base_attempt: nameOf(raw.base_attempt, 'base_attempt') }),
    ...(raw.structure === undefined ? {} : { structure: readStructure(raw.structure) }),
    ...readError(raw.error, status),
  })
}

type RequestFields = Pick<AttemptRecord, 'request_body' | 'adapter' | 'adapter_version' | 'adapter_options'>

/** Who made the request, and its body, as far as they are there: each needs what it is about. */
function readRequest(raw: Readonly<Partial<Record<(typeof NAMES)[number], unknown>>>): RequestFields {
  if (raw.request_body !== undefined && raw.request_hash === undefined) {
    throw fault('request_body', 'A body is kept with its hash.')
  }
  if (raw.adapter === undefined) {
    for (const name of ['adapter_version', 'adapter_options', 'structure'] as const) {
      if (raw[name] !== undefined) throw fault(name, 'This is told of an adapter, and there is none.')
    }
  }
  return {
    ...(raw.request_body === undefined ? {} : { request_body: orNull(raw.request_body, 'request_body', textOf) }),
    ...(raw.adapter === undefined
      ? {}
      : { adapter: nameOf(raw.adapter, 'adapter'), adapter_version: countOf(raw.adapter_version, 'adapter_version') }),
    ...(raw.adapter_options === undefined ? {} : { adapter_options: readOptions(raw.adapter_options) }),
  }
}

function readOptions(value: unknown): JsonObject {
  return Object.freeze(Object.fromEntries(mapOf(withoutBigints(value as JsonValue), 'adapter_options')))
}

function readStructure(value: unknown): SentStructure {
  const raw = objectWith(value, 'structure', ['absent_ids', 'nodes', 'places'] as const)
  return Object.freeze({
    nodes: Object.freeze(eachIn(raw.nodes, 'structure.nodes', readNode)),
    absent_ids: Object.freeze(eachIn(raw.absent_ids, 'structure.absent_ids', nameOf)),
    places: Object.freeze(eachIn(raw.places, 'structure.places', readPlace)),
  })
}

function readPlace(value: unknown, path: string): SentStructure['places'][number] {
  const raw = objectWith(value, path, ['ids', 'parent_id'] as const)
  return Object.freeze({
    parent_id: nameOf(raw.parent_id, pathTo(path, 'parent_id')),
    ids: Object.freeze(eachIn(raw.ids, pathTo(path, 'ids'), nameOf)),
  })
}

/** Numbers are what JSON.parse would give, as in the record that was written. */
function readNode(value: unknown, path: string): JsonObject {
  const node: JsonObject = Object.fromEntries(mapOf(withoutBigints(value as JsonValue), path))
  nameOf(node['id'], pathTo(path, 'id'))
  return Object.freeze(node)
}

/** A place in the thread for each node, in its order. */
function readIndexes(value: unknown, count: number): readonly number[] {
  const path = 'thread_indexes'
  const indexes = eachIn(value, path, countOf)
  if (indexes.length !== count) throw fault(path, 'There is one index for each of the nodes.')
  const at = indexes.findIndex((index, i) => i > 0 && index <= indexes[i - 1]!)
  if (at >= 0) throw fault(`${path}[${at}]`, 'The nodes stand in the order of the thread.')
  return Object.freeze(indexes)
}

function readEnd(value: unknown, status: AttemptStatus): string | null {
  const end = orNull(value, 'ended_at', timeOf)
  if ((end === null) === (status === 'running')) return end
  throw fault('ended_at', 'An attempt that runs has no end, and any other one has.')
}

function readError(value: unknown, status: AttemptStatus): Readonly<{ error?: AttemptError }> {
  if ((value !== undefined) !== (status === 'error')) {
    throw fault('error', 'An attempt that failed says why, and no other one does.')
  }
  if (value === undefined) return {}
  const raw = objectWith(value, 'error', ['message', 'name'] as const)
  return {
    error: Object.freeze({ name: nameOf(raw.name, 'error.name'), message: textOf(raw.message, 'error.message') }),
  }
}

function orNull<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): T | null {
  return value === null ? null : read(value, path)
}

function countOf(value: unknown, path: string): number {
  return integerOf(value, path, 0)
}

/** As isoTime writes it, of any year. */
function timeOf(value: unknown, path: string): string {
  const text = textOf(value, path)
  if (/^(?:\d{4}|[+-]\d{6,})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(text)) return text
  throw fault(path, 'A time such as 2026-01-31T12:00:00.000000000Z is expected here.')
}

function hashOf(value: unknown, path: string): string {
  const text = textOf(value, path)
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw fault(path, 'A SHA-256 is expected here, 64 small hexadecimal digits.')
}

function lensOf(value: unknown, path: string): Lens {
  const text = textOf(value, path)
  if (/^(?:working|preview|@t[+-]?\d+|@c\d+)$/.test(text)) return text as Lens
  throw fault(path, 'A lens is expected here.')
}
