// Saves in PostgreSQL (D62): a process that is killed before any statement of a save, or of the commit that ends a draft, loses nothing that was
// acknowledged, and a second process goes on from there.

import { randomBytes } from 'node:crypto'

import { afterAll, describe, expect, test } from 'vitest'

import { Store } from '../../dist/store/index.js'
import { PostgresRows } from '../../dist/store/postgres/rows.js'
import { endWriters, Writer } from '../support/pg-writers.js'
import { sharedServer } from '../support/postgres.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const TURNS = 2
const ALL = Array.from({ length: TURNS }, (_, i) =>
  ['asked', 'answered', 'ended'].map((each) => `${i + 1} ${each}`),
).flat()

afterAll(() => endWriters())

describe.skipIf(server === undefined)(`a kill during saves${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  test('before any writing statement loses nothing that was acknowledged', async () => {
    let killed = 0
    for (let at = 1; at <= 60; at++) {
      const tenant = `saves-${at}-${randomBytes(4).toString('hex')}`
      const writer = new Writer({ url, tenant, task: 'saving', commits: TURNS, at })
      const lines = await writer.ended
      const wasKilled = lines.some(({ say }) => say === 'killed')
      const said = lines.flatMap(({ say, text }) => (say === 'saved' ? [String(text)] : []))
      const store = new Store(await PostgresRows.open(url, { tenant, connections: 2 }))
      try {
        const ctx = await store.open('saved')
        const found = ctx.thread('working').map(({ content }) => content)
        // The statement was not sent, so there is nothing that was not acknowledged.
        expect(found, `killed at statement ${at}`).toEqual(said)
        expect((await store.fsck('saved')).problems).toEqual([])
        ctx.user('on it goes')
        await ctx.commit()
        expect(ctx.thread('@t0').map(({ content }) => content)).toEqual([...said, 'on it goes'])
        expect(ctx.draft).toBeUndefined()
      } finally {
        await store.close()
      }
      if (!wasKilled) {
        expect(said).toEqual(ALL)
        break
      }
      killed++
    }
    // A statement for each save and each commit at least.
    expect(killed).toBeGreaterThan(ALL.length)
    expect(killed).toBeLessThan(60)
  })
})
