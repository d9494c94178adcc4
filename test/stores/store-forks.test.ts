// Forks in a store: each shares what it has in common with whichever ancestor that is, and has as many snapshots loaded as its parent.

import { expect, it } from 'vitest'

import { MemoryRows, openStore, Store } from 'pact-context/store'

it.each(['@c5', '@c4', '@c3', '@c2', '@c1'] as const)('forks a fork at %s, also before it begins', async (lens) => {
  const store = await openStore('memory:')
  const ctx = await store.open('main')
  for (let n = 1; n <= 4; n++) {
    ctx.user(`question ${n}`)
    await ctx.commit()
  }
  const fork = await ctx.fork('@c3', { id: 'fork' })
  for (let n = 4; n <= 5; n++) {
    fork.user(`elsewhere ${n}`)
    await fork.commit()
  }
  const second = await fork.fork(lens, { id: 'second' })
  second.user('and there')
  await second.commit()
  const third = await second.fork('@t-1', { id: 'third' })
  for (const each of [second, third]) {
    const again = await store.open(each.id, { history: 'all' })
    expect(again.snapshots()).toEqual(each.snapshots())
    for (const { cycle } of each.snapshots()) {
      expect(again.export(`@c${cycle}`), `cycle ${cycle} of ${each.id}`).toEqual(each.export(`@c${cycle}`))
    }
  }
  await store.close()
})

it.each(['@t0', '@t-1', '@t-3'] as const)(
  'a fork at %s has the newest snapshots loaded, as many as its parent',
  async (lens) => {
    const store = new Store(new MemoryRows(), { packed: 3, tail: 6, manifest: 4 })
    const writer = await store.open('main')
    for (let n = 1; n <= 12; n++) {
      writer.user(`question ${n}`, n % 3 === 0 ? { ttl: 2 } : {})
      await writer.commit()
    }
    const whole = await store.open('main', { history: 'all' })
    const parent = await store.open('main', { history: 4 })
    const fork = await parent.fork(lens, { id: 'fork' })
    const newest = 12 + Number(lens.slice(2))
    for (let cycle = newest; cycle > newest - 4; cycle--) {
      expect(fork.export(`@c${cycle}`), `cycle ${cycle}`).toEqual(whole.export(`@c${cycle}`))
      expect(fork.diff(`@c${cycle}`, '@t0')).toEqual(whole.diff(`@c${cycle}`, `@c${newest}`))
    }
    const notLoaded = expect.objectContaining({ code: 'E_HISTORY_NOT_LOADED' })
    expect(() => parent.thread('@t-4')).toThrow(notLoaded)
    expect(() => fork.thread('@t-4')).toThrow(notLoaded)
    // It goes on with as many, and another option gives another number.
    fork.user('elsewhere')
    await fork.commit()
    expect(fork.thread('@t-3').length).toBeGreaterThan(0)
    expect(() => fork.thread('@t-4')).toThrow(notLoaded)
    const longer = await parent.fork(lens, { id: 'longer', history: 6 })
    expect(longer.export('@t-5')).toEqual(whole.export(`@c${newest - 5}`))
    expect(() => longer.thread('@t-6')).toThrow(notLoaded)
    await store.close()
  },
)
