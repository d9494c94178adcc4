import { PactError, type Snapshot } from 'pact-context'
import { expect, test } from 'vitest'

import { storeFault } from './fault.js'
import { MemoryRows } from './memory/rows.js'
import type { Rows } from './rows.js'
import { Store } from './store.js'
import type { StoredContext } from './stored-context.js'

/** A planted fault of a database call; undefined for the normal result. */
type Hitch = (call: keyof Rows, rows: Rows, args: readonly unknown[]) => Promise<unknown> | undefined

type Scene = { ctx: StoredContext; store: Store; rows: Rows; hitch: { now: Hitch | undefined } }

async function scene(): Promise<Scene> {
  const rows: Rows = new MemoryRows()
  const hitch: Scene['hitch'] = { now: undefined }
  const proxy = new Proxy(rows, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) =>
        hitch.now?.(name as keyof Rows, target, args) ?? (value.apply(target, args) as unknown)
    },
  })
  const store = new Store(proxy)
  const ctx = await store.open('one')
  ctx.user('a')
  return { ctx, store, rows, hitch }
}

const unknown = (): PactError => storeFault('The line went dead.', 'unknown')
const failed = (): PactError => storeFault('It is locked.', 'failed', { reason: 'busy' })

/** The write is done, and its answer is lost. */
const lostAnswer: Hitch = (call, rows, args) =>
  call === 'commit'
    ? rows.commit(...(args as Parameters<Rows['commit']>)).then(() => Promise.reject(unknown()))
    : undefined

async function refusalOf(call: () => Promise<unknown>): Promise<PactError> {
  const error: unknown = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PactError)
  return error as PactError
}

test('a commit whose answer is lost is in doubt, refuses edits, and is found by the next call', async () => {
  const { ctx, store, hitch } = await scene()
  hitch.now = lostAnswer
  const { code, details } = await refusalOf(() => ctx.commit())
  expect([code, details['outcome'], details['cycle']]).toEqual(['E_STORE', 'unknown', 1])
  expect(() => ctx.user('b')).toThrow(PactError)
  expect(ctx.thread().map(({ content }) => content)).toEqual(['a'])
  expect(ctx.cycle).toBe(1)
  hitch.now = undefined
  expect((await ctx.commit()).cycle).toBe(1)
  expect((await store.open('one')).cycle).toBe(2)
  ctx.user('b')
  expect((await ctx.commit()).cycle).toBe(2)
})

test('a commit in doubt that was not written is written by the next call, with the same bytes', async () => {
  const { ctx, rows, hitch } = await scene()
  hitch.now = (call) => (call === 'commit' ? Promise.reject(unknown()) : undefined)
  await refusalOf(() => ctx.commit({ key: 'key' }))
  expect((await rows.find('one'))?.head).toBe(0)
  hitch.now = undefined
  expect((await ctx.commit()).cycle).toBe(1)
  expect((await ctx.answerTo('key'))?.cycle).toBe(1)
})

test.each([
  ['first', 'second', /its commit has the key first, not second; call commit\(\) with that one first/],
  [undefined, 'second', /its commit has no key, not second; call commit\(\) without one first/],
])('a commit in doubt with the key %s is not taken for one with the key %s', async (first, second, why) => {
  const { ctx, store, hitch } = await scene()
  hitch.now = lostAnswer
  await refusalOf(() => ctx.commit({ key: first }))
  hitch.now = undefined
  const { code, message, details } = await refusalOf(() => ctx.commit({ key: second }))
  expect([code, details]).toEqual(['E_CONFLICT', { cycle: 1, key: first ?? null, reason: 'key' }])
  expect(message).toMatch(why)
  expect(await ctx.answerTo('second')).toBeUndefined()
  // The outcome is still unknown; the next call checks it.
  expect(() => ctx.user('b')).toThrow(PactError)
  expect((await ctx.commit({ key: first })).cycle).toBe(1)
  ctx.user('b')
  expect((await ctx.commit({ key: 'second' })).cycle).toBe(2)
  expect((await store.open('one')).cycle).toBe(3)
})

test('a commit stays in doubt while nobody can look', async () => {
  const { ctx, hitch } = await scene()
  hitch.now = lostAnswer
  await refusalOf(() => ctx.commit())
  hitch.now = (call) => (call === 'read' ? Promise.reject(failed()) : undefined)
  const { details } = await refusalOf(() => ctx.commit())
  expect(details['outcome']).toBe('unknown')
  hitch.now = undefined
  expect((await ctx.commit()).cycle).toBe(1)
})

test('a conflict that cannot be watchesReady into is in doubt too, and leaves no context that is stuck', async () => {
  const { ctx, store, hitch } = await scene()
  const other = await store.open('one')
  other.user('first')
  await other.commit()
  hitch.now = (call) => (call === 'read' ? Promise.reject(failed()) : undefined)
  expect((await refusalOf(() => ctx.commit())).details['outcome']).toBe('unknown')
  hitch.now = undefined
  expect((await refusalOf(() => ctx.commit())).code).toBe('E_CONFLICT')
  ctx.user('b')
  expect(ctx.operations()).toHaveLength(2)
})

test('of two calls that look after a commit in doubt, one publishes it', async () => {
  const { ctx, hitch } = await scene()
  const told: number[] = []
  ctx.onCommit(({ cycle }) => told.push(cycle))
  hitch.now = lostAnswer
  await refusalOf(() => ctx.commit())
  hitch.now = undefined
  const ends = await Promise.allSettled([ctx.commit(), ctx.commit()])
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect([ctx.cycle, ctx.snapshots().length, told]).toEqual([2, 1, [1]])
})

test('a commit that has failed leaves everything as it was', async () => {
  const { ctx, hitch } = await scene()
  for (const at of ['commit', 'answer'] as const) {
    hitch.now = (call) => (call === at ? Promise.reject(failed()) : undefined)
    const { details } = await refusalOf(() => ctx.commit({ key: at }))
    expect(details['outcome']).toBe('failed')
    expect(ctx.operations()).toHaveLength(1)
    expect(ctx.undo()).toBe(true)
    ctx.user('a')
  }
  hitch.now = undefined
  expect((await ctx.commit()).cycle).toBe(1)
})

test('each call on a context that was deleted meanwhile says what it has not done', async () => {
  const { ctx, store } = await scene()
  await ctx.commit()
  ctx.user('b')
  await store.delete('one')
  const calls: readonly [() => Promise<unknown>, string][] = [
    [() => ctx.commit(), 'Cycle 2 of one was not committed: '],
    [() => ctx.rebase(), 'The edits of one were not repeated: '],
    [() => ctx.fork('@t0', { id: 'two' }), 'No fork of one was made: '],
  ]
  for (const [call, undone] of calls) {
    await expect(call()).rejects.toMatchObject({
      code: 'E_CONFLICT',
      message: `${undone}It was deleted meanwhile. The edits are still here.`,
      details: { reason: 'deleted', head: null },
    })
  }
  expect(ctx.select('.block')).toHaveLength(2)
})

test('an attempt that cannot be written is written by the next commit, or fails it', async () => {
  const { ctx, store, hitch } = await scene()
  hitch.now = (call) => (call === 'writeAttempts' ? Promise.reject(failed()) : undefined)
  ctx.startAttempt({ provider: 'acme', model: 'm', params: {} })
  expect((await refusalOf(() => ctx.commit())).details['outcome']).toBe('failed')
  hitch.now = undefined
  await ctx.commit()
  expect((await store.open('one')).attempts()).toHaveLength(1)
})

test('who closes a store waits for a slow commit', async () => {
  const { ctx, store, rows, hitch } = await scene()
  const order: string[] = []
  hitch.now = (call, sound, args) => {
    if (call === 'close') order.push('closed')
    if (call !== 'commit') return undefined
    return new Promise((resolve) => setTimeout(resolve, 30)).then(() => {
      order.push('committed')
      return sound.commit(...(args as Parameters<Rows['commit']>))
    })
  }
  const [end] = await Promise.allSettled<Snapshot | void>([ctx.commit(), store.close()])
  expect(end!.status).toBe('fulfilled')
  expect(order).toEqual(['committed', 'closed'])
  expect((await rows.find('one'))?.head).toBe(1)
})

test('a commit in a batch is refused, and leaves no promise that nobody holds', async () => {
  const { ctx } = await scene()
  const unheld: unknown[] = []
  const hear = (reason: unknown): void => void unheld.push(reason)
  process.on('unhandledRejection', hear)
  expect(() => ctx.batch(() => ctx.commit())).toThrow('this one gave a promise')
  expect(() => ctx.batch(() => Promise.reject(new Error('mine')))).toThrow('this one gave a promise')
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', hear)
  expect(unheld).toEqual([])
  expect((await ctx.commit()).cycle).toBe(1)
})
