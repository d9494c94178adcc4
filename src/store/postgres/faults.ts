// What errors of PostgreSQL and of the way to it mean to whoever called, and what to do about them.

import { PactError } from '../../errors/index.js'
import { storeFault, type Outcome } from '../fault.js'

/** Thrown inside a transaction to leave everything as it was; nobody else sees it. */
export const ROLLBACK: Error = new Error('rollback')

/** What was refused because others were at it, and is to be tried again: nothing of it was done. */
export function isRefusedForNow(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** Whether the server is gone, or no longer talks to us: what was sent may have been done. */
export function isLost(error: unknown): boolean {
  if (error === ROLLBACK || PactError.is(error) || error instanceof TypeError) return false
  const code = codeOf(error)
  // Without a code it is the driver that speaks: the connection ended, or nobody answered in time.
  if (code === undefined || code === '40003') return true
  // Shut down, an inner error, or an error of the system under it; or a name such as ECONNRESET.
  return !/^[0-9A-Z]{5}$/.test(code) || /^(?:08|57P|58|XX)/.test(code) || isFatal(error)
}

/** Whether the driver knew, before it sent anything, that the connection had ended. */
export function isUnsent(error: unknown): boolean {
  return codeOf(error) === undefined && error instanceof Error && error.message.includes('not queryable')
}

/** Whether to try again to connect: the server is starting, stopping or full, or not there at the moment. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return /^(?:57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE)$/.test(code) || (code === '' && isLost(error))
}

export function isTaken(error: unknown): boolean {
  // Who makes a table in the same moment is told of its name, of its type, or of a row in a catalogue.
  return ['23505', '42P07', '42710'].includes(codeOf(error) ?? '')
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01'
}

type Sentence = Readonly<{ reason: string; say: (name: string) => string }>

const SENTENCES: readonly (readonly [RegExp, Sentence])[] = [
  [
    /^(?:40001|40P01|55P03)$/,
    {
      reason: 'busy',
      say: (name) => `Others write into ${name}, and it did not become free in time; try again.`,
    },
  ],
  [
    /^57014$/,
    {
      reason: 'busy',
      say: (name) => `${name} did not do it in time, and was told to stop; try again.`,
    },
  ],
  [
    /^(?:28|42501)/,
    {
      reason: 'not-allowed',
      say: (name) => `${name} does not allow it; check the user, the password and what was granted.`,
    },
  ],
  [/^3D000$/, { reason: 'cannot-open', say: (name) => `There is no database ${name}; create it first.` }],
  [/^53100$/, { reason: 'full', say: (name) => `The disk of ${name} is full; make room and try again.` }],
  [/^53300$/, { reason: 'busy', say: (name) => `${name} takes no more connections; try again.` }],
  [/^25006$/, { reason: 'read-only', say: (name) => `${name} cannot be written; it may be a replica.` }],
]

/** The error in our words. */
export function faultOf(error: unknown, name: string, outcome: Outcome): PactError {
  if (PactError.is(error)) return error
  const code = codeOf(error)
  const details = code === undefined ? {} : { postgres: code }
  const known = SENTENCES.find(([codes]) => codes.test(code ?? ''))?.[1]
  if (known !== undefined) return storeFault(known.say(name), outcome, { reason: known.reason, ...details }, error)
  if (isLost(error)) {
    const message =
      outcome === 'unknown'
        ? `The connection to ${name} was lost before it answered.`
        : `${name} cannot be reached; check the address, and whether the server is running.`
    return storeFault(message, outcome, { reason: 'connection', ...details }, error)
  }
  const message = `PostgreSQL refused something that it should not have: ${error instanceof Error ? error.message : String(error)}`
  return storeFault(message, outcome, { reason: 'driver', ...details }, error)
}

/** What the server said, or the system. Ours carries it as its cause. */
function codeOf(error: unknown): string | undefined {
  const from = PactError.is(error) ? error.cause : error
  if (typeof from !== 'object' || from === null || !('code' in from)) return undefined
  return typeof from.code === 'string' ? from.code : undefined
}

/** Some languages have other words for it, so this only adds to what the code says. */
function isFatal(error: unknown): boolean {
  const severity = typeof error === 'object' && error !== null && 'severity' in error ? error.severity : undefined
  return severity === 'FATAL' || severity === 'PANIC'
}
