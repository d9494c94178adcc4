// What a commit with a key was asked and answered, so that asking again gives the same answer and does nothing else. What was
// asked is kept as a salted hash alone.

import { createHash, randomBytes } from 'node:crypto'

import { describe, foreignError, PactError, short } from '../errors/index.js'
import { canonicalJson } from '../codec/index.js'
import type { Receipt } from '../core/index.js'
import { storeFault } from './fault.js'
import type { Answer } from './rows.js'
import { sealed, unsealed } from './sealed.js'

const SALT = 16

export function answerRow(
  key: string,
  operations: readonly object[],
  cycle: number,
  ids: readonly (readonly string[])[],
  receipt: Receipt,
): Answer {
  const salt = randomBytes(SALT)
  const digest = Buffer.concat([salt, sumOf(salt, operations)])
  const answer = sealed(Buffer.from(canonicalJson({ ids, receipt }), 'latin1'), key, String(cycle), digest)
  return { key, cycle, digest, answer }
}

/** The same answer, of which nobody can find out any more what was asked. */
export function withoutDigest(answer: Answer): Answer {
  const { key, cycle } = answer
  const digest = new Uint8Array(0)
  const text = Buffer.from(checkedText(answer), 'latin1')
  return { key, cycle, digest, answer: sealed(text, key, String(cycle), digest) }
}

export function isErased({ digest }: Answer): boolean {
  return digest.length === 0
}

/** Whether these are the edits that the answer was given to. */
export function isSameRequest(given: Answer, operations: readonly object[]): boolean {
  checkedText(given)
  const { digest } = given
  const salt = digest.subarray(0, SALT)
  return Buffer.compare(digest.subarray(SALT), sumOf(salt, operations)) === 0
}

/** The ids that each edit touched, and what pruning did. */
export function answered(answer: Answer): Readonly<{ ids: readonly (readonly string[])[]; receipt: Receipt }> {
  return frozen(JSON.parse(checkedText(answer)) as ReturnType<typeof answered>)
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}

function checkedText({ key, cycle, digest, answer }: Answer): string {
  const text = unsealed(answer, key, String(cycle), digest)
  if (text !== undefined) return text.toString('latin1')
  const message = `What was answered to the key ${short(key)} is damaged. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}

/** The ids that edits gave out are other ones each time. */
function sumOf(salt: Uint8Array, operations: readonly object[]): Buffer {
  try {
    const odd: unknown = Array.isArray(operations) ? operations.find((each) => !isObject(each)) : operations
    if (odd !== undefined) throw new PactError('E_CONTENT_INVALID', noList(odd), { name: 'asked' })
    const asked = operations.map((operation) => ({ ...operation, made: undefined, opened: undefined }))
    return createHash('sha256').update(salt).update(canonicalJson(asked)).digest()
  } catch (thrown) {
    const message = 'What was asked for with the key could not be read; the cause of this error is what was thrown.'
    throw foreignError(thrown, 'E_CONTENT_INVALID', message, { name: 'asked' })
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function noList(odd: unknown): string {
  return `What was asked for with a key is a list of objects, as operations() gives them, not ${describe(odd)}.`
}
