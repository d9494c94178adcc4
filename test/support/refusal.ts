// The code that a call is refused with.

import { PactError } from 'pact-context'

export function refusal(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (PactError.is(error)) return error.code
    throw error
  }
}
