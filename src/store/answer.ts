// The stored answer to a commit with an idempotency key. A repeated request gets the same answer and writes nothing.
// The request itself is kept only as a salted hash.

import { createHash, randomBytes } from 'node:crypto'

import { canonicalJson } from '../codec/index.js'
import type { Dialect, Receipt } from '../core/index.js'
import { operationsByPlace } from '../edit/index.js'
import { describe, foreignError, PactError, short } from '../errors/index.js'
import { storeFault } from './fault.js'
import type { Answer } from './rows.js'
import { sealedFor, unsealedFor, type Owner } from './seal.js'

const SALT = 16

export function answerRow(
  owner: Owner,
  key: string,
  operations: readonly object[],
  cycle: number,
  ids: readonly (readonly string[])[],
  receipt: Receipt,
  dialect: Dialect = '1.0',
): Answer {
  const salt = randomBytes(SALT)
  const digest = Buffer.concat([salt, sumOf(salt, operations, dialect)])
  const text = Buffer.from(canonicalJson({ ids, receipt }), 'latin1')
  const answer = sealedFor(owner, text, key, String(cycle), digest)
  return { key, cycle, digest, answer }
}

/** The same answer without the hash of its request, for erased commits: a guess can no longer be checked against it. */
export function withoutDigest(owner: Owner, answer: Answer): Answer {
  const { key, cycle } = answer
  const digest = new Uint8Array(0)
  const text = Buffer.from(checkedText(owner, answer), 'latin1')
  return { key, cycle, digest, answer: sealedFor(owner, text, key, String(cycle), digest) }
}

export function isErased({ digest }: Answer): boolean {
  return digest.length === 0
}

/** True if the answer was given to these edits. */
export function isSameRequest(
  owner: Owner,
  given: Answer,
  operations: readonly object[],
  dialect: Dialect = '1.0',
): boolean {
  checkedText(owner, given)
  const { digest } = given
  const salt = digest.subarray(0, SALT)
  return Buffer.compare(digest.subarray(SALT), sumOf(salt, operations, dialect)) === 0
}

/** Throws E_CONFLICT if the commit with this key had other edits. `head` is the newest cycle that the caller knows. */
export function checkSameRequest(
  owner: Owner,
  answer: Answer,
  operations: readonly object[],
  dialect: Dialect,
  head: number,
): void {
  const { key, cycle } = answer
  if (isErased(answer)) {
    const message = `The key "${key}" belongs to the commit of cycle ${cycle}, part of which was erased, so its edits cannot be compared with these. Undo these, or use another key.`
    throw new PactError('E_CONFLICT', message, { cycle, head, reason: 'erased' })
  }
  if (isSameRequest(owner, answer, operations, dialect)) return
  const message = `The key "${key}" belongs to the commit of cycle ${cycle}, which had other edits; use another key.`
  throw new PactError('E_CONFLICT', message, { cycle, head, reason: 'key' })
}

/** The decoded answer: the ids that each edit touched, and the pruning receipt. */
export function answered(
  owner: Owner,
  answer: Answer,
): Readonly<{ ids: readonly (readonly string[])[]; receipt: Receipt }> {
  return frozen(JSON.parse(checkedText(owner, answer)) as ReturnType<typeof answered>)
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}

function checkedText(owner: Owner, { key, cycle, digest, answer }: Answer): string {
  const text = unsealedFor(owner, answer, key, String(cycle), digest)
  if (text !== undefined) return text.toString('latin1')
  const message = `The stored answer to the key ${short(key)} is damaged. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged' })
}

/** Minted ids differ on every run, so the hash refers to nodes created by the request by position. */
function sumOf(salt: Uint8Array, operations: readonly object[], dialect: Dialect): Buffer {
  try {
    const odd: unknown = Array.isArray(operations) ? operations.find((each) => !isObject(each)) : operations
    if (odd !== undefined) throw new PactError('E_CONTENT_INVALID', noList(odd), { name: 'asked' })
    const asked = canonicalJson(operationsByPlace(operations, dialect))
    return createHash('sha256').update(salt).update(asked).digest()
  } catch (thrown) {
    const message = 'The request of the key could not be read; the cause of this error is what was thrown.'
    throw foreignError(thrown, 'E_CONTENT_INVALID', message, { name: 'asked' })
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function noList(odd: unknown): string {
  return `The request of a key is a list of objects, as operations() gives them, not ${describe(odd)}.`
}
