// Converts values to and from PostgreSQL columns. The key of a context is two 16-byte ids: that of its family, which is
// the id of the root context, and its own.

import type { ContextKey } from '../rows.js'
import type { Cells } from '../sql/query.js'

export type ContextCells = Readonly<{ family: Uint8Array; context: Uint8Array }>

export function keyOf(family: Uint8Array, context: Uint8Array): string {
  const [of, own] = [hexOf(family), hexOf(context)]
  return of === own ? own : `${of}-${own}`
}

export function placeOf(key: ContextKey): ContextCells {
  const [of = '', own = of] = String(key).split('-')
  return { family: Buffer.from(of, 'hex'), context: Buffer.from(own, 'hex') }
}

/** Cells with keys of contexts instead of ids. */
export function withKeys(cells: Cells): Cells {
  const { family, context, parent } = cells as Readonly<Record<string, Uint8Array | null | undefined>>
  if (!family) return cells
  return {
    ...cells,
    family: keyOf(family, family),
    ctx: keyOf(family, context ?? family),
    parent: parent ? keyOf(family, parent) : null,
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
