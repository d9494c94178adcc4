// Promises of a store about saves: the open cycle is there again after a kill, and no writer loses the draft of another.

import type { Store, StoredContext } from 'pact-context/store'

import { holds, refused, same, there } from './checks.js'
import type { Promises } from './contract.js'
import { sameContexts, say, shownBy, turns, whole } from './sample-contexts.js'

/** Edits of every kind. */
function edit(ctx: StoredContext): void {
  say(ctx, 'open')
  const { id } = ctx.assistant('a reply')
  ctx.update(`[id='${id}']`, { tags: ['seen'] })
  ctx.insert({ content: 'between', role: 'user' }, '(d0, end)')
  ctx.batch(() => {
    ctx.tool('a result')
    ctx.set('plan', 'another plan')
  })
  ctx.replace(`[id='${id}']`, { content: 'a better reply' })
  ctx.undo()
}

export const DRAFTS: Promises<Store> = {
  'what was saved is there again, with its ids, times, bytes and steps to undo': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b')
    edit(ctx)
    await ctx.save()
    const again = await whole(store, 'one')
    sameContexts(again, ctx, 'what is opened')
    same(again.draft, { cycle: 3, version: 1, operations: ctx.operations().length, state: 'loaded' }, 'the draft')
    for (const each of [ctx, again]) {
      holds(each.undo(), 'there is something to undo')
      each.user('and on')
    }
    same(again.operations().length, ctx.operations().length, 'the edits after undo')
    same([(await store.find('one'))?.draft, (await store.list()).contexts[0]?.draft], [true, true], 'the list')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'every save adds what is new, and one without edits writes nothing': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await ctx.save()
    same(ctx.draft, undefined, 'a save of nothing')
    for (let n = 1; n <= 5; n++) {
      ctx.user(`edit ${n}`)
      await ctx.save()
      await ctx.save()
      same([ctx.draft?.version, ctx.draft?.operations], [n, n], 'the draft')
      sameContexts(await whole(store, 'one'), ctx, `after save ${n}`)
    }
    while (ctx.undo());
    ctx.user('instead')
    await ctx.save()
    const again = await whole(store, 'one')
    sameContexts(again, ctx, 'after saved edits were undone')
    again.user('more')
    await again.save()
    sameContexts(await whole(store, 'one'), again, 'after another save')
  },
  'a commit removes the draft, and version and events do not show one': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    const { version } = ctx
    const seen: number[] = []
    const watch = store.watch('one')
    await watch.ready
    ctx.user('a')
    await ctx.save()
    same([ctx.version, (await store.find('one'))?.cycle], [version, 0], 'the version and the cycle after a save')
    const again = await whole(store, 'one')
    await again.commit()
    for await (const event of watch) {
      if ('cycle' in event && typeof event.cycle === 'number') seen.push(event.cycle)
      break
    }
    same(seen, [1], 'the events')
    same([again.draft, (await whole(store, 'one')).draft], [undefined, undefined], 'the draft')
    same((await store.find('one'))?.draft, undefined, 'the list')
    sameContexts(await whole(store, 'one'), again, 'what is stored')
  },
  'a second writer is refused, and goes on after the draft': async (bench) => {
    const store = await bench.open()
    const [first, second] = [await whole(store, 'one'), await whole(store, 'one')]
    const { id } = first.user('first')
    await first.save()
    const own = second.user('second')
    const { details } = await refused(() => second.save(), 'E_CONFLICT', 'the second save')
    same(details['reason'], 'draft', 'the reason')
    same(second.operations().length, 1, 'the edits of the second')
    const report = await second.rebase()
    same(report.ids.has(own.id), true, 'the new id of its node')
    same(
      second.thread().map(({ content }) => content),
      ['first', 'second'],
      'both edits',
    )
    same(second.node(id)?.content, 'first', 'the node of the draft, under its id')
    await second.save()
    await refused(() => first.commit(), 'E_CONFLICT', 'a commit of what was saved by both')
    await second.commit()
    first.user('late')
    await refused(() => first.save(), 'E_CONFLICT', 'a save after another head')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'a commit without the draft leaves it behind, and rebase applies it': async (bench) => {
    const store = await bench.open()
    const other = await whole(store, 'one')
    const ctx = await whole(store, 'one')
    ctx.user('saved', { key: 'mine' })
    ctx.update('#mine', { tags: ['kept'] })
    await ctx.save()
    await turns(other, 'winner')
    const opened = await whole(store, 'one')
    same([opened.draft?.state, opened.draft?.cycle, opened.operations().length], ['behind', 1, 0], 'what is opened')
    same((await store.fsck()).problems, [], 'the problems while it is behind')
    opened.user('own')
    const { details } = await refused(() => opened.save(), 'E_CONFLICT', 'a save over the draft')
    same(details['reason'], 'draft', 'the reason')
    await opened.rebase()
    same(opened.draft?.state, 'loaded', 'the draft')
    same(opened.first('#mine')?.tags, ['kept'], 'the node of the draft')
    same(opened.operations().length, 3, 'the edits')
    await opened.save()
    sameContexts(await whole(store, 'one'), opened, 'what is opened after another save')
    await opened.commit()
    same((await whole(store, 'one')).draft, undefined, 'the draft after the commit')
    // The first writer repeats its own edits, whose draft is gone.
    await ctx.rebase()
    same(ctx.operations().length, 2, 'the edits of the first writer')
  },
  'a draft can be left or dropped': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    const committed = shownBy(ctx)
    say(ctx, 'open')
    await ctx.save()
    const left = await whole(store, 'one', { draft: 'leave' })
    same([left.draft?.state, left.operations().length], ['left', 0], 'one that was opened without it')
    same(there(await store.openAt('one', 1), 'the cycle').draft, undefined, 'the draft of an older state')
    const dropped = await whole(store, 'one', { draft: 'discard' })
    same([dropped.draft, shownBy(dropped)], [undefined, committed], 'one that dropped it')
    await refused(() => ctx.commit(), 'E_CONFLICT', 'a commit of what was dropped')
    await ctx.rebase()
    await ctx.commit()
    same((await store.fsck()).problems, [], 'the problems')
  },
  'a fork takes the draft only with the working state, and deleting removes it': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    ctx.user('saved')
    await ctx.save()
    const again = await whole(store, 'one')
    const plain = await again.fork('@t0', { id: 'plain' })
    const taken = await again.fork('working', { id: 'taken' })
    same([plain.draft, plain.threadBytes('working')], [undefined, plain.threadBytes('@t0')], 'a fork of a snapshot')
    same([taken.draft, taken.thread('working').at(-1)?.content], [undefined, 'saved'], 'a fork of the working state')
    await store.delete('one', { forks: true })
    same((await whole(store, 'one')).draft, undefined, 'a new context of that name')
    same((await store.fsck()).problems, [], 'the problems')
  },
  'what is erased or redacted is in no draft, and the rest of it stays': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a')
    ctx.user('keep this')
    ctx.user('the secret one')
    await ctx.save()
    await store.erase('one', ".block[content='the secret one']")
    const erased = await whole(store, 'one')
    const contents = erased.thread('working').map(({ content }) => content)
    same(contents.slice(-2), ['keep this', ''], 'what is opened after the erasure')
    ctx.user('late')
    await refused(() => ctx.save(), 'E_CONFLICT', 'a save from before the erasure')
    erased.user('call 4111 now')
    await erased.save()
    erased.redact('d0 .block', { match: '4111' })
    await erased.save()
    const redacted = await whole(store, 'one')
    same(redacted.export('working'), erased.export('working'), 'what is opened after the redaction')
    redacted.user('more')
    await redacted.save()
    same((await whole(store, 'one')).export('working'), redacted.export('working'), 'what is opened after more')
    same((await store.fsck()).problems, [], 'the problems')
    await redacted.commit()
    same(redacted.thread('@t0').at(-1)?.content, 'more', 'the commit')
  },
  'a draft that is behind keeps the snapshot that it follows': async (bench) => {
    const store = await bench.open()
    const ctx = await whole(store, 'one')
    await turns(ctx, 'a', 'b')
    const other = await whole(store, 'one')
    ctx.user('saved')
    await ctx.save()
    await turns(other, 'c', 'd', 'e')
    const { needed } = await store.retain('one', { keep: { newest: 1 } })
    same(needed, [2], 'what is kept for the draft')
    const opened = await whole(store, 'one')
    await opened.rebase()
    same(opened.thread('working').at(-1)?.content, 'saved', 'the edit of the draft')
    same((await store.fsck()).problems, [], 'the problems')
  },
}
