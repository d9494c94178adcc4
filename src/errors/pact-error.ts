// The one error class: callers branch on `code`, people read `message`, machines read `details` (D40).

import type { ErrorCode } from './codes.js'

/** The facts of a failure for programs; flat, and JSON all the way down. */
export type ErrorDetails = Readonly<Record<string, unknown>>

// A registered symbol, not instanceof: two loaded copies of the package still know each other's errors.
const BRAND = Symbol.for('pact-context.error')

export class PactError extends Error {
  readonly code: ErrorCode
  declare readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { readonly cause?: unknown }) {
    super(bounded(message), options)
    this.name = 'PactError'
    this.code = code
    // Enumerable only if it is not empty, since a terminal shows enumerable fields.
    const value = Object.freeze({ ...details })
    Object.defineProperty(this, 'details', { value, enumerable: Object.keys(value).length > 0 })
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for a PactError, also for one of another copy of the package. */
  static is(value: unknown): value is PactError {
    if (typeof value !== 'object' || value === null) return false
    try {
      return (value as Record<symbol, unknown>)[BRAND] === true
    } catch {
      // A proxy that does not let itself be read.
      return false
    }
  }

  /** Gives `{ error: { code, message, details } }`; a stack never leaves the process this way. */
  toJSON(): { error: { code: ErrorCode; message: string; details: ErrorDetails } } {
    return { error: { code: this.code, message: this.message, details: this.details } }
  }
}

/** A message that quotes a caller's text keeps its beginning and its advice, however long the text is. */
function bounded(message: string): string {
  return message.length <= LONGEST ? message : `${message.slice(0, 500)} … ${message.slice(-300)}`
}

const LONGEST = 1000
