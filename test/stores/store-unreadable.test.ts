// A disk that cannot be read is not a damaged store: whichever read of a call fails, the call fails with that error, says nothing of damage, and
// writes nothing afterwards. The same with the real calls of SQLite is in store-disk-process.test.ts.

import { PactError } from 'pact-context'
import { MemoryRows, Store, type Rows } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

const SIZES = { packed: 2, tail: 4, manifest: 3 }
const READS: ReadonlySet<string | symbol> = new Set<keyof Rows>([
  ...(['find', 'byNumber', 'list', 'family', 'read', 'answer', 'answers', 'unpacked', 'attempts'] as const),
  ...(['manifest', 'manifests', 'pages', 'audit', 'check', 'changed'] as const),
])

/** Rows with packs, manifests, a fork, answers, attempts and an erasure. */
async function filledRows(): Promise<Rows> {
  const rows = new MemoryRows()
  const store = new Store(rows, SIZES)
  const ctx = await store.open('main')
  for (let n = 1; n <= 9; n++) {
    ctx.user(`question ${n}`, n === 1 ? { key: 'secret' } : { ttl: 3 })
    if (n % 3 === 0) ctx.startAttempt({ provider: 'acme', model: 'large-1', params: {} }).complete({})
    await ctx.commit(n % 4 === 0 ? { key: `key ${n}` } : {})
  }
  const fork = await ctx.fork('@t-2', { id: 'fork' })
  fork.user('elsewhere')
  await fork.commit()
  await store.erase('main', '#secret')
  return rows
}

type Call = (store: Store) => Promise<unknown>

const CALLS: Readonly<Record<string, Call>> = {
  open: (store) => store.open('main', { history: 2 }),
  'open all': (store) => store.open('fork', { history: 'all' }),
  openAt: (store) => store.openAt('main', 5, { history: 2 }),
  loadHistory: async (store) => (await store.open('main', { history: 1 })).loadHistory('@*'),
  'loadHistory of one': async (store) => (await store.open('main', { history: 1 })).loadHistory('@c3'),
  list: (store) => store.list(),
  find: (store) => store.find('main'),
  put: async (store) => store.put(await store.open('main', { history: 'all' }), 'put'),
  fork: async (store) => (await store.open('main', { history: 2 })).fork('@t-1', { id: 'second' }),
  commit: async (store) => {
    const ctx = await store.open('main', { history: 2 })
    ctx.user('Hi')
    return ctx.commit({ key: 'new' })
  },
  delete: (store) => store.delete('main', { forks: true }),
  erase: (store) => store.erase('fork', '.block'),
  retain: (store) => store.retain('main', { keep: { newest: 2 } }),
  fsck: (store) => store.fsck(),
  'fsck of one': (store) => store.fsck('fork', { repair: true }),
  watch: async (store) => {
    for await (const event of store.watch('main', { from: 1 })) if (event.kind === 'commit') return
  },
}

/** The n-th read throws; `after` collects the calls that write after it. */
function failing(rows: Rows, n: number, fault: Error, after: string[]): Readonly<{ rows: Rows; reads: () => number }> {
  let reads = 0
  const faulty = new Proxy(rows, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || name === 'close') return value
      return async (...args: readonly unknown[]) => {
        if (READS.has(name) && ++reads === n) throw fault
        if (!READS.has(name) && reads >= n) after.push(String(name))
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
  return { rows: faulty, reads: () => reads }
}

const FAULTS: readonly (readonly [string, () => Error, readonly string[]])[] = [
  [
    'an error of the disk',
    () => new PactError('E_STORE', 'The disk failed under it.', { outcome: 'unknown', reason: 'io' }),
    Object.keys(CALLS),
  ],
  ['an error that is none of ours', () => new Error('EIO: i/o error, read'), ['fsck', 'fsck of one', 'watch']],
]

describe.each(FAULTS)('%s', (_, made, calls) => {
  test.each(calls)('in any read of %s is that error, never damage, and nothing is written after it', async (name) => {
    const call = CALLS[name]!
    let failed = 0
    for (let n = 1; ; n++) {
      const fault = made()
      const after: string[] = []
      const { rows, reads } = failing(await filledRows(), n, fault, after)
      const said = await call(new Store(rows, SIZES)).then(
        () => undefined,
        (error: unknown) => error,
      )
      // A call that ends without an n-th read has no further one.
      if (reads() < n) break
      failed++
      const error = said instanceof Error ? said : new Error(`${name}, read ${n}: it says nothing of the fault`)
      expect([error, error.cause]).toContain(fault)
      expect(JSON.stringify([error.message, error])).not.toMatch(/damage|backup/)
      expect([n, after]).toEqual([n, []])
    }
    expect(failed).toBeGreaterThan(0)
  })
})
