// What a commit with a key was asked and answered, so that asking again gives the same answer and does nothing else. What was
// asked is kept as a salted hash alone.

import { createHash, randomBytes } from 'node:crypto'

import { short } from '../errors/index.js'
import { canonicalJson } from '../codec/index.js'
import { storeFault } from './fault.js'
import type { Answer } from './rows.js'
import { sealed, unsealed } from './sealed.js'

const SALT = 16

export function answerRow(
  key: string,
  operations: readonly object[],
  cycle: number,
  ids: readonly (readonly string[])[],
): Answer {
  const salt = randomBytes(SALT)
  const digest = Buffer.concat([salt, sumOf(salt, operations)])
  const answer = sealed(Buffer.from(canonicalJson({ ids }), 'latin1'), key, String(cycle), digest)
  return { key, cycle, digest, answer }
}

/** Whether these are the edits that the answer was given to. */
export function isSameRequest(given: Answer, operations: readonly object[]): boolean {
  checkedText(given)
  const { digest } = given
  const salt = digest.subarray(0, SALT)
  return Buffer.compare(digest.subarray(SALT), sumOf(salt, operations)) === 0
}

/** The ids that each edit touched. */
export function idsOf(answer: Answer): readonly (readonly string[])[] {
  const { ids } = JSON.parse(checkedText(answer)) as { ids: string[][] }
  return Object.freeze(ids.map((each) => Object.freeze(each)))
}

function checkedText({ key, cycle, digest, answer }: Answer): string {
  const text = unsealed(answer, key, String(cycle), digest)
  if (text !== undefined) return text.toString('latin1')
  const message = `What was answered to the key ${short(key)} is damaged. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}

/** The ids that edits gave out are other ones each time. */
function sumOf(salt: Uint8Array, operations: readonly object[]): Buffer {
  const asked = operations.map((operation) => ({ ...operation, made: undefined, opened: undefined }))
  return createHash('sha256').update(salt).update(canonicalJson(asked)).digest()
}
