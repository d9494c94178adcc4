// What a store says when something cannot be done.

import { PactError, short, type ErrorDetails } from '../errors/index.js'
import type { NewCommit } from './rows.js'

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

/** What is said to whoever wants to go on before that is known. */
export function unsureYet(id: string, cycle: number): PactError {
  const message = `Nobody knows yet whether cycle ${cycle} of ${id} was written; call commit() again, which finds out, and rebase then.`
  return new PactError('E_CONFLICT', message, { cycle, reason: 'unknown' })
}

/** What is said to whoever asks with a key of its own about a commit of which nobody knows whether it was written. */
export function otherKey(id: string, { row, answer }: Pick<NewCommit, 'row' | 'answer'>, key: string): PactError {
  const { cycle } = row
  const [has, how] =
    answer === undefined ? ['has no key', ' without one'] : [`has the key ${short(answer.key)}`, ' with that one']
  const message = `Nobody knows yet whether cycle ${cycle} of ${id} was written, and its commit ${has}, not ${short(key)}; call commit()${how} first, which finds out.`
  return new PactError('E_CONFLICT', message, { cycle, key: answer?.key ?? null, reason: 'key' })
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
