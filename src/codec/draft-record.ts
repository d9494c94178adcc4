// A saved part of an open cycle as canonical JSON bytes, for a store to write and to read again.

import type { DraftRecord, SavedEdit, Stamp } from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { COUNTERS, OPENING, readStart, startOf } from './commit-record.js'
import {
  cycle,
  digits,
  encodeRecord,
  flag,
  integer,
  list,
  mapped,
  name,
  optional,
  parseRecord,
  plainObject,
  record,
  some,
  tuple,
  type Form,
} from './forms.js'
import { Scope, type BodyReader, type BodyWriter } from './scope.js'

const STAMP: Form<Stamp> = mapped(
  tuple<Omit<Stamp, 'cycle'>>({ id: name, createdAtNs: digits, creationIndex: integer() }),
  ({ id, createdAtNs, creationIndex }) => ({ id, createdAtNs, creationIndex }),
  // The scope has the cycle before the open one, as for every record that has an opening.
  (stamp, _path, scope) => ({ ...stamp, cycle: scope.cycle + 1 }),
)

/** The fields are checked when the edit is made again, so they are not copied here. */
const OPERATION: Form<SavedEdit['operation']> = { write: canonicalJson, read: plainObject }

const EDIT: Form<SavedEdit> = tuple<SavedEdit>({ operation: OPERATION, stamps: list(STAMP), isJoined: flag }, 1)

const DRAFT = record<DraftRecord>({
  cycle,
  base: optional(OPENING),
  edits: some(EDIT),
  order: some(name),
  counters: COUNTERS,
})

/** E_CONTENT_INVALID if an operation nests too deep for one JSON value. */
export function encodeDraft(draft: DraftRecord): Uint8Array {
  return encodeRecord(DRAFT, draft, new Scope<BodyWriter>(undefined, startOf(draft.base)))
}

export function decodeDraft(bytes: Uint8Array): DraftRecord {
  const raw = plainObject(parseRecord(bytes), '')
  const open = cycle.read(raw['cycle'], 'cycle', new Scope<BodyReader>(undefined, 0n))
  return DRAFT.read(raw, '', new Scope<BodyReader>(undefined, readStart(raw['base']), open - 1))
}
