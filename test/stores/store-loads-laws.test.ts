// Loads that others interfere with. Before each single call that a load makes to its database, somebody else retains, erases, deletes, forks,
// commits or packs. The answer is then that of the state before or after, to the byte, or an error that says what happened.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { PactError } from 'pact-context'
import { MemoryRows, Store, type Rows, type StoredContext } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { SqliteRows } from '../../src/store/sqlite/rows.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'
import { isWider, runs } from '../support/runs.js'

const SIZES = { packed: 3, tail: 6, manifest: 5 }
const CYCLES = 11

/** Rows that somebody interferes with, before the call of this number; none is counted until it is armed. */
class Interrupted {
  calls = -1
  #at = Infinity
  #action: () => Promise<unknown> = async () => undefined
  readonly rows: Rows

  constructor(rows: Rows) {
    this.rows = new Proxy(rows, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]): Promise<unknown> => {
          if (this.calls >= 0 && this.calls++ === this.#at) await this.#action()
          return Reflect.apply(value, target, given) as unknown
        }
      },
    })
  }

  arm(at: number, action: () => Promise<unknown>): void {
    ;[this.calls, this.#at, this.#action] = [0, at, action]
  }
}

const ACTIONS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  retain: (store) => store.retain('x', { keep: { newest: 2, every: 6 } }),
  'retain the fork': (store) => store.retain('f', { keep: { newest: 1 } }),
  erase: (store) => store.erase('x', '#result'),
  delete: (store) => store.delete('x', { forks: true }),
  'delete and make': async (store) => {
    await store.delete('x', { forks: true })
    await grow(await store.open('x'), 3, 'other')
  },
  'fork and delete': async (store) => {
    const fork = await (await store.open('x')).fork('@t0', { id: 'passing' })
    await grow(fork, 1, 'passing')
    await store.delete('passing')
  },
  'commit and pack': async (store) => grow(await store.open('x'), SIZES.tail, 'more'),
  'commit with a key': async (store) => {
    const ctx = await store.open('x')
    ctx.user('keyed')
    await ctx.commit({ key: 'request 7' })
  },
  repair: (store) => store.fsck(undefined, { repair: true }),
}
const HARMLESS = ['fork and delete', 'commit and pack', 'commit with a key', 'repair']

type Loader = (store: Store, held: StoredContext, name: string) => Promise<StoredContext | undefined>
const after = async (work: Promise<unknown>, held: StoredContext): Promise<StoredContext> => {
  await work
  return held
}
const LOADERS: Readonly<Record<string, Loader>> = {
  open: (store) => store.open('x', { history: 4 }),
  'open all': (store) => store.open('x', { history: 'all' }),
  'open a fork': (store) => store.open('f', { history: 'all' }),
  openAt: (store) => store.openAt('x', 9, { history: 3 }),
  'load one': (_store, held) => after(held.loadHistory('@c3'), held),
  'load a range': (_store, held) => after(held.loadHistory('@c1..@t-5'), held),
  'load all': (_store, held) => after(held.loadHistory('@*'), held),
  fork: (_store, held, name) => held.fork('@t-2', { id: name, history: 6 }),
  rebase: (_store, held) => after(held.rebase(), held),
}

async function grow(ctx: StoredContext, count: number, word: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    ctx.user(`${word} ${n}`)
    ctx.post(`${word} result ${n}`, { key: 'result', ttl: 1 })
    if (n % 4 === 1) ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).complete()
    await ctx.commit()
  }
}

/** Everything that a context shows of each cycle: bytes, or why there are none. */
function shown(ctx: StoredContext | undefined): unknown {
  if (ctx === undefined) return 'missing'
  const cycles = Array.from({ length: ctx.cycle }, (_, cycle) => {
    try {
      return Buffer.from(ctx.export(`@c${cycle}`)).toString('latin1')
    } catch (error) {
      return said(error)
    }
  })
  return JSON.stringify([cycles, ctx.thread('working'), ctx.attempts()])
}

/** The code of an error, and its reason. */
function said(error: unknown): string {
  if (!PactError.is(error)) throw error
  const { reason } = error.details
  return typeof reason === 'string' ? `${error.code} ${reason}` : error.code
}

async function answerOf(loading: Promise<StoredContext | undefined>): Promise<unknown> {
  try {
    return shown(await loading)
  } catch (error) {
    return said(error)
  }
}

/** The work of others, in words. */
const SAID: readonly unknown[] = [
  'missing',
  'E_CONFLICT deleted',
  'E_CONFLICT erased',
  'E_CONFLICT thinned',
  'E_SNAPSHOT_NOT_FOUND',
  'E_SNAPSHOT_NOT_FOUND thinned',
]

/** A place with a store in it, which can be opened often. */
type Open = () => Rows | Promise<Rows>

/** The answers of each load without interference: clocks are fixed, so that they are the same in every place. */
const undisturbed = new Map<string, Promise<unknown>>()

async function answerBefore(loader: string): Promise<unknown> {
  const rows = new MemoryRows()
  await filled(rows)
  const store = new Store(rows, SIZES)
  return answerOf(LOADERS[loader]!(store, await heldIn(store, loader), 'raced'))
}

async function heldIn(store: Store, loader: string): Promise<StoredContext> {
  const held = await store.open('x', { history: 4 })
  if (loader === 'rebase') await grow(await store.open('x', clocks()), 1, 'between')
  return held
}

/** Plays one case; false where the load made fewer calls. */
async function play(open: Open, loader: string, action: string, at: number): Promise<boolean> {
  const mine = new Interrupted(await open())
  const store = new Store(mine.rows, SIZES)
  const others = new Store(await open(), SIZES)
  const load = LOADERS[loader]!
  try {
    let before = undisturbed.get(loader)
    if (before === undefined) undisturbed.set(loader, (before = answerBefore(loader)))
    const held = await heldIn(store, loader)
    mine.arm(at, () => ACTIONS[action]!(others))
    const raced = await answerOf(load(store, held, 'raced'))
    const isReached = mine.calls > at
    if (raced === (await before) || (!HARMLESS.includes(action) && SAID.includes(raced))) return isReached
    mine.arm(Infinity, async () => undefined)
    await others.delete('raced')
    const now = await answerOf(load(others, await others.open('x', { history: 4 }), 'raced'))
    if (raced !== now) expect({ loader, action, at, raced }).toEqual({ loader, action, at, raced: [await before, now] })
    return isReached
  } finally {
    await store.close()
    await others.close()
  }
}

async function filled(rows: Rows): Promise<void> {
  const store = new Store(rows, SIZES)
  const ctx = await store.open('x', { history: 'all', ...clocks() })
  await grow(ctx, CYCLES, 'turn')
  await grow(await ctx.fork('@c8', { id: 'f' }), 4, 'elsewhere')
  await store.close()
}

function clocks(): Readonly<{ clock: () => bigint; attemptClock: () => bigint }> {
  let [now, sent] = [0n, 0n]
  return { clock: () => (now += 1000n), attemptClock: () => (sent += 1000n) }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-loads-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const CASES = Object.keys(LOADERS).flatMap((loader) => Object.keys(ACTIONS).map((action) => [loader, action] as const))

/** Every third call of a load is enough here; a wider run takes each. */
const STEP = isWider() ? 1 : 3

describe('every load shows one state, whatever happens before each of its calls', () => {
  test.each(Object.keys(ACTIONS))('memory, %s', async (action) => {
    let played = 0
    for (const [n, loader] of Object.keys(LOADERS).entries()) {
      for (let at = n % STEP; ; at += STEP) {
        const rows = new MemoryRows()
        await filled(rows)
        if (!(await play(async () => rows, loader, action, at))) break
        played++
      }
    }
    expect(played).toBeGreaterThan(10)
  })

  test('SQLite', async () => {
    let played = 0
    const template = path.join(folder, 'template.db')
    await filled(new SqliteRows(template, { durability: 'relaxed' }))
    for (const [n, [loader, action]] of CASES.entries()) {
      for (let at = n % (2 * STEP); ; at += 2 * STEP) {
        const file = path.join(folder, `${n}-${at}.db`)
        fs.copyFileSync(template, file)
        const isReached = await play(async () => new SqliteRows(file, { durability: 'relaxed' }), loader, action, at)
        fs.rmSync(file)
        if (!isReached) break
        played++
      }
    }
    expect(played).toBeGreaterThan(50)
  })
})

/** Calls that read a family before they write to it. */
const WRITERS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  erase: (store) => store.erase('x', '.block:first'),
  'erase from a fork': (store) => store.erase('f', '#result'),
  retain: (store) => store.retain('f', { keep: { newest: 2 } }),
}
const REFUSED = ['E_NODE_NOT_FOUND', 'E_STORE missing', 'E_STORE busy', 'E_CONFLICT moved']

describe('an erasure or a retention says nothing of damage, whatever happens before each of its calls', () => {
  test.each(Object.keys(WRITERS))('%s', async (writer) => {
    let refused = 0
    // A repair waits seconds for an erasure that is under way.
    const actions = Object.entries(ACTIONS).filter(([name]) => name !== 'repair')
    for (const [n, [, action]] of actions.entries()) {
      for (let at = n % STEP, isReached = true; isReached; at += STEP) {
        const rows = new MemoryRows()
        await filled(rows)
        const mine = new Interrupted(rows)
        const [store, others] = [new Store(mine.rows, SIZES), new Store(rows, SIZES)]
        mine.arm(at, () => action(others))
        const outcome = await WRITERS[writer]!(store).then(() => 'done', said)
        isReached = mine.calls > at
        expect(['done', ...REFUSED]).toContain(outcome)
        if (outcome !== 'done') refused++
      }
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('fsck finds nothing wrong in a healthy store, whatever happens before each of its calls', () => {
  test.each(Object.entries(ACTIONS))('memory, %s', async (_name, action) => {
    let at = 0
    for (let isReached = true; isReached; at++) {
      const rows = new MemoryRows()
      await filled(rows)
      isReached = await expectHealthy(rows, rows, at, action)
    }
    expect(at).toBeGreaterThan(20)
  })

  test('SQLite', async () => {
    let played = 0
    const template = path.join(folder, 'healthy.db')
    await filled(new SqliteRows(template, { durability: 'relaxed' }))
    for (const [n, action] of Object.values(ACTIONS).entries()) {
      for (let at = n % (2 * STEP), isReached = true; isReached; at += 2 * STEP) {
        const file = path.join(folder, `healthy-${n}-${at}.db`)
        fs.copyFileSync(template, file)
        const [mine, theirs] = [1, 2].map(() => new SqliteRows(file, { durability: 'relaxed' }))
        isReached = await expectHealthy(mine!, theirs!, at, action)
        for (const rows of [mine!, theirs!]) await rows.close()
        fs.rmSync(file)
        played++
      }
    }
    expect(played).toBeGreaterThan(50)
  })
})

/** Checks while somebody acts before the call of this number; false where the check made fewer calls. */
async function expectHealthy(
  rows: Rows,
  theirs: Rows,
  at: number,
  action: (store: Store) => Promise<unknown>,
): Promise<boolean> {
  const mine = new Interrupted(rows)
  mine.arm(at, () => action(new Store(theirs, SIZES)))
  const { problems } = await new Store(mine.rows, SIZES).fsck()
  expect(problems, `before call ${at}`).toEqual([])
  return mine.calls > at
}

const { server, why } = await sharedServer()
test.skipIf(server === undefined)(
  `PostgreSQL, some of these cases${why === undefined ? '' : ` (${why})`}`,
  async () => {
    const count = runs(12)
    let reached = 0
    for (let n = 0; n < count; n++) {
      const [loader, action] = CASES[Math.floor((n * CASES.length) / count) % CASES.length]!
      const { open } = postgresPlace(server!.url)
      await filled(await open())
      if (await play(open, loader, action, n % 6)) reached++
    }
    expect(reached).toBeGreaterThan(count / 4)
  },
)
