// Laws of cuts inside the open turn (N150): a token limit that a request passes takes results and nodes down to the target at once, and what it
// takes stays taken. So the requests of a turn go on from one beginning until the limit is passed again, also after a kill.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, type Attempt, type Context, type Lens, type PrunePolicy } from '../../src/index.js'
import { openStore } from '../../src/store/index.js'
import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 150)
const LIMIT = 2000
const TOOLS = [{ name: 'read', description: 'd'.repeat(40) }]
const PARAMS = { model: 'claude-sonnet-4-5', max_tokens: 100 }

type Step = { size: number; calls: number; kills: boolean; undoes: boolean }

const step: fc.Arbitrary<Step> = fc.record({
  size: fc.constantFrom(20, 100, 200, 350),
  calls: fc.constantFrom(1, 1, 1, 2),
  kills: fc.constantFrom(false, false, false, true),
  undoes: fc.constantFrom(false, false, false, true),
})

const policy = fc.record({
  unit: fc.constantFrom(undefined, 'turn' as const),
  target: fc.constantFrom(undefined, 0.3, 0.6),
  names: fc.constantFrom(undefined, 5),
  results: fc.constantFrom(undefined, { keep: 1 }, { keep: 3 }, { keep: 0, atLeast: 0.3 }),
})

const program = fc.record({
  prune: policy,
  adapter: fc.constantFrom('anthropic' as const, 'chat' as const),
  turns: fc.array(fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }), {
    minLength: 2,
    maxLength: 4,
    size: 'max',
  }),
})

function send(ctx: Pick<Context, 'startAttempt'>, adapter: 'anthropic' | 'chat'): Attempt {
  return adapter === 'anthropic'
    ? ctx.startAttempt({ for: toAnthropic, params: PARAMS })
    : ctx.startAttempt({ for: toOpenAIChat, params: { model: 'm', tools: TOOLS } as never })
}

/** The numbers of the contents that a request has whole. */
function marksIn({ body }: Attempt): ReadonlySet<string> {
  return new Set(JSON.stringify(body).match(/mark\d+x/g))
}

function messagesOf({ body }: Attempt): readonly string[] {
  return (body as { messages: readonly unknown[] }).messages.map((message) => JSON.stringify(message))
}

describe('a cut inside the open turn', () => {
  test('comes only when the limit is passed, stays until the commit and after it, is one step, and survives a kill', async () => {
    const seen = { cuts: 0, grown: 0, kills: 0, undone: 0, pruned: 0, commits: 0 }
    await fc.assert(
      fc.asyncProperty(program, async ({ turns, adapter, prune }) => {
        const store = await openStore('memory:')
        const options = {
          prune: { maxTokens: LIMIT, ...prune } as PrunePolicy,
          countTokens: (text: string) => text.length,
        }
        let ctx = await store.create('a', options)
        let marks = 0
        const content = (size: number): string => `mark${marks++}x ${'y'.repeat(size)}`
        const gone = new Set<string>()
        let before: { marks: ReadonlySet<string>; messages: readonly string[]; tokens: number } | undefined
        for (const steps of turns) {
          const task = content(10)
          ctx.user(task)
          let added = task.length
          for (const { size, calls, kills, undoes } of steps) {
            const { length } = ctx.operations()
            let attempt = send(ctx, adapter)
            const ops = ctx.operations().slice(length)
            if (ops.length > 0 && undoes) {
              // One step takes the whole cut back, and the next request makes it again.
              ctx.undo()
              expect(ctx.operations()).toHaveLength(length)
              const again = send(ctx, adapter)
              expect(again.body).toEqual(attempt.body)
              attempt = again
              seen.undone++
            }
            const messages = messagesOf(attempt)
            const now = marksIn(attempt)
            if (before !== undefined) {
              const goesOn = before.messages.every((each, i) => messages[i] === each)
              if (goesOn) seen.grown++
              else seen.cuts++
              // A provider's form of a call repeats names and ids, so the estimate has room.
              if (!goesOn && before.tokens > 0) expect(before.tokens + added * 1.5).toBeGreaterThan(LIMIT)
              for (const mark of before.marks) if (!now.has(mark)) gone.add(mark)
            }
            for (const mark of now) expect(gone.has(mark), `${mark} came back`).toBe(false)
            expect(now).toContain(task.split(' ')[0])
            const { total } = attempt.tokens()
            if (ops.some(({ op }) => op === 'prune')) seen.pruned++
            // The preview is what was sent.
            expect(ctx.threadBytes('preview')).toEqual(ctx.threadBytes(attempt.id as Lens))
            before = { marks: now, messages, tokens: total }
            if (kills) {
              await ctx.save()
              ctx = await store.open('a', options)
              expect(send(ctx, adapter).body).toEqual(attempt.body)
              seen.kills++
            }
            added = 0
            for (let i = 0; i < calls; i++) {
              const id = `c${marks}`
              const call = { name: 'read', arguments: { path: `src/file-${marks}.ts` } }
              ctx.assistant(call, { kind: 'call', data_call_id: id })
              const text = content(size)
              ctx.result(id, text)
              added += JSON.stringify(call).length + text.length + 100
            }
          }
          const last = send(ctx, adapter)
          const sent = marksIn(last)
          for (const mark of before?.marks ?? []) if (!sent.has(mark)) gone.add(mark)
          const receipt = (await ctx.commit()).receipt
          // Nothing that a request left out is in history, and the receipt says of each node that left why it did.
          const history = JSON.stringify(ctx.thread('@t0'))
          for (const mark of gone) expect(history).not.toContain(mark)
          for (const { rule } of receipt.removed) expect(receipt.limits.map((each) => each.rule)).toContain(rule)
          seen.commits++
          // A commit may prune more than the requests of the turn, so the next turn is not compared with this one.
          before = { marks: new Set(), messages: [], tokens: 0 }
        }
        await store.close()
      }),
      { numRuns: runs(25), seed: SEED },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
  })

  test('refuses no request: `unmet` is about commits, and the tools of a request are in none', () => {
    const countTokens = (text: string): number => text.length
    const ctx = createContext({ prune: { maxTokens: 100, unmet: 'error' }, countTokens })
    ctx.user('y'.repeat(80))
    const { repairs } = ctx.startAttempt({ for: toOpenAIChat, params: { model: 'm', tools: TOOLS } as never })
    expect(repairs.map(({ code }) => code)).toContain('over-budget')
    expect(ctx.commit().receipt.unmet).toEqual([])
  })

  test('is the same with marks for the cache, which have no tokens', () => {
    let cuts = 0
    fc.assert(
      fc.property(program, ({ turns: [steps = []], prune }) => {
        const played = [{}, { cache: true }].map((options) => {
          const countTokens = (text: string): number => text.length
          const ctx = createContext({ prune: { maxTokens: LIMIT, ...prune }, countTokens })
          const over: boolean[] = []
          ctx.user('Read them all.')
          for (const [at, { size }] of [...steps, ...steps].entries()) {
            const { repairs } = ctx.startAttempt({ for: toAnthropic, params: PARAMS, options })
            over.push(repairs.some(({ code }) => code === 'over-budget'))
            ctx.assistant({ name: 'read', arguments: { at } }, { kind: 'call', data_call_id: `c${at}` })
            ctx.result(`c${at}`, 'y'.repeat(size))
          }
          return { over, operations: ctx.operations() }
        })
        cuts += played[0]!.operations.filter(({ op }) => op === 'shed').length
        expect(played[1]).toEqual(played[0])
      }),
      { numRuns: runs(25), seed: SEED },
    )
    expect(cuts).toBeGreaterThan(10)
  })
})
