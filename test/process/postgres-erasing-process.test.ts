// Erasing in PostgreSQL: nothing of it is left in anything that a dump has, also where the erasure was killed and finished later; and the receipt
// says what only who runs the server can reach.

import { randomBytes } from 'node:crypto'

import { afterAll, describe, expect, test } from 'vitest'

import { Store, type Rows } from '../../dist/store/index.js'
import { PostgresRows } from '../../dist/store/postgres/rows.js'
import { STEPS } from '../../src/store/postgres/schema.js'
import { openPool, type Pool } from '../../src/store/postgres/driver.js'
import { rowsOf } from '../../src/store/pack.js'
import {
  ERASED,
  eraseLaw,
  lookFor,
  plantSecretIn,
  SECRET,
  SIZES,
  statesOf,
  unpacked,
  WHO,
} from '../../scripts/soak/store/erasing.mjs'
import { endWriters, Writer } from '../support/pg-writers.js'
import { sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (skipped: ${why})`
const TABLES = STEPS.flat().flatMap((each) => /CREATE TABLE (\w+)/.exec(each)?.[1] ?? [])

let pool: Pool | undefined
afterAll(async () => {
  endWriters()
  await pool?.end()
})

async function query(
  text: string,
  values: readonly Uint8Array[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  pool ??= openPool({ connectionString: url, max: 1 })
  const client = await pool.connect()
  try {
    return (await client.query({ text, values })).rows
  } finally {
    client.release(false)
  }
}

async function storeOf(tenant: string, address = url): Promise<Store> {
  return new Store(await PostgresRows.open(address, { tenant, connections: 3 }), SIZES)
}

/** The secret in a dump of all tables: the bytes of every cell, also where they are packed, and as text. */
async function foundIn(tenant: string): Promise<readonly string[]> {
  const found: string[] = []
  const look = lookFor(found)
  for (const table of TABLES) {
    for (const row of await query(`SELECT * FROM ${table} WHERE tenant = $1`, [Buffer.from(tenant)])) {
      for (const [name, cell] of Object.entries(row)) {
        if (cell instanceof Uint8Array) for (const bytes of unpacked(cell)) look(`${table}.${name}`, bytes)
      }
      if (table !== 'pact_packs') continue
      const pack = { from: Number(row['first']), to: Number(row['last']), body: row['body'] as Uint8Array }
      for (const { changes, bodies } of rowsOf(pack))
        for (const part of [changes, bodies]) look('a row in a pack', part)
    }
    const texts = await query(`SELECT t::text AS line FROM ${table} t WHERE tenant = $1`, [Buffer.from(tenant)])
    for (const { line } of texts) look(`${table} as text`, Buffer.from(String(line)))
  }
  return [...new Set(found)]
}

describe.skipIf(server === undefined)(`erasing in PostgreSQL${skipped}`, () => {
  test('leaves nothing of a secret in a dump of all tables, in any form, and says what is out of reach', async () => {
    const tenant = randomBytes(6).toString('hex')
    const store = await storeOf(tenant)
    await plantSecretIn(await storeOf(tenant))
    const holder = await store.open('root')
    const before = await foundIn(tenant)
    for (const where of ['commits.bodies', 'pages.body', 'manifests.body', 'attempts.body'])
      expect(before).toContain(`pact_${where}`)
    expect(before).toContain('a row in a pack')
    expect(before).toContain('pact_commits as text')
    const receipt = await store.erase('root', ERASED, WHO)
    expect(await foundIn(tenant)).toEqual([])
    expect(receipt.contexts).toEqual(['fork 12', 'fork 20', 'root'])
    expect(receipt.outOfReach.join('\n')).toMatch(/write-ahead log[\s\S]*VACUUM FULL/)
    expect(receipt.outOfReach.join('\n')).not.toMatch(/their owner runs VACUUM/)
    expect((await store.fsck()).problems).toEqual([])
    holder.user('late')
    await expect(holder.commit()).rejects.toMatchObject({ code: 'E_CONFLICT', details: { reason: 'erased' } })
    expect(new Set(await statesOf(store))).toEqual(new Set(['new']))
    await store.close()
  })

  test('says so where this user may not free what was written over', async () => {
    const role = `eraser_${randomBytes(6).toString('hex')}`
    const tenant = randomBytes(6).toString('hex')
    const first = await storeOf(tenant)
    await query(`CREATE ROLE ${role} LOGIN`)
    await query(`GRANT SELECT, INSERT, UPDATE, DELETE ON pact_meta, ${TABLES.join(', ')} TO ${role}`)
    const store = await storeOf(tenant, url.replace('postgres@', `${role}@`))
    const ctx = await store.open('one')
    ctx.user(SECRET)
    await ctx.commit()
    const receipt = await store.erase('one', ERASED, WHO)
    expect(receipt.outOfReach.join('\n')).toMatch(/until the database takes them out .* or their owner runs VACUUM/)
    expect(await foundIn(tenant)).toEqual([])
    for (const each of [store, first]) await each.close()
  })

  test('is old or new when it is killed at any step, and is finished by the next call', async () => {
    const failures: string[] = []
    const outcomes: Record<string, number> = { old: 0, new: 0 }
    const step = 60 / runs(5)
    for (let at = 1; at < 400; at += Math.max(1, Math.round(step))) {
      const tenant = randomBytes(6).toString('hex')
      await plantSecretIn(await storeOf(tenant))
      const lines = await new Writer({ url, tenant, task: 'erasing', at }).ended
      const killed = lines.find(({ say }) => say === 'killed')
      if (killed === undefined) {
        expect(lines.map(({ say }) => say)).toEqual(['erased', 'done'])
        break
      }
      const before = `Killed before ${String(killed['text'])} (${at})`
      // Its locks are released when the server notices.
      const store = await storeOf(tenant)
      const states = new Set(await statesOf(store))
      const [state = ''] = states
      if (states.size !== 1 || !(state in outcomes)) failures.push(`${before}: it is ${[...states].join(', ')}`)
      else outcomes[state] = outcomes[state]! + 1
      const damage = (await store.fsck(undefined, { patience: 0 })).problems.filter(
        ({ message }) => !message.includes('not finished'),
      )
      if (damage.length > 0) failures.push(`${before}: ${JSON.stringify(damage)}`)
      const receipt = await store.erase('root', ERASED, WHO)
      if (receipt.ids.length === 0) failures.push(`${before}: the receipt names nothing`)
      if (!(await store.fsck()).ok) failures.push(`${before}: not whole afterwards`)
      const found = await foundIn(tenant)
      if (found.length > 0) failures.push(`${before}: found in ${found.join(', ')}`)
      await store.close()
    }
    expect(failures).toEqual([])
    expect(outcomes['old']).toBeGreaterThan(1)
    expect(outcomes['new']).toBeGreaterThan(0)
  })

  test('erases what a context in memory forgets, to the byte', async () => {
    const opened = async (): Promise<Rows> => PostgresRows.open(url, { tenant: randomBytes(6).toString('hex') })
    const { failures, erased } = await eraseLaw({ programs: runs(5), opened })
    expect(failures).toEqual([])
    expect(erased).toBeGreaterThan(2)
  })
})
