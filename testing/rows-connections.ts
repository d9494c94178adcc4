// Promises of a database to several connections, and after a reopen.

import type { Rows } from 'pact-context/store'

import { same, there } from './checks.js'
import type { Promises } from './contract.js'
import { filled } from './rows-contexts.js'
import { answerFor, attemptFor, forked, forkFor, grown, heldOf, made, nextFor, packFor, rowFor } from './sample-rows.js'

export const CONNECTIONS: Promises<Rows> = {
  'what was written is there when it is opened again': async (bench) => {
    let rows = await bench.open()
    const root = await filled(rows, 'root')
    const fork = await forked(rows, 'fork', root)
    const held = [await heldOf(rows, root), await heldOf(rows, fork)]
    const list = await rows.list(undefined, 10)
    for (let times = 0; times < 2; times++) {
      rows = await bench.reopen(rows)
      same([await heldOf(rows, root), await heldOf(rows, fork)], held, 'what is there')
      same(await rows.list(undefined, 10), list, 'the list')
    }
    await grown(rows, there(await rows.find('root'), 'the root'), 2)
    same(await rows.check(), [], 'what the database finds wrong')
  },
  'a number is never given twice, whoever opens the database': async (bench) => {
    let rows = await bench.open()
    await made(rows, 'first')
    const { ctx } = await made(rows, 'one')
    await rows.delete(ctx, false)
    rows = await bench.reopen(rows)
    const { ctx: next } = await made(rows, 'one')
    same(next === ctx, false, 'whether the number was given again')
  },
  'what one has written the other sees': async (bench) => {
    const [mine, yours] = [await bench.open(), await bench.open()]
    const context = await filled(mine, 'one')
    same(await heldOf(yours, context), await heldOf(mine, context), 'what the other sees')
    const now = await grown(yours, context, 3)
    same(await mine.find('one'), now, 'what the first sees then')
    await mine.writeAttempts(now.ctx, [attemptFor('late')])
    same((await yours.attempts(now.ctx, 1))[0]?.id, 'late', 'the newest attempt')
    await mine.delete(now.ctx, false)
    same(await yours.find('one'), undefined, 'the context after it was deleted')
  },
  'who comes second is refused, whoever it is': async (bench) => {
    const [mine, yours] = [await bench.open(), await bench.open()]
    const context = await made(mine, 'one')
    same(await mine.commit(nextFor(context, 'mine')), 'done', 'the first commit')
    same(await yours.commit(nextFor(context, 'yours')), 'conflict', 'the second commit')
    same((await yours.find('one'))?.chain, rowFor(1, 'mine').hash, 'the newest row')
    same(await yours.create({ id: 'one', packs: [], rows: [rowFor(0)] }), 'exists', 'a context with that id')
    const now = there(await mine.find('one'), 'the context')
    await forked(mine, 'fork', now)
    same(await yours.create(forkFor('other', now)), 'conflict', 'a fork that counted none before it')
    const next = nextFor(now)
    same(await mine.commit({ ...next, answer: answerFor('key', 2) }), 'done', 'a commit with a key')
    const then = there(await yours.find('one'), 'the context')
    same(await yours.commit({ ...nextFor(then), answer: answerFor('key', 3) }), 'conflict', 'another with that key')
    same(await yours.answer(then.ctx, 'key'), answerFor('key', 2), 'the answer')
  },
  'of commits of one cycle at once, one is done': async (bench) => {
    const all = [await bench.open(), await bench.open(), await bench.open()]
    let context = await made(all[0]!, 'one')
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all(all.map((rows, i) => rows.commit(nextFor(context, `writer ${i} of ${round}`))))
      same(outcomes.filter((each) => each === 'done').length, 1, 'how many were done')
      const label = `writer ${outcomes.indexOf('done')} of ${round}`
      for (const rows of all) {
        context = there(await rows.find('one'), 'the context')
        same(context.chain, rowFor(round + 1, label).hash, 'the newest row')
      }
    }
  },
  'two who pack the same rows pack them once': async (bench) => {
    const [mine, yours] = [await bench.open(), await bench.open()]
    const context = await grown(mine, await made(mine, 'one'), 9)
    await Promise.all([mine.pack(context.ctx, packFor(0, 4)), yours.pack(context.ctx, packFor(0, 4))])
    same((await mine.read(context.ctx, 0, 9)).packs, [packFor(0, 4)], 'the packs')
    same(await yours.unpacked(context.ctx), 5, 'how many stand alone')
  },
  'who closes takes nothing from the other': async (bench) => {
    const [mine, yours] = [await bench.open(), await bench.open()]
    const context = await made(mine, 'one')
    await bench.close(mine)
    await grown(yours, context, 2)
    same((await yours.find('one'))?.head, 2, 'the head')
  },
}
