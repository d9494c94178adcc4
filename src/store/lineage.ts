// Reads the rows of a context and of its ancestors. A fork has rows of its own from where it left its parent, so a
// history is a list of parts, the oldest ancestor first. Every row is checked against its predecessor as it is read.

import { decodeCheckpoint, decodeCommitRecord } from '../codec/index.js'
import type { WrittenRecord } from '../context/persistence.js'
import type { Checkpoint, CommitRecord } from '../core/index.js'
import { replayCommit, Timeline, timelineFrom } from '../timeline/index.js'
import { sameBytes } from './compare.js'
import { rowsOf } from './pack.js'
import { checkedBodies, damaged, NO_HASH } from './row.js'
import type { ContextKey, ContextRow, Row, Rows } from './rows.js'
import { checkSeal } from './seal.js'

/** The rows of one context in a lineage, up to the cycle `to`. */
export type LineagePart = Readonly<{ context: ContextRow; to: number }>

/** A row and the hash of its predecessor. */
export type Link = Readonly<{ context: ContextRow; row: Row; after: Uint8Array }>

/** Fork cycle of a fork that left before its parent's first commit, and so shares no snapshot. */
export const NOT_SHARED = -1

/** The lineage of a context, oldest ancestor first. Every context is checked against its seal. */
export async function lineageOf(rows: Rows, context: ContextRow): Promise<readonly LineagePart[]> {
  checkSeal(context)
  const lineage: LineagePart[] = [{ context, to: context.head }]
  const seen = new Set([context.ctx])
  for (;;) {
    const { context: oldest, to } = lineage[0]!
    const { parent } = oldest
    if (parent === undefined || parent.cycle === NOT_SHARED) return lineage
    const row = await rows.byNumber(parent.ctx)
    if (row === undefined) throw damaged(parent.cycle, 'the context that this one is a fork of is gone')
    if (seen.has(row.ctx)) throw damaged(parent.cycle, 'the context that this one is a fork of comes from itself')
    seen.add(row.ctx)
    checkSeal(row)
    // A fork may have left before its parent's own first row. Then the parent contributes no rows, and older ancestors
    // end at the same cycle.
    lineage.unshift({ context: row, to: Math.min(parent.cycle, to) })
  }
}

/** The row of a cycle, from the context itself or an ancestor; E_STORE if it is missing. */
export async function sharedRow(rows: Rows, context: ContextRow, cycle: number): Promise<Row> {
  for (const { context: each } of (await lineageOf(rows, context)).toReversed()) {
    const row = each.first <= cycle ? await rowAt(rows, each.ctx, cycle) : undefined
    if (row !== undefined) return row
  }
  throw damaged(cycle, 'it is not there')
}

/** Position of a snapshot that is already loaded: index of the lineage part, and cycle. */
export type LoadedSnapshot = Readonly<{ part: number; cycle: number }>

/**
 * Yields all rows of a lineage with their predecessors' hashes, including the first rows of forks. With `known`, only
 * the rows after that snapshot.
 */
export async function* linksOf(
  rows: Rows,
  lineage: readonly LineagePart[],
  known?: LoadedSnapshot,
): AsyncGenerator<Link, void, undefined> {
  let after: Uint8Array = NO_HASH
  for (const [i, { context, to }] of lineage.entries()) {
    if (known !== undefined && i < known.part) continue
    const since = i === known?.part ? known.cycle : undefined
    // The row of the known snapshot is read too: the next row is chained to it.
    for await (const row of rowsBetween(rows, context.ctx, since ?? context.first, to)) {
      if (row.cycle === context.first) checkFirst(context, row)
      if (since === undefined || row.cycle > since) yield { context, row, after }
      after = row.hash
    }
  }
}

/** A chain can be intact and still belong to another context. */
function checkFirst(context: ContextRow, { cycle, hash }: Row): void {
  const expected = checkSeal(context)
  if (expected !== undefined && !sameBytes(expected, hash))
    throw damaged(cycle, 'it is the first row of another context')
}

/** Rows read per query; bounds the memory for packs. */
const STEP = 2048

/** Yields the rows of these cycles in order; E_STORE if one is missing. */
export async function* rowsBetween(
  rows: Rows,
  ctx: ContextKey,
  from: number,
  to: number,
): AsyncGenerator<Row, void, undefined> {
  let next = from
  while (next <= to) {
    const last = Math.min(to, next + STEP - 1)
    const { packs, rows: alone } = await rows.read(ctx, next, last)
    const found = [...packs.flatMap(rowsOf), ...alone]
      .filter(({ cycle }) => cycle >= next && cycle <= last)
      .sort((a, b) => a.cycle - b.cycle)
    for (const row of found) {
      // A row can be both packed and single if a process died while packing.
      if (row.cycle < next) continue
      if (row.cycle !== next) throw damaged(next, 'it is not there')
      yield row
      next++
    }
    if (next <= last) throw damaged(next, 'it is not there')
  }
}

/** The row of a cycle, if it exists. */
export async function rowAt(rows: Rows, ctx: ContextKey, cycle: number): Promise<Row | undefined> {
  const { packs, rows: alone } = await rows.read(ctx, cycle, cycle)
  return [...packs.flatMap(rowsOf), ...alone].find((row) => row.cycle === cycle)
}

/** A record for the engine. The hash is checked now; decoding waits until the previous snapshot is available. */
export function recordOf({ context, row, after }: Link): WrittenRecord {
  const bodies = checkedBodies(row, after)
  return (before) =>
    row.cycle === context.first
      ? decodeCheckpoint(row.changes, bodies.reader(before))
      : decodeCommitRecord(row.changes, bodies.reader(before))
}

// ---- Replay

/** The newest snapshot and its predecessor. */
export const REPLAYED_SNAPSHOTS = 2

/** Decodes a record, which may refer to the newest snapshot of the timeline. */
export function decodeRecord(timeline: Timeline | undefined, written: WrittenRecord): Checkpoint | CommitRecord {
  const newest = timeline?.newest ?? 0
  return typeof written === 'function' ? written((id) => timeline?.find(id, newest)) : written
}

/** Applies a record and returns the timeline. */
export function replay(timeline: Timeline | undefined, record: Checkpoint | CommitRecord): Timeline {
  if ('cycle' in record) replayCommit(timeline!, record)
  else if (timeline === undefined) {
    return record.snapshot === undefined
      ? Timeline.empty(REPLAYED_SNAPSHOTS)
      : timelineFrom(record.snapshot, REPLAYED_SNAPSHOTS)
  }
  return timeline!
}
