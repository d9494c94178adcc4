// What SQLite's errors mean to whoever called, and what to do about them.

import { PactError } from '../../errors/index.js'
import { storeFault, type Outcome } from '../fault.js'

type Sentence = Readonly<{ reason: string; outcome: Outcome; say: (name: string) => string }>

const NO_DATABASE = 26

/** By primary result code. A write that was not confirmed may be found by recovery: then nobody knows. */
const SENTENCES: ReadonlyMap<number, Sentence> = new Map([
  [
    5,
    {
      reason: 'busy',
      outcome: 'failed',
      say: (name) => `${name} is locked by another process, and did not become free in time; try again.`,
    },
  ],
  [6, { reason: 'busy', outcome: 'failed', say: (name) => `${name} is locked; try again.` }],
  [
    8,
    {
      reason: 'read-only',
      outcome: 'failed',
      say: (name) => `${name} cannot be written; check the permissions of the file and of its folder.`,
    },
  ],
  [
    10,
    {
      reason: 'io',
      outcome: 'unknown',
      say: (name) => `The disk failed under ${name}; check it, and the file with fsck.`,
    },
  ],
  [11, { reason: 'damaged', outcome: 'failed', say: (name) => `${name} is damaged; restore it from a backup.` }],
  [
    13,
    {
      reason: 'full',
      outcome: 'failed',
      say: (name) => `The disk is full, so ${name} cannot grow; make room and try again.`,
    },
  ],
  [
    14,
    {
      reason: 'cannot-open',
      outcome: 'failed',
      say: (name) => `${name} cannot be opened; check the path, and the permissions of the folder.`,
    },
  ],
  [
    NO_DATABASE,
    { reason: 'no-database', outcome: 'failed', say: (name) => `${name} is no SQLite database; choose another file.` },
  ],
])

/**
 * Our statements name what we have made, and make what the version of the tables says is not there: otherwise that version, or the description of
 * the tables, is not what it was.
 */
const NOT_AS_MADE = /^no such (?:table|column|index)\b|has no column named|^malformed database schema|already exists$/

export function isBusy(error: unknown): boolean {
  return ((codeOf(error) ?? 0) & 0xff) === 5
}

/** The error in our words. */
export function faultOf(error: unknown, name: string): PactError {
  if (PactError.is(error)) return error
  const code = codeOf(error)
  const known = SENTENCES.get((code ?? 0) & 0xff)
  if (known !== undefined)
    return storeFault(known.say(name), known.outcome, { reason: known.reason, sqlite: code }, error)
  if (NOT_AS_MADE.test(error instanceof Error ? error.message : '')) return damagedTables(name, code, error)
  const message = `SQLite refused something that it should not have: ${error instanceof Error ? error.message : String(error)}`
  return storeFault(message, 'unknown', { reason: 'driver', sqlite: code }, error)
}

export function damagedTables(name: string, code?: number, cause?: unknown): PactError {
  const message = `The tables of ${name} are damaged; restore it from a backup.`
  return storeFault(message, 'failed', { reason: 'damaged', sqlite: code }, cause)
}

export function noDatabase(name: string): PactError {
  const { say, outcome, reason } = SENTENCES.get(NO_DATABASE)!
  return storeFault(say(name), outcome, { reason, sqlite: NO_DATABASE })
}

/** What SQLite says, for errors whose number the driver does not hand on (`all` of @photostructure/sqlite 1.2.1). */
const CODES: ReadonlyMap<string, number> = new Map([
  ['database is locked', 5],
  ['database table is locked', 6],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['file is not a database', NO_DATABASE],
])

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : CODES.get(error.message)
}
