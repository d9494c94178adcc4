// Builds the first rows of a new context: an empty one, a fork of a stored one, or one with imported history.

import { encodeCheckpoint, encodeCommitRecord } from '../codec/index.js'
import { checkpointOf, historyOf, recordsAfter, type Parts } from '../context/persistence.js'
import type { Checkpoint, CommitRecord } from '../core/index.js'
import { attemptRow } from './attempt-rows.js'
import { AbortableLoop } from './event-loop.js'
import { NOT_SHARED, sharedRow } from './lineage.js'
import { packOf } from './pack.js'
import { NO_HASH, RowWriter } from './row.js'
import type { ContextRow, NewContext, Pack, Row, Rows } from './rows.js'
import { contextSeal, resealed } from './seal.js'
import { bounded, PACKED, TAIL } from './upkeep.js'

/** A context without commits. */
export function emptyContext(id: string, parts: Parts): NewContext {
  const first = firstRow(checkpointOf(parts), 0, NO_HASH)
  return { id, packs: [], rows: [first], seal: contextSeal(first.hash, { id, first: 0, forks: 0, epoch: 0 }) }
}

/** A fork of a stored context. It stores only the rows after the newest cycle that both have. */
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
    seal: resealed(parent, { forks: parent.forks + 1 }),
  }
  if (base === undefined) return contextWithHistory(parts.id, parts, { parent: from })
  const { hash } = await sharedRow(rows, parent, base)
  const { snapshot: _snapshot, ...checkpoint } = checkpointOf(parts)
  // If the fork includes a commit that its parent lacks, that commit's row already records the opening.
  const opening = newest === base ? checkpoint.opening : undefined
  const first = firstRow({ ...checkpoint, snapshot: undefined, base, opening }, base, hash, parts)
  const { id } = parts
  const seal = contextSeal(first.hash, { id, parent: from, first: base, forks: 0, epoch: from.epoch })
  return { id, parent: from, packs: [], rows: [first, ...commitRows(parts, first, recordsAfter(parts, base))], seal }
}

/**
 * A context with its whole in-memory history. With a parent, it is a fork that shares no rows. With a signal, the work
 * yields to the event loop and stops when the signal is aborted.
 */
export async function contextWithHistory(
  id: string,
  parts: Parts,
  { parent, signal }: Readonly<{ parent?: NewContext['parent']; signal?: AbortSignal | undefined }> = {},
): Promise<NewContext> {
  const loop = new AbortableLoop(signal)
  const { checkpoint, records } = historyOf(parts)
  const { snapshot } = checkpoint
  // Older history stays behind, so the stored history starts at this snapshot.
  const begun =
    snapshot === undefined ? checkpoint : { ...checkpoint, snapshot: { ...snapshot, first: snapshot.cycle } }
  const first = firstRow(begun, snapshot?.cycle ?? 0, NO_HASH)
  const packs: Pack[] = []
  let rows: Row[] = [first]
  for (const row of commitRows(parts, first, records)) {
    rows.push(row)
    // Yield only if there is a signal. Without one, the history is read synchronously, so no other code can change it
    // meanwhile.
    if (signal !== undefined) await loop.step()
    if (rows.length < TAIL) continue
    const packed = bounded(rows.slice(0, PACKED))
    packs.push(packOf(packed))
    rows = rows.slice(packed.length)
  }
  const forks = parts.forks.given
  const seal = contextSeal(first.hash, { id, parent, first: first.cycle, forks, epoch: parent?.epoch ?? 0 })
  const attempts = parts.attempts.list().map((record) => attemptRow({ seal }, record, WRITER))
  return { id, parent, packs, rows, attempts, forks, seal }
}

/** Writer name of attempts that the context had before it was stored. */
const WRITER = 'put'

function firstRow(checkpoint: Checkpoint, cycle: number, after: Uint8Array, parts?: Parts): Row {
  const writer = new RowWriter((id) => parts?.timeline.find(id, cycle))
  return writer.row(cycle, after, encodeCheckpoint(checkpoint, writer.bodies))
}

/** The row of a commit, after the row with this hash. */
export function commitRow(timeline: Parts['timeline'], after: Uint8Array, record: CommitRecord): Row {
  const { cycle } = record
  const writer = new RowWriter((id) => timeline.find(id, cycle - 1))
  return writer.row(cycle, after, encodeCommitRecord(record, writer.bodies))
}

function* commitRows(
  { timeline }: Parts,
  first: Row,
  records: Iterable<CommitRecord>,
): Generator<Row, void, undefined> {
  let after = first.hash
  for (const record of records) {
    const row = commitRow(timeline, after, record)
    yield row
    after = row.hash
  }
}
