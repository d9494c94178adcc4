// Promises of a store about commits: durable once resolved, one winner per cycle, losers keep their edits, and retries are safe.

import { createContext } from 'pact-context'
import type { Store } from 'pact-context/store'

import { holds, refused, refusedAtOnce, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { sameContexts, say, shownBy, steady, Ticks, turns, whole } from './sample-contexts.js'

const CALL = { provider: 'acme', model: 'm', params: {} } as const

export const COMMITS: Promises<Store> = {
  'a stored context shows what one in memory shows': async (bench) => {
    const store = await bench.open()
    for (const dialect of ['1.0', '0.1'] as const) {
      const stored = await whole(store, dialect, { dialect })
      const ticks = new Ticks()
      const twin = createContext(steady({ id: dialect, dialect, clock: ticks.clock }))
      for (let i = 0; i < 4; i++) {
        for (const ctx of [stored, twin]) say(ctx, `turn ${i}`)
        sameContexts(stored, twin, `the open cycle ${i + 1}`)
        const snapshot = await stored.commit()
        same([snapshot.cycle, snapshot.receipt], [i + 1, twin.commit().receipt], 'the snapshot')
        sameContexts(stored, twin, `after ${i + 1} commits`)
      }
      const again = await whole(store, dialect, { clock: ticks.copy().clock })
      sameContexts(again, stored, 'the same, opened again')
      const next = [again, twin].map((ctx) => ctx.user('x'))
      same(
        [next[0]?.id, next[0]?.createdAtNs],
        [next[1]?.id, next[1]?.createdAtNs],
        'the id and the time that come next',
      )
    }
  },
  'a commit is not to be seen before it is answered, and refuses edits until then': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    say(ctx, 'b')
    const before = shownBy(ctx)
    const told: number[] = []
    ctx.onCommit(({ cycle }) => told.push(cycle))
    const commit = ctx.commit()
    same([shownBy(ctx), told], [before, []], 'what the context shows meanwhile, and tells')
    const edits = {
      user: () => ctx.user('too soon'),
      system: () => ctx.system.add('too soon'),
      delete: () => ctx.delete('.block'),
      undo: () => ctx.undo(),
      batch: () => ctx.batch(() => ctx.user('too soon')),
    }
    try {
      for (const [edit, run] of Object.entries(edits)) refusedAtOnce(run, 'E_CONFLICT', edit)
    } finally {
      await commit.catch(() => undefined)
    }
    same((await commit).cycle, 2, 'the commit')
    same(told, [2], 'who listens')
    same([ctx.cycle, ctx.operations()], [3, []], 'what is open')
    ctx.user('now')
  },
  'of two commits at once, the second is refused': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    say(ctx, 'a')
    const [first, second] = await Promise.allSettled([ctx.commit(), ctx.commit()])
    same([first.status, second.status], ['fulfilled', 'rejected'], 'how they ended')
    same([ctx.cycle, ctx.snapshots().length], [2, 1], 'the open cycle, and how many snapshots there are')
    same((await whole(store, 'one')).cycle, 2, 'the open cycle in the store')
  },
  'who comes second to a cycle is told, and keeps the edits': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    await turns(winner, 'a')
    const loser = await whole(store, 'one')
    say(loser, 'late')
    const before = shownBy(loser)
    await turns(winner, 'b', 'c')
    for (let times = 0; times < 2; times++) {
      const { details } = await refused(() => loser.commit(), 'E_CONFLICT', 'the late commit')
      same(details, { cycle: 2, head: 3, reason: 'stale' }, 'the details')
      same(shownBy(loser), before, 'what the loser shows')
    }
    loser.user('more')
    same(loser.undo(), true, 'an edit, and taking it back')
    sameContexts(await whole(store, 'one'), winner, 'what is stored')
  },
  'two who commit at once: one does': async (bench) => {
    const store = await bench.open()
    const all = await Promise.all(Array.from({ length: 5 }, () => whole(store, 'one')))
    for (const [i, ctx] of all.entries()) ctx.user(`writer ${i}`)
    const ends = await Promise.allSettled(all.map((ctx) => ctx.commit()))
    same(ends.filter(({ status }) => status === 'fulfilled').length, 1, 'how many did')
    const at = ends.findIndex(({ status }) => status === 'fulfilled')
    sameContexts(await whole(store, 'one'), all[at]!, 'what is stored')
  },
  'large contents are kept': async (bench) => {
    const store = await bench.open()
    const ctx = await store.open('one')
    const large = '\u{1f600}é\0'.repeat(300_000)
    ctx.user(large)
    await ctx.commit()
    holds((await store.open('one')).thread('@t0')[0]?.content === large, 'a large content came back otherwise')
  },
  'a store finds nothing wrong with what it has written': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b')
    ctx.startAttempt(CALL).complete({})
    const fork = await ctx.fork('@t-1', { id: 'fork' })
    await turns(fork, 'c')
    same((await store.fsck()).problems, [], 'the problems')
    same((await store.fsck('fork')).contexts, 1, 'how many were looked at')
    await refused(() => store.fsck('none'), 'E_STORE', 'looking at one that is not there')
  },
}

export const KEYS: Promises<Store> = {
  'a commit with a key is done once': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    say(ctx, 'b')
    same((await ctx.commit({ key: 'key' })).cycle, 2, 'the commit')
    await turns(ctx, 'c')
    const before = shownBy(ctx)
    say(ctx, 'b')
    const again = await ctx.commit({ key: 'key' })
    same(again.cycle, 2, 'the same commit again')
    same(shownBy(ctx), before, 'what the context shows then')
    say(ctx, 'd')
    same((await ctx.commit({ key: 'other' })).cycle, 4, 'another one')
  },
  'also for whoever opens the context again': async (bench) => {
    const store = await bench.open()
    const first = await whole(store, 'one')
    say(first, 'a')
    first.startAttempt(CALL)
    const { cycle, receipt } = await first.commit({ key: 'key' })
    const answer = there(await first.answerTo('key'), 'the answer')
    same(answer.ids.length, 4, 'how many edits it was')
    const second = await whole(store, 'one')
    same(await second.answerTo('key'), answer, 'the answer, opened again')
    same(answer, { cycle, ids: answer.ids, receipt }, 'what it says')
    const [user] = answer.ids
    same(second.node(user![0]!, '@t0')?.content, 'a', 'the node that the first edit made')
    // The edits of a first turn again, as a caller that lost the answer would make them.
    const third = await whole(store, 'one')
    third.user('a', { data_note: 'about a' })
    third.put('before', 'before a', { zone: 'pre', ttl: 2, cad: 2 })
    third.put('plan', { steps: ['a', null, 1.5], '': '\0' })
    third.system.add('Be kind.')
    same((await third.commit({ key: 'key' })).cycle, 1, 'the same commit again')
    same([third.cycle, third.operations()], [2, []], 'what is open then')
    same(await second.answerTo('none'), undefined, 'the answer to a key that nobody had')
  },
  'a key with other edits is refused': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    ctx.user('a')
    await ctx.commit({ key: 'key' })
    const others: readonly (() => void)[] = [
      () => {},
      () => ctx.user('b'),
      () => ctx.assistant('a'),
      () => ctx.user('a', { ttl: 3 }),
      () => [ctx.user('a'), ctx.user('a')],
    ]
    for (const [i, edit] of others.entries()) {
      edit()
      const before = shownBy(ctx)
      const { details } = await refused(() => ctx.commit({ key: 'key' }), 'E_CONFLICT', `other edits, number ${i}`)
      same(details, { cycle: 1, head: 1, reason: 'key' }, 'the details')
      same(shownBy(ctx), before, 'what the context shows')
      while (ctx.undo());
    }
  },
  'a key is answered however long ago that was': async (bench) => {
    const store = await bench.open()
    const first = await whole(store, 'one')
    first.user('a')
    await first.commit({ key: 'key' })
    await turns(first, 'b', 'c', 'd')
    const ctx = await store.open('one', steady({ history: 1 }))
    ctx.user('a')
    const snapshot = await ctx.commit({ key: 'key' })
    same([snapshot.cycle, snapshot.export()], [1, first.export('@c1')], 'the same commit again')
    same([ctx.cycle, ctx.operations()], [5, []], 'what is open then')
    const other = await store.open('one', steady({ history: 1 }))
    same(await other.answerTo('key'), await first.answerTo('key'), 'the answer')
  },
  'whoever comes second with a key gets the answer of the first': async (bench) => {
    const store = await bench.open()
    const [mine, yours] = [await whole(store, 'one'), await whole(store, 'one')]
    for (const ctx of [mine, yours]) ctx.user('a')
    let told = 0
    yours.onCommit(() => told++)
    await mine.commit({ key: 'key' })
    await turns(mine, 'b')
    yours.user('a')
    await refused(() => yours.commit({ key: 'key' }), 'E_CONFLICT', 'other edits with the key')
    same([yours.cycle, yours.operations().length], [1, 2], 'what is open after other edits')
    yours.undo()
    const snapshot = await yours.commit({ key: 'key' })
    same([snapshot.cycle, snapshot.export()], [1, mine.export('@c1')], 'the commit of the other')
    same([yours.cycle, yours.operations(), told], [3, [], 0], 'what is open then')
    sameContexts(yours, mine, 'both')
    await turns(yours, 'c')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'a request that names its own nodes is the same when it is made again': async (bench) => {
    const store = await bench.open()
    const request = async (text = 'paid', before = 0): Promise<number> => {
      const ctx = await whole(store, 'one')
      if (before > 0) await turns(ctx, ...Array.from({ length: before }, (_, n) => `before ${n}`))
      const call = ctx.assistant({ name: 'pay', arguments: {} }, { kind: 'call', data_call_id: 'c' })
      ctx.tool(text, { kind: 'result', data_call_id: 'c', refs: [call.id] })
      ctx.update(`[id='${call.id}']`, { tags: ['mine'] })
      return (await ctx.commit({ key: 'key' })).cycle
    }
    same([await request(), await request(), await request('paid', 2)], [1, 1, 1], 'the cycles')
    await refused(() => request('not paid'), 'E_CONFLICT', 'another request')
    const ctx = await whole(store, 'one')
    const [first, call] = [ctx.user('first'), ctx.assistant('pay')]
    ctx.tool('paid', { refs: [call.id] })
    await ctx.commit({ key: 'place' })
    const other = await whole(store, 'one')
    const [again] = [other.user('first'), other.assistant('pay')]
    other.tool('paid', { refs: [again.id] })
    await refused(() => other.commit({ key: 'place' }), 'E_CONFLICT', `a reference to another node than ${first.id}`)
  },
}
