// Classifies errors of PostgreSQL and of the connection, and words them for callers.

import { PactError } from '../../errors/index.js'
import { named, storeFault, type Outcome } from '../fault.js'
import { ROLLBACK } from '../sql/query.js'

/** True for serialization failures and deadlocks: nothing was done, retry. */
export function isRefusedForNow(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** True if the connection is lost: sent statements may have been done. */
export function isLost(error: unknown): boolean {
  if (error === ROLLBACK || PactError.is(error) || error instanceof TypeError) return false
  const code = codeOf(error)
  // Errors without a code come from the driver: the connection ended, or a timeout.
  if (code === undefined || code === '40003') return true
  // Shutdown, internal or system error; or a name such as ECONNRESET.
  return !/^[0-9A-Z]{5}$/.test(code) || /^(?:08|57P|58|XX)/.test(code) || isFatal(error)
}

/** True if the driver knew before sending that the connection had ended. */
export function isUnsent(error: unknown): boolean {
  return codeOf(error) === undefined && error instanceof Error && error.message.includes('not queryable')
}

/**
 * True if the server is starting, stopping, full or unreachable, and worth waiting for. It may also be a server behind
 * the one we talk to, such as a worker of Citus.
 */
export function isAway(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  if (/^(?:57P0[123]|53300|0800[01367]|ECONNREFUSED|ECONNRESET|EPIPE)$/.test(code)) return true
  return (code === '' && isLost(error)) || (code === 'XX000' && BEHIND.test(messageOf(error)))
}

/** Messages of Citus about a lost worker. */
const BEHIND = /remote node|connection marked as essential/

/** True if the server reports that it cannot reach another server. */
function isBehind(error: unknown): boolean {
  return severityOf(error) === 'ERROR' && /^(?:08|XX000)/.test(codeOf(error) ?? '') && isAway(error)
}

export function isTaken(error: unknown): boolean {
  // A concurrent CREATE TABLE reports a duplicate name, type or catalogue row.
  return ['23505', '42P07', '42710'].includes(codeOf(error) ?? '')
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01'
}

/** Reason and sentence by code. */
const FAULTS: readonly (readonly [codes: RegExp, reason: string, sentence: string])[] = [
  [/^(?:40001|40P01|55P03)$/, 'busy', 'Others write into NAME, and it did not become free in time; try again.'],
  [/^57014$/, 'busy', 'NAME did not finish in time, and was cancelled; try again.'],
  [/^(?:28|42501)/, 'not-allowed', 'NAME does not allow it; check the user, the password and what was granted.'],
  [/^3D000$/, 'cannot-open', 'There is no database NAME; create it first.'],
  [/^53100$/, 'full', 'The disk of NAME is full; make room and try again.'],
  [/^53300$/, 'busy', 'NAME takes no more connections; try again.'],
  [/^58030$/, 'io', 'The disk of NAME failed; check it, and the store with fsck.'],
  [/^XX00[12]$/, 'damaged', 'PostgreSQL finds the files of NAME damaged; restore them from a backup.'],
  [/^25006$/, 'read-only', 'NAME cannot be written; it may be a replica.'],
]

/** Converts an error to E_STORE. */
export function faultOf(error: unknown, name: string, outcome: Outcome): PactError {
  if (PactError.is(error)) return error
  const code = codeOf(error)
  const details = code === undefined ? {} : { postgres: code }
  const [, reason, sentence] = FAULTS.find(([codes]) => codes.test(code ?? '')) ?? []
  if (sentence !== undefined) return storeFault(named(sentence, name), outcome, { reason, ...details }, error)
  if (isLost(error)) {
    const message = isBehind(error)
      ? `${name} cannot reach one of the servers behind it; try again when that server is back.`
      : outcome === 'unknown'
        ? `The connection to ${name} was lost before it answered.`
        : `${name} cannot be reached; check the address, and whether the server is running.`
    return storeFault(message, outcome, { reason: 'connection', ...details }, error)
  }
  const message = `PostgreSQL reported an unexpected error: ${messageOf(error)}`
  return storeFault(message, outcome, { reason: 'driver', ...details }, error)
}

/** The code of the server or the system; a PactError has it in its cause. */
function codeOf(error: unknown): string | undefined {
  const from = PactError.is(error) ? error.cause : error
  if (typeof from !== 'object' || from === null || !('code' in from)) return undefined
  return typeof from.code === 'string' ? from.code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The severity is localized, so this only adds to the code. */
function isFatal(error: unknown): boolean {
  return /^(?:FATAL|PANIC)$/.test(severityOf(error) ?? '')
}

function severityOf(error: unknown): string | undefined {
  const severity = typeof error === 'object' && error !== null && 'severity' in error ? error.severity : undefined
  return typeof severity === 'string' ? severity : undefined
}
