// Reads typed values from cells. SQLite stores the type with each cell, and that can be damaged too.

import { short, type PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'
import type { ContextRow, LostContext } from '../rows.js'
import type { Value, Cells } from './driver.js'

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

/** Greatest number of a context: row keys are this number times 2^30 plus a cycle, and must be below 2^53. */
const MOST_CONTEXTS = 8_388_607

/** E_STORE if a file has no numbers left for contexts. */
export function checkNumber(ctx: number, name: string): void {
  if (ctx <= MOST_CONTEXTS) return
  const message = `${name} has numbered ${MOST_CONTEXTS} contexts, deleted ones among them, which is all that one file can; use another file.`
  throw storeFault(message, 'failed', { reason: 'full' })
}

/** E_STORE for a context whose newest rows are lost. */
export function lostRows(id: string, number: number): PactError {
  const message = `The newest rows of the context ${short(id)} are lost. Run fsck, and restore it from a backup.`
  return storeFault(message, 'failed', { reason: 'damaged', id, number })
}

function refuse(what: string): never {
  const message = `A row of the database is damaged: a cell is not ${what}. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}

// ---- Contexts

/** Keys per context. */
export const SPAN: number = 2 ** 30

/** First and last key of a context. */
export function keysOf(ctx: number): readonly [first: number, last: number] {
  return [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
}

export function keyOf(ctx: number, cycle: number): number {
  return ctx * SPAN + cycle
}

export function cycleOf(k: Value): number {
  return Number(k) % SPAN
}

const KNOWN = 'c.ctx, c.id, c.family, c.parent, c.base, c.forks, c.epoch, c.first, m.k, m.hash'

/**
 * Selects contexts with their newest row; its columns are NULL if it is lost. Tables before version 4 do not name the
 * newest row, so there it is the newest remaining one.
 */
export function contextSql(version: number): string {
  const saved = version >= 5 ? 'c.draft, c.saves' : '0 AS draft, 0 AS saves'
  if (version >= 4)
    return `SELECT ${KNOWN}, ${saved}, c.seal, c.answers, c.attempts FROM contexts c
      LEFT JOIN commits m ON m.k = c.ctx * ${SPAN} + c.head AND m.hash = c.chain`
  return `SELECT ${KNOWN}, ${saved}, NULL AS seal, NULL AS answers, NULL AS attempts FROM contexts c
    LEFT JOIN commits m ON m.k = (SELECT max(k) FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1})`
}

/** A context; E_STORE if its newest row is lost. */
export function contextRow(cells: Cells | undefined): ContextRow | undefined {
  if (cells === undefined) return undefined
  const { k, hash } = cells
  if (k === null) throw lostRows(textOf(cells['id']), wholeOf(cells['ctx']))
  return { ...knownOf(cells), head: cycleOf(k!), chain: blobOf(hash) }
}

/** A context whose newest row is lost. `left` is the key of the newest remaining row. */
export function lostContext(cells: Cells, left: Value | undefined): LostContext {
  const known = knownOf(cells)
  return { ...known, head: left === undefined || left === null ? known.first : cycleOf(left), chain: undefined }
}

function knownOf(cells: Cells): Omit<ContextRow, 'head' | 'chain'> {
  const { ctx, id, family, parent, base, forks, epoch, first, seal, answers, attempts, draft, saves } = cells
  return {
    ctx: wholeOf(ctx),
    id: textOf(id),
    family: wholeOf(family),
    parent: parent === null ? undefined : { ctx: wholeOf(parent), cycle: wholeOf(base) },
    forks: wholeOf(forks),
    epoch: wholeOf(epoch),
    first: wholeOf(first),
    seal: seal === null ? undefined : blobOf(seal),
    answers: answers === null ? undefined : wholeOf(answers),
    attempts: attempts === null ? undefined : wholeOf(attempts),
    draft: { version: wholeOf(draft), parts: wholeOf(saves) },
  }
}
