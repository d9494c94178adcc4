// fsck next to everything else that a store does: it never calls a healthy store damaged, and still reports planted damage.

import { Store, type Rows } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { expect, test, vi } from 'vitest'

import { auditRow, entryOf, unfinishedIn } from '../../src/store/audit.js'
import { AbortableLoop } from '../../src/store/event-loop.js'
import type { AuditRow } from '../../src/store/rows.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'

const { server } = await sharedServer()
const PLACES: Readonly<Record<string, () => Place<Rows>>> = {
  memory: memoryPlace,
  SQLite: () => sqlitePlace({ durability: 'relaxed' }),
  ...(server === undefined ? {} : { PostgreSQL: () => postgresPlace(server.url) }),
}
const SIZES = { packed: 4, tail: 8, manifest: 6 }
const LOOKS = 8

test.each(Object.entries(PLACES))(
  '%s: fsck among commits, deletions, erasures, retentions and forks',
  async (_, open) => {
    const place = open()
    const [writing, looking] = [new Store(await place.open(), SIZES), new Store(await place.open(), SIZES)]
    try {
      const state = { isOver: false }
      const writers = [keyed, deleting, erasing].map(async (write) => {
        for (let n = 0; !state.isOver; n++) await write(writing, n)
      })
      const problems: unknown[] = []
      for (let looks = 0; looks < LOOKS; looks++) {
        problems.push(...(await looking.fsck()).problems)
        await new Promise((resolve) => setImmediate(resolve))
      }
      state.isOver = true
      await Promise.all(writers)
      expect(problems).toEqual([])
    } finally {
      await writing.close()
      await looking.close()
      await place.end?.()
    }
  },
  120_000,
)

test('damage in a store that others write to is still reported', async () => {
  const sound = memoryPlace()
  const rows = await sound.open()
  const writing = new Store(rows, SIZES)
  await keyed(writing, 0)
  // Loses one answer each time.
  const damaged = new Proxy(rows, {
    get: (target, name) => {
      if (name === 'answers') return async (ctx: number) => (await target.answers(ctx)).slice(1)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const state = { isOver: false }
  const writer = (async () => {
    for (let n = 1; !state.isOver; n++) await keyed(writing, n)
  })()
  const { problems } = await new Store(damaged).fsck()
  state.isOver = true
  await writer
  expect(problems).toMatchObject([{ id: 'keyed', kind: 'damage', message: 'It has lost 1 of its answers to keys.' }])
})

test('an erasure that is being finished is waited for, once for a family; one that is abandoned is reported', async () => {
  const rows = await memoryPlace().open()
  const store = new Store(rows, SIZES)
  const ctx = await store.open('main')
  ctx.user('secret', { key: 'secret' })
  await ctx.commit()
  await ctx.fork('@t0', { id: 'fork' })
  // The step that takes it out of the files does not come until it may.
  let looks = 0
  let finishAfter = Infinity
  const slow = new Proxy(rows, {
    get: (target, name) => {
      if (name === 'scrub') return () => new Promise(() => undefined)
      const value: unknown = Reflect.get(target, name)
      if (name !== 'audit') return typeof value === 'function' ? (value.bind(target) as unknown) : value
      return async (family: number) => {
        const all = await target.audit(family)
        return ++looks > finishAfter ? all.map((each) => ({ ...each, isFinished: true })) : all
      }
    },
  })
  void new Store(slow, SIZES).erase('main', '#secret')
  await vi.waitFor(async () => expect(await rows.audit(1)).toHaveLength(1))
  const [impatient, patient] = [await new Store(slow).fsck(undefined, { patience: 0 }), new Store(slow)]
  const message = 'An erasure was not finished; if no process is at it any more, call erase again.'
  const found = impatient.problems.map((each) => [each.id, each.message])
  expect(found).toEqual([
    ['fork', message],
    ['main', message],
  ])
  looks = 0
  expect((await patient.fsck(undefined, { patience: 200 })).problems).toMatchObject([
    { kind: 'unfinished' },
    { kind: 'unfinished' },
  ])
  // 10 looks of 20 ms for the first context of the family, and a few that everything else takes.
  expect(looks).toBeGreaterThanOrEqual(10)
  expect(looks).toBeLessThan(20)
  looks = 0
  finishAfter = 12
  expect((await patient.fsck(undefined, { patience: 600_000 })).problems).toEqual([])
  // An erasure that began while an abandoned one was waited for gets its own time.
  const [row] = await rows.audit(1)
  const listed = [row!, { ...auditRow(entryOf(row!), [row!]), isFinished: false }]
  let seen = 0
  const audit = async (): Promise<readonly AuditRow[]> =>
    listed.map((each) => ({ ...each, isFinished: each.n === 2 && ++seen > 3 }))
  const wait = { milliseconds: 100, over: new Set(['1 1']) }
  const left = await unfinishedIn({ audit } as unknown as Rows, 1, listed, wait, new AbortableLoop(undefined))
  expect(left).toEqual([message])
  expect(seen).toBeGreaterThan(3)
})

async function keyed(store: Store, n: number): Promise<void> {
  const ctx = await store.open('keyed')
  ctx.user(`turn ${n}`)
  await ctx.commit({ key: `key ${n}` })
  await new Promise((resolve) => setImmediate(resolve))
}

async function deleting(store: Store, n: number): Promise<void> {
  const ctx = await store.open('short-lived')
  ctx.user(`turn ${n}`)
  await ctx.commit()
  await ctx.fork('@t0', { id: `fork ${n}` })
  await new Promise((resolve) => setTimeout(resolve, 1))
  await store.delete('short-lived', { forks: true })
}

async function erasing(store: Store, n: number): Promise<void> {
  const ctx = await store.open('erased')
  ctx.user(`secret ${n}`)
  await ctx.commit()
  if (n % 4 === 3) await store.erase('erased', `.block [content~'secret ${n}']`)
  if (n % 8 === 7) await store.retain('erased', { keep: { newest: 3 } })
  await new Promise((resolve) => setTimeout(resolve, 1))
}

test('a redaction in the open cycle leaves a manifest that its rows agree with', async () => {
  const rows = await memoryPlace().open()
  const store = new Store(rows, { packed: 4, tail: 8, manifest: 1 })
  const ctx = await store.open('redacted')
  ctx.user('my card is 4111')
  ctx.redact("[role='user']", { match: '4111', with: '****' })
  for (let n = 0; n < 3; n++) await ctx.commit()
  // Closing waits for the manifest.
  await store.close()
  expect(await rows.manifests((await rows.find('redacted'))!.ctx)).not.toEqual([])
  expect((await new Store(rows).fsck()).problems).toEqual([])
})
