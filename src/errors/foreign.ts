// Errors of the caller's code that a call runs: their clock, their ids, a getter or a proxy in an argument. Each becomes the cause of a
// PactError. A PactError of theirs passes unchanged.

import type { ErrorCode } from './codes.js'
import { PactError, type ErrorDetails } from './pact-error.js'

/** Wraps a foreign error. The message repeats nothing of it, since it may be secret and messages travel. */
export function foreignError(thrown: unknown, code: ErrorCode, message: string, details: ErrorDetails): PactError {
  return PactError.is(thrown) ? thrown : new PactError(code, message, details, { cause: thrown })
}

/** Calls a function of the caller's that an option gave. */
export function callOption<T>(name: string, call: () => T): T {
  try {
    return call()
  } catch (thrown) {
    throw foreignError(
      thrown,
      'E_CONTENT_INVALID',
      `The option ${name} threw; the cause of this error is what it threw.`,
      {
        name,
      },
    )
  }
}
