// Forks of forks in a store: each shares what it has in common with whichever ancestor that is.

import { expect, it } from 'vitest'

import { openStore } from 'pact-context/store'

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
