// Errors of public calls (D40): always a PactError, with the original error as its cause.

import { describe, expect, it } from 'vitest'

import { asCall, showCallers } from './caller.js'
import { PactError } from './pact-error.js'

const thrown = new TypeError('x is not a function')
const fail = (): never => {
  throw thrown
}
const { method } = showCallers({ method: (_given?: unknown): never => fail() })

describe('an error that is no PactError', () => {
  it('comes from what was passed, where anything was that can throw', () => {
    const error = errorOf(() => method({}))
    expect([error.code, error.cause, error.details]).toEqual(['E_CONTENT_INVALID', thrown, { name: 'method' }])
    expect(error.message).toBe(
      'method() could not read its arguments; the cause of this error is what reading them threw.',
    )
    expect(errorOf(() => asCall(fail, fail)).code).toBe('E_CONTENT_INVALID')
  })

  it('is a bug of ours, where nothing was', () => {
    const error = errorOf(() => method('text'))
    expect([error.code, error.cause]).toEqual(['E_INTERNAL', thrown])
    expect(error.message).toBe('method() failed by a bug in pact-context; the cause of this error tells where.')
  })
})

describe('a message', () => {
  it('keeps its beginning and its end, however long it is', () => {
    const { message } = new PactError('E_STORE', `There is no ${'9'.repeat(1e6)}; write something else.`)
    expect(message.length).toBeLessThan(1000)
    expect(message).toMatch(/^There is no 9+ … 9+; write something else\.$/)
  })
})

function errorOf(call: () => unknown): PactError {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
  }
  throw new Error('No PactError was thrown.')
}
