// Promises of a store about contexts: they are created once, found again, put in, listed, deleted, and closed.

import { createContext } from 'pact-context'
import type { Store } from 'pact-context/store'

import { holds, refused, same } from './checks.js'
import type { Promises } from './contract.js'
import { ALL, sameContexts, say, shownBy, steady, Ticks, turns, whole } from './sample-contexts.js'
import { ODD_IDS } from './rows-contexts.js'

/** Invalid names. */
const NO_NAMES: readonly unknown[] = [
  '',
  '\ud800',
  'a\udc00',
  'x'.repeat(501),
  '\u{1f600}'.repeat(126),
  undefined,
  null,
  7,
  {},
]

export const OPENING: Promises<Store> = {
  'a context is made where there is none, and found where there is one': async (bench) => {
    const store = await bench.open()
    const ctx = await store.open('one', steady())
    same([ctx.id, ctx.cycle, ctx.dialect], ['one', 1, '1.0'], 'a new context')
    sameContexts(ctx, createContext(steady({ id: 'one' })), 'a new context beside one in memory')
    await turns(ctx, 'a', 'b')
    const again = await whole(store, 'one')
    same(again.cycle, 3, 'the open cycle of the context that was found')
    sameContexts(again, await whole(store, 'one'), 'two who have it open')
  },
  'a context is made once': async (bench) => {
    const store = await bench.open()
    await turns(await store.create('one', steady()), 'a')
    const { details } = await refused(() => store.create('one'), 'E_CONFLICT', 'making it again')
    same(details['id'], 'one', 'the id in the details')
    same((await whole(store, 'one')).cycle, 2, 'the open cycle')
    const all = await Promise.allSettled(Array.from({ length: 4 }, () => store.create('two')))
    same(all.filter(({ status }) => status === 'fulfilled').length, 1, 'how many of four at once made it')
    const opened = await Promise.all(Array.from({ length: 4 }, () => store.open('three')))
    same(
      opened.map(({ cycle }) => cycle),
      [1, 1, 1, 1],
      'the open cycles of four who opened one at once',
    )
    same((await store.list()).contexts.length, 3, 'how many there are')
  },
  'what nothing may be called is refused': async (bench) => {
    const store = await bench.open()
    const ctx = await store.open('one')
    await ctx.commit()
    for (const name of NO_NAMES as readonly string[]) {
      const calls = {
        open: () => store.open(name),
        create: () => store.create(name),
        put: () => store.put(createContext(), name),
        delete: () => store.delete(name),
        fork: () => ctx.fork('@t0', { id: name }),
      }
      for (const [call, run] of Object.entries(calls)) {
        const { details } = await refused(run, 'E_CONTENT_INVALID', `${call} of ${JSON.stringify(name)}`)
        same(details['name'], 'id', `what ${call} says is wrong`)
      }
      if (name === undefined) continue
      const { details } = await refused(() => ctx.commit({ key: name }), 'E_CONTENT_INVALID', 'a commit with that key')
      same(details['name'], 'key', 'what it says is wrong')
    }
    same((await store.list()).contexts.length, 1, 'how many there are')
    same(ctx.cycle, 2, 'the open cycle')
  },
  'options are given at every opening': async (bench) => {
    const store = await bench.open()
    const ids = ({ cycle, index }: { cycle: number; index: number }): string => `mine ${cycle} ${index}`
    const prune = { maxNodes: 3, protectSegments: 0 }
    const first = await whole(store, 'one', { ids })
    await turns(first, 'a', 'b')
    holds(first.user('c').id.startsWith('mine 3 '), 'the option ids names nodes')
    const second = await whole(store, 'one')
    holds(!second.user('c').id.startsWith('mine'), 'the option ids is not given any more')
    const third = await whole(store, 'one', { prune })
    const { receipt } = await third.commit()
    holds(receipt.removed.length > 0, 'the option prune has taken nodes out')
  },
  'another dialect is refused': async (bench) => {
    const store = await bench.open()
    await turns(await store.open('one', { ...steady(), dialect: '0.1' }), 'a')
    const { details } = await refused(
      () => store.open('one', { dialect: '1.0' }),
      'E_CONTENT_INVALID',
      'another dialect',
    )
    same(details['name'], 'dialect', 'what it says is wrong')
    for (const options of [{}, { dialect: '0.1' }] as const)
      same((await store.open('one', options)).dialect, '0.1', 'the dialect')
  },
  'wrong options leave nothing behind': async (bench) => {
    const store = await bench.open()
    const wrong = [
      { history: 0 },
      { history: 'some' },
      { odi: 'maybe' },
      { clock: 5 },
      { unknown: 1 },
      { keepAttempts: -1 },
    ]
    for (const options of wrong as readonly object[]) {
      const what = JSON.stringify(options)
      await refused(() => store.open('one', options), 'E_CONTENT_INVALID', `open with ${what}`)
      await refused(() => store.create('one', options), 'E_CONTENT_INVALID', `create with ${what}`)
      same((await store.list()).contexts, [], `what there is after ${what}`)
    }
  },
}

export const PUTTING: Promises<Store> = {
  'a context with a limited history brings what it has': async (bench) => {
    const store = await bench.open()
    const ctx = createContext(steady({ id: 'one', history: 2 }))
    for (const text of ['a', 'b', 'c', 'd']) {
      say(ctx, text)
      ctx.commit()
    }
    await store.put(ctx, 'one')
    const stored = await whole(store, 'one')
    same(
      stored.snapshots().map(({ cycle }) => cycle),
      [4, 3],
      'the snapshots',
    )
    same([stored.export('@c3'), stored.export('@t0')], [ctx.export('@c3'), ctx.export('@t0')], 'what they are')
    await refused(async () => stored.loadHistory('@c2'), 'E_SNAPSHOT_NOT_FOUND', 'one that it did not have')
  },
  'a context from elsewhere comes with all its past': async (bench) => {
    const store = await bench.open()
    const ticks = new Ticks()
    const ctx = createContext(steady({ id: 'one', clock: ticks.clock }))
    for (const text of ['a', 'b', 'c']) {
      say(ctx, text)
      const attempt = ctx.startAttempt({
        provider: 'acme',
        model: 'm',
        params: {},
        request: { text },
        keepRequest: true,
      })
      attempt.complete({ tokenIn: 1, tokenOut: 2 })
      ctx.commit()
    }
    same(await store.put(ctx, 'one'), { id: 'one', cycle: 3, forks: 0 }, 'what put gave')
    const stored = await whole(store, 'one', { clock: ticks.copy().clock })
    sameContexts(stored, ctx, 'the stored one')
    for (const { attempt_id: id } of ctx.attempts())
      same(stored.requestOf(id), ctx.requestOf(id), `the request of ${id}`)
    await refused(() => store.put(ctx, 'one'), 'E_CONFLICT', 'putting it in again')
  },
  'a long past comes as it is, and goes on': async (bench) => {
    const store = await bench.open()
    const ticks = new Ticks()
    const ctx = createContext(steady({ id: 'long', clock: ticks.clock, prune: { maxNodes: 40 } }))
    for (let i = 0; i < 600; i++) {
      ctx.user(`turn ${i}`)
      ctx.commit()
    }
    await store.put(ctx, 'long')
    const stored = await store.open('long', { ...ALL, clock: ticks.copy().clock })
    const calls = [stored, ctx].map((each) => each.user('next').createdAtNs)
    same(calls[0], calls[1], 'the time of what is made next')
    await stored.commit()
    const again = await whole(store, 'long')
    for (const lens of ['@c1', '@c256', '@c257', '@c600'] as const) same(again.export(lens), ctx.export(lens), lens)
    same(again.cycle, 602, 'the open cycle')
  },
  'a snapshot comes as text, bytes or object': async (bench) => {
    const store = await bench.open()
    const ctx = createContext(steady())
    say(ctx, 'a')
    ctx.commit()
    const exported = ctx.export()
    const text = new TextDecoder().decode(exported)
    const forms = { text, bytes: exported, object: JSON.parse(text) as object, snapshot: ctx.snapshot() }
    for (const [id, form] of Object.entries(forms)) {
      same(await store.put(form, id), { id, cycle: 1, forks: 0 }, `what put gave for ${id}`)
      if (id !== 'object') same((await whole(store, id)).export('@t0'), exported, `the export of ${id}`)
    }
    await refused(() => store.put('{', 'bad'), 'E_SNAPSHOT_INVALID', 'what is no snapshot')
    same((await store.list()).contexts.length, 4, 'how many there are')
  },
  'edits that are not committed are no past': async (bench) => {
    const store = await bench.open()
    const ctx = createContext(steady())
    ctx.user('a')
    await refused(() => store.put(ctx, 'one'), 'E_CONFLICT', 'putting it in')
    same(ctx.operations().length, 1, 'its edits')
    same((await store.list()).contexts, [], 'what there is')
    ctx.undo()
    await store.put(ctx, 'one')
    same((await store.open('one')).cycle, 1, 'the open cycle')
  },
  'names of forks that have left before are not given again': async (bench) => {
    const store = await bench.open()
    const ctx = createContext(steady())
    say(ctx, 'a')
    ctx.commit()
    ctx.fork()
    ctx.fork()
    same(await store.put(ctx, 'one'), { id: 'one', cycle: 1, forks: 2 }, 'what put gave')
    const ids = [ctx.fork().user('x').id, ctx.fork().user('x').id]
    const made: string[] = []
    for (const id of ['third', 'fourth']) {
      const fork = await (await whole(store, 'one')).fork('@t0', { id })
      made.push(fork.user('x').id)
    }
    same(made, ids, 'the ids that are made in later forks')
  },
}

export const LISTING: Promises<Store> = {
  'contexts are listed with where they are, a page at a time': async (bench) => {
    const store = await bench.open()
    same(await store.list(), { contexts: [], next: undefined }, 'the list of an empty store')
    for (const id of ['b', 'a', 'c']) await turns(await store.open(id, steady()), 'x')
    await (await store.open('b')).fork('@t0', { id: 'd' })
    const all = (await store.list()).contexts
    same(
      all.map(({ id, cycle, forks }) => [id, cycle, forks]),
      [
        ['a', 1, 0],
        ['b', 1, 1],
        ['c', 1, 0],
        ['d', 1, 0],
      ],
      'the list',
    )
    const first = await store.list({ limit: 2 })
    same([first.contexts.map(({ id }) => id), first.next], [['a', 'b'], 'b'], 'the first page')
    const second = await store.list({ limit: 2, after: first.next! })
    same([second.contexts.map(({ id }) => id), second.next], [['c', 'd'], undefined], 'the second page')
    for (const limit of [0, -1, 1.5, '2', Number.NaN] as readonly number[]) {
      await refused(() => store.list({ limit }), 'E_CONTENT_INVALID', `a limit of ${JSON.stringify(limit)}`)
    }
    for (const after of [5, null, '\ud800'] as readonly string[]) {
      await refused(() => store.list({ after }), 'E_CONTENT_INVALID', `behind ${JSON.stringify(after)}`)
    }
    same((await store.list({ limit: Number.MAX_SAFE_INTEGER })).contexts.length, 4, 'a list without an end')
  },
  'contexts may be called anything that is text': async (bench) => {
    const store = await bench.open()
    for (const id of ODD_IDS) await turns(await store.create(id, steady()), id)
    for (const id of ODD_IDS) {
      const ctx = await store.open(id)
      same([ctx.id, ctx.cycle, ctx.first('.block')?.content], [id, 2, ctx.first('.block')?.content], JSON.stringify(id))
      holds(
        ctx.thread('@t0').some(({ content }) => content === id),
        `what ${JSON.stringify(id)} says`,
      )
      same(await store.delete(id), true, `deleting ${JSON.stringify(id)}`)
    }
    same((await store.list()).contexts, [], 'what is left')
  },
}

export const DELETING: Promises<Store> = {
  'a context is deleted once': async (bench) => {
    const store = await bench.open()
    await turns(await store.open('one', steady()), 'a', 'b')
    same([await store.delete('one'), await store.delete('one')], [true, false], 'deleting it twice')
    same((await store.list()).contexts, [], 'the list')
    same((await store.open('one')).cycle, 1, 'the open cycle of another one with that id')
  },
  'one with forks is refused, unless they go with it': async (bench) => {
    const store = await bench.open()
    const ctx = await store.open('one', steady())
    await turns(ctx, 'a')
    for (const id of ['fork b', 'fork a']) await ctx.fork('@t0', { id })
    const { details } = await refused(() => store.delete('one'), 'E_CONFLICT', 'deleting it')
    same([details['id'], details['forks']], ['one', ['fork a', 'fork b']], 'the details')
    same((await store.list()).contexts.length, 3, 'how many there are')
    same(await store.delete('one', { forks: true }), true, 'deleting all')
    same((await store.list()).contexts, [], 'the list')
  },
  'whoever still holds a context that was deleted is told, and keeps the edits': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    say(ctx, 'b')
    const before = shownBy(ctx)
    await store.delete('one')
    for (let times = 0; times < 2; times++) {
      const { details } = await refused(() => ctx.commit(), 'E_CONFLICT', 'a commit')
      same(details, { cycle: 2, head: null, reason: 'deleted' }, 'the details')
      same(shownBy(ctx), before, 'what the context shows')
    }
    await refused(() => ctx.fork('@t0', { id: 'fork' }), 'E_CONFLICT', 'a fork')
    ctx.user('more')
    same(ctx.undo(), true, 'an edit, and taking it back')
    ctx.startAttempt({ provider: 'acme', model: 'm', params: {} }).complete({})
    await refused(() => ctx.commit({ key: 'key' }), 'E_CONFLICT', 'a commit with a key')
    same((await store.list()).contexts, [], 'what there is')
  },
}

export const CLOSING: Promises<Store> = {
  'a store that is closed takes nothing more, and what was open can be read': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    say(ctx, 'b')
    const before = shownBy(ctx)
    await bench.close(store)
    await store.close()
    const calls = {
      open: () => store.open('one'),
      create: () => store.create('two'),
      put: () => store.put(createContext(), 'two'),
      list: () => store.list(),
      delete: () => store.delete('one'),
      fsck: () => store.fsck(),
      commit: () => ctx.commit(),
      fork: () => ctx.fork('@t0', { id: 'fork' }),
      answerTo: () => ctx.answerTo('key'),
    }
    for (const [call, run] of Object.entries(calls)) {
      const { details } = await refused(run, 'E_STORE', call)
      same([details['reason'], details['outcome']], ['closed', 'failed'], `the details of ${call}`)
    }
    same(shownBy(ctx), before, 'what the context shows')
    ctx.user('c')
  },
  'who closes a store waits for what is under way': async (bench) => {
    const store = await bench.open()
    const all = await Promise.all(['one', 'two', 'three'].map((id) => store.open(id, steady())))
    const commits = all.map((ctx, i) => {
      say(ctx, 'a')
      ctx.startAttempt({ provider: 'acme', model: 'm', params: {} })
      return ctx.commit(i === 1 ? { key: 'key' } : {})
    })
    const ends = Promise.allSettled(commits)
    await bench.close(store)
    for (const end of await ends) {
      if (end.status === 'rejected')
        throw new Error('A commit that was under way failed when the store was closed.', { cause: end.reason })
      same(end.value.cycle, 1, 'the cycle of a commit that was under way')
    }
  },
}
