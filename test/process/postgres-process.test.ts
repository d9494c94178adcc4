// PostgreSQL dies in the middle of it: backends are terminated, the server is stopped at once, the way to it is cut before and after
// what was sent arrives; and many processes write into one context. What was acknowledged is there once, and nothing twice.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { PactError } from 'pact-context'
import { openStore, Store, type StoredContext } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { openServer } from '../../scripts/postgres/server.mjs'
import { openPool } from '../../src/store/postgres/driver.js'
import { PostgresRows } from '../../src/store/postgres/rows.js'
import { textOf } from '../support/context.js'
import { endWriters, Writer, type Line } from '../support/pg-writers.js'
import { sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'
import { Proxy } from '../support/tcp-proxy.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (skipped: ${why})`

/** Packs and manifests are made soon, so that these too are in the middle of it. */
const SIZES = { packed: 4, tail: 12, manifest: 8 }

async function storeAt(address: string, tenant: string): Promise<Store> {
  return new Store(await PostgresRows.open(address, { tenant, connections: 3, connectTimeout: 20_000 }), SIZES)
}

function fresh(): string {
  return randomBytes(6).toString('hex')
}

type Tally = { acknowledged: string[]; unknown: number; failed: number }

/** Commits texts one after the other, each until it is acknowledged, as callers do who call commit() again. */
async function commitAll(store: Store, id: string, texts: Iterable<string>, tally: Tally): Promise<void> {
  const ctx = await store.open(id)
  for (const text of texts) {
    ctx.user(text)
    for (;;) {
      try {
        await ctx.commit()
        break
      } catch (error) {
        if (!PactError.is(error) || error.code !== 'E_STORE') throw error
        if (error.details['outcome'] === 'unknown') tally.unknown++
        else tally.failed++
      }
    }
    tally.acknowledged.push(text)
  }
}

/** Every text is there once, in the order in which it was acknowledged, and nothing else. */
async function expectAll(store: Store, id: string, texts: readonly string[]): Promise<void> {
  const ctx: StoredContext = await store.open(id, { history: 'all' })
  expect(ctx.cycle - 1).toBe(texts.length)
  for (const [i, text] of texts.entries()) {
    const shown = textOf(ctx.export(`@c${i + 1}`))
    expect(shown.split(JSON.stringify(text)).length, `${text} in cycle ${i + 1}`).toBe(2)
  }
  expect((await store.fsck(id)).problems).toEqual([])
}

function* said(name: string, count: number): Generator<string, void, undefined> {
  for (let n = 0; n < count; n++) yield `${name} says ${n}.`
}

describe.skipIf(server === undefined)(`a connection that is lost${skipped}`, () => {
  test('backends that are terminated during commits: none lost, none doubled', async () => {
    const tenant = fresh()
    // Others may use the same server, and their backends are left alone.
    const name = `pact-test-${fresh()}`
    const own = new URL(url)
    own.searchParams.set('application_name', name)
    const store = await storeAt(own.href, tenant)
    const admin = openPool({ connectionString: url, max: 1 })
    const tallies = ['a', 'b'].map((): Tally => ({ acknowledged: [], unknown: 0, failed: 0 }))
    const now = { isOver: false }
    let terminated = 0
    const terminating = (async () => {
      while (!now.isOver) {
        const client = await admin.connect()
        const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = '${name}' AND random() < 0.5`
        terminated += (await client.query({ text }).finally(() => client.release(false))).rows.length
        await sleep(Math.random() * 25)
      }
    })()
    const count = runs(120)
    const ids = ['a', 'b']
    try {
      await Promise.all(ids.map((id, i) => commitAll(store, id, said(id, count), tallies[i]!)))
    } finally {
      now.isOver = true
      await terminating
      await admin.end()
    }
    for (const [i, id] of ids.entries()) await expectAll(store, id, tallies[i]!.acknowledged)
    expect(tallies.map(({ acknowledged }) => acknowledged.length)).toEqual([count, count])
    expect(terminated).toBeGreaterThan(10)
    await store.close()
  })

  test('a way that is cut before or after the statement arrives: the outcome is unknown, and then found out', async () => {
    const { proxy, url: through } = await Proxy.to(url)
    const tenant = fresh()
    const [store, direct] = [await storeAt(through, tenant), await storeAt(url, tenant)]
    const ctx = await store.open('one')
    const count = runs(40)
    let unknown = 0
    for (let n = 0; n < count; n++) {
      ctx.user(`turn ${n}`)
      const when = n % 2 === 0 ? 'before' : 'after'
      // The name of the statement goes with every message that runs it.
      proxy.next({ when, text: 'pact_commit\0' })
      const error = await ctx.commit().then(
        () => undefined,
        (reason: unknown) => reason as PactError,
      )
      expect(error, `${n}`).toMatchObject({ code: 'E_STORE', details: { outcome: 'unknown', cycle: n + 1 } })
      unknown++
      if (when === 'after') await until(async () => (await headOf(direct, 'one')) === n + 1)
      else expect(await headOf(direct, 'one')).toBe(n)
      expect((await ctx.commit()).cycle).toBe(n + 1)
    }
    expect([unknown, proxy.cuts]).toEqual([count, count])
    await expectAll(
      direct,
      'one',
      Array.from({ length: count }, (_, n) => `turn ${n}`),
    )
    await store.close()
    await direct.close()
    await proxy.end()
  })

  test('everything else that is cut is done once, or told as not done', async () => {
    const { proxy, url: through } = await Proxy.to(url)
    const tenant = fresh()
    const store = await storeAt(through, tenant)
    const root = await store.open('root')
    root.user('one')
    await root.commit()
    const forks: string[] = []
    for (const text of [
      'pact_takeName',
      'pact_update_contexts',
      'pact_insert_contexts',
      'COMMIT',
      'pact_select_contexts',
      'pact_read',
    ]) {
      for (const when of ['before', 'after'] as const) {
        proxy.next({ when, text })
        const id = `fork ${text} ${when}`
        await root.fork('@t0', { id })
        forks.push(id)
      }
    }
    for (const text of ['pact_select_contexts', 'pact_delete_commits', 'COMMIT']) {
      for (const when of ['before', 'after'] as const) {
        proxy.next({ when, text })
        expect(await store.delete(forks.pop()!)).toBe(true)
      }
    }
    for (const text of ['pact_insert_attempts', 'pact_select_attempts']) {
      for (const when of ['before', 'after'] as const) {
        proxy.next({ when, text })
        root.startAttempt({ provider: 'acme', model: 'm', params: {} }).complete({ tokenIn: 1, tokenOut: 1 })
        await root.flush()
        expect((await store.open('root')).attempts()).toEqual(root.attempts())
      }
    }
    const { contexts } = await store.list()
    expect(contexts.map(({ id }) => id)).toEqual([...forks, 'root'].toSorted())
    expect(contexts.find(({ id }) => id === 'root')?.forks).toBe(12)
    proxy.cutAll()
    expect((await store.fsck()).problems).toEqual([])
    expect(proxy.cuts).toBeGreaterThan(20)
    await store.close()
    await proxy.end()
  })
})

const given = process.env['PACT_TEST_POSTGRES_URL'] !== undefined
const notOurs = given ? ' (skipped: a server that was given is not stopped)' : ''

describe.skipIf(server === undefined || given)(`a server that is stopped at once${skipped}${notOurs}`, () => {
  test('during commits, and comes back: none lost, none doubled', async () => {
    const own = await openServer()
    if (own.server === undefined) throw new Error(own.why)
    const { crash, end, url: address } = own.server
    try {
      const tenant = fresh()
      const store = await storeAt(address, tenant)
      const ids = ['a', 'b', 'c']
      const tallies = ids.map((): Tally => ({ acknowledged: [], unknown: 0, failed: 0 }))
      const now = { isOver: false }
      const crashes = runs(4)
      const crashing = (async () => {
        for (let n = 0; n < crashes; n++) {
          await sleep(50 + Math.random() * 200)
          await crash()
        }
        now.isOver = true
      })()
      const texts = function* (id: string): Generator<string, void, undefined> {
        for (let n = 0; !now.isOver || n < 5; n++) yield `${id} says ${n}.`
      }
      await Promise.all(ids.map((id, i) => commitAll(store, id, texts(id), tallies[i]!)))
      await crashing
      for (const [i, id] of ids.entries()) await expectAll(store, id, tallies[i]!.acknowledged)
      expect(tallies.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)).toBeGreaterThan(crashes)
      await store.close()
    } finally {
      await end()
    }
  })
})

describe.skipIf(server === undefined)(`several processes${skipped}`, () => {
  test('ten of them, one context: every cycle has one winner, losers are told the head', async () => {
    const tenant = fresh()
    const [processes, commits] = [10, runs(6)]
    const writers = Array.from(
      { length: processes },
      (_, n) => new Writer({ url, tenant, name: `writer ${n}`, commits, task: 'race' }),
    )
    await Promise.all(writers.map((writer) => writer.heard('ready')))
    for (const writer of writers) writer.tell('go')
    const lines = (await Promise.all(writers.map((writer) => writer.ended))).flat()
    const of = (what: string): Line[] => lines.filter(({ say }) => say === what)
    expect(of('fault')).toEqual([])
    const acknowledged = of('commit').toSorted((a, b) => Number(a['cycle']) - Number(b['cycle']))
    expect(acknowledged.map(({ cycle }) => cycle)).toEqual(Array.from({ length: processes * commits }, (_, i) => i + 1))
    for (const { cycle, head, reason, kept } of of('conflict')) {
      expect({ reason, kept }).toEqual({ reason: 'stale', kept: 1 })
      expect(Number(head)).toBeGreaterThanOrEqual(Number(cycle))
    }
    expect(of('conflict').length).toBeGreaterThan(0)
    const store = await openStore(url, { tenant })
    await expectAll(
      store,
      'main',
      acknowledged.map(({ text }) => String(text)),
    )
    await store.close()
  })

  test('a writer that was stopped between reading and committing is refused, 20 of 20', async () => {
    const tenant = fresh()
    const rounds = 20
    const store = await storeAt(url, tenant)
    const ctx = await store.open('main')
    const writer = new Writer({ url, tenant, name: 'late', commits: rounds, task: 'stale' })
    await writer.heard('ready')
    writer.tell('go')
    for (let round = 1; round <= rounds; round++) {
      await writer.heard('waiting', round)
      writer.kill('SIGSTOP')
      // Now and then enough that the rows it read are packed.
      for (let n = round % 5 === 0 ? 20 : 1; n > 0; n--) {
        ctx.user(`in time ${round}/${n}`)
        await ctx.commit()
      }
      writer.kill('SIGCONT')
      writer.tell('go')
      expect(await writer.heard('conflict', round)).toMatchObject({ reason: 'stale', head: ctx.cycle - 1, kept: 1 })
    }
    const lines = await writer.ended
    expect(lines.filter(({ say }) => say === 'conflict' || say === 'commit')).toHaveLength(rounds)
    expect(textOf(ctx.export('@t0'))).not.toContain('late says')
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
  })

  test('clocks that differ by years change nothing: no row is ordered, compared or refused by a time', async () => {
    const tenant = fresh()
    const stores = [await storeAt(url, tenant), await storeAt(url, tenant)]
    const clocks = [() => 1n, () => 4_000_000_000_000_000_000n]
    for (let n = 0; n < 20; n++) {
      const ctx = await stores[n % 2]!.open('one', { clock: clocks[n % 2]! })
      ctx.user(`turn ${n}`)
      expect((await ctx.commit()).cycle).toBe(n + 1)
    }
    await expectAll(
      stores[0]!,
      'one',
      Array.from({ length: 20 }, (_, n) => `turn ${n}`),
    )
    for (const store of stores) await store.close()
  })
})

async function headOf(store: Store, id: string): Promise<number> {
  return (await store.list()).contexts.find((each) => each.id === id)!.cycle
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 500; n++) {
    if (await holds()) return
    await sleep(10)
  }
  throw new Error('It does not come.')
}

afterAll(endWriters)
