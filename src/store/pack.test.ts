import { PactError } from 'pact-context'
import { expect, test } from 'vitest'

import { packOf, rowsOf } from './pack.js'
import { NO_HASH, RowWriter } from './row.js'
import type { Pack, Row } from './rows.js'

function chain(count: number, from = 0): readonly Row[] {
  let after = NO_HASH
  return Array.from({ length: count }, (_, i) => {
    const writer = new RowWriter(() => undefined)
    for (let n = 0; n < i % 3; n++) writer.bodies.add(`body ${n} of ${i}`)
    const row = writer.row(from + i, after, Buffer.from(i % 4 === 0 ? '' : `changes ${i}`))
    after = row.hash
    return row
  })
}

function plain(rows: readonly Row[]): readonly unknown[] {
  return rows.map(({ cycle, ...rest }) => [
    cycle,
    ...Object.values(rest).map((each) => Buffer.from(each).toString('hex')),
  ])
}

function isDamage(pack: Pack): boolean {
  try {
    rowsOf(pack)
    return false
  } catch (error) {
    expect(PactError.is(error) && error.code === 'E_STORE' && error.details['reason'] === 'damaged').toBe(true)
    return true
  }
}

test.each([1, 2, 3, 256])('%i rows come out of a pack as they went in', (count) => {
  const rows = chain(count, 7)
  const pack = packOf(rows)
  expect([pack.from, pack.to]).toEqual([7, 6 + count])
  expect(plain(rowsOf(pack))).toEqual(plain(rows))
})

test('rows that say nothing can be packed', () => {
  const rows: readonly Row[] = [{ cycle: 4, hash: NO_HASH, changes: new Uint8Array(0), bodies: new Uint8Array(0) }]
  expect(plain(rowsOf(packOf(rows)))).toEqual(plain(rows))
})

test('what is much alike takes little room', () => {
  const rows = Array.from({ length: 256 }, (_, i) => {
    const writer = new RowWriter(() => undefined)
    return writer.row(i, NO_HASH, Buffer.from(`{"much":"the same in every row","cycle":${i}}`.repeat(10)))
  })
  const size = rows.reduce((sum, { changes }) => sum + changes.length, 0)
  expect(packOf(rows).body.length).toBeLessThan(size / 5)
})

test('a pack that is cut, or begins otherwise, is damage', () => {
  const pack = packOf(chain(5))
  for (let length = 0; length < pack.body.length - 1; length += 7) {
    expect(isDamage({ ...pack, body: pack.body.subarray(0, length) }), `${length}`).toBe(true)
  }
  const others = [{ from: 1 }, { to: 5 }, { to: 3 }, { from: 1, to: 5 }]
  for (const other of others) expect(isDamage({ ...pack, ...other }), JSON.stringify(other)).toBe(true)
})

test('a flipped byte is damage, or is found by the chain', () => {
  const rows = chain(4)
  const pack = packOf(rows)
  for (let at = 0; at < pack.body.length; at++) {
    const body = Buffer.from(pack.body)
    body[at]! ^= 0x10
    let found: readonly unknown[] | undefined
    try {
      found = plain(rowsOf({ ...pack, body }))
    } catch (error) {
      expect(PactError.is(error)).toBe(true)
      continue
    }
    // Readers compare hashes. A damaged pack may give other rows, but not rows that pass for the original.
    expect(found).toHaveLength(4)
  }
})

test('a pack that would blow up is refused before it does', () => {
  const rows: readonly Row[] = [{ cycle: 0, hash: NO_HASH, changes: Buffer.alloc(1_000_000), bodies: Buffer.alloc(0) }]
  const pack = packOf(rows)
  const body = Buffer.from(pack.body)
  body.writeUInt32BE(10, 8 + 36)
  expect(isDamage({ ...pack, body })).toBe(true)
})
