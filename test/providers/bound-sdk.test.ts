// Claude behind the AI SDK: thoughts that come in through runOn and the middleware are bound like those of `receive`. The scripted Claude
// refuses a thought whose beginning changed.

import { generateText, stepCountIs, tool, wrapLanguageModel, type ModelMessage, type ToolSet } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { contextMiddleware, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { createContext, type Context } from '../../src/index.js'
import { AI_SDK, BoundClaude, type Block, type ClaudeBody, type Said } from '../support/providers/bound-claude.js'

const look_up = tool({
  inputSchema: z.object({ question: z.string(), again: z.boolean() }),
  execute: ({ question }) => `the answer to ${question}`,
})

const THINKS: Said = { calls: 0, text: true, interleaved: false, redacted: false, thinks: true }

/** Each turn has two steps with calls, in the second two at once, and an answer. */
const TURN: readonly Said[] = [
  { ...THINKS, calls: 1 },
  { ...THINKS, calls: 2, interleaved: true, redacted: true },
  THINKS,
]

/** Claude as a model of the SDK. */
function modelOf(claude: BoundClaude): MockLanguageModelV3 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  return new MockLanguageModelV3({
    modelId: 'claude',
    doGenerate: async ({ prompt, tools = [] }) => {
      const reply = claude.create({ messages: prompt, tools }, TURN[claude.requests.length % TURN.length]!)
      const { response, finishReason } = reply as unknown as Readonly<{
        response: { messages: readonly [{ content: readonly Block[] }] }
        finishReason: 'stop' | 'tool-calls'
      }>
      const content = response.messages[0].content.map(({ providerOptions, input, ...part }) => ({
        ...part,
        ...(input === undefined ? {} : { input: JSON.stringify(input) }),
        ...(providerOptions === undefined ? {} : { providerMetadata: providerOptions }),
      }))
      return {
        content: content as never[],
        finishReason: { unified: finishReason, raw: undefined },
        usage,
        warnings: [],
      }
    },
  })
}

type Turn = (question: string, tools?: ToolSet) => Promise<unknown>

/** The two ways of running the SDK on a context: gives a turn. */
const WAYS: readonly (readonly [string, (ctx: Context, claude: BoundClaude) => Turn])[] = [
  [
    'runOn',
    (ctx, claude) =>
      async (question, tools = { look_up }) => {
        ctx.user(question)
        await generateText({ model: modelOf(claude), tools, stopWhen: stepCountIs(5), maxRetries: 0, ...runOn(ctx) })
      },
  ],
  [
    'contextMiddleware',
    (ctx, claude) => {
      const model = wrapLanguageModel({ model: modelOf(claude), middleware: contextMiddleware(ctx) })
      const messages: ModelMessage[] = []
      return async (question, tools = { look_up }) => {
        messages.push({ role: 'user', content: question })
        const call = { model, tools, stopWhen: stepCountIs(5), maxRetries: 0, system: 'Be brief.' }
        const { response } = await generateText({ ...call, messages: [...messages] })
        messages.push(...response.messages)
      }
    },
  ],
]

/** The thoughts of a whole turn. */
const PER_TURN = 4

describe.each(WAYS)('thoughts through %s', (way, start) => {
  it('are all kept by a program that only adds', async () => {
    const ctx = createContext()
    const claude = new BoundClaude(AI_SDK)
    const turn = start(ctx, claude)
    for (let i = 0; i < 3; i++) {
      await turn(`question ${i}`)
      // The reply of the last step comes in with the next call of a wrapped model.
      if (way === 'runOn') ctx.commit()
    }
    expect(claude.requests).toHaveLength(9)
    const kept = claude.requests.map((request) => claude.signaturesIn(request).length)
    expect(kept).toEqual([0, 1, 3, 4, 5, 7, 8, 9, 11])
    expect(claude.thoughts).toBe(3 * PER_TURN)
    expect(toModelMessages(ctx).repairs.filter(({ code }) => code === 'stale-thought')).toEqual([])
  })

  it('are left out behind an edit, and nothing is refused', async () => {
    const ctx = createContext()
    const claude = new BoundClaude(AI_SDK)
    const turn = start(ctx, claude)
    await turn('question 0')
    await turn('question 1')
    ctx.replace("[content='question 0']", { content: 'another question' })
    const { repairs } = toModelMessages(ctx)
    expect(repairs.filter(({ code }) => code === 'stale-thought').length).toBeGreaterThanOrEqual(2 * PER_TURN - 1)
    await turn('question 2')
    expect(claude.signaturesIn(claude.requests[6]!)).toEqual([])
    // Those that Claude makes now are kept.
    expect(claude.signaturesIn(claude.requests.at(-1)!)).toHaveLength(3)
  })

  it('are bound to the request that was sent, and not to the context as the reply comes in', async () => {
    const ctx = createContext()
    const claude = new BoundClaude(AI_SDK)
    const adding = tool({
      ...look_up,
      execute: ({ question }) => {
        if (question === 'toolu_1') ctx.post('a document that came meanwhile')
        return 'found'
      },
    })
    await start(ctx, claude)('question 0', { look_up: adding })
    expect(claude.requests).toHaveLength(3)
  })

  it('are left out after the tools have changed', async () => {
    const ctx = createContext()
    const claude = new BoundClaude(AI_SDK)
    const turn = start(ctx, claude)
    const time = tool({ inputSchema: z.object({}), execute: () => 'noon' })
    await turn('question 0')
    await turn('question 1', { look_up, time })
    expect(claude.signaturesIn(claude.requests[3]!)).toEqual([])
    expect(claude.signaturesIn(claude.requests.at(-1)!)).toHaveLength(3)
    await turn('question 2', { look_up, time })
    expect(claude.signaturesIn(claude.requests.at(-1)!)).toHaveLength(PER_TURN + 3)
    for (const [i, { attempt_id: id }] of ctx.attempts().entries()) {
      const body = JSON.parse(new TextDecoder().decode(ctx.requestOf(id))) as ClaudeBody
      expect(claude.signaturesIn(body)).toEqual(claude.signaturesIn(claude.requests[i]!))
    }
  })
})
