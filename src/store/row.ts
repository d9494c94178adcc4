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
/** What comes before the first row of a chain. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH)

/** Writes one row: give its codec `bodies`, then what the codec gave to `row`. */
export class RowWriter {
  readonly bodies: BodyWriter
  readonly #parts: Buffer[] = []
  readonly #commitments: Buffer[] = []

  constructor(before: (id: string) => NodeRecord | undefined) {
    this.bodies = { add: (text) => this.#add(text), before }
  }

  #add(text: string): number {
    const head = lengthOf(text.length + 1)
    const part = Buffer.allocUnsafe(head.length + SALT + text.length)
    for (let i = 0; i < head.length; i++) part[i] = head[i]!
    nextSalt().copy(part, head.length)
    // Canonical JSON is ASCII.
    part.write(text, head.length + SALT, 'latin1')
    this.#parts.push(part)
    return this.#commitments.push(sha256(part.subarray(head.length)))
  }

  row(cycle: number, after: Uint8Array, changes: Uint8Array): Row {
    const salt = nextSalt()
    const bodies = Buffer.concat([salt, ...this.#parts])
    return { cycle, hash: chained(after, cycle, salt, changes, this.#commitments), changes, bodies }
  }
}

/** Reads the bodies of a row. */
export class RowBodies {
  readonly #bodies: readonly (Buffer | undefined)[]
  /** That of the row. */
  readonly salt: Uint8Array
  /** One for each body, also of what was taken out. */
  readonly commitments: readonly Uint8Array[]

  constructor({ cycle, bodies }: Pick<Row, 'cycle' | 'bodies'>) {
    const found: (Buffer | undefined)[] = []
    const commitments: Buffer[] = []
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
      at = end
    }
    this.#bodies = found
    this.commitments = commitments
  }

  reader(before: (id: string) => NodeRecord | undefined): BodyReader {
    return { count: this.#bodies.length, text: (number) => this.#bodies[number - 1]?.toString('latin1'), before }
  }
}

/** The bodies of a row, checked against its hash and the one before it. */
export function checkedBodies(row: Row, after: Uint8Array): RowBodies {
  const bodies = new RowBodies(row)
  const expected = chained(after, row.cycle, bodies.salt, row.changes, bodies.commitments)
  if (!expected.equals(row.hash)) throw damaged(row.cycle, 'it does not have the hash that it had when it was written')
  return bodies
}

export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

export function damaged(cycle: number, why: string): PactError {
  const message = `The row of cycle ${cycle} is damaged: ${why}. Run fsck, and restore it from a backup.`
  return new PactError('E_STORE', message, { cycle, outcome: 'failed', reason: 'damaged' })
}

/** In one piece, since asking for a hash costs more than copying a row. */
function chained(
  after: Uint8Array,
  cycle: number,
  salt: Uint8Array,
  changes: Uint8Array,
  commitments: readonly Uint8Array[],
): Buffer {
  const head = HASH + SALT + 12
  const linked = Buffer.allocUnsafe(head + changes.length + commitments.length * HASH)
  linked.set(after, 0)
  linked.set(salt, HASH)
  linked.writeUInt32BE(cycle, head - 12)
  linked.writeUInt32BE(changes.length, head - 8)
  linked.writeUInt32BE(commitments.length, head - 4)
  linked.set(changes, head)
  for (const [i, commitment] of commitments.entries()) linked.set(commitment, head + changes.length + i * HASH)
  return sha256(linked)
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

/** Random bytes are asked for by the page, since asking costs more than they do. */
const salts = Buffer.alloc(4096)
let used = salts.length

function nextSalt(): Buffer {
  if (used === salts.length) {
    randomFillSync(salts)
    used = 0
  }
  used += SALT
  return salts.subarray(used - SALT, used)
}

/** A length, seven bits in a byte, the lowest first; 0 says that the body was taken out. */
function lengthOf(length: number): readonly number[] {
  const bytes: number[] = []
  let rest = length
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return bytes
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
