// Binds stored bytes to their context. The hash of a context's first row is salted, so no two contexts share it. It is
// part of the checksum of every answer, attempt and manifest of the context. The seal of the context combines it with
// the id, fork point, number of forks and epoch. These checksums guard against damage and mix-ups; they are not
// signatures.
//
// Contexts from table versions before 4 have no seal, and their data is sealed as it was then.

import { createHash } from 'node:crypto'

import { short } from '../errors/index.js'
import { storeFault } from './fault.js'
import type { ContextRow, Erasure } from './rows.js'

/** The context that bytes belong to. */
export type Owner = Pick<ContextRow, 'seal'>

type SealedFields = Pick<ContextRow, 'id' | 'first' | 'forks' | 'epoch'> & Readonly<{ parent?: ContextRow['parent'] }>

/** The seal of a context, from the hash of its first row. */
export function contextSeal(firstHash: Uint8Array, { id, parent, first, forks, epoch }: SealedFields): Uint8Array {
  return sealed(firstHash, id, JSON.stringify([parent?.cycle, first, forks, epoch]))
}

/** The seal of a context after a change of its forks or epoch. */
export function resealed(context: ContextRow, change: Readonly<{ forks?: number; epoch?: number }>): Owner['seal'] {
  const firstHash = checkSeal(context)
  return firstHash && contextSeal(firstHash, { ...context, ...change })
}

/** The heads of a family for an `Erasure`, with seals for the next epoch. */
export function headsForErasure(family: readonly ContextRow[]): Erasure['heads'] {
  return family.map((context) => {
    const { ctx, chain, forks, epoch, draft } = context
    return { ctx, chain, forks, draft: draft.version, seal: resealed(context, { epoch: epoch + 1 }) }
  })
}

/**
 * The hash of the first row from the seal; undefined without a seal. E_STORE if the seal does not match the context.
 */
export function checkSeal(context: ContextRow): Uint8Array | undefined {
  const { seal, id, parent, first, forks, epoch } = context
  if (seal === undefined) return undefined
  const firstHash = unsealed(seal, id, JSON.stringify([parent?.cycle, first, forks, epoch]))
  if (firstHash !== undefined) return firstHash
  const message = `The context ${short(id)} is damaged: its id, fork point, forks or epoch are not those that were written. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged', id })
}

/** A permanent name of a context in every database: the hash of its first row, or its id without a seal. */
export function permanentName({ id, seal }: Pick<ContextRow, 'id' | 'seal'>): string {
  return seal === undefined ? `id ${id}` : Buffer.from(seal.subarray(SUM)).toString('hex')
}

export function sealedFor({ seal }: Owner, body: Uint8Array, ...beside: readonly (string | Uint8Array)[]): Uint8Array {
  return sealed(body, ...beside, ...boundTo(seal))
}

/** The sealed bytes; undefined if they were changed or sealed for another context. */
export function unsealedFor(
  { seal }: Owner,
  bytes: Uint8Array,
  ...beside: readonly (string | Uint8Array)[]
): Buffer | undefined {
  return unsealed(bytes, ...beside, ...boundTo(seal))
}

function boundTo(seal: Owner['seal']): readonly Uint8Array[] {
  return seal === undefined ? [] : [seal.subarray(SUM)]
}

// ---- Checksums

/** Bytes of the checksum in front. */
export const SUM = 16

export function sealed(body: Uint8Array, ...beside: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat([sumOf(body, beside), body])
}

/** The sealed bytes; undefined if they or their owner do not match the checksum. */
export function unsealed(bytes: Uint8Array, ...beside: readonly (string | Uint8Array)[]): Buffer | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(SUM)
  return Buffer.compare(bytes.subarray(0, SUM), sumOf(body, beside)) === 0 ? body : undefined
}

function sumOf(body: Uint8Array, beside: readonly (string | Uint8Array)[]): Buffer {
  const sum = createHash('sha256')
  // Length-prefixed, so that neighbouring parts cannot shift into each other.
  for (const each of beside) sum.update(`${Buffer.byteLength(each)} `).update(each)
  return sum.update(body).digest().subarray(0, SUM)
}
