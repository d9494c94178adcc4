// Whoever has read a whole family and writes what follows from it, writes only where it is still what was read.

import { sameBytes } from './same-bytes.js'
import type { ContextRow, Erasure } from './rows.js'

/** Whether a family is what it was when it was looked through: the same contexts, with the same newest rows, of the same epoch. */
export function isAsBefore(
  { epoch, heads }: Pick<Erasure, 'epoch' | 'heads'>,
  family: readonly Pick<ContextRow, 'ctx' | 'epoch' | 'chain'>[],
): boolean {
  const isSame = family.every(({ ctx, epoch: own, chain }) => {
    const head = heads.find((each) => each.ctx === ctx)
    return own === epoch && head !== undefined && sameBytes(head.chain, chain)
  })
  return isSame && family.length === heads.length
}
