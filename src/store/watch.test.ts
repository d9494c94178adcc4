import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test, vi } from 'vitest'

import { MemoryRows } from './memory/rows.js'
import { openStore } from './open-store.js'
import { Store } from './store.js'
import type { StoreEvent } from './watch.js'

test('a watch leaves no timer behind, however it ends', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-watch-'))
  const store = await openStore(`sqlite:${path.join(folder, 'a.db')}`)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const slow = { every: 100_000 }
  const ending = new AbortController()
  const waiting = [
    store.watch('one', slow),
    store.watch('one', { ...slow, signal: ending.signal }),
    store.watch(undefined, slow),
  ]
  const ends = waiting.map((watch) => watch.next())
  // Each asks once for a version before it waits.
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(vi.getTimerCount()).toBe(3)
  await waiting[0]!.return!()
  ending.abort()
  await ends[1]
  expect(vi.getTimerCount()).toBe(1)
  await store.close()
  expect(await Promise.all(ends)).toEqual(ends.map(() => ({ done: true, value: undefined })))
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('another watch goes on from a cycle', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('one')
  const watch = store.watch('one')
  ctx.user('a')
  await ctx.commit()
  expect((await watch.next()).value).toMatchObject({ kind: 'commit', id: 'one', cycle: 1 })
  ctx.user('b')
  await ctx.commit()
  for await (const event of store.watch('one', { from: 1 })) {
    expect(event.cycle).toBe(2)
    break
  }
})

test('what is written after a watch was asked for is told, however long its first look takes', async () => {
  const rows = new MemoryRows()
  const store = new Store(rows)
  const ctx = await store.open('one')
  const { find, list } = rows
  rows.find = async (...given) => {
    await sleep(30)
    return find.apply(rows, given)
  }
  rows.list = async (...given) => {
    await sleep(30)
    return list.apply(rows, given)
  }
  const [one, all] = [store.watch('one'), store.watch()]
  ctx.user('a')
  await Promise.all([ctx.commit(), store.create('two')])
  expect((await one.next()).value).toMatchObject({ kind: 'commit', id: 'one', cycle: 1 })
  const told = [await all.next(), await all.next()].map(({ value }) => (value as StoreEvent).id)
  expect(told.toSorted()).toEqual(['one', 'two'])
  await store.close()
})

test('where the list of erasures is damaged, whoever comes back is told that something was erased', async () => {
  const rows = new MemoryRows()
  const store = new Store(rows)
  const ctx = await store.open('one')
  ctx.user('a')
  await ctx.commit()
  await store.erase('one', '.block', { author: 'dpo' })
  const again = await store.open('one')
  again.user('b')
  await again.commit()
  const { audit } = rows
  rows.audit = async (family) => (await audit.call(rows, family)).map((each) => ({ ...each, hash: new Uint8Array(32) }))
  expect((await store.watch('one', { from: 2 }).next()).value).toMatchObject({ kind: 'erased', cycle: 2 })
  await store.close()
})

test('a watch from cycle 0 of a context that was never there begins when it is made', async () => {
  const store = await openStore('memory:')
  const watch = store.watch('later', { from: 0 })
  const first = watch.next()
  const ctx = await store.open('later')
  ctx.user('Hi')
  await ctx.commit()
  expect([(await first).value?.kind, (await watch.next()).value?.kind]).toEqual(['made', 'commit'])
  await store.delete('later')
  expect((await watch.next()).value?.kind).toBe('deleted')
  await store.close()
})
