// Assertions without a test runner. Each throws a sentence with the expected and the actual value.

import { createHash } from 'node:crypto'
import { inspect, isDeepStrictEqual } from 'node:util'

import { PactError, type ErrorCode } from 'pact-context'

/** Longer bytes are shown and compared by their hash. */
const SHOWN = 64

/** Expects two values to be equal; bytes are compared as bytes, whatever their class. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [came, wanted] = [plain(actual), plain(expected)]
  if (isDeepStrictEqual(came, wanted)) return
  throw new Error(`${what}: expected ${shown(wanted)}, not ${shown(came)}.`)
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}.`)
}

/** Expects a call to be refused with this code, and returns the error. */
export async function refused(call: () => unknown, code: ErrorCode, what: string): Promise<PactError> {
  let came: unknown
  try {
    came = await call()
  } catch (error) {
    if (PactError.is(error) && error.code === code) return error
    throw new Error(`${what}: expected ${code}, not ${asSentence(error)}`, { cause: error })
  }
  throw new Error(`${what}: expected ${code}, but it was done, and gave ${shown(plain(came))}.`)
}

/** Expects a call to throw synchronously with this code, and returns the error. */
export function refusedAtOnce(call: () => unknown, code: ErrorCode, what: string): void {
  try {
    call()
  } catch (error) {
    if (PactError.is(error) && error.code === code) return
    throw new Error(`${what}: expected ${code}, not ${asSentence(error)}`, { cause: error })
  }
  throw new Error(`${what}: expected ${code}, but it was done.`)
}

/** Returns the value; throws if it is undefined. */
export function there<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what}: expected something, but nothing is there.`)
  return value
}

export function asSentence(error: unknown): string {
  if (PactError.is(error)) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : shown(error)
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesText(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]))
}

function bytesText(bytes: Uint8Array): string {
  const text =
    bytes.length > SHOWN
      ? `sha256 ${createHash('sha256').update(bytes).digest('hex')}`
      : Buffer.from(bytes).toString('hex')
  return `${bytes.length} bytes: ${text}`
}

function shown(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 500 })
}
