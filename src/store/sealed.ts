// Bytes that stand in no chain, with a sum in front, so that damage to them is found as well. What they belong to is summed with
// them, as their key in the database.

import { createHash } from 'node:crypto'

const SUM = 16

export function sealed(body: Uint8Array, ...beside: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat([sumOf(body, beside), body])
}

/** What was sealed; undefined where that, or something beside it, is not what it was. */
export function unsealed(bytes: Uint8Array, ...beside: readonly (string | Uint8Array)[]): Buffer | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(SUM)
  return Buffer.compare(bytes.subarray(0, SUM), sumOf(body, beside)) === 0 ? body : undefined
}

function sumOf(body: Uint8Array, beside: readonly (string | Uint8Array)[]): Buffer {
  const sum = createHash('sha256')
  // With their lengths: what stands beside must not flow over into its neighbour.
  for (const each of beside) sum.update(`${Buffer.byteLength(each)} `).update(each)
  return sum.update(body).digest().subarray(0, SUM)
}
