// Damage to the file of an SQLite store is reported or found, and nothing else is ever shown in its place. The same run is longer in
// `npm run soak -- --kills 1000`.

import { expect, it } from 'vitest'

import { openStore } from 'pact-context/store'

import { damageFiles } from '../../scripts/soak/store/damage.mjs'
import { scratch } from '../../scripts/soak/store/files.mjs'
import { openDatabase } from '../../src/store/sqlite/driver.js'

it('tells of flipped bits and zeroed pages, or shows the same bytes, 200 of 200', async () => {
  const { failures, damages, verdicts } = await damageFiles({ damages: 200 })
  expect(failures).toEqual([])
  expect(damages).toBe(200)
  expect(verdicts['reported']).toBeGreaterThan(50)
})

it.each([
  ['the newest rows of a context', 'DELETE FROM commits', /newest rows of the context main are lost/],
  [
    'a byte of a row',
    `UPDATE commits SET changes = ${longer('changes')} WHERE k % 1024 = 2`,
    /row of cycle 2 is damaged/,
  ],
  ['what kind a cell is', 'UPDATE commits SET bodies = CAST(bodies AS TEXT)', /a cell is not bytes/],
  ['what kind a number is', `UPDATE contexts SET first = 'x'`, /a cell is not a whole number/],
  ['a row in the middle', 'DELETE FROM commits WHERE k % 1024 = 2', /row of cycle 2 is damaged: it is not there/],
  ['a byte of an answer', `UPDATE answers SET answer = ${longer('answer')}`, /stored answer to the key k is damaged/],
  ['the cycle of an answer', 'UPDATE answers SET cycle = 2', /stored answer to the key k is damaged/],
])('tells where %s is lost', async (_, sql, sentence) => {
  const { file, remove } = scratch()
  try {
    const url = `sqlite:${file('a.db')}`
    const store = await openStore(url)
    const ctx = await store.open('main')
    for (let n = 0; n < 3; n++) {
      ctx.user(`question ${n}`)
      await ctx.commit(n === 0 ? { key: 'k' } : {})
    }
    await store.close()
    const db = openDatabase(file('a.db'))
    db.exec(sql)
    db.close()
    const again = await openStore(url)
    const read = async (): Promise<unknown> => (await again.open('main')).answerTo('k')
    await expect(read()).rejects.toMatchObject({ code: 'E_STORE', message: expect.stringMatching(sentence) })
    await expect(read()).rejects.toMatchObject({ details: { reason: 'damaged' } })
    await again.close()
  } finally {
    remove()
  }
})

function longer(column: string): string {
  return `CAST(${column} || x'20' AS BLOB)`
}
