// The byte format of a row. A row holds the changes of a commit and, apart from them, the texts of nodes (bodies), each
// with a salt of its own. Its hash covers the previous hash, the changes, and a commitment to each body: SHA-256 of
// salt and text. Erasing a body leaves its commitment in place: the chain stays valid, and without the salt the text
// cannot be guessed.
//
// The row has a salt too, in front of the bodies, so two writers never produce the same row. A node without a body has
// nothing to erase. If such nodes are erased, their ids are listed between the salt and the bodies, with a checksum
// that includes the row's hash.

import { hash, randomBytes } from 'node:crypto'

import type { BodyReader, BodyWriter } from '../codec/index.js'
import { compareText, type NodeRecord } from '../core/index.js'
import { PactError } from '../errors/index.js'
import type { Row } from './rows.js'
import { sealed, unsealed } from './seal.js'

const SALT = 16
const HASH = 32
/** Bytes in front of the changes in the input of a row's hash: previous hash, salt, and three numbers. */
const LINK_HEAD = HASH + SALT + 12
/** The previous hash of a first row. */
export const NO_HASH: Uint8Array = new Uint8Array(HASH)

/** Builds one row: pass `bodies` to the codec, then the encoded changes to `row`. */
export class RowWriter {
  readonly bodies: BodyWriter
  readonly #texts: string[] = []

  constructor(before: (id: string) => NodeRecord | undefined) {
    this.bodies = { add: (text) => this.#texts.push(text), before }
  }

  /**
   * Allocates one buffer for the bodies and one for the hash input, since every commit waits for this. The changes are
   * copied.
   */
  row(cycle: number, after: Uint8Array, changes: Uint8Array): Row {
    const texts = this.#texts
    let size = SALT
    for (const text of texts) size += lengthSize(text.length + 1) + SALT + text.length
    const bodies = Buffer.allocUnsafe(size)
    // One call for all salts: a call costs more than its bytes.
    const salts = randomBytes(SALT * (texts.length + 1))
    salts.copy(bodies, 0, 0, SALT)
    const link = linkOf(after, cycle, bodies, changes, texts.length)
    let at = SALT
    let commitmentAt = link.length - texts.length * HASH
    for (const [i, text] of texts.entries()) {
      const start = writeLength(bodies, text.length + 1, at)
      salts.copy(bodies, start, SALT * (i + 1), SALT * (i + 2))
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
  /** Salt of the row. */
  readonly salt: Uint8Array
  /** One per body, erased ones included. */
  readonly commitments: readonly Uint8Array[]
  /** The stored bytes of each body. */
  readonly parts: readonly Uint8Array[]
  /** Ids of erased nodes without a body. */
  readonly erased: ReadonlySet<string>

  constructor({ cycle, hash: own, bodies }: Pick<Row, 'cycle' | 'hash' | 'bodies'>) {
    const found: (Buffer | undefined)[] = []
    const commitments: Buffer[] = []
    const parts: Buffer[] = []
    const bytes = Buffer.from(bodies.buffer, bodies.byteOffset, bodies.byteLength)
    this.salt = bytes.subarray(0, SALT)
    if (this.salt.length < SALT) throw damaged(cycle, 'its bodies end too soon')
    const { ids, end: first } = erasedIds(bytes, own, cycle)
    this.erased = ids
    for (let at = first; at < bytes.length;) {
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
    const text = (number: number): string | undefined => this.#bodies[number - 1]?.toString('latin1')
    return { count: this.#bodies.length, text, before, erased: this.erased }
  }
}

/** Content to erase in a row: numbers of bodies, and ids of nodes without a body. */
export type ErasedInRow = Readonly<{ numbers: ReadonlySet<number>; ids: ReadonlySet<string> }>

/** The row without some of its bodies. Each leaves its commitment, so the hash stays valid. */
export function withoutBodies(row: Row, { numbers, ids }: ErasedInRow): Row {
  const { salt, parts, commitments, erased } = new RowBodies(row)
  const kept = parts.map((part, i) => (numbers.has(i + 1) ? Buffer.concat([TAKEN_OUT, commitments[i]!]) : part))
  return { ...row, bodies: Buffer.concat([salt, ...idsPart(new Set([...erased, ...ids]), row.hash), ...kept]) }
}

/** The encoded list of erased ids; empty if there are none. */
function idsPart(ids: ReadonlySet<string>, own: Uint8Array): readonly Uint8Array[] {
  if (ids.size === 0) return []
  const part = sealed(Buffer.from(JSON.stringify([...ids].sort(compareText))), own)
  const length = Buffer.alloc(lengthSize(part.length))
  writeLength(length, part.length, 0)
  return [ERASED_IDS, length, part]
}

function erasedIds(bytes: Buffer, own: Uint8Array, cycle: number): Readonly<{ ids: ReadonlySet<string>; end: number }> {
  const at = SALT + ERASED_IDS.length
  if (!bytes.subarray(SALT, at).equals(ERASED_IDS)) return { ids: NO_IDS, end: SALT }
  const { length, next } = lengthAt(bytes, at)
  const end = next + length
  const text = end > bytes.length ? undefined : unsealed(bytes.subarray(next, end), own)
  if (text === undefined) throw damaged(cycle, 'the list of its erased nodes is not what was written')
  return { ids: new Set(JSON.parse(text.toString()) as readonly string[]), end }
}

const NO_IDS: ReadonlySet<string> = new Set()

/** The bodies of a row; E_STORE if the row's hash does not match its content and its predecessor. */
export function checkedBodies(row: Row, after: Uint8Array): RowBodies {
  const bodies = new RowBodies(row)
  const expected = chained(after, row.cycle, bodies.salt, row.changes, bodies.commitments)
  if (!expected.equals(row.hash)) throw damaged(row.cycle, 'it does not have the hash that it had when it was written')
  return bodies
}

/** Length 0 marks an erased body. */
const TAKEN_OUT = Buffer.from([0])
/** Marks a list of erased ids: length 0 in two bytes, which no body has. */
const ERASED_IDS = Buffer.from([0x80, 0])

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

/**
 * The input of a row's hash. The caller fills in the commitments at its end. `salt` may be longer; only its first bytes
 * count.
 */
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

/** Writes a length as a varint, seven bits per byte, lowest first; 0 marks an erased body. Returns the end. */
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
    // The caller notices truncation, since this length exceeds the buffer.
    if (byte === undefined || next - at > 6) return { length: Number.MAX_SAFE_INTEGER, next }
    length += (byte & 0x7f) * place
    if (byte < 0x80) return { length, next }
    place *= 0x80
  }
}
