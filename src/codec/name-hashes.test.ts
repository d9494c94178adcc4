import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { PactError } from '../errors/index.js'
import { hashOfName, isPacked, packNames, unpackNames } from './name-hashes.js'

describe('hashOfName', () => {
  it('is the same for good, since pages have it', () => {
    const names = ['', 'root', 'block:12-3', 'é😀', '\ud800']
    expect(names.map(hashOfName)).toEqual([2872998923, 13846858, 368239774, 4159213040, 1463727854])
  })

  it('tells the ids of a long history apart, but for what chance allows', () => {
    const hashes = new Set<number>()
    for (let cycle = 1; cycle <= 25_000; cycle++) {
      for (let i = 0; i < 4; i++) hashes.add(hashOfName(`block:${cycle}-${i}`))
    }
    // Of 100,000 values out of 2³² about one pair meets.
    expect(hashes.size).toBeGreaterThan(99_990)
  })
})

describe('a list of names', () => {
  it('has the hashes of its names, each once, in ascending order', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 40 }), (names) => {
        const text = packNames(names)
        const hashes = [...unpackNames(text)]
        expect(hashes).toEqual([...new Set(names.map(hashOfName))].sort((a, b) => a - b))
        expect(isPacked(text)).toBe(true)
        expect(packNames([...names, ...names].reverse())).toBe(text)
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 20261117) },
    )
  })

  it.each(['A', 'AAAA', 'AAAAAAA', 'AAAAAAAAAAA=='])('has no other length: %s', (text) => {
    expect(isPacked(text)).toBe(false)
  })

  it.each([
    ['AAAA A', 'no part of a list'],
    ['AAAAÿA', 'no part of a list'],
    ['AAAAAB', 'nothing behind them'],
    ['AAAAAgAAAAE', 'ascending order'],
    ['AAAAAQAAAAE', 'ascending order'],
  ])('is refused where it was not written so: %s', (text, why) => {
    expect(isPacked(text)).toBe(true)
    expect(() => unpackNames(text)).toThrow(PactError)
    expect(() => unpackNames(text)).toThrow(why)
  })
})
