// Promises of a store about erasing: the content leaves every snapshot, fork, schedule, attempt and answer, and all else is unchanged.

import { createContext, type Context, type Lens } from 'pact-context'
import type { Store, StoredContext } from 'pact-context/store'

import { holds, refused, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { say, shownBy, steady, turns, whole } from './sample-contexts.js'

const SECRET = 'the secret'
const WHO = { author: 'dpo', reason: 'asked for by the user' } as const
const CALL = { provider: 'acme', model: 'm', params: {} } as const

export const ERASING: Promises<Store> = {
  'what nodes say is erased in every snapshot, and all else stays as it was': async (bench) => {
    const store = await bench.open()
    const stored = await whole(store, 'one')
    const twin = createContext(steady({ id: 'one' }))
    for (const ctx of [stored, twin]) ctx.user(SECRET, { key: 'it', data_note: SECRET, tags: ['kept'], pinned: true })
    await stored.commit()
    twin.commit()
    for (const text of ['b', 'c']) {
      for (const ctx of [stored, twin]) say(ctx, text)
      await stored.commit()
      twin.commit()
    }
    for (const ctx of [stored, twin]) ctx.update('#it', { tags: ['kept', 'more'] })
    await stored.commit()
    twin.commit()
    const receipt = await store.erase('one', '#it', WHO)
    const expected = twin.forget('#it', WHO)
    same([receipt.ids, receipt.schedules], [expected.ids, expected.schedules], 'what was found')
    same([receipt.author, receipt.reason, receipt.contexts], [WHO.author, WHO.reason, ['one']], 'the receipt')
    holds(receipt.versions > 0 && receipt.audit !== undefined, 'nothing was taken out')
    const again = await whole(store, 'one')
    for (const lens of ['@c1', '@c2', '@c3', '@c4'] as const) {
      same([again.export(lens), again.threadBytes(lens)], [twin.export(lens), twin.threadBytes(lens)], lens)
    }
    same(said(again), false, 'whether it is still said')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'a node without content is marked, in every snapshot and fork, after any load': async (bench) => {
    const store = await bench.open()
    const stored = await whole(store, 'one')
    const twin = createContext(steady({ id: 'one' }))
    for (const ctx of [stored, twin]) ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'x' }] })
    await stored.commit()
    twin.commit()
    for (const ctx of [stored, twin]) ctx.update('#box', { priority: 3 })
    for (const text of ['b', 'c']) {
      for (const ctx of [stored, twin]) say(ctx, text)
      await stored.commit()
      twin.commit()
    }
    await turns(await stored.fork('@c1', { id: 'fork' }), 'f')
    const BARE = `#box, .seg, .cont`
    const receipt = await store.erase('one', BARE, WHO)
    const own = receipt.ids.filter((id) => !id.includes(':f1:'))
    same(own, twin.forget(BARE, WHO).ids, 'what was found, but for what only the fork has')
    holds(receipt.versions > receipt.ids.length, 'not every version was counted')
    for (const history of ['all', 1] as const) {
      const again = await store.open('one', steady({ history }))
      if (history === 1) await again.loadHistory('@c1..@t0')
      for (const lens of ['@c1', '@c2', '@c3', 'working'] as const) same(again.export(lens), twin.export(lens), lens)
    }
    same(there(await store.openAt('one', 2), 'the context').export(), twin.export('@c2'), 'as it was after cycle 2')
    const left = await whole(store, 'fork')
    same(left.first('#box')?.attributes, { 'pact:erased': true }, 'the box in a fork')
    same(left.export('@c1'), twin.export('@c1'), 'what the fork shares')
    same((await store.fsck()).problems, [], 'the problems')
    same((await store.erase('one', '#box', WHO)).versions, 0, 'what is erased again')
    const later = await whole(store, 'one', steady())
    for (const ctx of [later, twin]) ctx.update('#box', { priority: 4 })
    await later.commit()
    twin.commit()
    await store.retain('one', { keep: { newest: 1 } })
    same((await whole(store, 'one')).first('@t0 #box')?.toJSON(), twin.first('@t0 #box')?.toJSON(), 'the box by now')
    same((await store.fsck()).problems, [], 'the problems by then')
  },
  'the whole family is erased from, whichever of it was asked': async (bench) => {
    const store = await bench.open()
    for (const asked of ['root', 'fork', 'fork of fork']) {
      const root = await whole(store, 'root')
      root.user(SECRET, { key: 'it' })
      await root.commit()
      const fork = await root.fork('@t0', { id: 'fork' })
      fork.replace('#it', { content: `${SECRET}, changed` })
      await fork.commit()
      await turns(root, 'b')
      const deep = await fork.fork('working', { id: 'fork of fork' })
      deep.user('x')
      await deep.commit()
      await turns(await whole(store, 'other'), 'x')
      const receipt = await store.erase(asked, `[content~'secret']`, WHO)
      same(receipt.contexts, ['fork', 'fork of fork', 'root'], 'the contexts')
      for (const id of receipt.contexts) same(said(await whole(store, id)), false, `whether ${id} still says it`)
      same((await store.fsck()).problems, [], 'the problems')
      await store.delete('root', { forks: true })
      await store.delete('other')
    }
  },
  'schedules end, and what they brought is erased': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    ctx.put('note', SECRET, { zone: 'pre', ttl: 1, cad: 2 })
    ctx.put('other', 'fine', { zone: 'pre', ttl: 1, cad: 2 })
    await ctx.commit()
    for (let i = 0; i < 6; i++) {
      // A scheduled node is erased before any snapshot holds it.
      if (i % 2 === 1) ctx.delete('#note?')
      ctx.user(`turn ${i}`)
      await ctx.commit()
    }
    const { schedules } = await store.erase('one', `[content~'secret']`, WHO)
    same(schedules, ['note'], 'the schedules')
    const again = await whole(store, 'one')
    same(said(again), false, 'whether it is still said')
    for (let i = 0; i < 3; i++) {
      again.user(`later ${i}`)
      await again.commit()
      same(said(again), false, 'whether it returned')
    }
    same((await store.fsck()).problems, [], 'the problems')
  },
  'attempts and keys tell nothing of it any more': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const early = ctx.startAttempt(CALL).complete({})
    ctx.user(SECRET, { key: 'it' })
    const attempt = ctx.startAttempt({ ...CALL, request: { text: SECRET }, keepRequest: true }).fail(new Error(SECRET))
    await ctx.commit({ key: 'key' })
    const receipt = await store.erase('one', '#it', WHO)
    same([receipt.attempts > 0, receipt.answers], [true, 1], 'what was found')
    const again = await whole(store, 'one')
    const records = again.attempts()
    same(JSON.stringify(records).includes('secret'), false, 'whether attempts still say it')
    const found = there(
      records.find((each) => each.attempt_id === attempt.attempt_id),
      'the attempt',
    )
    same([found.thread_hash, found.request_hash], ['0'.repeat(64), '0'.repeat(64)], 'its hashes')
    same([found.status, found.error?.name], ['error', 'Error'], 'how it ended')
    same(records.find((each) => each.attempt_id === early.attempt_id)?.status, 'completed', 'an earlier one')
    again.user(SECRET, { key: 'it' })
    const { details } = await refused(() => again.commit({ key: 'key' }), 'E_CONFLICT', 'the same key again')
    same(details['reason'], 'erased', 'why')
    same((await again.answerTo('key'))?.cycle, 2, 'its answer')
  },
  'who still has it open cannot commit, fork or write it': async (bench) => {
    const store = await bench.open()
    const holder = await whole(store, 'one')
    holder.user(SECRET, { key: 'it' })
    await holder.commit()
    const running = holder.startAttempt({ ...CALL, keepRequest: true, request: SECRET })
    await holder.flush()
    holder.user('mine')
    const before = shownBy(holder)
    await store.erase('one', '#it', WHO)
    const { details } = await refused(() => holder.commit(), 'E_CONFLICT', 'a commit')
    same([details['reason'], shownBy(holder)], ['erased', before], 'why, and what it shows')
    const forking = await refused(() => holder.fork('@t0', { id: 'fork' }), 'E_CONFLICT', 'a fork')
    same(forking.details['reason'], 'erased', 'why')
    running.complete({ tokenIn: 3 })
    await holder.flush()
    const seen = await whole(store, 'one')
    same([seen.attempts()[0]?.token_in, said(seen)], [3, false], 'the attempt that ended, and whether it is said')
    await holder.rebase()
    same((await holder.commit()).cycle, 2, 'the commit after a rebase')
    same(said(holder), false, 'whether the holder still says it')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'nothing found is refused, unless that may be': async (bench) => {
    const store = await bench.open()
    await turns(await whole(store, 'one'), 'a')
    await refused(() => store.erase('one', '#none', WHO), 'E_NODE_NOT_FOUND', 'nothing')
    same((await store.erase('one', '#none?', WHO)).ids, [], 'nothing, which may be')
    await refused(() => store.erase('none', '#it', WHO), 'E_STORE', 'a context that is not there')
    await refused(() => store.erase('one', '[[', WHO), 'E_SELECTOR_INVALID', 'a bad selector')
    await refused(() => store.erase('one', '#it', { author: 5 } as never), 'E_CONTENT_INVALID', 'a bad author')
    const ctx = await whole(store, 'one')
    ctx.user('b')
    same((await ctx.commit()).cycle, 2, 'a commit after that')
  },
  'one erasure after another, and commits between them': async (bench) => {
    const store = await bench.open()
    for (let i = 0; i < 3; i++) {
      const ctx = await whole(store, 'one')
      ctx.user(`${SECRET} ${i}`, { key: `it ${i}` })
      await ctx.commit()
      const { ids } = await store.erase('one', `[content~'secret ${i}']`, WHO)
      same(ids.length, 1, 'how many')
    }
    same(said(await whole(store, 'one')), false, 'whether it is still said')
    const { ids } = await store.erase('one', '.block', WHO)
    same(ids.length, 3, 'all of them again')
    same((await store.fsck()).problems, [], 'the problems')
  },
}

/** True if anything a context shows contains the text. */
function said(ctx: Context | StoredContext): boolean {
  const lenses: Lens[] = [...ctx.snapshots().map(({ cycle }): Lens => `@c${cycle}`), 'working']
  const trees = lenses.map((lens) => Buffer.from(ctx.export(lens)).toString())
  return [...trees, JSON.stringify(ctx.attempts())].some((text) => text.includes('secret'))
}
