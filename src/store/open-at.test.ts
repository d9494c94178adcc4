import { expect, test } from 'vitest'

import { openStore } from './open-store.js'
import type { Store } from './store.js'

async function grown(loop: number): Promise<Store> {
  const store = await openStore('memory:')
  const ctx = await store.open('a')
  for (let turn = 1; turn <= loop; turn++) {
    ctx.user(`turn ${turn}`)
    if (turn % 3 === 0) ctx.post('goes', { ttl: 2 })
    await ctx.commit()
  }
  return store
}

test('find tells of a context without opening it, and its version is another one after every change', async () => {
  const store = await grown(2)
  expect(await store.find('nobody')).toBeUndefined()
  const before = (await store.find('a'))!
  expect(before).toMatchObject({ id: 'a', cycle: 2, forks: 0, epoch: 0 })
  const ctx = await store.open('a')
  expect(ctx.version).toBe(before.version)
  ctx.user('more')
  expect(ctx.version).toBe(before.version)
  await ctx.commit()
  const after = (await store.find('a'))!
  expect(ctx.version).toBe(after.version)
  await store.erase('a', '.block')
  const erased = (await store.find('a'))!
  expect(ctx.version).toBe(after.version)
  await ctx.rebase()
  expect([ctx.version, ctx.epoch]).toEqual([erased.version, 1])
  await store.delete('a')
  await store.open('a')
  const made = (await store.find('a'))!
  expect(new Set([before, after, erased, made].map(({ version }) => version)).size).toBe(4)
  expect(made.number).not.toBe(before.number)
  await store.close()
})

test('openAt opens a context as it was, with so much before it', async () => {
  const store = await grown(30)
  const whole = await store.open('a', { history: 'all' })
  for (const cycle of [0, 1, 7, 29, 30]) {
    const ctx = (await store.openAt('a', cycle, { history: 4 }))!
    expect(ctx.cycle).toBe(cycle + 1)
    for (let at = Math.max(1, cycle - 3); at <= cycle; at++) {
      expect(ctx.threadBytes(`@c${at}`)).toEqual(whole.threadBytes(`@c${at}`))
      expect(ctx.export(`@c${at}`)).toEqual(whole.export(`@c${at}`))
    }
    if (cycle > 5) expect(() => ctx.snapshot('@c1')).toThrow(expect.objectContaining({ code: 'E_HISTORY_NOT_LOADED' }))
  }
  expect(await store.openAt('nobody', 1)).toBeUndefined()
  for (const cycle of [31, -1, 1.5, '1' as never]) {
    await expect(store.openAt('a', cycle)).rejects.toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND' })
  }
  const past = (await store.openAt('a', 12))!
  past.user('too late')
  await expect(past.commit()).rejects.toMatchObject({ code: 'E_CONFLICT', details: { cycle: 13, head: 30 } })
  await store.close()
})

test('a fork opens at cycles that it shares with its parent', async () => {
  const store = await grown(12)
  const parent = await store.open('a', { history: 'all' })
  const fork = await parent.fork('@c8', { id: 'b' })
  fork.user('own')
  await fork.commit()
  for (const cycle of [3, 8, 9]) {
    const ctx = (await store.openAt('b', cycle, { history: 2 }))!
    const wanted = cycle <= 8 ? parent.threadBytes(`@c${cycle}`) : fork.threadBytes('@t0')
    expect(ctx.threadBytes('@t0')).toEqual(wanted)
  }
  await store.close()
})

test('what was asked for under a key is compared as it came', async () => {
  const store = await grown(1)
  const ctx = await store.open('a')
  const asked = [{ op: 'user', content: 'Hi', note: 1 }]
  ctx.user('Hi')
  await ctx.commit({ key: 'k', asked })
  expect(await ctx.answerTo('k', asked)).toEqual(await ctx.answerTo('k'))
  expect(await ctx.answerTo('k', [{ note: 1, content: 'Hi', op: 'user' }])).toMatchObject({ cycle: 2 })
  await expect(ctx.answerTo('k', [{ op: 'user', content: 'Hi' }])).rejects.toMatchObject({
    code: 'E_CONFLICT',
    details: { reason: 'key', cycle: 2, head: 2 },
  })
  expect(await ctx.answerTo('other', asked)).toBeUndefined()
  ctx.user('Something else')
  expect((await ctx.commit({ key: 'k', asked })).cycle).toBe(2)
  expect(ctx.operations()).toEqual([])
  await store.close()
})
