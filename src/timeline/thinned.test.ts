import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Thinned } from './thinned.js'

test('counts and finds as a plain list of cycles does', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 })), fc.integer({ min: 1, max: 41 }), (cycles, from) => {
      const thinned = Thinned.of(cycles.toSorted((a, b) => a - b))
      const there = Array.from({ length: 41 }, (_, i) => i + 1).filter((cycle) => !cycles.includes(cycle))
      expect([...thinned]).toEqual(cycles.toSorted((a, b) => a - b))
      expect(thinned.size).toBe(cycles.length)
      expect(thinned.has(from)).toBe(cycles.includes(from))
      expect(thinned.count(from, 41)).toBe(cycles.filter((cycle) => cycle >= from).length)
      expect(thinned.next(from)).toBe(there.find((cycle) => cycle >= from))
      expect(thinned.previous(from)).toBe(there.findLast((cycle) => cycle <= from) ?? 0)
      expect([...thinned.upTo(from)]).toEqual([...thinned].filter((cycle) => cycle <= from))
      for (const [i, cycle] of there.toReversed().entries()) expect(thinned.back(41, i)).toBe(cycle)
      expect(thinned.back(41, there.length)).toBeLessThan(1)
    }),
  )
})
