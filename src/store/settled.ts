// A distributed database may acknowledge a write before every node shows it: one node has promised its part but not
// applied it yet. Until then the database shows an older state. That is neither a conflict nor damage, so readers wait
// for it.

import { setTimeout as pause } from 'node:timers/promises'

import { short, type ErrorDetails, type PactError } from '../errors/index.js'
import { storeFault, type Outcome } from './fault.js'
import type { ContextKey, ContextRow, Rows } from './rows.js'

const LEAST_LOOKS = 4
const LONGEST_PAUSE = 250

/** The newest state of a context that this process has seen. */
type Seen = Readonly<{ ctx: ContextKey; id: string; head: number; epoch: number }>

/**
 * The current row of a context, at least as new as `seen`; undefined if it was deleted. E_STORE with the reason
 * 'unsettled' if it stays older.
 */
export async function settledRow(rows: Rows, seen: Seen): Promise<ContextRow | undefined> {
  let now: ContextRow | undefined
  const isSettled = await pollUntil(async () => {
    now = await rows.byNumber(seen.ctx)
    return now === undefined || (now.head >= seen.head && now.epoch >= seen.epoch)
  }, rows.patience)
  if (isSettled) return now
  const { head } = now!
  const what =
    head < seen.head
      ? `its newest cycle was ${seen.head}, and is ${head} now`
      : 'something was erased, and is here again'
  throw unsettled(seen.id, what, 'failed', { cycle: seen.head, head })
}

/** Polls until `isSettled` gives true, a few times at least. Returns false after `patience` milliseconds. */
export async function pollUntil(isSettled: () => Promise<boolean>, patience = 0): Promise<boolean> {
  const end = performance.now() + patience
  for (let looks = 0; ; looks++) {
    if (await isSettled()) return true
    const wait = Math.min(LONGEST_PAUSE, 2 ** looks)
    if (looks >= LEAST_LOOKS && performance.now() + wait > end) return false
    await pause(wait)
  }
}

/** E_STORE for a context of which the database shows an older state. */
export function unsettled(id: string, what: string, outcome: Outcome, details: ErrorDetails = {}): PactError {
  const message = `The context ${short(id)} is not settled yet, try again: ${what}. If it stays so, the database has lost something; run fsck.`
  return storeFault(message, outcome, { id, ...details, reason: 'unsettled' })
}
