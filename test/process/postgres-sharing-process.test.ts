// Several writers and watchers of contexts in one PostgreSQL: writers rebase and lose nothing; a watcher hears of everything once, also if the server
// tells, is silent, or goes away.

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { Store, type StoreEvent } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { openPool, type Pool } from '../../src/store/postgres/driver.js'
import { PostgresRows } from '../../src/store/postgres/rows.js'
import { OPTIONAL_STATEMENTS } from '../../src/store/postgres/statements.js'
import { endWriters, Writer } from '../support/pg-writers.js'
import { sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'

const { server, why } = await sharedServer()
const url = server?.url ?? ''
const skipped = why === undefined ? '' : ` (skipped: ${why})`

let admin: Pool | undefined
afterAll(async () => {
  endWriters()
  await admin?.end()
})

function fresh(): string {
  return randomBytes(6).toString('hex')
}

async function storeOf(tenant: string, opened?: typeof openPool): Promise<Store> {
  return new Store(await PostgresRows.open(url, { tenant, connections: 3 }, opened))
}

async function sql(text: string): Promise<number> {
  admin ??= openPool({ connectionString: url, max: 1 })
  const client = await admin.connect()
  try {
    return (await client.query({ text })).rows.length
  } finally {
    client.release(false)
  }
}

/** The cycles that a watch reports, up to the last; after every `every` of them the watch is ended, and another one goes on. */
async function cyclesSeen(store: Store, last: number, most: number, every: number): Promise<readonly number[]> {
  const seen: number[] = []
  while (seen.at(-1) !== last) {
    let count = 0
    for await (const { kind, cycle } of store.watch('main', { from: seen.at(-1) ?? 0, every })) {
      if (kind === 'commit') seen.push(cycle)
      if (cycle === last || ++count === most) break
    }
  }
  return seen
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, i) => i + 1)
}

describe.skipIf(server === undefined)(`sharing in PostgreSQL${skipped}`, () => {
  test('ten processes that rebase lose nothing, and who watches is told of each commit once', async () => {
    const tenant = fresh()
    const [processes, commits] = [10, runs(6)]
    const watching = await storeOf(tenant)
    const watched = Promise.all([
      cyclesSeen(watching, processes * commits, Infinity, 100),
      cyclesSeen(watching, processes * commits, 7, 20),
    ])
    const names = Array.from({ length: processes }, (_, n) => `writer ${n}`)
    const writers = names.map((name) => new Writer({ url, tenant, name, commits, task: 'rebase' }))
    await Promise.all(writers.map((writer) => writer.heard('ready')))
    for (const writer of writers) writer.tell('go')
    const lines = (await Promise.all(writers.map((writer) => writer.ended))).flat()
    expect(lines.filter(({ say }) => say === 'done')).toHaveLength(processes)
    for (const seen of await watched) expect(seen).toEqual(upTo(processes * commits))
    const ctx = await watching.open('main', { history: 'all' })
    expect(ctx.cycle - 1).toBe(processes * commits)
    const texts = ctx.thread('@t0').map(({ content }) => (typeof content === 'string' ? content : ''))
    for (const name of names) {
      const own = texts.filter((text) => text.startsWith(`${name} `))
      expect(own).toEqual(Array.from({ length: commits }, (_, n) => `${name} says ${n}`))
    }
    expect(texts).toHaveLength(processes * commits)
    expect(lines.filter(({ say }) => say === 'rebased').length).toBeGreaterThan(0)
    expect((await watching.fsck()).problems).toEqual([])
    await watching.close()
  })

  test('who watches is woken, and does not have to look by himself', async () => {
    const tenant = fresh()
    const [mine, yours] = [await storeOf(tenant), await storeOf(tenant)]
    const ctx = await yours.open('main')
    const events: StoreEvent[] = []
    // A look of his own would come too late for this test.
    const watch = mine.watch('main', { every: 600_000 })
    const watching = (async () => {
      for await (const event of watch) {
        events.push(event)
        if (event.cycle === 5) break
      }
    })()
    await watch.ready
    for (let n = 1; n <= 5; n++) {
      ctx.user(`turn ${n}`)
      await ctx.commit()
    }
    await watching
    expect(events.map(({ kind, cycle }) => `${kind} ${cycle}`)).toEqual(upTo(5).map((cycle) => `commit ${cycle}`))
    for (const store of [mine, yours]) await store.close()
  })

  test.each(['a listener that is cut off', 'a server that does not know NOTIFY'])(
    'with %s nobody misses anything, or is told twice',
    async (what) => {
      const tenant = fresh()
      const isSilent = what.includes('NOTIFY')
      // The listeners of other files on this server stay.
      const channel = `pact_${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
      let refused = 0
      let cut = 0
      const silent: typeof openPool = (config) => {
        const inner = openPool(config)
        return {
          connect: async () => {
            const client = await inner.connect()
            return new Proxy(client, {
              get(target, key) {
                if (key === 'query')
                  return (query: Parameters<typeof client.query>[0]) => {
                    if (query.text !== OPTIONAL_STATEMENTS.notify) return target.query(query)
                    refused++
                    return Promise.reject(Object.assign(new Error('unimplemented'), { code: '0A000' }))
                  }
                const value: unknown = Reflect.get(target, key)
                return typeof value === 'function' ? (value.bind(target) as unknown) : value
              },
            })
          },
          end: () => inner.end(),
          on: inner.on.bind(inner),
        }
      }
      const [mine, yours] = [await storeOf(tenant), await storeOf(tenant, isSilent ? silent : undefined)]
      const ctx = await yours.open('main')
      const watching = cyclesSeen(mine, 30, Infinity, 20)
      for (let n = 1; n <= 30; n++) {
        ctx.user(`turn ${n}`)
        await ctx.commit()
        if (n % 6 === 0) await sleep(60)
        if (!isSilent && n % 10 === 0)
          cut += await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ${channel}'`)
      }
      expect(await watching).toEqual(upTo(30))
      // A refused page is not asked for again.
      expect(refused).toBe(isSilent ? 1 : 0)
      expect(cut > 0).toBe(!isSilent)
      for (const store of [mine, yours]) await store.close()
    },
    60_000,
  )

  test('a tenant is told nothing of another, and erases nothing of it', async () => {
    const [mine, yours] = [await storeOf(fresh()), await storeOf(fresh())]
    const told: string[] = []
    const stop = new AbortController()
    const watching = (async () => {
      for await (const { kind, id } of yours.watch(undefined, { signal: stop.signal, every: 5 }))
        told.push(`${kind} ${id}`)
    })()
    const ctx = await mine.open('plans')
    ctx.user('launch on Monday')
    await ctx.commit()
    await ctx.fork('@t0', { id: 'draft' })
    for (const id of ['plans', 'draft'])
      await expect(yours.erase(id, '.block')).rejects.toMatchObject({ details: { reason: 'missing' } })
    // The same name is theirs as well, and that is all that they erase.
    const theirs = await yours.open('plans')
    theirs.user('nobody else reads this')
    await theirs.commit()
    expect((await yours.erase('plans', '.block')).contexts).toEqual(['plans'])
    expect((await mine.open('plans')).thread('@t0').map(({ content }) => content)).toEqual(['launch on Monday'])
    ctx.user('and on Tuesday')
    await ctx.commit()
    await expect.poll(() => told).toContain('erased plans')
    // A wrong event would have come by then.
    await sleep(100)
    stop.abort()
    await watching
    expect(new Set(told)).toEqual(new Set(['made plans', 'commit plans', 'erased plans']))
    expect((await mine.fsck()).problems).toEqual([])
    for (const store of [mine, yours]) await store.close()
  })
})
