// Integers of nodes against fractions: a bound lies between two of them, and however near it is to one, it is not that one (D21).

import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

const PRIORITIES = [-3, -2, -1, 0, 1, 2, 3, 2 ** 53 - 1]

/** Each bound with the number of the priorities above that lie below it. */
const BOUNDS: readonly (readonly [text: string, below: number])[] = [
  ['-3.5', 0],
  ['-2.00000000000000000001', 1],
  ['-1.99999999999999999999', 2],
  ['-0.5', 3],
  ['0.00000000000000000001', 4],
  ['0.5', 4],
  ['2.99999999999999999999', 6],
  ['3.00000000000000000001', 7],
  ['9007199254740990.5', 7],
  ['9007199254740991.5', 8],
]

const ctx = createContext()
// Many turns, so that columns answer, and one by one as well.
for (let turn = 0; turn < 300; turn++) {
  for (const priority of PRIORITIES) ctx.user(`p${priority}`, { priority })
  ctx.commit()
}

test.each(BOUNDS)('against %s', (bound, below) => {
  const above = PRIORITIES.length - below
  const counts = { '<': below, '<=': below, '>': above, '>=': above, '=': 0, '!=': PRIORITIES.length }
  for (const [op, count] of Object.entries(counts)) {
    expect(ctx.count(`@t0 ^seq .block[priority${op}${bound}]`), op).toBe(300 * count)
    expect(ctx.count(`@t0 ^seq .seg:depth(1) .block[priority${op}${bound}]`), op).toBe(count)
    expect(ctx.select(`@t0 ^seq .block[priority${op}${bound}]`).length, op).toBe(300 * count)
  }
})

test('a fraction that is a whole number is that number', () => {
  expect(ctx.count('@t0 ^seq .block[priority=2.000]')).toBe(300)
  expect(ctx.count('@t0 ^seq .block[priority>2.0]')).toBe(600)
})
