// Typed values from the cells of SQLite, which stores the type with each cell. That can be damaged too.

import { storeFault } from '../fault.js'
import type { CellReader } from '../sql/cells.js'
import { textOf } from '../sql/query.js'

export const CELLS: CellReader = {
  whole: (cell) => {
    const number = typeof cell === 'bigint' ? Number(cell) : cell
    return Number.isSafeInteger(number) ? (number as number) : refuse('a whole number')
  },
  blob: (cell) => (cell instanceof Uint8Array ? cell : refuse('bytes')),
  text: (cell) => textOf(CELLS.blob(cell)),
  key: (cell) => CELLS.whole(cell),
}

function refuse(what: string): never {
  const message = `A row of the database is damaged: a cell is not ${what}. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}

// ---- Keys

/** Keys per context: the key of a row is the number of its context times this, plus its cycle. */
export const SPAN: number = 2 ** 30
/** Greatest number of a context: keys must be below 2^53. */
const MOST_CONTEXTS = 8_388_607

export function keyOf(ctx: number, cycle: number): number {
  return ctx * SPAN + cycle
}

/** Returns the number; E_STORE if a file has no numbers left for contexts. */
export function checkNumber(ctx: number, name: string): number {
  if (ctx <= MOST_CONTEXTS) return ctx
  const message = `${name} has numbered ${MOST_CONTEXTS} contexts, deleted ones among them, which is all that one file can; use another file.`
  throw storeFault(message, 'failed', { reason: 'full' })
}
