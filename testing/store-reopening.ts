// Promises of a store after a reopen, and to several open handles.

import { createContext } from 'pact-context'
import type { Store } from 'pact-context/store'

import { refused, same } from './checks.js'
import type { Promises } from './contract.js'
import { sameContexts, say, shownBy, steady, Ticks, turns, whole } from './sample-contexts.js'

const CALL = { provider: 'acme', model: 'm', params: {} } as const

export const REOPENING: Promises<Store> = {
  'everything is there when the store is opened again': async (bench) => {
    let store = await bench.open()
    const ticks = new Ticks()
    const twin = createContext(steady({ id: 'one', clock: ticks.clock }))
    for (let i = 0; i < 5; i++) {
      const ctx = await whole(store, 'one', { clock: ticks.copy().clock })
      for (const each of [ctx, twin]) say(each, `turn ${i}`)
      same((await ctx.commit({ key: `key ${i}` })).cycle, twin.commit().cycle, 'the cycle')
      sameContexts(ctx, twin, `after ${i + 1} commits`)
      store = await bench.reopen(store)
      sameContexts(await whole(store, 'one'), twin, `after ${i + 1} commits, opened again`)
    }
    const ctx = await whole(store, 'one')
    for (let i = 0; i < 5; i++) same((await ctx.answerTo(`key ${i}`))?.cycle, i + 1, `the answer to key ${i}`)
    say(ctx, 'other')
    await refused(() => ctx.commit({ key: 'key 0' }), 'E_CONFLICT', 'a key with other edits')
    same((await store.fsck()).problems, [], 'what is wrong')
  },
  'who closes a store waits for attempts, and for commits': async (bench) => {
    let store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    ctx.startAttempt({ ...CALL, lens: '@t0' }).complete({ tokenIn: 1 })
    const records = ctx.attempts()
    store = await bench.reopen(store)
    const again = await whole(store, 'one')
    same(again.attempts(), records, 'the attempts')
    say(again, 'b')
    const commit = again.commit()
    store = await bench.reopen(store)
    const end = await Promise.allSettled([commit])
    const then = await whole(store, 'one')
    same(end[0].status, 'fulfilled', 'how a commit ended that was under way')
    same(then.cycle, 3, 'the open cycle')
  },
  'edits that were not committed are gone': async (bench) => {
    let store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const before = shownBy(ctx)
    say(ctx, 'b')
    store = await bench.reopen(store)
    same(shownBy(await whole(store, 'one')), before, 'what is there')
  },
  'forks find their parents again': async (bench) => {
    let store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b')
    const fork = await ctx.fork('@c1', { id: 'fork' })
    await turns(fork, 'c')
    const below = await fork.fork('working', { id: 'below' })
    const shown = [ctx, fork, below].map(shownBy)
    store = await bench.reopen(store)
    for (const [i, id] of ['one', 'fork', 'below'].entries()) same(shownBy(await whole(store, id)), shown[i], id)
  },
  'two who have the store open see each other': async (bench) => {
    const [mine, yours] = [await bench.open(), await bench.open()]
    const first = await whole(mine, 'one')
    await turns(first, 'a')
    const second = await whole(yours, 'one')
    sameContexts(second, first, 'the context of the other')
    say(second, 'b')
    const before = shownBy(second)
    await turns(first, 'b')
    const { details } = await refused(() => second.commit(), 'E_CONFLICT', 'the commit of who comes second')
    same(details, { cycle: 2, head: 2, reason: 'stale' }, 'the details')
    same(shownBy(second), before, 'what it shows')
    await refused(() => yours.create('one'), 'E_CONFLICT', 'making a context that the other has made')
    same(await yours.delete('one'), true, 'deleting it')
    const { details: gone } = await refused(() => first.commit(), 'E_CONFLICT', 'a commit to what was deleted')
    same(gone['reason'], 'deleted', 'the reason')
  },
}
