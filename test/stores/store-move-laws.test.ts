// Moving a family to another database: it is the same there, to the byte, wherever it was and whatever was done to it. A concurrent writer loses
// nothing. A move that is killed before or after any call to a database is finished by the next one, and never do both places take commits.

import fc from 'fast-check'
import { PactError } from 'pact-context'
import { Store, type Rows, type StoredContext } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { afterAll, describe, expect, test } from 'vitest'

import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'
import { isWider, runs } from '../support/runs.js'

const SIZES = { packed: 3, tail: 6, manifest: 5 }
const ATTEMPT = { provider: 'p', model: 'm', params: {} } as const

const { server, why } = await sharedServer()
const without = why === undefined ? '' : ` (without PostgreSQL: ${why})`

const ended: Place<Rows>[] = []
afterAll(async () => {
  for (const place of ended) await place.end?.()
})

function kept(place: Place<Rows>): Place<Rows> {
  ended.push(place)
  return place
}

const memory = (): Place<Rows> => kept(memoryPlace())
const sqlite = (): Place<Rows> => kept(sqlitePlace({ durability: 'relaxed' }))
const postgres = (): Place<Rows> => kept(server === undefined ? memoryPlace() : postgresPlace(server.url))

async function storeIn(place: Place<Rows>): Promise<Store> {
  return new Store(await place.open(), SIZES)
}

/** The steps done to a family; contexts and cycles are chosen by number. */
type Step = Readonly<{ do: 'say' | 'fork' | 'retain' | 'erase' | 'delete' | 'attempt'; who: number; pick: number }>

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom<Step['do']>('say', 'say', 'say', 'say', 'fork', 'retain', 'erase', 'delete', 'attempt'),
    who: fc.nat(20),
    pick: fc.nat(20),
  }),
  { minLength: 6, maxLength: 30 },
)

/** Plays steps on a family; gives the keys of its commits. */
async function grow(store: Store, program: readonly Step[]): Promise<readonly string[]> {
  await store.open('root')
  const ids = ['root']
  const keys: string[] = []
  for (const [n, { do: what, who, pick }] of program.entries()) {
    const id = ids[who % ids.length]!
    const ctx = await store.open(id, { history: 'all' })
    if (what === 'say') {
      for (let i = 0; i <= pick % 5; i++) {
        ctx.user(`say ${n} ${i}`, pick % 3 === 0 ? { tags: ['secret'] } : {})
        ctx.post(`result ${n} ${i}`, { key: 'result', ttl: 1 })
        const key = i === 0 && pick % 2 === 0 ? `key ${n}` : undefined
        await ctx.commit(key === undefined ? {} : { key })
        if (key !== undefined) keys.push(key)
      }
    }
    const cycles = ctx.snapshots().map(({ cycle }) => cycle)
    if (what === 'fork') {
      const lens = cycles.length === 0 ? 'working' : (`@c${cycles[pick % cycles.length]!}` as const)
      ids.push((await ctx.fork(lens, { id: `fork ${n}` })).id)
    }
    if (what === 'attempt') {
      const attempt = ctx.startAttempt(ATTEMPT)
      if (pick % 2 === 0) attempt.complete()
      await ctx.flush()
    }
    if (what === 'retain') await store.retain(id, { keep: { newest: 1 + (pick % 3), every: 4 } })
    if (what === 'erase') await store.erase(id, '.block[tag=secret] ?? .block:first').catch(ignored)
    if (what === 'delete' && ids.length > 1 && id !== 'root') {
      const isGone = await store.delete(id).catch(() => false)
      if (isGone) ids.splice(ids.indexOf(id), 1)
    }
  }
  return keys
}

/** Erasures that find nothing are refused. */
function ignored(error: unknown): void {
  if (!PactError.is(error)) throw error
}

/** All that can be asked of the contexts of a store. */
async function shown(store: Store, keys: readonly string[]): Promise<unknown> {
  const all: unknown[] = []
  for (const { id, cycle, forks } of (await store.list({ limit: 1000 })).contexts) {
    const ctx = await store.open(id, { history: 'all' })
    const exports = Array.from({ length: cycle + 1 }, (_, n) => {
      try {
        return Buffer.from(ctx.export(`@c${n}`)).toString('latin1')
      } catch (error) {
        ignored(error)
        return (error as PactError).message
      }
    })
    const answers = await Promise.all(keys.map((key) => ctx.answerTo(key)))
    const snapshots = ctx.snapshots().map((each) => [each.label, each.cycle])
    all.push([id, cycle, forks, exports, answers, snapshots, ctx.attempts(), ctx.thread('working')])
  }
  return all
}

/** Everything that the databases hold of a family, except for the numbers that they gave. */
async function held(place: Place<Rows>): Promise<string> {
  const rows = await place.open()
  const contexts = await rows.list(undefined, 1000)
  const names = new Map(contexts.map(({ ctx, id }) => [ctx, id]))
  const all: unknown[] = []
  for (const { ctx, id, parent, forks, first, head, chain, seal, answers, attempts } of contexts) {
    const from = parent && [names.get(parent.ctx), parent.cycle]
    const byKey = (await rows.answers(ctx)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const said = [plainRows(byKey), plainRows(await rows.attempts(ctx, 1e6))]
    all.push([id, from, forks, first, head, hex(chain), seal?.length, answers, attempts, said])
  }
  await rows.close()
  return JSON.stringify(all)
}

/** Rows with bytes as hex and sorted fields, the same from every database. */
function plainRows(rows: readonly object[]): unknown {
  return rows.map((row) =>
    Object.entries(row)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]: [string, unknown]) => [name, value instanceof Uint8Array ? hex(value) : value]),
  )
}

function hex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString('hex')
}

describe(`moving a family${without}`, () => {
  test('keeps everything, through memory, SQLite and PostgreSQL and back', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (program) => {
        const places = [memory(), sqlite(), postgres(), sqlite()]
        const stores = await Promise.all(places.map(storeIn))
        const keys = await grow(stores[0]!, program)
        const before = await shown(stores[0]!, keys)
        const inside = await held(places[0]!)
        const { epoch } = (await stores[0]!.find('root'))!
        const ids = (await stores[0]!.list({ limit: 1000 })).contexts.map(({ id }) => id)
        // The last one goes back to where it came from, which still has what was left there.
        for (const [from, to] of [
          [0, 1],
          [1, 2],
          [2, 3],
          [3, 1],
        ] as const) {
          const receipt = await stores[from]!.move(ids[program.length % ids.length]!, stores[to]!)
          expect(receipt.contexts).toEqual(ids)
          expect(await shown(stores[to]!, keys)).toEqual(before)
          expect(await held(places[to]!)).toEqual(inside)
          expect((await stores[to]!.fsck()).problems).toEqual([])
          expect((await stores[from]!.fsck()).problems).toEqual([])
          await expect(stores[from]!.open('root')).rejects.toMatchObject({
            code: 'E_CONFLICT',
            details: { reason: 'moved', from: stores[from]!.name, to: stores[to]!.name },
          })
        }
        const last = stores[1]!
        expect((await last.find('root'))!.epoch).toBe(epoch + 4)
        // It lives on: commits, thins out, erases and is deleted as any other.
        const ctx = await last.open('root')
        ctx.user('after all that', { tags: ['secret'] })
        await ctx.commit({ key: 'after' })
        await last.retain('root', { keep: { newest: 1 } })
        await last.erase('root', '.block[tag=secret]')
        expect((await last.fsck()).problems).toEqual([])
        expect(await last.delete('root', { forks: true })).toBe(true)
        await expect(stores[0]!.delete('root', { forks: true })).rejects.toMatchObject({ details: { reason: 'moved' } })
        expect(await stores[0]!.delete('root', { forks: true, moved: true })).toBe(true)
        for (const store of stores) await store.close()
      }),
      { numRuns: runs(4), endOnFailure: true },
    )
  })

  test.each([
    ['memory', 'sqlite', memory, sqlite],
    ['sqlite', 'postgres', sqlite, postgres],
    ['postgres', 'sqlite', postgres, sqlite],
  ] as const)(
    'from %s to %s, writers lose nothing that was acknowledged',
    async (_from, _to, from, to) => {
      const source = new Store(await from().open())
      const target = new Store(await to().open())
      const root = await source.open('root')
      root.user('first')
      await root.commit()
      await root.fork('@t0', { id: 'fork' })
      const said: string[] = []
      let isMoved = false
      let isOver = false
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        const id = writer % 2 === 0 ? 'root' : 'fork'
        let ctx = await source.open(id)
        let late = 0
        for (let n = 0; !isOver || late < 3; n++) {
          if (isMoved) late++
          if (late >= 3) isOver = true
          const text = `writer ${writer} ${n}`
          ctx = await written(ctx, text, () => target.open(id))
          said.push(text)
          await new Promise((resolve) => setTimeout(resolve, 30))
        }
      })
      while (said.length < 40) await new Promise((resolve) => setTimeout(resolve, 1))
      const receipt = await source.move('fork', target)
      isMoved = true
      await Promise.all(writers)
      const texts = await Promise.all(
        ['root', 'fork'].map(async (id) => (await target.open(id)).thread('@t0').map(({ content }) => content)),
      )
      for (const text of said) expect(texts.flat().filter((each) => each === text)).toHaveLength(1)
      expect(texts.flat()).toHaveLength(said.length + 2)
      expect(receipt.waited).toBeGreaterThan(0)
      for (const store of [source, target]) {
        expect((await store.fsck()).problems).toEqual([])
        await store.close()
      }
    },
    60_000,
  )

  test.each([
    ['memory', 'memory', memory, memory],
    ['sqlite', 'sqlite', sqlite, sqlite],
    ['sqlite', 'postgres', sqlite, postgres],
  ] as const)(
    'from %s to %s, a kill at any call is finished by the next move',
    async (name, _to, from, to) => {
      const every = isWider() ? 1 : { memory: 17, sqlite: to === postgres ? 61 : 29 }[name]
      let calls = Infinity
      for (let at = 0; at < calls; at += every) {
        for (const when of ['before', 'after'] as const) {
          const [source, target] = [from(), to()]
          const family = await storeIn(source)
          const keys = await grow(family, FAMILY)
          const before = await shown(family, keys)
          await family.close()
          const kill = new Kill(at, when)
          const dying = await Promise.all([source, target].map(async (place) => kill.on(await place.open())))
          const stores = dying.map((rows) => new Store(rows, SIZES))
          const moved = await stores[0]!.move('root', stores[1]!, { deleteSource: at % 2 === 1 }).then(
            () => true,
            (error: unknown) => {
              if (error !== Kill.ERROR && (error as { cause?: unknown }).cause !== Kill.ERROR) throw error
              return false
            },
          )
          if (moved && kill.calls <= at) calls = kill.calls
          for (const store of stores) await store.close().catch(() => undefined)

          const [there, here] = await Promise.all([storeIn(source), storeIn(target)])
          const alive = await Promise.all([there, here].map((store) => commits(store)))
          expect(alive.filter(Boolean).length, `both take commits, ${when} ${at}`).toBeLessThan(2)
          await there.move('root', here, { deleteSource: at % 2 === 1 })
          expect(await commits(here)).toBe(true)
          expect(await commits(there)).toBe(false)
          const extra = (await here.open('root')).thread('@t0').filter(({ content }) => content === 'alive')
          expect(extra).toHaveLength(alive.filter(Boolean).length + 1)
          if (!alive.includes(true)) expect(lengthsOf(await shown(here, keys))).toEqual(lengthsOf(before, 1))
          expect((await here.fsck()).problems).toEqual([])
          for (const store of [there, here]) await store.close()
        }
      }
      expect(calls).toBeGreaterThan(20)
    },
    600_000,
  )
})

const FAMILY: readonly Step[] = [
  { do: 'say', who: 0, pick: 4 },
  { do: 'say', who: 0, pick: 3 },
  { do: 'fork', who: 0, pick: 2 },
  { do: 'attempt', who: 1, pick: 0 },
  { do: 'say', who: 1, pick: 8 },
  { do: 'retain', who: 1, pick: 1 },
  { do: 'fork', who: 1, pick: 0 },
  { do: 'say', who: 2, pick: 2 },
  { do: 'say', who: 0, pick: 6 },
]

/** The number of snapshots of each context; the root may have some more. */
function lengthsOf(all: unknown, more = 0): unknown {
  return (all as [string, number][]).map(([id, cycle]) => [id, cycle + (id === 'root' ? more : 0)])
}

/** True if a store takes a commit to the family. */
async function commits(store: Store): Promise<boolean> {
  if ((await store.find('root')) === undefined) return false
  try {
    const ctx = await store.open('root')
    ctx.user('alive')
    await ctx.commit()
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'moved' } })
    return false
  }
}

/** Commits a text wherever the context lives by now; gives the context that goes on. */
async function written(
  given: StoredContext,
  text: string,
  elsewhere: () => Promise<StoredContext>,
): Promise<StoredContext> {
  let ctx = given
  ctx.user(text)
  for (;;) {
    try {
      await ctx.commit()
      return ctx
    } catch (error) {
      if (!PactError.is(error) || error.code !== 'E_CONFLICT') throw error
      const { reason } = error.details
      if (reason === 'stale') await ctx.rebase().catch(onlyMoved)
      else if (reason === 'moved') ctx = await arrived(elsewhere, text)
      else throw error
    }
  }
}

function onlyMoved(error: unknown): void {
  expect(error).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'moved' } })
}

/** The context where it was moved to, as soon as it is there, with the edit that could not be committed. */
async function arrived(open: () => Promise<StoredContext>, text: string): Promise<StoredContext> {
  for (;;) {
    try {
      const ctx = await open()
      ctx.user(text)
      return ctx
    } catch (error) {
      onlyMoved(error)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
}

/** Ends all calls to some databases at one of them, before it or right after. */
class Kill {
  static readonly ERROR = new Error('killed')
  calls = 0
  readonly #at: number
  readonly #when: 'before' | 'after'

  constructor(at: number, when: 'before' | 'after') {
    this.#at = at
    this.#when = when
  }

  on(rows: Rows): Rows {
    return new Proxy(rows, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'close') return (): unknown => Reflect.apply(value, target, [])
        return async (...given: unknown[]): Promise<unknown> => {
          const call = this.calls++
          if (call > this.#at || (call === this.#at && this.#when === 'before')) throw Kill.ERROR
          const answer = (await Reflect.apply(value, target, given)) as unknown
          if (call === this.#at) throw Kill.ERROR
          return answer
        }
      },
    })
  }
}
