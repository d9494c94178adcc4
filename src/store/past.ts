// The past of a context as its rows tell it. A fork has rows of its own from where it left, and before that its parent's, so a
// past is a row of stretches, the oldest ancestor's first. Every row is checked against the one before it as it is read.

import { decodeCheckpoint, decodeCommitRecord } from '../codec/index.js'
import type { WrittenRecord } from '../context/index.js'
import { checkedBodies, damaged, NO_HASH } from './row.js'
import { rowsOf } from './pack.js'
import type { ContextKey, ContextRow, Row, Rows } from './rows.js'

/** What one context of a line of descent has to tell: its rows up to a cycle. */
export type Stretch = Readonly<{ context: ContextRow; to: number }>

/** A row with the hash of the one before it. */
export type Link = Readonly<{ context: ContextRow; row: Row; after: Uint8Array }>

/** No snapshot of its parent is in a fork that left before the first commit. */
export const NOT_SHARED = -1

/** A context and those that it comes from, the oldest first. */
export async function stretchesOf(rows: Rows, context: ContextRow): Promise<readonly Stretch[]> {
  const stretches: Stretch[] = [{ context, to: context.head }]
  const met = new Set([context.ctx])
  for (;;) {
    const { context: oldest, to } = stretches[0]!
    const { parent } = oldest
    if (parent === undefined || parent.cycle === NOT_SHARED) return stretches
    const row = await rows.byNumber(parent.ctx)
    if (row === undefined) throw damaged(parent.cycle, 'the context that this one is a fork of is gone')
    if (met.has(row.ctx)) throw damaged(parent.cycle, 'the context that this one is a fork of comes from itself')
    met.add(row.ctx)
    // A fork may have left where its parent did not live yet: then that has nothing to tell, and those before it no more than this.
    stretches.unshift({ context: row, to: Math.min(parent.cycle, to) })
  }
}

/** The row of a snapshot that a context shows: its own, or that of whoever it comes from. */
export async function sharedRow(rows: Rows, context: ContextRow, cycle: number): Promise<Row> {
  for (const { context: each } of (await stretchesOf(rows, context)).toReversed()) {
    const row = each.first <= cycle ? await rowAt(rows, each.ctx, cycle) : undefined
    if (row !== undefined) return row
  }
  throw damaged(cycle, 'it is not there')
}

/** A snapshot that is known already: of which of the stretches, and of which cycle. */
export type Known = Readonly<{ stretch: number; cycle: number }>

/** All links, those by which forks begin included; after a snapshot that is known, if there is one. */
export async function* linksOf(
  rows: Rows,
  stretches: readonly Stretch[],
  known?: Known,
): AsyncGenerator<Link, void, undefined> {
  let after: Uint8Array = NO_HASH
  for (const [i, { context, to }] of stretches.entries()) {
    if (known !== undefined && i < known.stretch) continue
    const since = i === known?.stretch ? known.cycle : undefined
    // The row of a known snapshot is read as well: the one behind it is chained to it.
    for await (const row of rowsBetween(rows, context.ctx, since ?? context.first, to)) {
      if (since === undefined || row.cycle > since) yield { context, row, after }
      after = row.hash
    }
  }
}

/** How many rows are read at once: packs are taken out of the database a few at a time. */
const STEP = 2048

/** The rows of these cycles, every one of which there is. */
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
      // A row stands in a pack and alone for a moment where a process died between the two.
      if (row.cycle < next) continue
      if (row.cycle !== next) throw damaged(next, 'it is not there')
      yield row
      next++
    }
    if (next <= last) throw damaged(next, 'it is not there')
  }
}

/** One row, if there is such. */
export async function rowAt(rows: Rows, ctx: ContextKey, cycle: number): Promise<Row | undefined> {
  const { packs, rows: alone } = await rows.read(ctx, cycle, cycle)
  return [...packs.flatMap(rowsOf), ...alone].find((row) => row.cycle === cycle)
}

/** A link as the engine takes it: checked now, and read when what it builds on is there. */
export function recordOf({ context, row, after }: Link): WrittenRecord {
  const bodies = checkedBodies(row, after)
  return (before) =>
    row.cycle === context.first
      ? decodeCheckpoint(row.changes, bodies.reader(before))
      : decodeCommitRecord(row.changes, bodies.reader(before))
}
