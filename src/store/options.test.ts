// Whatever is passed to a store: a call answers, or is refused with a PactError that says what to pass; and what it does not know it does not
// pass over.

import { beforeEach, describe, expect, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { MemoryRows } from './memory/rows.js'
import { openStore } from './open-store.js'
import { Store } from './store.js'
import type { StoredContext } from './stored-context.js'

/** An error of the caller's own code. */
const MINE = new Error('mine')

function throws(): never {
  throw MINE
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const HOSTILE: Readonly<Record<string, unknown>> = {
  null: null,
  'a number': 5,
  'not a number': Number.NaN,
  'a bigint': 10n,
  'a text': 'key',
  'a symbol': Symbol('s'),
  'a function': throws,
  'a list': ['a'],
  'a date': new Date(Number.NaN),
  'an object of others': { foo: 1 },
  'a revoked proxy': revoked({}),
  'a revoked proxy of a list': revoked([]),
  'a proxy whose traps throw': new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws }),
  'getters that throw': Object.defineProperties(
    {},
    Object.fromEntries(
      ['key', 'limit', 'history', 'forks', 'repair', 'keep', 'id', 'reason', 'durability', 'root'].map((name) => [
        name,
        { get: throws, enumerable: true },
      ]),
    ),
  ),
}

type Call = (store: Store, ctx: StoredContext, value: never) => unknown

const CALLS: Readonly<Record<string, Call>> = {
  openStore: (_store, _ctx, value) => openStore(value),
  'openStore with options': (_store, _ctx, value) => openStore('memory:', value),
  open: (store, _, value) => store.open(value),
  'open with options': (store, _, value) => store.open('one', value),
  'open with a history': (store, _, value) => store.open('one', { history: value }),
  create: (store, _, value) => store.create(value),
  'create with options': (store, _, value) => store.create('two', value),
  find: (store, _, value) => store.find(value),
  openAt: (store, _, value) => store.openAt('one', value),
  'openAt with options': (store, _, value) => store.openAt('one', 1, value),
  put: (store, _, value) => store.put(value, 'two'),
  list: (store, _, value) => store.list(value),
  'list with a limit': (store, _, value) => store.list({ limit: value }),
  delete: (store, _, value) => store.delete(value),
  'delete with options': (store, _, value) => store.delete('nobody', value),
  'delete with forks': (store, _, value) => store.delete('nobody', { forks: value }),
  'delete what was moved': (store, _, value) => store.delete('nobody', { moved: value }),
  move: (store, _, value) => store.move(value, new Store(new MemoryRows())),
  'move to a target': (store, _, value) => store.move('one', value),
  'move with options': (store, _, value) => store.move('nobody', new Store(new MemoryRows()), value),
  'move and delete': (store, _, value) => store.move('nobody', new Store(new MemoryRows()), { deleteSource: value }),
  fsck: (store, _, value) => store.fsck(value),
  'fsck with options': (store, _, value) => store.fsck('one', value),
  'fsck with a signal': (store, _, value) => store.fsck('one', { signal: value }),
  'fsck with progress': (store, _, value) => store.fsck('one', { onProgress: value }),
  'fsck with patience': (store, _, value) => store.fsck('one', { patience: value }),
  erase: (store, _, value) => store.erase('one', value),
  'erase with options': (store, _, value) => store.erase('one', '#nobody', value),
  retain: (store, _, value) => store.retain('one', value),
  'retain with keep': (store, _, value) => store.retain('one', { keep: value }),
  'retain with a signal': (store, _, value) => store.retain('one', { keep: { newest: 9 }, signal: value }),
  'retain with progress': (store, _, value) => store.retain('one', { keep: { newest: 9 }, onProgress: value }),
  commit: (_, ctx, value) => ctx.commit(value),
  'commit with a key': (_, ctx, value) => ctx.commit({ key: value }),
  'commit with what was asked': (_, ctx, value) => ctx.commit({ key: 'k', asked: value }),
  'commit with one that was asked': (_, ctx, value) => ctx.commit({ key: 'l', asked: [value] }),
  answerTo: (_, ctx, value) => ctx.answerTo(value),
  'answerTo with what was asked': (_, ctx, value) => ctx.answerTo('first', value),
  fork: (_, ctx, value) => ctx.fork('@t0', value),
  'fork at': (_, ctx, value) => ctx.fork(value, { id: 'three' }),
  loadHistory: (_, ctx, value) => ctx.loadHistory(value),
}

let store: Store
let ctx: StoredContext

beforeEach(async () => {
  store = new Store(new MemoryRows())
  ctx = await store.open('one')
  ctx.user('a')
  await ctx.commit({ key: 'first' })
})

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  test.each(Object.entries(HOSTILE))('given %s', async (name, value) => {
    const error = await thrownBy(async () => call(store, ctx, value as never))
    if (error === undefined) return
    expect(PactError.is(error), String((error as Error).stack)).toBe(true)
    const { code, message, details } = error as PactError
    expect(code).not.toBe('E_INTERNAL')
    expect(message).not.toBe('')
    expect(() => JSON.stringify(details)).not.toThrow()
    if (name.includes('throw') && (error as PactError).cause !== undefined)
      expect((error as PactError).cause).toBe(MINE)
    expect((await store.open('one')).thread('@c1')).toHaveLength(1)
  })
})

describe('what no call knows is refused, and nothing is done', () => {
  const any = (options: object): never => options as never
  test.each<[string, () => Promise<unknown>, string]>([
    ['commit', () => ctx.commit(any({ Key: 'k' })), 'commit has no option "Key"; there are key, asked, author.'],
    [
      'a key as it is',
      () => ctx.commit(any('k' as never)),
      `Options of commit are an object such as { key: 'request-7f3a' }, not "k".`,
    ],
    ['list', () => store.list(any({ Limit: 1 })), 'list has no option "Limit"; there are limit, after, lineage.'],
    [
      'delete',
      () => store.delete('one', any({ force: true })),
      'delete has no option "force"; there are forks, moved.',
    ],
    [
      'delete, another kind',
      () => store.delete('one', any({ forks: 'no' })),
      'The option forks is true or false, not "no".',
    ],
    [
      'fsck',
      () => store.fsck('one', any({ repare: true })),
      'fsck has no option "repare"; there are repair, onProgress, signal, patience.',
    ],
    [
      'retain',
      () => store.retain('one', any({ keep: { newest: 1 }, dryRun: true })),
      'retain has no option "dryRun"; there are keep, onProgress, signal, author, reason.',
    ],
    [
      'erase',
      () => store.erase('one', '.block', any({ dryRun: true })),
      'erase has no option "dryRun"; there are author, reason.',
    ],
    [
      'erase without a selector',
      () => store.erase('one', undefined as never),
      'A selector is a string, not undefined.',
    ],
    [
      'fork without an id',
      () => ctx.fork('@t0', undefined as never),
      `Options of fork are an object such as { id: 'trip-by-plane' }, after the lens, not undefined.`,
    ],
    [
      'history',
      () => store.open('one', { history: 0 }),
      `The option history is a whole number from 1 up, or 'all', not 0.`,
    ],
    [
      'a URI, with which nothing might be written',
      () => openStore('sqlite:file:agent.db?mode=memory'),
      'The address of a store has a path after sqlite:, not a URI; write sqlite:agent.db.',
    ],
    [
      'history of a fork',
      () => ctx.fork('@t0', { id: 'three', history: any(['all'] as never) }),
      `The option history is a whole number from 1 up, or 'all', not a list.`,
    ],
    [
      'a file that cannot be',
      () => openStore('sqlite:a\0b.db'),
      'The address of a store has a NUL in it, which no file has; take it out.',
    ],
  ])('%s', async (_, call, message) => {
    expect(await thrownBy(call)).toMatchObject({ message })
    expect([(await store.list()).contexts.length, (await store.open('one')).cycle]).toEqual([1, 2])
  })
})

test.each<[string, (text: string) => Promise<unknown>]>([
  ['an option of a store', (text) => openStore('memory:', { [text]: 1 })],
  ['an option of open', (text) => store.open('one', { [text]: 1 } as never)],
  ['an option of commit', (text) => ctx.commit({ [text]: 1 })],
  ['what is kept', (text) => store.retain('one', { keep: { [text]: 1 } })],
])('a message has at most a line of the name of %s', async (_, call) => {
  const error = await thrownBy(() => call('9'.repeat(100_000)))
  expect((error as PactError).message.length).toBeLessThan(500)
})

test('what a function throws that is told of progress is no damage', async () => {
  for (let n = 0; n < 1000; n++) await ctx.commit()
  for (const look of [
    () => store.fsck('one', { onProgress: throws }),
    () => store.fsck(undefined, { onProgress: throws }),
  ]) {
    expect(await thrownBy(look)).toMatchObject({
      code: 'E_CONTENT_INVALID',
      cause: MINE,
      details: { name: 'onProgress' },
    })
  }
  const retained = await thrownBy(() => store.retain('one', { keep: { newest: 1 }, onProgress: throws }))
  expect(retained).toMatchObject({ code: 'E_CONTENT_INVALID', cause: MINE })
  expect(await store.fsck()).toMatchObject({ ok: true, problems: [] })
})

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

test.each([1, 'all', Infinity] as const)('a fork takes history: %s as open does', async (history) => {
  const fork = await ctx.fork('@t0', { id: 'three', history })
  for (let n = 0; n < 3; n++) await fork.commit()
  const oldest = await thrownBy(() => fork.thread('@c1'))
  expect(oldest).toEqual(history === 1 ? expect.objectContaining({ code: 'E_HISTORY_NOT_LOADED' }) : undefined)
})
