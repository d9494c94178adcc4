import { describe, expect, it } from 'vitest'

import { NO_PATTERN, NOWHERE, patternFrom, type Positions } from './pattern.js'

describe('Pattern', () => {
  it('is one and the same for equal positions of equally many shapes, and for no others', () => {
    const lists: readonly (readonly Positions[])[] = [
      [[1, 2], [3]],
      [[1], [2, 3]],
      [[1, 2, 3], NOWHERE],
      [NOWHERE, [1, 2, 3]],
      [[1, 2, 3]],
      [[12], [3]],
      [[1], [2], [3]],
    ]
    const shared = lists.map((positions) => patternFrom(positions).shared)
    expect(new Set(shared).size).toBe(lists.length)
    for (const [i, positions] of lists.entries()) {
      expect(patternFrom(structuredClone(positions).map((each) => (each.length === 0 ? NOWHERE : each))).shared).toBe(
        shared[i],
      )
    }
  })

  it('tells the only shape that matches, and where none does', () => {
    const onlyOf = (...positions: readonly Positions[]): number => patternFrom(positions).only
    expect([onlyOf([1]), onlyOf(NOWHERE, [2], NOWHERE), onlyOf([1], NOWHERE, [2])]).toEqual([0, 1, -1])
    expect([patternFrom([NOWHERE, NOWHERE]), patternFrom([])]).toEqual([NO_PATTERN, NO_PATTERN])
  })
})
