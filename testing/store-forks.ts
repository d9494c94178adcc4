// Promises of a store about forks: each equals a fork in memory, from any lens, and shares its parent's history.

import { createContext, type Context, type Lens } from 'pact-context'
import type { Store, StoredContext } from 'pact-context/store'

import { refused, same } from './checks.js'
import type { Promises } from './contract.js'
import { sameContexts, say, shownBy, steady, Ticks, turns, whole } from './sample-contexts.js'

const LENSES: readonly Lens[] = ['@t0', '@t-1', '@c1', '@c3', 'working', 'preview']

export const FORKS: Promises<Store> = {
  'a fork of any lens is what it is in memory, also when it is opened again': async (bench) => {
    const store = await bench.open()
    for (const lens of LENSES) {
      const both = await pair(store, `one ${lens}`, 3)
      for (const ctx of [both.stored, both.twin]) say(ctx, 'open')
      await follow(store, both, lens)
    }
  },
  'a context with one snapshot in memory forks as any other': async (bench) => {
    const store = await bench.open()
    await turns(await whole(store, 'one'), 'a', 'b')
    const ctx = await store.open('one', { history: 1 })
    say(ctx, 'open')
    // The stored row holds the changes since the previous snapshot.
    ctx.update('d1 .block', { tags: ['seen'] })
    ctx.delete('d2 .block')
    for (const lens of ['@t0', 'working', 'preview'] as const) {
      const fork = await ctx.fork(lens, { id: `fork ${lens}` })
      same(
        (await store.open(fork.id)).export('@t0'),
        ctx.export(lens === 'preview' ? lens : '@t0'),
        `the fork of ${lens}`,
      )
      await turns(fork, 'on')
      same((await store.fsck(fork.id)).problems, [], 'what is wrong')
    }
  },
  'a fork may leave before the first commit': async (bench) => {
    const store = await bench.open()
    for (const lens of ['working', 'preview'] as const) {
      const both = await pair(store, `one ${lens}`, 0)
      for (const ctx of [both.stored, both.twin]) say(ctx, 'open')
      await follow(store, both, lens)
    }
    const empty = await store.open('empty')
    await refused(
      () => empty.fork('@t0', { id: 'fork' }),
      'E_SNAPSHOT_NOT_FOUND',
      'a fork of a snapshot that is not there',
    )
  },
  'a fork of a fork may leave where its parent did not live yet': async (bench) => {
    const store = await bench.open()
    for (const lens of ['@c1', '@c2', '@c3', '@c4', '@t0', 'preview'] as const) {
      const { stored, twin, ticks } = await pair(store, `one ${lens}`, 3)
      const fork = await stored.fork('@c2', { id: `fork ${lens}` })
      const fellow = twin.fork('@c2', { id: fork.id })
      for (const text of ['a', 'b']) {
        for (const ctx of [fork, fellow]) say(ctx, text)
        await fork.commit()
        fellow.commit()
      }
      await turns(stored, 'meanwhile')
      const again = await whole(store, fork.id, { clock: ticks.copy().clock })
      await follow(store, { stored: again, twin: fellow, ticks }, lens)
    }
  },
  'forks and their parent go their own ways': async (bench) => {
    const store = await bench.open()
    const parent = await whole(store, 'one')
    await turns(parent, 'a', 'b')
    const fork = await parent.fork('@c1', { id: 'fork' })
    await turns(parent, 'c')
    await turns(fork, 'd')
    const [first, second] = [await whole(store, 'one'), await whole(store, 'fork')]
    same(shownBy(first), shownBy(parent), 'the parent, opened again')
    same(shownBy(second), shownBy(fork), 'the fork, opened again')
    same(second.export('@c1'), first.export('@c1'), 'what both have')
    same((await store.fsck()).problems, [], 'what is wrong')
  },
  'a fork whose id is taken is refused, and takes no name': async (bench) => {
    const store = await bench.open()
    const { stored, twin } = await pair(store, 'one', 1)
    const { details } = await refused(
      () => stored.fork('@t0', { id: 'one' }),
      'E_CONFLICT',
      'a fork with the id of its parent',
    )
    same(details['id'], 'one', 'the id in the details')
    const fork = await stored.fork(undefined, { id: 'fork' })
    same(fork.user('x').id, twin.fork().user('x').id, 'the id of what the next fork makes')
  },
  'every fork has a name of its own, whoever makes it': async (bench) => {
    const store = await bench.open()
    const { stored, twin } = await pair(store, 'one', 1)
    const other = await whole(store, 'one')
    const forks = await Promise.all(
      [1, 2, 3, 4].map((n) => (n % 2 === 0 ? stored : other).fork('@t0', { id: `fork ${n}` })),
    )
    const later = await (await whole(store, 'one')).fork('@t0', { id: 'fork 5' })
    const last = await stored.fork('@t0', { id: 'fork 6' })
    const ids = [...forks, later, last].map((fork) => fork.user('x').id)
    const expected = Array.from({ length: 6 }, () => twin.fork().user('x').id)
    same(ids.toSorted(), expected.toSorted(), 'the ids of what they make')
    same((await store.list()).contexts.find(({ id }) => id === 'one')?.forks, 6, 'how many have left')
  },
}

/** A stored context, its twin in memory, and the twin's clock. */
type Pair = Readonly<{ stored: StoredContext; twin: Context; ticks: Ticks }>

/** Plays the same turns on both. */
async function pair(store: Store, id: string, count: number): Promise<Pair> {
  const ticks = new Ticks()
  const stored = await whole(store, id)
  const twin = createContext(steady({ id, clock: ticks.clock }))
  for (let i = 0; i < count; i++) {
    for (const ctx of [stored, twin]) say(ctx, `turn ${i}`)
    await stored.commit()
    twin.commit()
  }
  return { stored, twin, ticks }
}

/** Forks both and expects equal forks: at once, reopened, and after another turn. */
async function follow(store: Store, { stored, twin, ticks }: Pair, lens: Lens): Promise<void> {
  const id = `${stored.id} from ${lens}`
  const fork = await stored.fork(lens, { id })
  const fellow = twin.fork(lens, { id })
  sameContexts(fork, fellow, `the fork from ${lens}`)
  const again = await whole(store, id, { clock: ticks.copy().clock })
  sameContexts(again, fellow, `the fork from ${lens}, opened again`)
  for (const ctx of [again, fellow]) say(ctx, 'and on')
  await again.commit()
  fellow.commit()
  sameContexts(await whole(store, id), fellow, `the fork from ${lens} after a commit, opened again`)
}
