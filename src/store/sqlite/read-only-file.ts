// Read-only files. Nothing is written to the file or its folder, so it may be on read-only media. SQLite needs the
// log's index to read a file with a log, and may have to write it. A file without a log is opened as `immutable`, which
// is valid only while no process writes to it; that is checked after every read.

import fs from 'node:fs'
import { pathToFileURL } from 'node:url'

import type { PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'

/** The mode in which a file was opened, and its state at that time. */
export type ReadOnlyFile = Readonly<{
  address: string
  /** State of the file when it was opened; undefined if SQLite notices changes itself. */
  seen: string | undefined
}>

export function readOnlyFile(file: string, name: string): ReadOnlyFile {
  const seen = stateOf(file)
  if (seen === undefined) throw noStore(name)
  if (seen === LOGGED) return { address: file, seen: undefined }
  return { address: `${pathToFileURL(file).href}?immutable=1`, seen }
}

/** True if the file was written to since it was opened. */
export function isOutdated(file: string, { seen }: ReadOnlyFile): boolean {
  return seen !== undefined && stateOf(file) !== seen
}

const LOGGED = 'logged'

/** The state of a file: LOGGED if it has a log; undefined if it does not exist. */
function stateOf(file: string): string | undefined {
  const { size, mtimeNs, ino } = fs.statSync(file, { bigint: true, throwIfNoEntry: false }) ?? {}
  if (size === undefined) return undefined
  const log = fs.statSync(`${file}-wal`, { throwIfNoEntry: false })
  return (log?.size ?? 0) > 0 ? LOGGED : `${ino} ${size} ${mtimeNs}`
}

/** True if every byte of a file and its log can be read. */
export function isReadable(file: string): boolean {
  if (file === ':memory:') return true
  const piece = Buffer.allocUnsafe(1 << 20)
  for (const each of [file, `${file}-wal`]) {
    if (!fs.existsSync(each)) continue
    let descriptor: number | undefined
    try {
      descriptor = fs.openSync(each, 'r')
      for (let at = 0, read = 1; read > 0; at += read) read = fs.readSync(descriptor, piece, 0, piece.length, at)
    } catch {
      return false
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor)
    }
  }
  return true
}

export function noStore(name: string): PactError {
  const message = `There is no store at ${name}. Check the address; a store is made when it is first opened for writing.`
  return storeFault(message, 'failed', { reason: 'no-store' })
}

/** E_STORE for a log whose index can be neither read nor written. */
export function unreadableLog(name: string, cause: unknown): PactError {
  const message = `${name} has a log next to it, its -wal file, that SQLite cannot read here without writing. Copy the file and its log to a folder that can be written, and open the copy.`
  return storeFault(message, 'failed', { reason: 'log' }, cause)
}
