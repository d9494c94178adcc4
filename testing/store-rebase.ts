// Promises of a store about rebase: edits that lost a race are applied again after the winner's, all or nothing.

import type { Store, StoredContext } from 'pact-context/store'

import { refused, refusedAtOnce, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { sameContexts, say, shownBy, turns, whole } from './sample-contexts.js'

const CALL = { provider: 'acme', model: 'm', params: {} } as const

export const REBASE: Promises<Store> = {
  'edits that came too late are made again behind the new head': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    await turns(winner, 'a')
    const loser = await whole(store, 'one')
    const { id } = loser.user('late')
    loser.update(`[id='${id}']`, { tags: ['mine'] })
    await turns(winner, 'b', 'c')
    await refused(() => loser.commit(), 'E_CONFLICT', 'the late commit')
    const report = await loser.rebase()
    same([report.before, report.cycle, report.elsewhere], [2, 4, []], 'the report')
    const now = there(report.ids.get(id), 'the new id')
    same(loser.node(now)?.tags, ['mine'], 'the node')
    // The winner had the same cycle open and gave the same id to its own node.
    same(loser.node(id)?.content, 'b', 'what has the old id now')
    same(loser.operations().length, 2, 'its edits')
    same((await loser.commit()).cycle, 4, 'the commit')
    sameContexts(await whole(store, 'one'), loser, 'what is stored')
    same(loser.node(now, '@t0')?.content, 'late', 'the node')
    same(loser.export('@c3'), winner.export('@c3'), 'what the winner committed')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'where nobody else has committed nothing happens': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const hold = ctx.hold(ctx.user('b').id)
    const before = shownBy(ctx)
    const { cycle, before: was, ids } = await ctx.rebase()
    same([cycle, was, ids.size, shownBy(ctx)], [2, 2, 0, before], 'the report, and what the context shows')
    hold.release()
    same((await ctx.commit()).cycle, 2, 'the commit')
  },
  'where one edit cannot be made, none is': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    winner.user('first', { key: 'key' })
    await winner.commit()
    const loser = await whole(store, 'one')
    loser.user('late')
    loser.replace('#key', { content: 'changed' })
    winner.delete('#key')
    await winner.commit()
    const before = shownBy(loser)
    for (let times = 0; times < 2; times++) {
      const { details } = await refused(() => loser.rebase(), 'E_CONFLICT', 'the rebase')
      same([details['operation'], details['head'], details['reason']], [1, 2, 'rebase'], 'the details')
      same(shownBy(loser), before, 'what the loser shows')
    }
    same(loser.undo(), true, 'taking the edit back that is in the way')
    await loser.rebase()
    same((await loser.commit()).cycle, 3, 'the commit')
    sameContexts(await whole(store, 'one'), loser, 'what is stored')
  },
  'an edit that means other nodes now is told': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    await turns(winner, 'a')
    const loser = await whole(store, 'one')
    const mine = loser.first("d1 .block[role='user']")?.id
    loser.user('mine')
    loser.update("d1 .block[role='user']", { tags: ['seen'] })
    await turns(winner, 'b')
    const { elsewhere } = await loser.rebase()
    const yours = loser.first("d1 .block[role='user']")?.id
    same(elsewhere, [{ operation: 1, before: [mine], now: [yours] }], 'what is elsewhere')
  },
  'steps to undo, listeners and attempts go on': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    const loser = await whole(store, 'one')
    const told: number[] = []
    const end = loser.onCommit(({ cycle }) => told.push(cycle))
    loser.user('one')
    loser.batch(() => [loser.user('two'), loser.user('three')])
    const attempt = loser.startAttempt(CALL)
    await turns(winner, 'a')
    await loser.rebase()
    attempt.complete({ tokenIn: 7 })
    same(loser.attempts()[0]?.token_in, 7, 'an attempt that ended after it')
    const users = (): unknown => loser.nodes("d0 .block[role='user']").map(({ content }) => content)
    same(users(), ['one', 'two', 'three'], 'the edits')
    loser.undo()
    same(users(), ['one'], 'after one undo')
    await loser.commit()
    end()
    loser.user('four')
    await loser.commit()
    same(told, [2], 'who listened until then')
    same((await whole(store, 'one')).attempts()[0]?.status, 'completed', 'the attempt in the store')
  },
  'a rebase refuses edits while it is under way': async (bench) => {
    const store = await bench.open()
    const winner = await whole(store, 'one')
    const loser = await whole(store, 'one')
    loser.user('late')
    await turns(winner, 'a')
    const rebase = loser.rebase()
    try {
      refusedAtOnce(() => loser.user('too soon'), 'E_CONFLICT', 'an edit')
      await refused(() => loser.commit(), 'E_CONFLICT', 'a commit')
      await refused(() => loser.rebase(), 'E_CONFLICT', 'another rebase')
    } finally {
      await rebase
    }
    loser.user('now')
    same((await loser.commit()).cycle, 2, 'the commit')
  },
  'many who share a context and rebase lose nothing': async (bench) => {
    const store = await bench.open()
    const all = await Promise.all(Array.from({ length: 4 }, () => store.open('one')))
    await Promise.all(all.map((ctx, i) => shared(ctx, `writer ${i}`, 5)))
    const found = (await whole(store, 'one'))
      .nodes("@t0 .block[role='user']")
      .map(({ content }) => JSON.stringify(content))
    const expected = all.flatMap((_, i) => Array.from({ length: 5 }, (__, n) => JSON.stringify(`writer ${i}: ${n}`)))
    same(found.toSorted(), expected.toSorted(), 'all messages')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'forks rebase, and a context that was deleted does not': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const fork = await ctx.fork('@t0', { id: 'fork' })
    const other = await whole(store, 'fork')
    await turns(other, 'b')
    say(fork, 'c')
    await fork.rebase()
    same((await fork.commit()).cycle, 3, 'the commit of the fork')
    await store.delete('fork')
    fork.user('d')
    const { details } = await refused(() => fork.rebase(), 'E_CONFLICT', 'the rebase of one that is gone')
    same([details['reason'], fork.operations().length], ['deleted', 1], 'why, and its edits')
  },
}

/** Commits messages, rebasing each on the commits of others. */
async function shared(ctx: StoredContext, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    ctx.user(`${name}: ${n}`)
    for (;;) {
      const isDone = await ctx.commit().then(
        () => true,
        () => false,
      )
      if (isDone) break
      await ctx.rebase()
    }
  }
}
