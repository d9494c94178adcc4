import { createHash } from 'node:crypto'

import { PactError } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { checkedBodies, NO_HASH, RowBodies, RowWriter, withoutBodies } from './row.js'
import { sameBytes } from './compare.js'
import type { Row } from './rows.js'

const SALT = 16
const NONE = (): undefined => undefined

function rowWith(texts: readonly string[], cycle = 3, after = NO_HASH, changes = 'changes'): Row {
  const writer = new RowWriter(NONE)
  for (const text of texts) writer.bodies.add(text)
  return writer.row(cycle, after, Buffer.from(changes))
}

function textsOf(row: Row): readonly (string | undefined)[] {
  const reader = new RowBodies(row).reader(NONE)
  return Array.from({ length: reader.count }, (_, i) => reader.text(i + 1))
}

/** A body of less than 127 bytes, taken out as an erasure does it: length 0, and the commitment in the place of salt and text. */
function withoutFirst(row: Row): Row {
  const [salt, bodies] = [row.bodies.subarray(0, SALT), row.bodies.subarray(SALT)]
  const [length] = bodies
  const end = 1 + SALT + length! - 1
  const commitment = createHash('sha256').update(bodies.subarray(1, end)).digest()
  return { ...row, bodies: Buffer.concat([salt, Buffer.from([0]), commitment, bodies.subarray(end)]) }
}

function damageOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (PactError.is(error)) return [error.code, error.details['reason'], error.details['cycle']]
    throw error
  }
  return undefined
}

describe('bodies of a row', () => {
  const LENGTHS = [0, 1, 125, 126, 127, 128, 16_382, 16_383, 16_384, 2_097_151, 2_097_152]

  test.each(LENGTHS)('a body of %i bytes comes back', (length) => {
    const texts = ['first', 'x'.repeat(length), 'last']
    const row = rowWith(texts)
    expect(textsOf(row)).toEqual(texts)
    expect(checkedBodies(row, NO_HASH).commitments).toHaveLength(3)
  })

  test('bodies are counted from 1, and there may be none', () => {
    const writer = new RowWriter(NONE)
    expect([writer.bodies.add('a'), writer.bodies.add('a')]).toEqual([1, 2])
    expect(textsOf(rowWith([]))).toEqual([])
  })

  test('each has a salt of its own, so no two rows have one hash', () => {
    const [one, two] = [rowWith(['same']), rowWith(['same'])]
    expect(sameBytes(one.hash, two.hash)).toBe(false)
    const [first, second] = new RowBodies(rowWith(['same', 'same'])).commitments
    expect(sameBytes(first!, second!)).toBe(false)
  })

  test('salts stay apart when thousands are drawn', () => {
    const writer = new RowWriter(NONE)
    for (let i = 0; i < 3000; i++) writer.bodies.add('')
    const { commitments } = new RowBodies(writer.row(1, NO_HASH, Buffer.from('')))
    expect(new Set(commitments.map((each) => Buffer.from(each).toString('hex'))).size).toBe(3000)
  })

  test('one that was taken out leaves its commitment, and the chain holds', () => {
    const row = withoutFirst(rowWith(['secret', 'open']))
    expect(textsOf(row)).toEqual([undefined, 'open'])
    expect(checkedBodies(row, NO_HASH).reader(NONE).count).toBe(2)
    expect(Buffer.from(row.bodies).includes('secret')).toBe(false)
  })

  test('ids of erased nodes without a body are added to a row, and the chain holds', () => {
    const row = rowWith(['first', 'second'])
    const once = withoutBodies(row, { numbers: new Set([1]), ids: new Set(['seg:1-2']) })
    const ids = Array.from({ length: 40 }, (_, i) => `cont:é-${i}`)
    const twice = withoutBodies(once, { numbers: new Set(), ids: new Set(ids) })
    for (const each of [once, twice]) {
      expect(each.hash).toEqual(row.hash)
      expect(textsOf(each)).toEqual([undefined, 'second'])
    }
    expect([...checkedBodies(once, NO_HASH).erased]).toEqual(['seg:1-2'])
    expect(checkedBodies(twice, NO_HASH).erased).toEqual(new Set([...ids, 'seg:1-2']))
    expect(checkedBodies(row, NO_HASH).erased.size).toBe(0)
  })
})

describe('the chain', () => {
  test('two writers never write the same row, also where they say the same or nothing', () => {
    for (const texts of [[], ['same']]) expect(rowWith(texts).hash).not.toEqual(rowWith(texts).hash)
  })

  const row = rowWith(['first body', 'second body'])

  test('a row follows the one before it, in its cycle, with what it says', () => {
    const after = createHash('sha256').update('before').digest()
    expect(checkedBodies(rowWith(['a'], 3, after), after).commitments).toHaveLength(1)
    const moved: readonly Row[] = [
      { ...row, cycle: 4 },
      { ...row, changes: Buffer.from('changed') },
      { ...row, hash: after },
    ]
    for (const each of moved) {
      expect(damageOf(() => checkedBodies(each, NO_HASH))).toEqual(['E_STORE', 'damaged', each.cycle])
    }
    expect(damageOf(() => checkedBodies(row, after))).toEqual(['E_STORE', 'damaged', 3])
  })

  test('every flipped bit is found', () => {
    const erased = withoutBodies(row, { numbers: new Set([2]), ids: new Set(['cont:1-2']) })
    for (const each of [row, erased]) expectFlipsFound(each)
  })

  function expectFlipsFound(row: Row): void {
    for (const field of ['hash', 'changes', 'bodies'] as const) {
      for (let at = 0; at < row[field].length * 8; at++) {
        const bytes = Buffer.from(row[field])
        bytes[at >> 3]! ^= 1 << (at & 7)
        expect(
          damageOf(() => checkedBodies({ ...row, [field]: bytes }, NO_HASH)),
          `${field} ${at}`,
        ).toEqual(['E_STORE', 'damaged', 3])
      }
    }
  }

  test('every cut is found', () => {
    for (let length = 0; length < row.bodies.length; length++) {
      const cut = { ...row, bodies: row.bodies.subarray(0, length) }
      expect(
        damageOf(() => checkedBodies(cut, NO_HASH)),
        `${length}`,
      ).toEqual(['E_STORE', 'damaged', 3])
    }
  })

  test('a length without an end is damage', () => {
    const bodies = Buffer.alloc(40, 0xff)
    expect(damageOf(() => new RowBodies({ cycle: 5, hash: NO_HASH, bodies }))).toEqual(['E_STORE', 'damaged', 5])
  })

  test('bytes of a part of a larger buffer are those of the part', () => {
    const padded = Buffer.concat([Buffer.from('xx'), row.bodies, Buffer.from('yy')])
    const part = new Uint8Array(padded.buffer, padded.byteOffset + 2, row.bodies.length)
    expect(textsOf({ ...row, bodies: part })).toEqual(['first body', 'second body'])
  })
})
