// What code of the caller's throws, where a call meets it: their clock, their ids, a getter or a proxy in what they pass. One
// rule for all of it: a PactError with the original as its cause. A PactError of theirs passes as it is.

import type { ErrorCode } from './codes.js'
import { PactError, type ErrorDetails } from './pact-error.js'

/** Makes of what was thrown what a call may throw. The message tells nothing of it: it may be secret, and messages travel. */
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
