// What a store says when something cannot be done.

import { PactError, short, type ErrorDetails } from '../errors/index.js'

/** Whether it is certain that nothing was written. */
export type Outcome = 'failed' | 'unknown'

export function storeFault(message: string, outcome: Outcome, details: ErrorDetails = {}, cause?: unknown): PactError {
  return new PactError('E_STORE', message, { outcome, ...details }, cause === undefined ? {} : { cause })
}

/** Whether a call may have been done all the same. */
export function isUnknown(error: unknown): boolean {
  return !PactError.is(error) || error.code !== 'E_STORE' || error.details['outcome'] === 'unknown'
}

/** What is said after a commit of which nobody knows whether it was written. */
export function unsure(id: string, cycle: number, cause: unknown): PactError {
  const message = `Nobody knows whether cycle ${cycle} of ${id} was written: ${messageOf(cause)} Call commit() again: it finds out, and does not commit twice.`
  const reason = PactError.is(cause) ? cause.details['reason'] : undefined
  return storeFault(message, 'unknown', { cycle, ...(reason === undefined ? {} : { reason }) }, cause)
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the database did not answer.'
}

export function taken(id: string): PactError {
  return new PactError('E_CONFLICT', `There is a context ${short(id)} already; open it, or choose another id.`, { id })
}

export function missing(id: string): PactError {
  return new PactError('E_STORE', `There is no context ${short(id)} in this store.`, {
    id,
    outcome: 'failed',
    reason: 'missing',
  })
}
