// Promises of a store about retain: kept snapshots are unchanged, removed ones cannot be named, and diffs between kept ones report the same changes.

import type { Lens } from 'pact-context'
import type { Store, StoredContext } from 'pact-context/store'

import { holds, refused, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { shownBy, turns, whole } from './sample-contexts.js'

const CALL = { provider: 'acme', model: 'm', params: {} } as const
const TEXTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] as const

export const RETAINING: Promises<Store> = {
  'what is kept is what it was, and @t counts what is there': async (bench) => {
    const store = await bench.open()
    const before = await grown(store, 'one')
    const receipt = await store.retain('one', { keep: { newest: 2, every: 4 }, author: 'ops', reason: 'old' })
    same([receipt.kept, receipt.thinned, receipt.needed], [4, 6, []], 'how many are kept, thinned out and needed')
    same([receipt.id, receipt.author, receipt.reason], ['one', 'ops', 'old'], 'the receipt')
    holds(receipt.texts > 0 && receipt.audit !== undefined, 'nothing was taken out')
    const after = await whole(store, 'one')
    same(cyclesOf(after), [10, 9, 8, 4], 'the snapshots')
    for (const [i, cycle] of cyclesOf(after).entries()) {
      const lens: Lens = `@c${cycle}`
      same([after.export(lens), after.threadBytes(lens)], [before.export(lens), before.threadBytes(lens)], lens)
      same(after.export(`@t-${i}`), before.export(lens), `@t-${i}`)
    }
    for (const cycle of [1, 2, 3, 5, 6, 7]) {
      const error = await refused(async () => after.thread(`@c${cycle}`), 'E_SNAPSHOT_NOT_FOUND', `@c${cycle}`)
      same([error.details['reason'], error.details['cycle']], ['thinned', cycle], 'why')
    }
    await refused(async () => after.thread('@t-4'), 'E_SNAPSHOT_NOT_FOUND', 'one more than there are')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'what lies between is told with the next one that is there': async (bench) => {
    const store = await bench.open()
    const before = await grown(store, 'one')
    await store.retain('one', { keep: { newest: 1, every: 5 } })
    const after = await whole(store, 'one')
    const diffs = (ctx: StoredContext): readonly unknown[] => [
      ctx.diffDetailed('@c5', '@c10'),
      ctx.diff('@c5', '@c10', '.block'),
      ctx.diffDetailed('@c10', 'working'),
    ]
    same(diffs(after), diffs(before), 'what differs')
    for (const { id } of after.nodes('@t0 .block')) same(after.explain(id), before.explain(id), `why ${id} is there`)
    const short = await store.open('one', { history: 1 })
    await refused(async () => short.thread('@c5'), 'E_HISTORY_NOT_LOADED', 'one that is not loaded')
    await refused(() => short.loadHistory('@c4'), 'E_SNAPSHOT_NOT_FOUND', 'one that is not there')
    await short.loadHistory('@t-1')
    same(short.export('@c5'), before.export('@c5'), 'one that was loaded by name')
    await short.loadHistory('@*')
    same(short.diffDetailed('@c5', '@c10'), before.diffDetailed('@c5', '@c10'), 'what differs, loaded later')
  },
  'what forks and attempts need is kept': async (bench) => {
    const store = await bench.open()
    const root = await whole(store, 'root')
    await turns(root, 'a', 'b', 'c')
    const fork = await root.fork('@t0', { id: 'fork' })
    await turns(fork, 'x', 'y')
    const deep = await fork.fork('@c2', { id: 'deep' })
    await turns(deep, 'z')
    await turns(root, 'd')
    const attempt = root.startAttempt({ ...CALL, lens: 'working' })
    attempt.complete({})
    await turns(root, 'e', 'f')
    const shown = await Promise.all(['fork', 'deep'].map(async (id) => (await whole(store, id)).export('@t0')))
    const receipt = await store.retain('root', { keep: { newest: 1 } })
    same([receipt.kept, receipt.needed], [4, [2, 3, 4]], 'what is kept')
    same(cyclesOf(await whole(store, 'fork')), [5, 4, 3, 2], 'the snapshots of the fork')
    same(cyclesOf(await whole(store, 'deep')), [3, 2], 'those of its fork')
    const again = await Promise.all(['fork', 'deep'].map(async (id) => (await whole(store, id)).export('@t0')))
    same(again, shown, 'what the forks show')
    const own = await store.retain('fork', { keep: { newest: 1 } })
    same([own.kept, own.thinned], [1, 1], 'what is kept of the fork')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'a fork that leaves before a thinned cycle has one of that number itself': async (bench) => {
    const store = await bench.open()
    await grown(store, 'one')
    await store.retain('one', { keep: { newest: 1, every: 4 } })
    for (const history of ['all', 1] as const) {
      const ctx = await store.open('one', { history })
      await ctx.loadHistory('@c4')
      const fork = await ctx.fork('@c4', { id: `fork-${history}` })
      await turns(fork, 'x', 'y')
      const again = await whole(store, fork.id)
      same(
        [cyclesOf(fork), cyclesOf(again)],
        [
          [6, 5, 4],
          [6, 5, 4],
        ],
        `the snapshots, with history: ${history}`,
      )
      same(fork.export('@t0'), again.export('@t0'), 'the newest')
    }
  },
  'who still has it open cannot commit, and goes on with a rebase': async (bench) => {
    const store = await bench.open()
    const holder = await grown(store, 'one')
    const fork = await holder.fork('@t0', { id: 'fork' })
    await store.retain('one', { keep: { newest: 1 } })
    for (const ctx of [holder, fork]) {
      ctx.user('late')
      const error = await refused(() => ctx.commit(), 'E_CONFLICT', 'a commit')
      same(error.details['reason'], 'thinned', 'why')
      await ctx.rebase()
      await ctx.commit()
    }
    same(cyclesOf(await whole(store, 'one')), [11, 10], 'the snapshots')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'one after the other, with commits, keys and erasures between them': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    ctx.user('with a key', { key: 'it' })
    await ctx.commit({ key: 'first' })
    await turns(ctx, 'b', 'c', 'd', 'e')
    await store.retain('one', { keep: { newest: 2 } })
    const again = await whole(store, 'one')
    same((await again.answerTo('first'))?.cycle, 1, 'the answer to a key')
    again.user('with a key', { key: 'it' })
    const error = await refused(() => again.commit({ key: 'first' }), 'E_SNAPSHOT_NOT_FOUND', 'a retry of what is gone')
    same(error.details['reason'], 'thinned', 'why')
    again.undo()
    await turns(again, 'f', 'g')
    const newest = again.export('@t0')
    const receipt = await store.retain('one', { keep: { newest: 1 } })
    same([receipt.kept, receipt.thinned], [1, 3], 'the second time')
    same((await whole(store, 'one')).export('@t0'), newest, 'the newest')
    const erased = await store.erase('one', '#it')
    same(erased.ids.length, 1, 'what was erased')
    same((await whole(store, 'one')).first('#it')?.content, '', 'what it says')
    same((await store.retain('one', { keep: { newest: 1 } })).audit, undefined, 'the third time')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'what is put elsewhere is what is there without a gap': async (bench) => {
    const store = await bench.open()
    const before = await grown(store, 'one')
    await store.retain('one', { keep: { newest: 3, every: 4 } })
    const after = await whole(store, 'one')
    await store.put(after, 'copy')
    const copy = await whole(store, 'copy')
    same(cyclesOf(copy), [10, 9, 8], 'the snapshots')
    same(copy.export('@t0'), before.export('@t0'), 'the newest')
    same(shownBy(await whole(store, 'one')), shownBy(after), 'where it came from')
  },
  'what cannot be meant is refused, and progress is told': async (bench) => {
    const store = await bench.open()
    await grown(store, 'one')
    for (const keep of [
      {},
      { newest: 0 },
      { every: 1.5 },
      { since: new Date(Number.NaN) },
      { oldest: 3 },
      { newest: undefined },
      undefined,
    ]) {
      const retained = (): Promise<unknown> => store.retain('one', { keep: keep as { newest: number } })
      await refused(retained, 'E_CONTENT_INVALID', JSON.stringify(keep))
    }
    const error = await refused(
      () => store.retain('nobody', { keep: { newest: 1 } }),
      'E_STORE',
      'one that is not there',
    )
    same(error.details['reason'], 'missing', 'why')
    const all = await store.retain('one', { keep: { since: new Date(0) } })
    same([all.kept, all.thinned, all.audit], [10, 0, undefined], 'where all are kept')
    const none = await store.retain('one', { keep: { since: new Date(2 ** 42) }, onProgress: () => undefined })
    same([none.kept, none.thinned], [1, 9], 'where only the newest is')
    there((await whole(store, 'one')).snapshots()[0], 'the newest')
  },
}

/** A context with ten turns. */
async function grown(store: Store, id: string): Promise<StoredContext> {
  const ctx = await whole(store, id)
  await turns(ctx, ...TEXTS)
  return ctx
}

function cyclesOf(ctx: StoredContext): readonly number[] {
  return ctx.snapshots().map(({ cycle }) => cycle)
}
