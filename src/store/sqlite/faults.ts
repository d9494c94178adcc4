// Classifies errors of SQLite and words them for callers.

import { PactError } from '../../errors/index.js'
import { named, storeFault } from '../fault.js'

const DISK_ERROR = 10
const MALFORMED = 11
const NO_DATABASE = 26

/** Reason and sentence by primary result code. */
const FAULTS: ReadonlyMap<number, readonly [reason: string, sentence: string]> = new Map([
  [5, ['busy', 'NAME is locked by another process, and did not become free in time; try again.']],
  [6, ['busy', 'NAME is locked; try again.']],
  [8, ['read-only', 'NAME cannot be written; check the permissions of the file and of its folder.']],
  [DISK_ERROR, ['io', 'The disk failed under NAME; check it, and the file with fsck.']],
  [MALFORMED, ['damaged', 'NAME is damaged; restore it from a backup.']],
  [13, ['full', 'The disk is full, so NAME cannot grow; make room and try again.']],
  [14, ['cannot-open', 'NAME cannot be opened; check the path, and the permissions of the folder.']],
  [NO_DATABASE, ['no-database', 'NAME is no SQLite database; choose another file.']],
])

/** E_STORE for a result code. After an I/O error recovery may still find the write, so its outcome is unknown. */
function knownFault(kind: number, name: string, code: number = kind, cause?: unknown): PactError {
  const [reason, sentence] = FAULTS.get(kind)!
  const outcome = kind === DISK_ERROR ? 'unknown' : 'failed'
  return storeFault(named(sentence, name), outcome, { reason, sqlite: code }, cause)
}

/** Our statements match the version of the tables. These messages mean that the version or the schema is damaged. */
const NOT_AS_MADE =
  /^no such (?:table|column|index)\b|has no column named|^duplicate column name|^malformed database schema|already exists$/

export function isBusy(error: unknown): boolean {
  return ((codeOf(error) ?? 0) & 0xff) === 5
}

/** True if SQLite reports a malformed database, which it also does if the disk fails. */
export function isMalformed(error: unknown): boolean {
  if (PactError.is(error)) return error.details['reason'] === 'damaged' && isMalformed(error.cause)
  return ((codeOf(error) ?? 0) & 0xff) === MALFORMED
}

/** E_STORE for a failing disk. */
export function diskFault(name: string, cause?: unknown): PactError {
  return knownFault(DISK_ERROR, name, codeOf(cause), cause)
}

/** True if a line of `integrity_check` reports an unreadable page. */
export function isUnreadPage(line: string): boolean {
  const code = /unable to get the page\. error code=(\d+)/.exec(line)?.[1]
  return code !== undefined && (Number(code) & 0xff) === DISK_ERROR
}

/** Converts an error to E_STORE. */
export function faultOf(error: unknown, name: string): PactError {
  if (PactError.is(error)) return error
  const code = codeOf(error)
  if (code !== undefined && FAULTS.has(code & 0xff)) return knownFault(code & 0xff, name, code, error)
  if (NOT_AS_MADE.test(error instanceof Error ? error.message : '')) return damagedTables(name, code, error)
  const message = `SQLite reported an unexpected error: ${error instanceof Error ? error.message : String(error)}`
  return storeFault(message, 'unknown', { reason: 'driver', sqlite: code }, error)
}

export function damagedTables(name: string, code?: number, cause?: unknown): PactError {
  const message = `The tables of ${name} are damaged; restore it from a backup.`
  return storeFault(message, 'failed', { reason: 'damaged', sqlite: code }, cause)
}

/** E_STORE for a log with commits after a bad frame, which SQLite would drop. */
export function damagedLog(name: string, frame: number): PactError {
  const where = frame === 0 ? 'its header' : `frame ${frame}`
  const message = `The log of ${name}, its -wal file, is damaged at ${where}, and holds acknowledged commits from there on, which SQLite would drop. Restore it from a backup, or open it once with the durability 'relaxed' to go on without these commits.`
  return storeFault(message, 'failed', { reason: 'damaged', frame })
}

export function noDatabase(name: string): PactError {
  return knownFault(NO_DATABASE, name)
}

/** Messages of SQLite, for errors whose code the driver drops (`all` of @photostructure/sqlite 1.2.1). */
const CODES: ReadonlyMap<string, number> = new Map([
  ['database is locked', 5],
  ['database table is locked', 6],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', DISK_ERROR],
  ['database disk image is malformed', MALFORMED],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['file is not a database', NO_DATABASE],
])

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : CODES.get(error.message)
}
