// Another kind of context: one that commits and forks in its own way has the same reads and edits, and everything that takes
// a context takes it.

import {
  applyOperations,
  createContext,
  exportChunks,
  lintPlacement,
  PactError,
  replayOperations,
  type DetailedDiff,
  type Lens,
  type Node,
  type Received,
} from 'pact-context'
import { contextMiddleware, runOn, toModelMessages } from 'pact-context/ai-sdk'
import { fromAnthropic, receiveAnthropic, toAnthropic } from 'pact-context/anthropic'
import { toGemini } from 'pact-context/gemini'
import {
  fromOpenAIChat,
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from 'pact-context/openai'
import { describe, expect, expectTypeOf, test } from 'vitest'

import { decodeCommitRecord, encodeCommitRecord } from '../../src/codec/index.js'
import { addOwn, ownGetters } from '../../src/core/index.js'
import {
  checkpointOf,
  ContextEdits,
  ContextReads,
  forkStart,
  joinParts,
  keptElsewhere,
  prepareCommit,
  restoreContext,
  restoredStart,
  type AnyOptions,
  type Parts,
  type Start,
} from '../../src/context/persistence.js'
import type { AnyContext, Context, Snapshot } from '../../src/context/index.js'
import { textOf } from '../support/context.js'

/** Writes each commit before it is seen, as a store does. */
class Kept extends ContextEdits<'diff'> {
  readonly #parts: Parts
  readonly written: Uint8Array[] = []
  isBroken = false
  // Not the past: it may not be loaded, and comparing contexts should not fail for that.
  static readonly #own = ownGetters(ContextReads.prototype, ['cycle', 'working'])

  constructor(start: Start) {
    const parts = joinParts(start)
    super(parts)
    this.#parts = parts
    addOwn(this, Kept.#own)
  }

  static open(options: AnyOptions = {}): Kept {
    const empty = checkpointOf(ContextEdits.partsOf(createContext()))
    return new Kept(restoredStart(empty, [], options))
  }

  async commit(): Promise<Snapshot> {
    const { tracing, listeners } = this.#parts
    const snapshot = await tracing.commitLater(this.cycle, async () => {
      const pending = prepareCommit(this.#parts)
      const bytes = encodeCommitRecord(pending.record())
      await Promise.resolve()
      if (!this.isBroken) {
        this.written.push(bytes)
        return pending.publish()
      }
      pending.discard()
      throw new PactError('E_STORE', 'The disk is full.')
    })
    listeners.tell(snapshot)
    return snapshot
  }

  forget(): never {
    throw keptElsewhere()
  }

  fork(lens: Lens = '@t0', options: AnyOptions = {}): Promise<Kept> {
    const { home, forks } = this.#parts
    const made = new Kept(forkStart({ ...this.#parts, edition: home.edition, forks: forks.given }, lens, options))
    forks.given++
    return Promise.resolve(made)
  }
}

async function kept(): Promise<Kept> {
  let now = 0n
  const ctx = Kept.open({ clock: () => ++now })
  ctx.system.add('Be brief.')
  ctx.user('Hi')
  ctx.assistant('Hello.')
  await ctx.commit()
  ctx.user('And now?')
  return ctx
}

test('its reads and edits are those of a context in memory, and its records make one', async () => {
  const ctx = await kept()
  const cycles: number[] = []
  ctx.onCommit(({ cycle }) => cycles.push(cycle))
  const snapshot = await ctx.commit()
  expect([snapshot.cycle, ctx.cycle, cycles]).toEqual([2, 3, [2]])
  const records = ctx.written.map((bytes) => decodeCommitRecord(bytes))
  const twin = restoreContext(checkpointOf(ContextEdits.partsOf(createContext())), records)
  expect(textOf(twin.export())).toBe(textOf(ctx.export()))
  expect(twin.past).toEqual(ctx.past)
  expectTypeOf(ctx.user('x')).toEqualTypeOf<Node>()
  expectTypeOf(ctx.select('.block')).toEqualTypeOf<readonly string[]>()
  expectTypeOf(ctx.diffDetailed('@t0', 'working')).toEqualTypeOf<DetailedDiff>()
})

test('a commit that cannot be written leaves it as it was', async () => {
  const ctx = await kept()
  const before = textOf(ctx.export('working'))
  ctx.isBroken = true
  const failed = ctx.commit()
  expect(() => ctx.user('too soon')).toThrow(PactError)
  await expect(failed).rejects.toMatchObject({ code: 'E_STORE' })
  ctx.isBroken = false
  expect(textOf(ctx.export('working'))).toBe(before)
  expect((await ctx.commit()).cycle).toBe(2)
})

test('what a store has it cannot forget by itself', async () => {
  const ctx = await kept()
  expect(() => ctx.forget()).toThrow('store.erase')
  expect(() => ctx.forget()).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
})

test('its commits are traced, also the ones that fail', async () => {
  const ended: unknown[] = []
  const startSpan = (name: string) => ({
    isRecording: () => true,
    setAttributes: (attributes: object) => ended.push([name, Object.keys(attributes)]),
    setStatus: ({ message }: Readonly<{ message?: string }>) => ended.push(message),
    recordException: () => {},
    end: () => ended.push('end'),
  })
  const ctx = Kept.open({ tracer: { startSpan } })
  await ctx.commit()
  ctx.isBroken = true
  await expect(ctx.commit()).rejects.toThrow()
  expect(ended).toEqual([
    ['pact.commit', ['pact.snapshot.hash']],
    'end',
    ['pact.commit', ['error.type']],
    'The disk is full.',
    'end',
  ])
})

describe('what takes a context takes it', () => {
  test('as a type', () => {
    expectTypeOf<Kept>().toExtend<AnyContext>()
    expectTypeOf<Context>().toExtend<AnyContext>()
    expectTypeOf<Context<'list'>>().toExtend<AnyContext>()
    expectTypeOf<ReturnType<Kept['receive']>>().toEqualTypeOf<Received>()
  })

  test.each([
    ['openai chat', (ctx: AnyContext) => toOpenAIChat(ctx)],
    ['openai responses', (ctx: AnyContext) => toOpenAIResponses(ctx)],
    ['anthropic', (ctx: AnyContext) => toAnthropic(ctx)],
    ['gemini', (ctx: AnyContext) => toGemini(ctx)],
    ['ai-sdk', (ctx: AnyContext) => toModelMessages(ctx)],
  ])('a request for %s', async (_name, to) => {
    const ctx = await kept()
    const twin = createContext()
    twin.system.add('Be brief.')
    twin.user('Hi')
    twin.assistant('Hello.')
    twin.commit()
    twin.user('And now?')
    expect(textOf(to(ctx).bytes)).toBe(textOf(to(twin).bytes))
  })

  test('replies', async () => {
    const ctx = await kept()
    const chat = { choices: [{ message: { role: 'assistant', content: 'one' } }] }
    const message = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'two' }] }
    const output = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'three' }] }
    receiveOpenAIChat(ctx, chat)
    receiveAnthropic(ctx, message)
    receiveOpenAIResponses(ctx, { output: [output] })
    ctx.receive(chat, { from: fromOpenAIChat })
    ctx.receive(message, { from: fromAnthropic })
    const texts = ctx.thread().map((item) => JSON.stringify(item))
    for (const text of ['one', 'two', 'three']) expect(texts.some((item) => item.includes(text))).toBe(true)
  })

  test('operations, exports in pieces, placements, the AI SDK', async () => {
    const ctx = await kept()
    const fork = await ctx.fork()
    expect(applyOperations(ctx, [{ op: 'user', content: 'more' }])).toHaveLength(1)
    expect(replayOperations(fork, ctx.operations())).toHaveLength(ctx.operations().length)
    expect([...exportChunks(ctx)].join('')).toBe(textOf(ctx.export()))
    expect(lintPlacement(ctx)).toEqual([])
    const run = runOn(ctx, { provider: 'p', model: 'm' })
    expect(run.messages.length).toBeGreaterThan(0)
    run.prepareStep({})
    expect(ctx.attempts()).toHaveLength(1)
    const { transformParams } = contextMiddleware(ctx)
    const { prompt } = await transformParams({
      params: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'z' }] }] },
    })
    expect(prompt.length).toBeGreaterThan(1)
  })
})
