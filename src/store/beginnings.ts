// How contexts come into a store: empty, as a fork of one that is there, or with a past from elsewhere.

import { encodeCheckpoint, encodeCommitRecord } from '../codec/index.js'
import type { Checkpoint } from '../core/index.js'
import { checkpointOf, historyOf, recordsAfter, type Parts } from '../context/index.js'
import type { CommitRecord } from '../core/index.js'
import { NOT_SHARED, sharedRow } from './past.js'
import { NO_HASH, RowWriter } from './row.js'
import { packOf } from './pack.js'
import type { ContextRow, NewContext, Pack, Row, Rows } from './rows.js'
import { attemptRow } from './written-attempts.js'
import { bounded, PACKED, TAIL } from './upkeep.js'

/** A context that has not committed anything. */
export function emptyContext(id: string, parts: Parts): NewContext {
  return { id, packs: [], rows: [beginning(checkpointOf(parts), 0, NO_HASH)] }
}

/** A fork of a stored context, whose past it shares as far as both have it. */
export async function forkOf(
  parts: Parts,
  { newest: shared }: Readonly<{ newest: number | undefined }>,
  parent: ContextRow,
  rows: Rows,
): Promise<NewContext> {
  const { newest } = parts.timeline
  const base = newest === undefined || shared === undefined ? undefined : Math.min(newest, shared)
  const from = {
    ctx: parent.ctx,
    cycle: base ?? NOT_SHARED,
    forks: parent.forks,
    family: parent.family,
    epoch: parent.epoch,
  }
  if (base === undefined) return { ...contextFrom(parts.id, parts), parent: from }
  const { hash } = await sharedRow(rows, parent, base)
  const { snapshot: _snapshot, ...checkpoint } = checkpointOf(parts)
  // Where the fork takes the commit along that its parent has not made, that tells how its cycle began.
  const opening = newest === base ? checkpoint.opening : undefined
  const first = beginning({ ...checkpoint, snapshot: undefined, base, opening }, base, hash, parts)
  return { id: parts.id, parent: from, packs: [], rows: [first, ...commits(parts, first, recordsAfter(parts, base))] }
}

/** A context with all the past that it has. */
export function contextFrom(id: string, parts: Parts): NewContext {
  const { checkpoint, records } = historyOf(parts)
  const { snapshot } = checkpoint
  // What is older is not brought along, so that for the store there never was any.
  const begun =
    snapshot === undefined ? checkpoint : { ...checkpoint, snapshot: { ...snapshot, first: snapshot.cycle } }
  const first = beginning(begun, snapshot?.cycle ?? 0, NO_HASH)
  const packs: Pack[] = []
  let rows: Row[] = [first]
  for (const row of commits(parts, first, records)) {
    rows.push(row)
    if (rows.length < TAIL) continue
    const packed = bounded(rows.slice(0, PACKED))
    packs.push(packOf(packed))
    rows = rows.slice(packed.length)
  }
  const attempts = parts.attempts.list().map((record) => attemptRow(record, WRITER))
  return { id, packs, rows, attempts, forks: parts.forks.given }
}

/** Who wrote the attempts that a context had before it was stored. */
const WRITER = 'put'

function beginning(checkpoint: Checkpoint, cycle: number, after: Uint8Array, parts?: Parts): Row {
  const writer = new RowWriter((id) => parts?.timeline.find(id, cycle))
  return writer.row(cycle, after, encodeCheckpoint(checkpoint, writer.bodies))
}

function* commits({ timeline }: Parts, first: Row, records: Iterable<CommitRecord>): Generator<Row, void, undefined> {
  let after = first.hash
  for (const record of records) {
    const { cycle } = record
    const writer = new RowWriter((id) => timeline.find(id, cycle - 1))
    const row = writer.row(cycle, after, encodeCommitRecord(record, writer.bodies))
    yield row
    after = row.hash
  }
}
