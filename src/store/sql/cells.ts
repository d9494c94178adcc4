// Typed values from the cells of a database.

import { short, type PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'
import type { ContextKey } from '../rows.js'
import { textOf } from './query.js'

/** Reads cells as one database gives them. */
export type CellReader = Readonly<{
  whole: (cell: unknown) => number
  blob: (cell: unknown) => Uint8Array
  text: (cell: unknown) => string
  /** The key of a context. */
  key: (cell: unknown) => ContextKey
}>

/** Cells of a database that checks their types itself. */
export const PLAIN: CellReader = {
  // CockroachDB has 8-byte integers, which the driver returns as strings.
  whole: Number,
  blob: (cell) => cell as Uint8Array,
  text: (cell) => textOf(cell as Uint8Array),
  key: (cell) => cell as ContextKey,
}

/** E_STORE for a context whose newest rows are lost. */
export function lostRows(id: string, number: number): PactError {
  const message = `The newest rows of the context ${short(id)} are lost. Run fsck, and restore it from a backup.`
  return storeFault(message, 'failed', { reason: 'damaged', id, number })
}
