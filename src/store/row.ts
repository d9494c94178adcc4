// One link of a context's chain, as bytes: what a commit changed, and beside it what nodes say, each body with a salt of its own.
// A row hashes the row before it, what it changed, and a commitment to each body, SHA-256 of salt and text. So a body can be taken
// out for good: the commitment takes its place, the chain still holds, and without the salt nobody can find out by guessing
// what was there. The row has a salt of its own, too, in front of the bodies: two writers never write the same row, whatever they say.

import { hash, randomFillSync } from 'node:crypto'

import { PactError } from '../errors/index.js'
import type { NodeRecord } from '../core/index.js'
import type { BodyReader, BodyWriter } from '../codec/index.js'
import type { Row } from './rows.js'

const SALT = 16
const HASH = 32
/** What stands before what changed, in what the hash of a row is made of. */
const LINK_HEAD = HASH + SALT + 12
/** What comes before the first row of a chain. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH)

/** Writes one row: give its codec `bodies`, then what the codec gave to `row`. */
export class RowWriter {
  readonly bodies: BodyWriter
  readonly #texts: string[] = []

  constructor(before: (id: string) => NodeRecord | undefined) {
    this.bodies = { add: (text) => this.#texts.push(text), before }
  }

  /**
   * All bodies go into one piece of memory, what changed and the commitments into what is hashed: a commit waits for this. What changed is
   * copied.
   */
  row(cycle: number, after: Uint8Array, changes: Uint8Array): Row {
    const texts = this.#texts
    let size = SALT
    for (const text of texts) size += lengthSize(text.length + 1) + SALT + text.length
    const bodies = Buffer.allocUnsafe(size)
    addSalt(bodies, 0)
    const link = linkOf(after, cycle, bodies, changes, texts.length)
    let at = SALT
    let commitmentAt = link.length - texts.length * HASH
    for (const text of texts) {
      const start = writeLength(bodies, text.length + 1, at)
      addSalt(bodies, start)
      at = start + SALT + text.length
      // Canonical JSON is ASCII.
      bodies.write(text, start + SALT, 'latin1')
      link.write(hash('sha256', bodies.subarray(start, at), 'binary'), commitmentAt, 'latin1')
      commitmentAt += HASH
    }
    return { cycle, hash: sha256(link), changes: link.subarray(LINK_HEAD, LINK_HEAD + changes.length), bodies }
  }
}

/** Reads the bodies of a row. */
export class RowBodies {
  readonly #bodies: readonly (Buffer | undefined)[]
  /** That of the row. */
  readonly salt: Uint8Array
  /** One for each body, also of what was taken out. */
  readonly commitments: readonly Uint8Array[]
  /** Each as it is written. */
  readonly parts: readonly Uint8Array[]

  constructor({ cycle, bodies }: Pick<Row, 'cycle' | 'bodies'>) {
    const found: (Buffer | undefined)[] = []
    const commitments: Buffer[] = []
    const parts: Buffer[] = []
    const bytes = Buffer.from(bodies.buffer, bodies.byteOffset, bodies.byteLength)
    this.salt = bytes.subarray(0, SALT)
    if (this.salt.length < SALT) throw damaged(cycle, 'its bodies end too soon')
    for (let at = SALT; at < bytes.length;) {
      const { length, next } = lengthAt(bytes, at)
      const end = next + (length === 0 ? HASH : SALT + length - 1)
      if (end > bytes.length) throw damaged(cycle, 'its bodies end too soon')
      const part = bytes.subarray(next, end)
      found.push(length === 0 ? undefined : part.subarray(SALT))
      commitments.push(length === 0 ? part : sha256(part))
      parts.push(bytes.subarray(at, end))
      at = end
    }
    this.#bodies = found
    this.commitments = commitments
    this.parts = parts
  }

  reader(before: (id: string) => NodeRecord | undefined): BodyReader {
    return { count: this.#bodies.length, text: (number) => this.#bodies[number - 1]?.toString('latin1'), before }
  }
}

/** The same row without some of its bodies, by their numbers; each leaves its commitment, so the hash stays what it is. */
export function withoutBodies(row: Row, numbers: ReadonlySet<number>): Row {
  const { salt, parts, commitments } = new RowBodies(row)
  const kept = parts.map((part, i) => (numbers.has(i + 1) ? Buffer.concat([TAKEN_OUT, commitments[i]!]) : part))
  return { ...row, bodies: Buffer.concat([salt, ...kept]) }
}

/** The bodies of a row, checked against its hash and the one before it. */
export function checkedBodies(row: Row, after: Uint8Array): RowBodies {
  const bodies = new RowBodies(row)
  const expected = chained(after, row.cycle, bodies.salt, row.changes, bodies.commitments)
  if (!expected.equals(row.hash)) throw damaged(row.cycle, 'it does not have the hash that it had when it was written')
  return bodies
}

/** A length of none. */
const TAKEN_OUT = Buffer.from([0])

export function damaged(cycle: number, why: string): PactError {
  const message = `The row of cycle ${cycle} is damaged: ${why}. Run fsck, and restore it from a backup.`
  return new PactError('E_STORE', message, { cycle, outcome: 'failed', reason: 'damaged' })
}

function chained(
  after: Uint8Array,
  cycle: number,
  salt: Uint8Array,
  changes: Uint8Array,
  commitments: readonly Uint8Array[],
): Buffer {
  const link = linkOf(after, cycle, salt, changes, commitments.length)
  const first = link.length - commitments.length * HASH
  for (const [i, commitment] of commitments.entries()) link.set(commitment, first + i * HASH)
  return sha256(link)
}

/** What the hash of a row is made of, in one piece; the commitments at its end are still to be written. The salt is the start of what is given. */
function linkOf(after: Uint8Array, cycle: number, salt: Uint8Array, changes: Uint8Array, commitments: number): Buffer {
  const link = Buffer.allocUnsafe(LINK_HEAD + changes.length + commitments * HASH)
  link.set(after, 0)
  for (let i = 0; i < SALT; i++) link[HASH + i] = salt[i]!
  link.writeUInt32BE(cycle, LINK_HEAD - 12)
  link.writeUInt32BE(changes.length, LINK_HEAD - 8)
  link.writeUInt32BE(commitments, LINK_HEAD - 4)
  link.set(changes, LINK_HEAD)
  return link
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

/** Random bytes are asked for by the page, since asking costs more than they do. */
const salts = Buffer.alloc(4096)
let used = salts.length

function addSalt(bytes: Buffer, at: number): void {
  if (used === salts.length) {
    randomFillSync(salts)
    used = 0
  }
  for (let i = 0; i < SALT; i++) bytes[at + i] = salts[used + i]!
  used += SALT
}

/** A length, seven bits in a byte, the lowest first; 0 says that the body was taken out. Gives where it ends. */
function writeLength(bytes: Buffer, length: number, at: number): number {
  let rest = length
  let end = at
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes[end++] = (rest & 0x7f) | 0x80
  bytes[end++] = rest
  return end
}

function lengthSize(length: number): number {
  let size = 1
  for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++
  return size
}

function lengthAt(bytes: Buffer, at: number): Readonly<{ length: number; next: number }> {
  let length = 0
  let place = 1
  let next = at
  for (;;) {
    const byte = bytes[next++]
    // What is cut off here is noticed by whoever reads on.
    if (byte === undefined || next - at > 6) return { length: Number.MAX_SAFE_INTEGER, next }
    length += (byte & 0x7f) * place
    if (byte < 0x80) return { length, next }
    place *= 0x80
  }
}
