// What code of the caller's throws, where a call meets it: their clock, their ids, a getter or a proxy in what they pass. One
// rule for all of it: a PactError with the original as its cause. A PactError of theirs passes as it is.

import type { ErrorCode } from './codes.js'
import { describe, short } from './describe.js'
import { PactError, type ErrorDetails } from './pact-error.js'

/** Makes of what was thrown what a call may throw; `what` begins the sentence. */
export function foreignError(thrown: unknown, code: ErrorCode, what: string, details: ErrorDetails): PactError {
  if (PactError.is(thrown)) return thrown
  return new PactError(code, `${what}: ${messageOf(thrown)}`, details, { cause: thrown })
}

/** Calls a function of the caller's that an option gave. */
export function callOption<T>(name: string, call: () => T): T {
  try {
    return call()
  } catch (thrown) {
    throw foreignError(thrown, 'E_CONTENT_INVALID', `The option ${name} failed`, { name })
  }
}

/** The first line of what was thrown, even of what cannot be read. */
function messageOf(thrown: unknown): string {
  try {
    const { message } = thrown as Readonly<{ message?: unknown }>
    if (typeof message === 'string') return short(message.split('\n', 1)[0]!)
    return describe(thrown)
  } catch {
    return 'something was thrown that cannot be read.'
  }
}
