// Thinning out, in memory, SQLite and PostgreSQL: what is kept is what it was, to the byte, also where the retention was killed and done again.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

import { afterAll, describe, expect, it } from 'vitest'

import { MemoryRows, Store, type Rows } from '../../dist/store/index.js'
import { PostgresRows } from '../../dist/store/postgres/rows.js'
import { SqliteRows } from '../../dist/store/sqlite/rows.js'
import { scratch } from '../../scripts/soak/store/files.mjs'
import { KEEP, killRetaining, pastOf, plantPast, retainLaw } from '../../scripts/soak/store/retaining.mjs'
import { endWriters, Writer } from '../support/pg-writers.js'
import { sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (without PostgreSQL: ${why})`
const { file, remove } = scratch()
afterAll(() => {
  endWriters()
  remove()
})

const fresh = (): string => randomBytes(6).toString('hex')
const PLACES: readonly (readonly [string, number, () => Promise<Rows>])[] = [
  ['memory', 4, async () => new MemoryRows()],
  ['SQLite', 2, async () => new SqliteRows(file(`${fresh()}.db`), { durability: 'relaxed' })],
  ...(server === undefined
    ? []
    : [['PostgreSQL', 2, async () => PostgresRows.open(url, { tenant: fresh() })] as const]),
]

it.each(PLACES)(
  `in %s: what is left shows as if nothing had been thinned out${skipped}`,
  async (_, programs, opened) => {
    const { failures, thinned, texts, needed } = await retainLaw({ programs: runs(programs), opened })
    expect(failures).toEqual([])
    expect(thinned).toBeGreaterThan(programs * 5)
    expect(texts).toBeGreaterThan(programs * 5)
    expect(needed).toBeGreaterThan(0)
  },
  300_000,
)

it('in SQLite: is old or new when it is killed at any step, and is finished by the next call', async () => {
  const { failures, outcomes } = await killRetaining({ every: Math.max(1, Math.round(8 / runs(1))) })
  expect(failures).toEqual([])
  expect(outcomes.old + outcomes.new).toBeGreaterThan(2)
})

it.each(PLACES)(
  'in %s: is done while others commit and fork',
  async (_, _programs, opened) => {
    const rows = await opened()
    const store = new Store(rows)
    const ctx = await store.open('one')
    for (let n = 0; n < 60; n++) {
      ctx.user(`turn ${n}`, { ttl: 2 })
      await ctx.commit()
    }
    const over = new AbortController()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        const writer = await store.open('one')
        writer.user(`beside ${n}`)
        await writer.commit().catch(() => undefined)
        if (n === 3) await writer.fork('@t-2', { id: 'fork' }).catch(() => undefined)
      }
    })()
    const { kept } = await store.retain('one', { keep: { newest: 5 } })
    over.abort()
    await writing
    expect(kept).toBeLessThan(20)
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
  },
  60_000,
)

it('makes a file smaller, where much came and went', async () => {
  const path = file('size.db')
  const store = new Store(new SqliteRows(path, { durability: 'relaxed' }))
  const ctx = await store.open('one')
  for (let n = 0; n < 300; n++) {
    ctx.user(`turn ${n}`)
    // The result of a tool, which is of no use two turns later.
    ctx.put('result', randomBytes(1500).toString('base64'), { zone: 'pre', ttl: 2 })
    await ctx.commit()
  }
  await store.close()
  const before = fs.statSync(path).size
  const again = new Store(new SqliteRows(path, { durability: 'relaxed' }))
  const steps = new Set<string>()
  const { texts } = await again.retain('one', { keep: { newest: 10 }, onProgress: ({ step }) => steps.add(step) })
  await again.close()
  expect(texts).toBeGreaterThan(250)
  expect(steps).toEqual(new Set(['reading', 'checking']))
  expect(fs.statSync(path).size).toBeLessThan(before / 3)
})

describe.skipIf(server === undefined)(`in PostgreSQL${skipped}`, () => {
  it('is old or new when it is killed at any step, and is finished by the next call', async () => {
    const storeOf = async (tenant: string): Promise<Store> => new Store(await PostgresRows.open(url, { tenant }))
    const planted = async (): Promise<string> => {
      const tenant = fresh()
      await plantPast(await storeOf(tenant))
      return tenant
    }
    const whole = await storeOf(await planted())
    const old = await pastOf(whole)
    await whole.retain('root', { keep: KEEP })
    const thinned = await pastOf(whole)
    await whole.close()
    const outcomes = { old: 0, new: 0 }
    for (let at = 1; at < 400; at += Math.max(1, Math.round(17 / runs(1)))) {
      const tenant = await planted()
      const lines = await new Writer({ url, tenant, task: 'retaining', at }).ended
      const killed = lines.find(({ say }) => say === 'killed')
      const store = await storeOf(tenant)
      const past = await pastOf(store)
      expect([old, thinned], `killed before ${String(killed?.['text'])}`).toContain(past)
      if (killed !== undefined) outcomes[past === old ? 'old' : 'new']++
      await store.retain('root', { keep: KEEP })
      expect(await pastOf(store)).toBe(thinned)
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
      if (killed === undefined) break
    }
    expect(outcomes.old + outcomes.new).toBeGreaterThan(1)
  })
})
