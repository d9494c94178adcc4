// Questions for PostgreSQL alone: tenants and the second fence around them, tables that many make at once, statements that
// are refused for now, and what is said of what goes wrong.

import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { createContext, type PactError } from 'pact-context'
import { openStore, Store } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { Connections } from '../../src/store/postgres/connections.js'
import { loadDriver, openPool, type Client, type Query } from '../../src/store/postgres/driver.js'
import { PostgresRows } from '../../src/store/postgres/rows.js'
import { migrate, STEPS } from '../../src/store/postgres/schema.js'
import { OPTIONAL_STATEMENTS, STATEMENTS } from '../../src/store/postgres/statements.js'
import { there } from '../../testing/checks.js'
import { filled, ODD_IDS } from '../../testing/rows-contexts.js'
import { erasureOf } from '../../testing/rows-erasing.js'
import {
  answerFor,
  attemptFor,
  bytes,
  forked,
  forkFor,
  heldOf,
  made,
  nextFor,
  packFor,
  rowsFor,
} from '../../testing/sample-rows.js'
import { textOf } from '../support/context.js'
import { Admin, fresh, refusal, sharedServer } from '../support/postgres.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (skipped: ${why})`

const admin = new Admin(url)
afterAll(() => admin.end())

const HOSTILE = [
  "'",
  "\\'; DROP TABLE pact_commits; --",
  "x' OR '1'='1",
  '"; DROP TABLE pact_commits; --',
  '$1::bytea',
  String.raw`\x00`,
  '{"a","b"}',
  '/* */ -- ',
  'NULL',
  '\0\u{10ffff}',
]

describe.skipIf(server === undefined)(`tenants${skipped}`, () => {
  test('see nothing of each other, whatever they call', async () => {
    const [mine, yours] = [await openStore(url, { tenant: fresh() }), await openStore(url, { tenant: fresh() })]
    const ctx = await mine.open('shared name')
    ctx.user('mine alone')
    await ctx.commit({ key: 'key' })
    await ctx.fork('@t0', { id: 'my fork' })
    expect((await yours.list()).contexts).toEqual([])
    expect(await yours.delete('shared name', { forks: true })).toBe(false)
    await expect(yours.fsck('shared name')).rejects.toMatchObject({ details: { reason: 'missing' } })
    expect(await yours.fsck()).toMatchObject({ ok: true, contexts: 0, rows: 0 })
    // The same ids are theirs as well.
    const other = await yours.open('shared name')
    expect(other.cycle).toBe(1)
    expect(await other.answerTo('key')).toBeUndefined()
    other.user('yours alone')
    await other.commit({ key: 'key' })
    await other.fork('@t0', { id: 'my fork' })
    expect(textOf((await mine.open('shared name')).export('@t0'))).not.toContain('yours alone')
    expect(textOf((await yours.open('my fork')).export('@t0'))).not.toContain('mine alone')
    expect(await yours.delete('shared name', { forks: true })).toBe(true)
    expect((await mine.list()).contexts.map(({ id }) => id)).toEqual(['my fork', 'shared name'])
    expect((await mine.fsck()).problems).toEqual([])
    for (const store of [mine, yours]) await store.close()
  })

  test('cannot reach a context by its number either', async () => {
    const [mine, yours] = [
      await PostgresRows.open(url, { tenant: fresh() }),
      await PostgresRows.open(url, { tenant: fresh() }),
    ]
    const row = { cycle: 0, hash: randomBytes(32), changes: randomBytes(9), bodies: randomBytes(9) }
    const made = await mine.create({ id: 'one', packs: [], rows: [row] })
    if (typeof made === 'string') throw new Error(made)
    const { ctx, family, head, chain, epoch } = made
    await mine.writeAttempts(ctx, [{ id: 'a', writer: 'me', body: row.changes }])
    await mine.writeManifest(ctx, { cycle: 0, body: row.changes }, [{ key: 'ab'.repeat(16), body: row.changes }])
    expect(await yours.byNumber(ctx)).toBeUndefined()
    expect(await yours.read(ctx, 0, 9)).toEqual({ packs: [], rows: [] })
    expect(await yours.attempts(ctx, 9)).toEqual([])
    expect(await yours.manifests(ctx)).toEqual([])
    expect(await yours.pages(family, ['ab'.repeat(16)])).toEqual([])
    expect(await yours.commit({ ctx, after: chain, epoch, row: { ...row, cycle: 1 } })).toBe('conflict')
    expect(
      await yours.create({ id: 'fork', parent: { ctx, cycle: head, forks: 0, family }, packs: [], rows: [row] }),
    ).toBe('conflict')
    await yours.writeAttempts(ctx, [{ id: 'b', writer: 'you', body: row.changes }])
    await yours.writeManifest(ctx, { cycle: 1, body: row.changes }, [])
    await yours.dropDerived(family)
    await yours.delete(ctx, true)
    expect(await mine.byNumber(ctx)).toMatchObject({ head: 0, forks: 0 })
    expect(await mine.attempts(ctx, 9)).toHaveLength(1)
    expect(await mine.manifests(ctx)).toEqual([0])
    expect(await mine.pages(family, ['ab'.repeat(16)])).toHaveLength(1)
    expect(await yours.check()).toEqual([])
    for (const rows of [mine, yours]) await rows.close()
  })

  test('may be called anything that is text, and so may what they keep; no string is taken for SQL', async () => {
    for (const name of [...ODD_IDS, ...HOSTILE]) {
      const tenant = `${fresh()}${name}`.slice(0, 500)
      const [store, second] = [await openStore(url, { tenant }), await openStore(url, { tenant })]
      const ctx = await store.open(name)
      ctx.user(`${name}\ud800`, { key: name, data_name: name })
      ctx.startAttempt({ provider: name, model: name, params: { name } })
      await ctx.commit({ key: name })
      const again = await second.open(name)
      expect(textOf(again.export('@t0')), name).toBe(textOf(ctx.export('@t0')))
      expect((await again.answerTo(name))?.cycle, name).toBe(1)
      expect(again.attempts()).toEqual(ctx.attempts())
      expect((await second.list({ after: name })).contexts).toEqual([])
      expect((await second.fsck(name)).problems, name).toEqual([])
      await store.close()
      await second.close()
    }
  })
})

describe.skipIf(server === undefined)(`row-level security${skipped}`, () => {
  test('is a second fence: a role that is one tenant gets nothing of another, whatever the store asks', async () => {
    const database = await admin.database()
    const owner = await openStore(database, { tenant: 'acme' })
    const ctx = await owner.open('plans')
    ctx.user('launch on Monday')
    await ctx.commit()
    const other = await openStore(database, { tenant: 'other' })
    const theirs = await other.open('plans')
    theirs.user('nobody else reads this')
    await theirs.commit()
    const role = `tenant_${fresh()}`
    await admin.sql(fence('acme', role), database)
    const fenced = asUser(database, role)
    // As its own tenant all is as ever.
    const mine = await openStore(fenced, { tenant: 'acme' })
    const plans = await mine.open('plans')
    expect(textOf(plans.export('@t0'))).toContain('launch on Monday')
    plans.user('and on Tuesday')
    await plans.commit()
    await plans.fork('@t0', { id: 'fork' })
    expect((await mine.fsck()).problems).toEqual([])
    expect(await mine.delete('fork')).toBe(true)
    // As another one there is nothing, although every statement names that tenant; and nothing can be written.
    const stolen = await openStore(fenced, { tenant: 'other' })
    expect((await stolen.list()).contexts).toEqual([])
    const error = await refusal(stolen.open('plans'))
    expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed', reason: 'not-allowed' } })
    // Not with statements of its own either.
    expect(await admin.sql('SELECT DISTINCT tenant FROM pact_commits', fenced)).toEqual([
      { tenant: Buffer.from('acme') },
    ])
    expect(await admin.sql("DELETE FROM pact_contexts WHERE tenant <> 'acme' RETURNING id", fenced)).toEqual([])
    await expect(admin.sql('CREATE TABLE mine (n integer)', fenced)).rejects.toThrow(/permission denied/)
    expect(textOf((await other.open('plans')).export('@t0'))).toContain('nobody else reads this')
    for (const store of [mine, stolen, owner, other]) await store.close()
    await admin.sql([`DROP OWNED BY ${role}`, `DROP ROLE ${role}`], database)
  })
})

/** The statements of docs/scaling.md, for a tenant and a role, and for every table. */
function fence(tenant: string, role: string): readonly string[] {
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
  const [, block = ''] = /## A second fence[\s\S]*?```sql\n([\s\S]*?)```/.exec(page) ?? []
  const hex = (text: string): string => String.raw`'\x${Buffer.from(text).toString('hex')}'`
  expect(block).toContain(hex('acme'))
  // A function in a policy keeps Citus from joining tables.
  expect(block).not.toMatch(/convert_to/)
  const statements = block
    .replaceAll(hex('acme'), hex(tenant))
    .replaceAll(/\bacme\b/g, role)
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const tables = STEPS.flat().flatMap((each) => /CREATE TABLE (\w+)/.exec(each)?.[1] ?? [])
  expect(tables.filter((table) => !page.includes(`\`${table}\``))).toEqual([])
  return statements.flatMap((each) =>
    each.includes('pact_commits') ? tables.map((table) => each.replaceAll('pact_commits', table)) : [each],
  )
}

describe.skipIf(server === undefined)(`tables${skipped}`, () => {
  test('are made once, however many open the database at once', async () => {
    const database = await admin.database()
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(database, { connections: 2 })))
    await Promise.all(stores.map(async (store, i) => (await store.open(`context ${i}`)).commit()))
    expect((await stores[0]!.list()).contexts).toHaveLength(8)
    expect((await stores[0]!.fsck()).problems).toEqual([])
    for (const store of stores) await store.close()
  })

  test('of a version that is still to come are made by one, and then refused by those who do not know it', async () => {
    const database = await admin.database()
    await (await openStore(database)).close()
    const connections = Array.from({ length: 5 }, () => new Connections(database, 'here', { connections: 1 }))
    const next = [
      ...STEPS,
      ['CREATE TABLE pact_later (tenant bytea NOT NULL, family bytea NOT NULL, PRIMARY KEY (tenant, family))'],
    ]
    await Promise.all(connections.map((each) => migrate(each, 'here', next)))
    for (const each of connections) await each.close()
    const { code, message, details } = await refusal(openStore(database))
    expect([code, details['reason'], details['version']]).toEqual(['E_STORE', 'newer', STEPS.length + 1])
    expect(message).toMatch(/newer version of pact-context .*upgrade to open it/)
  })

  test('that could not be made whole are not made', async () => {
    const database = await admin.database()
    const connections = new Connections(database, 'here', {})
    const broken = [...STEPS, ['CREATE TABLE pact_half (n integer)', 'CREATE TABLE pact_contexts (n integer)']]
    await refusal(migrate(connections, 'here', broken))
    await connections.close()
    const store = await openStore(database)
    expect((await store.open('one')).cycle).toBe(1)
    await store.close()
    expect(await admin.sql("SELECT 1 FROM pg_tables WHERE tablename = 'pact_half'", database)).toEqual([])
  })

  test('take every statement', async () => {
    await (await openStore(url)).close()
    const all = Object.entries(STATEMENTS).map(([name, text]) => `PREPARE "${name}" AS ${text}`)
    const prepared = await admin.sql([...all, 'SELECT 1 FROM pg_prepared_statements'])
    expect(prepared).toHaveLength(Object.keys(STATEMENTS).length)
  })
})

describe.skipIf(server === undefined)(`what goes wrong${skipped}`, () => {
  test('is tried again where it was refused for now, by 40001 or 40P01', async () => {
    const faults = new Faults()
    const store = new Store(await PostgresRows.open(url, { tenant: fresh() }, faults.pool), {
      packed: 4,
      tail: 12,
      manifest: 5,
    })
    const twin = createContext({ clock: () => 1n })
    const ctx = await store.open('one', { clock: () => 1n, history: 'all' })
    for (let n = 0; n < 40; n++) {
      faults.codes.push(...Array.from({ length: n % 4 }, (_, i) => (i % 2 === 0 ? '40001' : '40P01')))
      for (const each of [ctx, twin]) each.user(`turn ${n}`)
      twin.commit()
      await ctx.commit(n % 3 === 0 ? { key: `key ${n}` } : {})
      if (n % 10 === 9) await ctx.fork('@t-3', { id: `fork ${n}` })
    }
    expect(faults.thrown).toBeGreaterThan(50)
    const again = await store.open('one', { history: 'all' })
    expect(again.cycle).toBe(41)
    for (const cycle of [1, 20, 40]) expect(textOf(again.export(`@c${cycle}`))).toBe(textOf(twin.export(`@c${cycle}`)))
    expect((await store.list()).contexts.map(({ id, forks }) => [id, forks])).toEqual([
      ...[19, 29, 39, 9].map((n) => [`fork ${n}`, 0]),
      ['one', 4],
    ])
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
  })

  test('is a conflict for the loser also where the server refuses it with 40001 by itself', async () => {
    const strict = `${url}?options=${encodeURIComponent('-c default_transaction_isolation=serializable')}`
    const tenant = fresh()
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(strict, { tenant, connections: 2 })))
    let conflicts = 0
    await Promise.all(
      stores.map(async (store, i) => {
        for (let done = 0; done < 6;) {
          const ctx = await store.open('one')
          ctx.user(`writer ${i} says ${done}`)
          try {
            await ctx.commit()
            done++
          } catch (error) {
            expect(error).toMatchObject({ code: 'E_CONFLICT' })
            conflicts++
          }
        }
      }),
    )
    const ctx = await stores[0]!.open('one', { history: 'all' })
    expect(ctx.cycle).toBe(25)
    for (let n = 0; n < 24; n++) {
      const text = `writer ${Math.floor(n / 6)} says ${n % 6}`
      expect(textOf(ctx.export('@t0')).split(JSON.stringify(text)).length, text).toBe(2)
    }
    expect(conflicts).toBeGreaterThan(0)
    for (const store of stores) await store.close()
  })

  test('is told where it stays refused, and the edits stay', async () => {
    const faults = new Faults()
    const store = new Store(await PostgresRows.open(url, { tenant: fresh() }, faults.pool))
    const ctx = await store.open('one')
    await ctx.commit()
    ctx.user('kept')
    faults.where = /^WITH moved/
    faults.codes.push(...Array<string>(100).fill('40001'))
    const error = await refusal(ctx.commit())
    expect(error).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed', reason: 'busy', postgres: '40001' } })
    expect(ctx.operations()).toHaveLength(1)
    faults.codes.length = 0
    expect((await ctx.commit()).cycle).toBe(2)
    await store.close()
  })

  test.each([
    ['53100', 'failed', 'full'],
    ['57014', 'failed', 'busy'],
    ['42501', 'failed', 'not-allowed'],
    ['25006', 'failed', 'read-only'],
    ['40003', 'unknown', 'connection'],
    ['57P01', 'unknown', 'connection'],
    ['08006', 'unknown', 'connection'],
    ['ECONNRESET', 'unknown', 'connection'],
    ['XX000', 'unknown', 'connection'],
    ['58030', 'unknown', 'io'],
    ['XX001', 'unknown', 'damaged'],
  ])('of a commit, %s: %s, because %s', async (code, outcome, reason) => {
    const faults = new Faults()
    const store = new Store(await PostgresRows.open(url, { tenant: fresh() }, faults.pool))
    const ctx = await store.open('one')
    await ctx.commit()
    ctx.user('kept')
    faults.where = /^WITH moved/
    faults.codes.push(code)
    const error = await refusal(ctx.commit())
    expect([error.code, error.details['outcome']]).toEqual(['E_STORE', outcome])
    if (outcome === 'failed') expect(error.details['reason']).toBe(reason)
    else expect((error.cause as PactError).details['reason']).toBe(reason)
    expect((await ctx.commit()).cycle).toBe(2)
    expect(textOf(ctx.export('@t0'))).toContain('kept')
    await store.close()
  })

  test.each([
    ['53100', 'one statement', false],
    ['ECONNRESET', 'one statement', false],
    ['53100', 'routed statements', true],
    ['ECONNRESET', 'routed statements', true],
  ] as const)('is one step, whatever statement fails with %s; commits of %s', async (code, _, routed) => {
    const faults = new Faults()
    const rows = await PostgresRows.open(url, { tenant: fresh(), connectTimeout: 0, routed }, faults.pool, 3)
    const plain = await filled(rows, 'root')
    await forked(rows, 'fork', plain)
    const root = there(await rows.find('root'), 'the root')
    const works: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
      create: (n) =>
        rows.create({ id: `new ${n}`, packs: [packFor(0, 3)], rows: rowsFor(4, 7), attempts: [attemptFor('a')] }),
      fork: (n) => rows.create({ ...forkFor(`fork ${n}`, root), attempts: [attemptFor('a')] }),
      pack: () => rows.pack(root.ctx, packFor(3, 4)),
      manifest: () =>
        rows.writeManifest(root.ctx, { cycle: 5, body: bytes('m') }, [{ key: 'cd'.repeat(16), body: bytes('p') }]),
      derived: () => rows.dropDerived(root.family),
      attempts: () => rows.writeAttempts(root.ctx, [attemptFor('new'), attemptFor('newer')]),
      commit: () => rows.commit({ ...nextFor(root), answer: answerFor('other key', root.head + 1) }),
      erase: async () => {
        const { ctx } = root
        const row = { ...rowsFor(root.head, root.head)[0]!, bodies: bytes('erased') }
        const [answer, attempt] = [answerFor('other key', root.head), attemptFor('new', 'erased')]
        const over = { rows: [{ ctx, row }], answers: [{ ctx, answer }], attempts: [{ ctx, attempt }] }
        return rows.erase({ ...(await erasureOf(rows, root.family)), ...over })
      },
      delete: () => rows.delete(root.ctx, true),
    }
    let injected = 0
    for (const [name, work] of Object.entries(works)) {
      // The others are the same in both.
      if (routed && name !== 'create' && name !== 'commit') continue
      const shown = async (): Promise<unknown> => [
        await rows.list(undefined, 100),
        await heldOf(rows, root),
        await rows.audit(root.family),
      ]
      const before = await shown()
      for (let n = 1; ; n++) {
        // Every try of the work fails at the same statement.
        faults.failNth(n, code, 40)
        const outcome = await work(n).then(
          () => 'done',
          (error: PactError) => error.details['outcome'],
        )
        const isHit = faults.clear()
        if (!isHit) {
          expect(outcome, name).toBe('done')
          break
        }
        injected++
        expect(outcome, `${name}, statement ${n}`).not.toBe('done')
        expect(await shown(), `${name}, statement ${n}`).toEqual(before)
        expect(await rows.check()).toEqual([])
      }
      // The finished work is taken as it is now, and forks and commits begin again from there.
      if (['fork', 'commit', 'erase'].includes(name)) Object.assign(root, await rows.find('root'))
    }
    expect(injected).toBeGreaterThan(routed ? 8 : 20)
    await rows.close()
  })

  test('with a database, a user or a lock is told in a sentence', async () => {
    const nowhere = await refusal(openStore(new URL('/nowhere', url).href))
    expect(nowhere).toMatchObject({ code: 'E_STORE', details: { reason: 'cannot-open', outcome: 'failed' } })
    const nobody = await refusal(openStore(asUser(url, 'nobody_here', 'secret')))
    expect(nobody).toMatchObject({ code: 'E_STORE', details: { reason: 'not-allowed', outcome: 'failed' } })
    expect(JSON.stringify([nobody, nobody.message])).not.toContain('secret')
    const tenant = fresh()
    const store = await openStore(url, { tenant, statementTimeout: 3000 })
    const ctx = await store.open('one')
    await ctx.commit()
    const family = (await store.find('one'))!.number
    ctx.user('kept')
    const pool = openPool({ connectionString: url, max: 1 })
    const client = await pool.connect()
    try {
      await client.query({ text: 'BEGIN' })
      await client.query({
        text: 'SELECT 1 FROM pact_contexts WHERE tenant = $1 AND family = $2 FOR UPDATE',
        values: [Buffer.from(tenant), Buffer.from(String(family), 'hex')],
      })
      expect(await refusal(ctx.commit())).toMatchObject({ details: { reason: 'busy', outcome: 'failed' } })
      await client.query({ text: 'ROLLBACK' })
    } finally {
      client.release(true)
      await pool.end()
    }
    expect((await ctx.commit()).cycle).toBe(2)
    await store.close()
  })

  test('where pg is not installed is told in a sentence', () => {
    expect(() => loadDriver('no-such-package')).toThrow(
      expect.objectContaining({
        code: 'E_STORE',
        message: 'A store in PostgreSQL needs the package pg; install it with: npm install pg.',
        details: { outcome: 'failed', reason: 'no-driver' },
      }),
    )
  })

  test('after it is closed a call is refused in our words', async () => {
    const rows = await PostgresRows.open(url, { tenant: fresh() })
    await rows.close()
    expect(await refusal(rows.find('one'))).toMatchObject({ code: 'E_STORE', details: { outcome: 'failed' } })
  })

  test('damage to the newest row, or rows that nobody owns, are found', async () => {
    const tenant = fresh()
    const store = await openStore(url, { tenant })
    const ctx = await store.open('one')
    await ctx.commit()
    const bytes = literal(Buffer.from(tenant))
    await admin.sql(`UPDATE pact_contexts SET head = 7 WHERE tenant = ${bytes}`)
    expect((await store.fsck()).problems.map(({ message }) => message).join()).toMatch(/has no newest row/)
    await admin.sql(`DELETE FROM pact_contexts WHERE tenant = ${bytes}`)
    expect((await store.fsck()).problems.map(({ message }) => message).join()).toMatch(
      /pact_commits has rows of a context/,
    )
    await store.close()
  })

  test('names and contexts that do not know each other are found', async () => {
    const tenant = fresh()
    const rows = await PostgresRows.open(url, { tenant })
    for (const id of ['one', 'two', 'three']) await made(rows, id)
    expect(await rows.check()).toEqual([])
    const bytesFor = (text: string): string => literal(Buffer.from(text))
    const own = `tenant = ${bytesFor(tenant)}`
    // The id is what names are spread by, and Citus does not change it in place.
    const [name] = await admin.sql(`DELETE FROM pact_names WHERE ${own} AND id = ${bytesFor('one')} RETURNING *`)
    const values = ['tenant', 'family', 'context'].map((each) => literal(name![each] as Uint8Array))
    await admin.sql(
      `INSERT INTO pact_names (tenant, family, context, id) VALUES (${values.join(', ')}, ${bytesFor('other')})`,
    )
    await admin.sql(`DELETE FROM pact_names WHERE ${own} AND id = ${bytesFor('two')}`)
    await admin.sql(`DELETE FROM pact_contexts WHERE ${own} AND id = ${bytesFor('three')}`)
    const said = (await rows.check()).filter((each) => !each.startsWith('The table'))
    expect(said.toSorted().map((each) => each.replaceAll(/[0-9a-f]{32}/g, '…'))).toEqual([
      'The context one, …, is not found by its name.',
      'The context two, …, is not found by its name.',
      'The name other leads to a context of another name, one.',
      'The name three leads to a context, …, that is not there.',
    ])
    await rows.close()
  })
})

/** Bytes as SQL writes them. */
function literal(bytes: Uint8Array): string {
  return String.raw`'\x${Buffer.from(bytes).toString('hex')}'::bytea`
}

/** The same address for somebody else. */
function asUser(address: string, user: string, password = ''): string {
  return Object.assign(new URL(address), { username: user, password }).href
}

/** Connections whose statements are refused, with these codes. */
class Faults {
  readonly codes: string[] = []
  thrown = 0
  where = /^(?!BEGIN|ROLLBACK)/
  #nth: { n: number; code: string; times: number; isHit: boolean } | undefined

  /** The n-th statement after each BEGIN, or by itself, is refused this many times. */
  failNth(n: number, code: string, times: number): void {
    this.#nth = { n, code, times, isHit: false }
  }

  /** True if one was. */
  clear(): boolean {
    const isHit = this.#nth?.isHit ?? false
    this.#nth = undefined
    return isHit
  }

  readonly pool: typeof openPool = (config) => {
    const pool = openPool(config)
    return {
      connect: async () => this.#failing(await pool.connect()),
      end: () => pool.end(),
      on: pool.on.bind(pool),
    }
  }

  #failing(client: Client): Client {
    let count = 0
    return {
      query: async (query: Query) => {
        // A hint, which comes when it likes.
        if (query.text === OPTIONAL_STATEMENTS.notify) return client.query(query)
        if (query.text !== 'ROLLBACK') count++
        const nth = this.#nth
        if (nth !== undefined && nth.n === count && query.text !== 'ROLLBACK' && nth.times-- > 0) {
          nth.isHit = true
          throw Object.assign(new Error('injected'), { code: nth.code })
        }
        if (!this.where.test(query.text) || this.codes.length === 0) return client.query(query)
        this.thrown++
        throw Object.assign(new Error('injected'), { code: this.codes.shift() })
      },
      release: (isBroken) => client.release(isBroken),
      on: (event, listener) => client.on(event, listener),
      off: (event, listener) => client.off(event, listener),
    }
  }
}
