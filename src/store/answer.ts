// What a commit with a key was asked and answered, so that asking again gives the same answer and does nothing else. What was
// asked is kept as a salted hash alone.

import { createHash, randomBytes } from 'node:crypto'

import { canonicalJson } from '../codec/index.js'
import type { Answer } from './rows.js'

const SALT = 16

export function answerRow(
  key: string,
  operations: readonly object[],
  cycle: number,
  ids: readonly (readonly string[])[],
): Answer {
  const salt = randomBytes(SALT)
  const answer = Buffer.from(canonicalJson({ ids }), 'latin1')
  return { key, cycle, digest: Buffer.concat([salt, sumOf(salt, operations)]), answer }
}

/** Whether these are the edits that the answer was given to. */
export function isSameRequest({ digest }: Answer, operations: readonly object[]): boolean {
  const salt = digest.subarray(0, SALT)
  return Buffer.compare(digest.subarray(SALT), sumOf(salt, operations)) === 0
}

/** The ids that each edit touched. */
export function idsOf({ answer }: Answer): readonly (readonly string[])[] {
  const { ids } = JSON.parse(Buffer.from(answer).toString('latin1')) as { ids: string[][] }
  return Object.freeze(ids.map((each) => Object.freeze(each)))
}

/** The ids that edits gave out are other ones each time. */
function sumOf(salt: Uint8Array, operations: readonly object[]): Buffer {
  const asked = operations.map((operation) => ({ ...operation, made: undefined, opened: undefined }))
  return createHash('sha256').update(salt).update(canonicalJson(asked)).digest()
}
