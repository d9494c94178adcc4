// A commit as canonical JSON bytes, for a store to write and to read again. Bodies go to the store's `BodyWriter` if there is one, and else
// are part of the record.

import type { CommitRecord, ContextCounts, LeftOutKey, Opening, TreeChange } from '../core/index.js'
import {
  count,
  cycle,
  digits,
  encodeRecord,
  flag,
  integer,
  list,
  mapped,
  name,
  object,
  optional,
  parseRecord,
  plainObject,
  record,
  some,
  text,
  tuple,
  unlessEqual,
  type FieldTable,
  type Form,
} from './forms.js'
import { RECEIPT } from './receipt-form.js'
import { SCHEDULE_CHANGE } from './schedule-form.js'
import { Scope, type BodyReader, type BodyWriter } from './scope.js'
import { VERSIONS } from './version-list.js'

/** Bodies are numbered as they are written: versions come before schedules. */
const CHANGE_FIELDS: FieldTable<TreeChange> = {
  versions: VERSIONS,
  emptied: some(name),
  schedules: some(SCHEDULE_CHANGE),
}

/** A key, a code and a reason, followed by ids. */
const LEFT_OUT: Form<LeftOutKey> = mapped(
  list(text, 3),
  ({ key, code, reason, ids }) => [key, code, reason, ...ids],
  ([key, code, reason, ...ids]) => ({ key: key!, code: code!, reason: reason!, ids }),
)

export const COUNTERS: Form<Opening['counters']> = tuple<Opening['counters']>({
  idsGiven: count,
  indexesGiven: count,
  lastNs: digits,
})

const OPENING_TABLE = object<Opening>({
  ...CHANGE_FIELDS,
  counters: COUNTERS,
  opened: some(name),
  leftOut: some(LEFT_OUT),
})

/** The cycle after the one of the record. */
export const OPENING: Form<Opening> = {
  write: OPENING_TABLE.write,
  read: (value, path, scope) => OPENING_TABLE.read(value, path, scope.nextCycle()),
}

export const COUNT_FIELDS: FieldTable<ContextCounts> = { forks: unlessEqual(0, integer(1)), hasForeignIds: flag }
export const COUNT_NAMES = { hasForeignIds: 'foreign' } as const

const COMMIT = record<CommitRecord>(
  { cycle, change: object(CHANGE_FIELDS), opening: optional(OPENING), receipt: RECEIPT, ...COUNT_FIELDS },
  COUNT_NAMES,
)

export function encodeCommitRecord(commit: CommitRecord, bodies?: BodyWriter): Uint8Array {
  return encodeRecord(COMMIT, commit, new Scope(bodies, startOf(commit.opening)))
}

export function decodeCommitRecord(bytes: Uint8Array, bodies?: BodyReader): CommitRecord {
  const raw = plainObject(parseRecord(bytes), '')
  return COMMIT.read(raw, '', new Scope(bodies, readStart(raw['opening']), cycle.read(raw['cycle'], 'cycle', NO_SCOPE)))
}

/** The time that the times of a record are counted from: the last one of the opening. */
export function startOf(opening: Opening | undefined): bigint {
  return opening?.counters.lastNs ?? 0n
}

/** The same of an opening that is not read yet. */
export function readStart(opening: unknown): bigint {
  if (opening === undefined) return 0n
  return COUNTERS.read(plainObject(opening, 'opening')['counters'], 'opening.counters', NO_SCOPE).lastNs
}

const NO_SCOPE = new Scope<BodyReader>(undefined, 0n)
