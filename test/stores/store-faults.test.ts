// Faults on the way into an SQLite store: a fault before every statement of all that writes, and acknowledgements that are
// lost. The same runs are longer in `npm run soak -- --kills 1000`.

import { expect, it } from 'vitest'

import { intercepted, OPTIONS, scratch, storeAt } from '../../scripts/soak/store/files.mjs'
import { loseAnswers } from '../../scripts/soak/store/retries.mjs'
import { failEachStatement, WORK_NAMES } from '../../scripts/soak/store/statements.mjs'

it.each(WORK_NAMES)('is one step, whatever statement fails: %s', async (name) => {
  const { failures, statements, faults } = await failEachStatement(name)
  expect(failures).toEqual([])
  // Both errors and the end of the process, each before every statement that the caller waits for.
  expect(faults).toBeGreaterThanOrEqual(3)
  expect(faults).toBeLessThanOrEqual(3 * statements)
})

it('gives the same cycle to whoever sends a commit again, 200 of 200, and commits nothing twice', async () => {
  const { failures, held, packs } = await loseAnswers({ commits: 200 })
  expect(failures).toEqual([])
  expect(held).toBe(200)
  expect(packs).toBeGreaterThan(0)
})

it('tries once a commit where rows cannot be packed, and goes on', async () => {
  const { file, remove } = scratch()
  let tries = 0
  const store = storeAt(file('a.db'), {
    wrap: (rows) =>
      intercepted(rows, 'pack', async () => {
        if (++tries > 100) throw new Error('It tries without end.')
      }),
  })
  try {
    const ctx = await store.open('main', OPTIONS)
    for (let n = 0; n < 20; n++) {
      ctx.user(`question ${n}`)
      await ctx.commit()
    }
  } finally {
    await store.close()
    remove()
  }
  expect(tries).toBeGreaterThan(0)
  expect(tries).toBeLessThanOrEqual(20)
})
