// The public form of a record. Its difference from a base is left out: the form would depend on later attempts and on whether the context was
// reopened, and `ctx.thread(id)` and `requestOf(id)` give what was sent.

import type { AttemptRecord, SentRecord } from '../core/index.js'

const SHOWN = new WeakMap<SentRecord, AttemptRecord>()

/** The record without its difference from a base; the same object for the same record. */
export function shownRecord(record: SentRecord): AttemptRecord {
  const known = SHOWN.get(record)
  if (known !== undefined) return known
  const {
    nodes: _nodes,
    thread_indexes: _indexes,
    absent_ids: _absent,
    base_attempt: _base,
    structure: _structure,
    ...shown
  } = record
  SHOWN.set(record, Object.freeze(shown))
  return shown
}
