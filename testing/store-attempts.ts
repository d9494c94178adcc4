// Promises of a store about attempts: they are kept unchanged, outside the chain of commits, and their ids continue.

import type { Store } from 'pact-context/store'

import { same } from './checks.js'
import type { Promises } from './contract.js'
import { say, steady, whole } from './sample-contexts.js'

const CALL = { provider: 'acme', model: 'm', params: {} } as const

export const ATTEMPTS: Promises<Store> = {
  'attempts are stored, with or without a commit': async (bench) => {
    let store = await bench.open()
    const ctx = await whole(store, 'one')
    say(ctx, 'a')
    ctx.startAttempt(CALL).complete({ tokenIn: 3, tokenOut: 4 })
    ctx.startAttempt({ ...CALL, request: { said: '\0\u{1f600}' }, keepRequest: true }).fail(new Error('overloaded'))
    const slow = ctx.startAttempt({ ...CALL, lens: 'preview' })
    await ctx.commit()
    slow.complete({ tokenIn: 5 })
    ctx.startAttempt({ ...CALL, lens: '@t0' }).cancel()
    ctx.startAttempt({ ...CALL, lens: '@t0' })
    store = await bench.reopen(store)
    const records = ctx.attempts()
    same(
      records.map(({ status }) => status),
      ['completed', 'error', 'completed', 'canceled', 'running'],
      'how they ended',
    )
    const again = await whole(store, 'one')
    same(again.attempts(), records, 'the attempts, opened again')
    same(again.requestOf(records[1]!.attempt_id), ctx.requestOf(records[1]!.attempt_id), 'a request that was kept')
    same(again.startAttempt(CALL).id, 'attempt:2-2', 'the id that is given next')
  },
  'records of a reopened context have the form of one that was never closed': async (bench) => {
    let store = await bench.open()
    const ctx = await whole(store, 'one')
    for (const text of ['a', 'b', 'c']) {
      ctx.user(text)
      ctx.startAttempt({ ...CALL, lens: 'working' }).complete({})
    }
    const records = ctx.attempts()
    store = await bench.reopen(store)
    const again = await whole(store, 'one')
    same(again.attempts(), records, 'the attempts, opened again')
    again.user('d')
    again.startAttempt({ ...CALL, lens: 'working' })
    same(again.attempts().slice(0, 3), records, 'the attempts after another one')
  },
  'attempts of two who had one cycle open are kept apart': async (bench) => {
    let store = await bench.open()
    const [mine, yours] = [await whole(store, 'one'), await whole(store, 'one')]
    for (const part of ['first', 'second']) {
      for (const [model, ctx] of Object.entries({ mine, yours })) {
        ctx.user(`${model} ${part}`)
        ctx.startAttempt({ ...CALL, model, lens: 'working' }).complete({})
      }
    }
    store = await bench.reopen(store)
    const all = (await whole(store, 'one')).attempts()
    const owned = (owner: string): typeof all => all.filter(({ model }) => model === owner)
    const ids = all.map(({ attempt_id: id }) => id)
    same([all.length, new Set(ids).size], [4, 4], 'how many attempts, and how many ids there are')
    // The attempt written first keeps its id.
    const kept = Object.entries({ mine, yours }).filter(([model, ctx]) =>
      owned(model).every(({ attempt_id: id }) => ctx.attempts().some((own) => own.attempt_id === id)),
    )
    same(kept.length, 1, 'how many kept their ids')
    await store.put(await whole(store, 'one'), 'copy')
    const copy = await whole(store, 'copy')
    same(copy.attempts(), all, 'the attempts of a copy')
    same(copy.startAttempt(CALL).id, (await whole(store, 'one')).startAttempt(CALL).id, 'the id that is given next')
  },
  'a context that keeps few attempts gives no id twice': async (bench) => {
    let store = await bench.open()
    const ctx = await store.open('one', steady({ keepAttempts: 2 }))
    for (let i = 0; i < 5; i++) ctx.startAttempt(CALL).complete({})
    store = await bench.reopen(store)
    for (const [i, keepAttempts] of [0, 1, 3].entries()) {
      const again = await store.open('one', steady({ keepAttempts }))
      same(again.attempts().length, keepAttempts, 'how many it keeps')
      same(again.startAttempt(CALL).id, `attempt:1-${5 + i}`, 'the id that is given next')
      store = await bench.reopen(store)
    }
    same((await store.open('one', steady())).attempts().length, 8, 'how many there are')
  },
}
