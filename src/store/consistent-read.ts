// Consistent reads. A commit only adds rows, but an erasure or a retention rewrites rows while they are read, and a
// deletion removes them. The row of the context shows both: its epoch changes, or it is gone. So that row is read again
// after every load.

import { PactError, short } from '../errors/index.js'
import { changedSince } from './audit.js'
import { storeFault } from './fault.js'
import { moveOf, movedError } from './moved.js'
import type { ContextRow, Rows } from './rows.js'

/** Reads of a context that changes during each of them. */
export const TRIES = 20

/** The value, or the current row of the context if the read may mix two states. */
export type ConsistentRead<T> =
  | Readonly<{ isConsistent: true; value: T }>
  | Readonly<{ isConsistent: false; now: ContextRow | undefined }>

/** Reads data of a context and its ancestors. An error counts only if the context is unchanged. */
export async function readConsistently<T>(
  rows: Rows,
  row: ContextRow,
  read: () => Promise<T>,
): Promise<ConsistentRead<T>> {
  const [result] = await Promise.allSettled([read()])
  const now = await rows.byNumber(row.ctx)
  if (now?.epoch !== row.epoch) return { isConsistent: false, now }
  if (result.status === 'rejected') throw result.reason
  return { isConsistent: true, value: result.value }
}

/** The same for an open context: E_CONFLICT if the stored context has changed since it was opened. */
export async function readOrConflict<T>(
  rows: Rows,
  row: ContextRow,
  undone: string,
  read: () => Promise<T>,
): Promise<T> {
  const result = await readConsistently(rows, row, read)
  if (result.isConsistent) return result.value
  throw await conflictError(rows, row, result.now, undone, { head: result.now?.head ?? null })
}

/** E_CONFLICT for a context that others have changed since it was opened. `undone` starts the message. */
export async function conflictError(
  rows: Rows,
  row: ContextRow,
  now: ContextRow | undefined,
  undone: string,
  details: Readonly<{ cycle?: number; head: number | null }>,
): Promise<PactError> {
  const moved = now === undefined || now.epoch === row.epoch ? undefined : await moveOf(rows, now)
  if (moved !== undefined) return movedError(row.id, moved, { undone, details })
  const reason = now === undefined ? 'deleted' : now.epoch === row.epoch ? 'stale' : await changedSince(rows, row)
  const why = {
    deleted: 'It was deleted meanwhile',
    stale: `Another writer has committed up to cycle ${now?.head}`,
    erased: 'Something in it was erased meanwhile',
    thinned: 'Its past, or one that it shares, was thinned out meanwhile',
  }[reason]
  const advice =
    reason === 'deleted'
      ? 'The edits are still here.'
      : 'The edits are still here: call rebase() to repeat them on the current state, and try again.'
  return new PactError('E_CONFLICT', `${undone}: ${why}. ${advice}`, { ...details, reason })
}

/** E_STORE for a context that changed during each of many reads. */
export function busyContext(id: string): PactError {
  const message = `The context ${short(id)} changed each time while it was being read; try again.`
  return storeFault(message, 'failed', { id, reason: 'busy' })
}
