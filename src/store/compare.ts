// Checks that a family has not changed between reading and writing.

import type { Arrived, ContextRow, Erasure } from './rows.js'

/**
 * True if the family has the same contexts and epoch as when it was read, and the same newest rows and number of forks
 * and the newest saves,
 * where these are given.
 */
export function isFamilyUnchanged(
  { epoch, heads }: Pick<Erasure, 'epoch' | 'heads'>,
  family: readonly Pick<ContextRow, 'ctx' | 'epoch' | 'chain' | 'forks' | 'draft'>[],
): boolean {
  const isSame = family.every(({ ctx, epoch: own, chain, forks, draft }) => {
    const head = heads.find((each) => each.ctx === ctx)
    return (
      own === epoch &&
      head !== undefined &&
      sameBytes(head.chain ?? chain, chain) &&
      (head.forks ?? forks) === forks &&
      (head.draft ?? draft.version) === draft.version
    )
  })
  return isSame && family.length === heads.length
}

/** True if the family has exactly these contexts with these newest rows. */
export function isArrivalComplete(
  arrived: readonly Arrived[],
  family: readonly Pick<ContextRow, 'ctx' | 'chain'>[],
): boolean {
  const isThere = family.every(({ ctx, chain }) =>
    arrived.some((each) => each.ctx === ctx && sameBytes(each.chain, chain)),
  )
  return isThere && family.length === arrived.length
}

/** True if two hashes, or two names of contexts, are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** The newest row and the epoch identify the content of a context. */
export function versionOf({ epoch, chain }: Pick<ContextRow, 'epoch' | 'chain'>): string {
  return `${epoch}-${Buffer.from(chain).toString('hex').slice(0, 16)}`
}
