// Cells of a row as what they were written as. SQLite keeps with each cell what kind of value it is, and that can be damaged too.

import { short, type PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'
import type { Value } from './driver.js'

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

export function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}

export function blobOf(cell: Value | undefined): Uint8Array {
  if (cell instanceof Uint8Array) return cell
  return refuse('bytes')
}

export function textOf(cell: Value | undefined): string {
  return Buffer.from(blobOf(cell)).toString('utf8')
}

export function wholeOf(cell: Value | undefined): number {
  if ((typeof cell === 'number' || typeof cell === 'bigint') && Number.isSafeInteger(Number(cell))) return Number(cell)
  return refuse('a whole number')
}

/** Of a context none of whose rows stands alone. */
export function lostRows(id: string, number: number): PactError {
  const message = `The newest rows of the context ${short(id)} are lost. Run fsck, and restore it from a backup.`
  return storeFault(message, 'failed', { reason: 'damaged', id, number })
}

function refuse(what: string): never {
  const message = `A row of the database is damaged: where ${what} should be stands something else. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}
