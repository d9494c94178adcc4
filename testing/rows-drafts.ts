// Promises of a database about drafts: saved edits of an open cycle.

import type { ContextRow, NewSave, Rows } from 'pact-context/store'

import { same, there } from './checks.js'
import type { Promises } from './contract.js'
import { erasureOf } from './rows-erasing.js'
import { answerFor, bytes, forked, goneKey, grown, hashOf, made, nextFor } from './sample-rows.js'

/** The next save of a context. */
function saveFor({ ctx, head, chain, epoch, draft }: ContextRow, part: string, more: Partial<NewSave> = {}): NewSave {
  const { version } = draft
  return { ctx, after: chain, epoch, version, cycle: head + 1, part: bytes(part), isWhole: false, ...more }
}

async function saved(rows: Rows, context: ContextRow, ...parts: readonly string[]): Promise<ContextRow> {
  let now = context
  for (const part of parts) {
    same(await rows.saveDraft(saveFor(now, part)), 'done', `the save of ${part}`)
    now = there(await rows.byNumber(context.ctx), 'the context after its save')
  }
  return now
}

export const DRAFTS: Promises<Rows> = {
  'saves add parts, and are counted': async (bench) => {
    const rows = await bench.open()
    const one = await made(rows, 'one')
    const other = await made(rows, 'other')
    same([one.draft, await rows.draft(one.ctx)], [{ version: 0, parts: 0 }, undefined], 'a context without a draft')
    const now = await saved(rows, one, 'a', 'b\0', 'c')
    same(now.draft, { version: 3, parts: 3 }, 'what is counted')
    const { draft: _draft, ...rest } = now
    const { draft: _before, ...before } = one
    same(rest, before, 'the rest of the context')
    const draft = { version: 3, cycle: 1, parts: ['a', 'b\0', 'c'].map(bytes) }
    same(await rows.draft(one.ctx), draft, 'the draft')
    same(
      (await rows.list(undefined, 10)).map((each) => each.draft.parts),
      [3, 0],
      'the list',
    )
    same([await rows.draft(other.ctx), (await rows.find('other'))?.draft.parts], [undefined, 0], 'another context')
    same(await rows.draft(await goneKey(rows)), undefined, 'the draft of a context that is gone')
  },
  'a save is refused after another head, epoch or save': async (bench) => {
    const rows = await bench.open()
    const one = await saved(rows, await made(rows, 'one'), 'a')
    const wrong: readonly Partial<NewSave>[] = [
      { version: 0 },
      { version: 2 },
      { epoch: 1 },
      { after: hashOf('another') },
      { ctx: await goneKey(rows) },
    ]
    for (const more of wrong) {
      for (const isWhole of [false, true]) {
        const save = saveFor(one, 'lost', { isWhole, ...more })
        same(await rows.saveDraft(save), 'conflict', `a save with ${JSON.stringify(Object.keys(more))}`)
      }
    }
    same(await rows.draft(one.ctx), { version: 1, cycle: 1, parts: [bytes('a')] }, 'the draft')
    const [first, second] = [saveFor(one, 'first'), saveFor(one, 'second')]
    const both = await Promise.all([rows.saveDraft(first), rows.saveDraft(second)])
    same(both.toSorted(), ['conflict', 'done'], 'two saves at once')
  },
  'a whole save replaces all parts, and a discard leaves none': async (bench) => {
    const rows = await bench.open()
    const one = await saved(rows, await made(rows, 'one'), 'a', 'b')
    same(await rows.saveDraft(saveFor(one, 'whole', { isWhole: true })), 'done', 'the whole save')
    same(await rows.draft(one.ctx), { version: 3, cycle: 1, parts: [bytes('whole')] }, 'the draft')
    const grownOne = await grown(rows, there(await rows.byNumber(one.ctx), 'one'), 1)
    same((await rows.draft(one.ctx))?.cycle, 1, 'the cycle of a draft that was left behind')
    const discard = saveFor(grownOne, '', { part: undefined, after: undefined, isWhole: true })
    same(await rows.saveDraft({ ...discard, version: 2 }), 'conflict', 'a discard of another draft')
    same(await rows.saveDraft(discard), 'done', 'the discard')
    same(await rows.draft(one.ctx), undefined, 'the draft')
    same((await rows.byNumber(one.ctx))?.draft, { version: 4, parts: 0 }, 'what is counted')
    const now = await saved(rows, there(await rows.byNumber(one.ctx), 'one'), 'new')
    same(now.draft, { version: 5, parts: 1 }, 'a save after the discard')
  },
  'a commit deletes the draft that it names, and no other': async (bench) => {
    const rows = await bench.open()
    for (const [i, answer] of [undefined, answerFor('key', 1)].entries()) {
      const one = await saved(rows, await made(rows, `one ${i}`), 'a', 'b')
      same(await rows.commit({ ...nextFor(one), answer, draft: 1 }), 'conflict', 'a commit with an older draft')
      same((await rows.byNumber(one.ctx))?.head, 0, 'the head')
      same((await rows.draft(one.ctx))?.parts.length, 2, 'the draft')
      same(await rows.commit({ ...nextFor(one), answer, draft: 2 }), 'done', 'the commit')
      same(await rows.draft(one.ctx), undefined, 'the draft')
      same((await rows.byNumber(one.ctx))?.draft, { version: 2, parts: 0 }, 'what is counted')
      const left = await saved(rows, await made(rows, `left ${i}`), 'a')
      same(await rows.commit({ ...nextFor(left), answer }), 'done', 'a commit without the draft')
      same(await rows.draft(left.ctx), { version: 1, cycle: 1, parts: [bytes('a')] }, 'the draft that was left')
      same(await rows.saveDraft(saveFor(left, 'late')), 'conflict', 'a save after the old head')
    }
    same(await rows.check(), [], 'the problems of the database')
  },
  'drafts are deleted with their context, and a fork has none': async (bench) => {
    const rows = await bench.open()
    const one = await saved(rows, await made(rows, 'one'), 'a')
    const fork = await forked(rows, 'fork', one)
    same([fork.draft, await rows.draft(fork.ctx)], [{ version: 0, parts: 0 }, undefined], 'the fork')
    await saved(rows, fork, 'of the fork')
    await rows.delete(one.ctx, true)
    same([await rows.draft(one.ctx), await rows.draft(fork.ctx)], [undefined, undefined], 'the drafts')
    same(await rows.check(), [], 'the problems of the database')
  },
  'an erasure replaces drafts, and notices saves': async (bench) => {
    const rows = await bench.open()
    const one = await saved(rows, await made(rows, 'one'), 'a', 'b')
    const erasure = await erasureOf(rows, one.family)
    const heads = erasure.heads.map((head) => ({ ...head, draft: 2 }))
    const draft = { version: 3, cycle: 1, parts: [bytes('erased')] }
    const drafts = [{ ctx: one.ctx, draft }]
    const late = heads.map((head) => ({ ...head, draft: 1 }))
    same(await rows.erase({ ...erasure, heads: late, drafts }), 'conflict', 'an erasure of an older draft')
    same((await rows.draft(one.ctx))?.version, 2, 'the draft')
    same(await rows.erase({ ...erasure, heads, drafts }), 'done', 'the erasure')
    same(await rows.draft(one.ctx), draft, 'the draft')
    same((await rows.byNumber(one.ctx))?.draft, { version: 3, parts: 1 }, 'what is counted')
    same(await rows.saveDraft(saveFor(one, 'late', { version: 3 })), 'conflict', 'a save from before the erasure')
  },
  'a family arrives with its drafts': async (bench) => {
    const rows = await bench.open()
    const one = await made(rows, 'one')
    const { ctx, chain, forks, family } = one
    const draft = { version: 7, cycle: 1, parts: [bytes('a'), bytes('b')] }
    same(await rows.arrive(family, [{ ctx, chain, forks, draft }]), 'done', 'the arrival')
    same([await rows.draft(ctx), (await rows.byNumber(ctx))?.draft], [draft, { version: 7, parts: 2 }], 'the draft')
    const now = await saved(rows, there(await rows.byNumber(ctx), 'one'), 'c')
    same(now.draft, { version: 8, parts: 3 }, 'a save after it')
    same((await rows.draft(ctx))?.parts, ['a', 'b', 'c'].map(bytes), 'the parts')
  },
}
