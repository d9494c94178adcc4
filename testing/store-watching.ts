// Promises of a store to watchers: every commit once, in order per context.

import type { Store, StoreEvent } from 'pact-context/store'

import { refusedAtOnce, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { turns, whole } from './sample-contexts.js'

const EVERY = { every: 2 } as const
const WHO = { author: 'dpo', reason: 'asked for by the user' } as const

export const WATCHING: Promises<Store> = {
  'a watch tells what is committed from when it was asked for': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const watch = store.watch('one', EVERY)
    await turns(ctx, 'b', 'c')
    const first = await taken(watch, 2)
    await turns(await whole(store, 'other'), 'x')
    await turns(ctx, 'd')
    const last = await taken(watch, 1)
    same([...first, ...last].map(said), ['commit one 2', 'commit one 3', 'commit one 4'], 'what was told')
    await watch.return?.()
    same(await watch.next(), { done: true, value: undefined }, 'after its end')
  },
  'a watch goes on after a cycle': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b', 'c')
    same(
      (await taken(store.watch('one', { ...EVERY, from: 1 }), 2)).map(said),
      ['commit one 2', 'commit one 3'],
      'after 1',
    )
    const watch = store.watch('one', { ...EVERY, from: 3 })
    await turns(ctx, 'd')
    same((await taken(watch, 1)).map(said), ['commit one 4'], 'after 3')
  },
  'a watch that goes on after a cycle tells first what was erased or thinned out since': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b')
    await store.erase('one', '.block', WHO)
    await turns(await whole(store, 'one'), 'c')
    // After 2, the event may or may not have arrived. After 3 it has: that commit was reported later.
    same((await taken(store.watch('one', { ...EVERY, from: 1 }), 1)).map(said), ['erased one 1'], 'first, after 1')
    const after = await taken(store.watch('one', { ...EVERY, from: 2 }), 1)
    same(after.map(said), ['erased one 2'], 'first, after 2')
    same((await taken(store.watch('one', { ...EVERY, from: 2 }), 2)).map(said)[1], 'commit one 3', 'second, after 2')
    await turns(await whole(store, 'one'), 'd')
    same((await taken(store.watch('one', { ...EVERY, from: 3 }), 1)).map(said), ['commit one 4'], 'first, after 3')
    await store.retain('one', { keep: { newest: 1 } })
    await turns(await whole(store, 'one'), 'e')
    const thinned = await taken(store.watch(undefined, { ...EVERY, from: new Map([['one', 4]]) }), 1)
    same(thinned.map(said), ['erased one 4'], 'first, after it was thinned out')
  },
  'a watch that goes on from a mark tells each erasure once, to the whole family': async (bench) => {
    const store = await bench.open()
    const root = await whole(store, 'root')
    await turns(root, 'a')
    await root.fork('@t0', { id: 'fork' })
    const marks = new Map<string, string>()
    for (const id of ['root', 'fork']) marks.set(id, there(await store.find(id), id).mark)
    await store.erase('root', '.block', WHO)
    for (const id of ['root', 'fork']) await turns(await whole(store, id), 'b')
    const watch = store.watch(undefined, { ...EVERY, from: marks })
    const told: StoreEvent[] = []
    for (const expected of ['erased fork 1', 'commit fork 2', 'erased root 1', 'commit root 2']) {
      const [event] = await taken(watch, 1)
      same(said(event!), expected, 'what is told next')
      told.push(event!)
    }
    // Watch from each event on, and expect the later ones.
    for (const [i, { id, mark }] of told.entries()) {
      const [next] = i % 2 === 0 ? await taken(store.watch(id, { ...EVERY, from: mark }), 1) : []
      same(next, i % 2 === 0 ? told[i + 1] : undefined, `after ${said(told[i]!)}`)
    }
    // A later fork never had it.
    const late = await (await whole(store, 'root')).fork('@t0', { id: 'late' })
    await turns(late, 'c')
    const [first] = await taken(store.watch('late', { ...EVERY, from: 2 }), 1)
    same(said(first!), 'commit late 3', 'what a later fork tells first')
  },
  'a mark is that of one context, whatever is made under its name': async (bench) => {
    const store = await bench.open()
    await turns(await whole(store, 'one'), 'a')
    const { mark } = there(await store.find('one'), 'one')
    await store.delete('one')
    await turns(await whole(store, 'one'), 'b', 'c')
    const watch = store.watch('one', { ...EVERY, from: mark })
    const [gone] = await taken(watch, 1)
    same(said(gone!), 'deleted one 1', 'what is told first')
    const [made] = await taken(store.watch('one', { ...EVERY, from: gone!.mark }), 1)
    same(said(made!), 'made one 0', 'what is told after that')
    const rest = ['made one 0', 'commit one 1', 'commit one 2']
    same((await taken(watch, 3)).map(said), rest, 'what is told then')
  },
  'a watch of all tells of all, and of what is made and deleted': async (bench) => {
    const store = await bench.open()
    const one = await whole(store, 'one')
    await turns(one, 'a')
    const watch = store.watch(undefined, EVERY)
    await watch.ready
    const told: StoreEvent[] = []
    const two = await whole(store, 'two')
    told.push(...(await taken(watch, 1)))
    await turns(two, 'a')
    told.push(...(await taken(watch, 1)))
    await one.fork('@t0', { id: 'fork' })
    told.push(...(await taken(watch, 1)))
    await store.delete('two')
    told.push(...(await taken(watch, 1)))
    await turns(one, 'b')
    told.push(...(await taken(watch, 1)))
    const expected = ['made two 0', 'commit two 1', 'made fork 1', 'deleted two 1', 'commit one 2']
    same(told.map(said), expected, 'what was told')
    const again = store.watch(undefined, {
      ...EVERY,
      from: new Map([
        ['one', 1],
        ['two', 1],
      ]),
    })
    same(
      (await taken(again, 3)).map(said),
      ['made fork 1', 'commit one 2', 'deleted two 1'],
      'what one that comes back is told',
    )
  },
  'a context that was deleted and made anew is another one': async (bench) => {
    const store = await bench.open()
    await turns(await whole(store, 'one'), 'a', 'b')
    const watch = store.watch('one', EVERY)
    await watch.ready
    await store.delete('one')
    await turns(await whole(store, 'one'), 'c', 'd', 'e')
    const expected = ['deleted one 2', 'made one 0', 'commit one 1', 'commit one 2', 'commit one 3']
    same((await taken(watch, 5)).map(said), expected, 'what was told')
    const none = store.watch('none', EVERY)
    await none.ready
    await whole(store, 'none')
    same((await taken(none, 1)).map(said), ['made none 0'], 'a context that was not there')
  },
  'a watch ends with its signal, and with its store': async (bench) => {
    const store = await bench.open()
    const ending = new AbortController()
    const slow = { every: 60_000 }
    const bySignal = store.watch(undefined, { ...slow, signal: ending.signal }).next()
    const unused = store.watch(undefined, slow)
    const byStore = store.watch('one', slow).next()
    ending.abort()
    same((await bySignal).done, true, 'the one with a signal')
    same((await store.watch('one', { ...slow, signal: ending.signal }).next()).done, true, 'one that had ended before')
    await bench.close(store)
    same([(await byStore).done, (await unused.next()).done], [true, true], 'those of a store that is closed')
    refusedAtOnce(() => store.watch(), 'E_STORE', 'a watch of a closed store')
  },
  'what cannot be watched is refused': async (bench) => {
    const store = await bench.open()
    const bad: readonly (() => unknown)[] = [
      () => store.watch(''),
      () => store.watch('one', { every: 0 }),
      () => store.watch('one', { from: -1 }),
      () => store.watch('one', { from: new Map() }),
      () => store.watch('one', { from: 'yesterday' }),
      () => store.watch(undefined, { from: new Map([['one', '3']]) }),
      () => store.watch(undefined, { from: 3 }),
    ]
    for (const call of bad) refusedAtOnce(call, 'E_CONTENT_INVALID', String(call))
  },
  'many writers, and nobody misses anything': async (bench) => {
    const store = await bench.open()
    const names = ['a', 'b', 'c']
    const watches = [...names.map((name) => store.watch(name, EVERY)), store.watch(undefined, EVERY)]
    await Promise.all(watches.map((watch) => watch.ready))
    const told = Promise.all(watches.map((watch, i) => taken(watch, i < 3 ? 9 : 27)))
    await Promise.all(
      names.map(async (name) => turns(await whole(store, name), '1', '2', '3', '4', '5', '6', '7', '8')),
    )
    const all = await told
    for (const [i, name] of names.entries()) {
      const expected = [`made ${name} 0`, ...Array.from({ length: 8 }, (_, n) => `commit ${name} ${n + 1}`)]
      same(all[i]!.map(said), expected, `the watch of ${name}`)
      same(all[3]!.filter(({ id }) => id === name).map(said), expected, `${name} in the watch of all`)
    }
  },
}

function said({ kind, id, cycle }: StoreEvent): string {
  return `${kind} ${id} ${cycle}`
}

async function taken(watch: AsyncIterator<StoreEvent>, count: number): Promise<readonly StoreEvent[]> {
  const events: StoreEvent[] = []
  while (events.length < count) {
    const { value } = await watch.next()
    events.push(there(value as StoreEvent | undefined, 'another event'))
  }
  return events
}
