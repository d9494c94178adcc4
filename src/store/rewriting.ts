// Rows without some of their bodies, wherever they stand: alone, or in packs, which are packed again.

import { packOf, rowsOf } from './pack.js'
import { withoutBodies } from './row.js'
import type { ContextRow, Erasure, Row, Rows } from './rows.js'

/** How many rows are read at once. */
const STEP = 2048

/** All that has to be written anew of a context; which bodies of a row go is told by their numbers. */
export async function withoutThose(
  rows: Rows,
  context: ContextRow,
  numbersOf: (row: Row) => ReadonlySet<number>,
): Promise<Pick<Erasure, 'rows' | 'packs'> & Readonly<{ cycles: ReadonlySet<number>; count: number }>> {
  const { ctx } = context
  const alone: Erasure['rows'][number][] = []
  const packs: Erasure['packs'][number][] = []
  const cycles = new Set<number>()
  let count = 0
  const changed = (row: Row): Row | undefined => {
    const numbers = numbersOf(row)
    if (numbers.size === 0) return undefined
    count += numbers.size
    cycles.add(row.cycle)
    return withoutBodies(row, numbers)
  }
  for await (const part of partsOf(rows, context)) {
    if ('row' in part) {
      const row = changed(part.row)
      if (row !== undefined) alone.push({ ctx, row })
      continue
    }
    const before = cycles.size
    const inside = part.rows.map((row) => changed(row) ?? row)
    if (cycles.size > before) packs.push({ ctx, pack: packOf(inside) })
  }
  return { rows: alone, packs, cycles, count }
}

/** All rows of a context, in packs and alone. */
async function* partsOf(
  rows: Rows,
  { ctx, first, head }: ContextRow,
): AsyncGenerator<Readonly<{ rows: readonly Row[] } | { row: Row }>, void, undefined> {
  // A pack may reach beyond what was asked for, and then comes twice.
  let packed = first - 1
  for (let next = first; next <= head; next += STEP) {
    const { packs, rows: alone } = await rows.read(ctx, next, Math.min(head, next + STEP - 1))
    for (const pack of packs.toSorted((a, b) => a.from - b.from)) {
      if (pack.from <= packed) continue
      packed = pack.to
      yield { rows: rowsOf(pack) }
    }
    for (const row of alone) yield { row }
  }
}
