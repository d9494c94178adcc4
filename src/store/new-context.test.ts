import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

import { ContextEdits } from '../context/persistence.js'
import { contextWithHistory } from './new-context.js'
import { rowsOf } from './pack.js'

test('no pack of a context that is put grows out of hand, whatever its rows weigh', async () => {
  const ctx = createContext()
  for (let n = 0; n < 560; n++) {
    // Most rows are small; a few in a row weigh 3 MB each.
    ctx.put('it', n >= 20 && n < 30 ? 'x'.repeat(3_000_000) : `turn ${n}`)
    ctx.commit()
  }
  const { packs, rows } = await contextWithHistory('one', ContextEdits.partsOf(ctx))
  const sizes = packs.map((pack) => rowsOf(pack).reduce((sum, row) => sum + row.changes.length + row.bodies.length, 0))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(packs.length).toBeGreaterThan(3)
  // All of them, one after the other, and enough that are not packed.
  const cycles = [...packs.flatMap((pack) => rowsOf(pack)), ...rows].map(({ cycle }) => cycle)
  expect(cycles).toEqual(Array.from({ length: 560 }, (_, i) => i + 1))
  expect(rows.length).toBeGreaterThan(200)
})
