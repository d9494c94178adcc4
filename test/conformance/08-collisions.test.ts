// 08 §8.2: what happens if two contents that are not alike have one hash. No such pair is known, so here every content
// has the same hash: the function is replaced for this file, where nothing else is asked.

import { describe, expect, test, vi } from 'vitest'

import { DIALECTS, idsOf } from '../support/context.js'
import { named } from '../support/histories.js'

const HASH = '5'.repeat(64)

vi.mock('../../src/codec/sha256.js', () => ({ sha256Hex: () => '5'.repeat(64) }))

describe.each(DIALECTS)('hash collisions, %s', (dialect) => {
  test('warns of equal hashes of unequal content where moves are inferred, and infers none from them (08 §8.2)', () => {
    const ctx = named(dialect, 'old same number new also 5')
    ctx.pre('old', { ttl: 1 })
    ctx.pre('same', { ttl: 1 })
    ctx.pre('5', { ttl: 1 })
    ctx.commit()
    ctx.pre('new')
    ctx.pre('same')
    ctx.pre(5)
    ctx.commit()
    for (const id of ['new', 'also', '5']) expect(ctx.node(id)?.contentHash, 'the hashes do collide').toBe(HASH)
    const diff = ctx.diffDetailed('@t-1', '@t0', '.cb')
    expect(diff.moves).toEqual([{ from: 'same', to: 'also', content_hash: HASH }])
    // One sentence per pair, with both ids and the hash.
    expect(diff.warnings).toHaveLength(2)
    for (const [i, ids] of [
      ['old', 'new'],
      ['number', '5'],
    ].entries()) {
      for (const part of [...ids, HASH]) expect(diff.warnings![i]!.split(/[\s,.]+/)).toContain(part)
    }
    expect(JSON.parse(JSON.stringify(diff))).toHaveProperty('warnings', diff.warnings)
    // The diff itself goes by ids, and is as without a collision.
    expect([idsOf(diff.added), idsOf(diff.removed), diff.changed]).toEqual([
      ['new', 'also', '5'],
      ['old', 'same', 'number'],
      [],
    ])
    expect(ctx.diffDetailed('@t-1', '@t0', "[id='same'], [id='also']")).not.toHaveProperty('warnings')
  })
})
