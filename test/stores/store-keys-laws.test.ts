// A request with a key, sent often, to many: to contexts that are opened at different times, by stores that are closed and opened again, and to
// servers that work at once. It is committed once, and everybody gets the same answer.

import fc from 'fast-check'
import { MemoryRows, Store, type StoredContext } from 'pact-context/store'
import { expect, test } from 'vitest'

import { commitOperations, makeContext, storePool } from '../../src/commands/index.js'
import { runs } from '../support/runs.js'

/** Edits that name nodes which they have made themselves. */
function edit(ctx: StoredContext, text: string): void {
  const call = ctx.assistant(text, { kind: 'call', data_call_id: text })
  ctx.tool(`${text} done`, { kind: 'result', data_call_id: text, refs: [call.id] })
  ctx.update(`[id='${call.id}']`, { tags: ['mine'] })
  ctx.put('plan', `then ${text}`, { refs: [call.id] })
}

const step = fc.oneof(
  fc.record({ op: fc.constant('send' as const), who: fc.nat(2), key: fc.nat(1), isRebased: fc.boolean() }),
  fc.record({ op: fc.constant('other' as const), who: fc.nat(2) }),
  fc.record({ op: fc.constant('open' as const), who: fc.nat(2) }),
  fc.record({ op: fc.constant('wrong' as const), who: fc.nat(2), key: fc.nat(1) }),
)

test('a request with a key is committed once, whoever sends it, however often and in whichever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const rows = new MemoryRows()
      const open = (): Promise<StoredContext> => new Store(rows).open('x', { history: 2 })
      const contexts = [await open(), await open(), await open()]
      const answers = new Map<number, unknown>()
      let commits = 0
      for (const each of steps) {
        const ctx = contexts[each.who]!
        if (each.op === 'open') contexts[each.who] = await open()
        if (each.op === 'other') {
          await ctx.rebase()
          ctx.user('other')
          await ctx.commit()
          commits++
        }
        if (each.op === 'wrong' && answers.has(each.key)) {
          edit(ctx, 'something else')
          await expect(ctx.commit({ key: `key ${each.key}` })).rejects.toMatchObject({
            code: 'E_CONFLICT',
            details: { reason: 'key' },
          })
          while (ctx.undo());
        }
        if (each.op !== 'send') continue
        edit(ctx, `request ${each.key}`)
        if (each.isRebased || !answers.has(each.key)) await ctx.rebase()
        const { cycle } = await ctx.commit({ key: `key ${each.key}` })
        const answer = await ctx.answerTo(`key ${each.key}`)
        expect(answer!.cycle).toBe(cycle)
        expect(ctx.operations()).toEqual([])
        if (!answers.has(each.key)) commits++
        else expect(answer).toEqual(answers.get(each.key))
        answers.set(each.key, answer)
      }
      const store = new Store(rows)
      expect((await store.find('x'))!.cycle).toBe(commits)
      expect((await store.fsck()).problems).toEqual([])
    }),
    { numRuns: runs(60) },
  )
})

test('the same request at two servers at once is committed once, and answered alike', async () => {
  const rows = new MemoryRows()
  const desks = [storePool(new Store(rows)), storePool(new Store(rows))]
  await makeContext(desks[0]!, { id: 'x' })
  for (let n = 0; n < 12; n++) {
    const operations = [{ op: 'user', content: `job ${n}` }] as const
    const sends = Array.from({ length: 6 }, (_, i) =>
      commitOperations(desks[i % 2]!, { id: 'x', base: n, key: `job ${n}`, operations }),
    )
    const answers = await Promise.all(sends)
    expect(answers.filter(({ repeated }) => repeated !== true)).toHaveLength(1)
    for (const { repeated: _repeated, ...answer } of answers)
      expect(answer).toEqual({ ...answers[0], repeated: undefined })
    expect(answers[0]!.cycle).toBe(n + 1)
  }
  const late = commitOperations(desks[1]!, {
    id: 'x',
    base: 0,
    key: 'job 3',
    operations: [{ op: 'user', content: 'x' }],
  })
  await expect(late).rejects.toMatchObject({ code: 'E_CONFLICT', details: { reason: 'key' } })
})
