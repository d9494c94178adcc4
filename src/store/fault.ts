// What a store says when something cannot be done.

import { PactError, type ErrorDetails } from '../errors/index.js'

/** Whether it is certain that nothing was written. */
export type Outcome = 'failed' | 'unknown'

export function storeFault(message: string, outcome: Outcome, details: ErrorDetails = {}, cause?: unknown): PactError {
  return new PactError('E_STORE', message, { outcome, ...details }, cause === undefined ? {} : { cause })
}

/** Whether a call may have been done all the same. */
export function isUnknown(error: unknown): boolean {
  return !PactError.is(error) || error.code !== 'E_STORE' || error.details['outcome'] === 'unknown'
}
