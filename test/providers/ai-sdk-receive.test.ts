// A result of the AI SDK, taken into a context by one call, where it was not run on it.

import { generateText, stepCountIs, streamText, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { fromModelMessages, receiveModelMessages, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { createContext, type Context } from '../../src/index.js'
import { checkModelMessages } from '../support/providers/model-messages.js'

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
const CALLS = [
  { type: 'reasoning', text: 'Two calls.', providerMetadata: { anthropic: { signature: 'c2ln' } } },
  { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Rome"}' },
  { type: 'tool-call', toolCallId: 'b', toolName: 'book', input: '{"seat":"12A"}' },
] as const
// The first has a function that the SDK runs, the second is for the caller to run.
const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `${city}: sunny` }),
  book: tool({ inputSchema: z.object({ seat: z.string() }) }),
}

describe('receiveModelMessages', () => {
  test('gives the calls that have no result yet, keeps thoughts and signatures, and completes the attempt', async () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'mock', model: 'm', params: {}, for: toModelMessages })
    const result = await generateText({ model: model([CALLS]), tools, ...toModelMessages(ctx) } as never)
    const { nodes, calls } = ctx.receive(result, { from: fromModelMessages, attempt })
    expect(nodes).toHaveLength(2)
    expect(calls).toEqual([{ id: 'b', name: 'book', arguments: { seat: '12A' }, argumentsText: '{"seat":"12A"}' }])
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 10, token_out: 5 })
    ctx.tool('Booked.', { kind: 'result', data_call_id: 'b' })
    const made = toModelMessages(ctx)
    expect(made.repairs).toEqual([])
    expect(checkModelMessages({ ...made })).toEqual([])
    expect(JSON.stringify(made.messages)).toContain('"signature":"c2ln"')
  })

  test('takes all steps of a call, and the sum of what they cost', async () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'mock', model: 'm', params: {} })
    const said = [[CALLS[1]], [{ type: 'text', text: 'Sunny.' }]] as const
    const call = { model: model(said), tools, stopWhen: stepCountIs(3), ...toModelMessages(ctx) }
    const { calls } = receiveModelMessages(ctx, await generateText(call as never), { attempt })
    expect(calls).toEqual([])
    expect(toModelMessages(ctx).messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(attempt.record).toMatchObject({ token_in: 20, token_out: 10 })
  })

  test('takes the response of a stream once it has ended, and says what to wait for', async () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'mock', model: 'm', params: {} })
    const result = streamText({ model: model([]), messages: toModelMessages(ctx).messages })
    expect(() => receiveModelMessages(ctx, result as never)).toThrow('await result.response')
    await result.consumeStream()
    receiveModelMessages(ctx, { response: await result.response, usage: await result.usage }, { attempt })
    expect(toModelMessages(ctx).messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Sunny.' }],
    })
    expect(attempt.record).toMatchObject({ token_in: 10, token_out: 5 })
  })

  test('takes a response, its messages, or one message alone', () => {
    const message = { role: 'assistant', content: 'Sunny.' }
    for (const reply of [{ messages: [message] }, [message], message]) {
      const ctx = asked()
      receiveModelMessages(ctx, reply)
      expect(toModelMessages(ctx).messages.at(-1)).toEqual(message)
    }
  })

  test('keeps what a tool gave as the SDK sends it: a date is its text', () => {
    const ctx = asked()
    const output = { type: 'json', value: { at: new Date(0), by: new URL('https://example.com/') } }
    receiveModelMessages(ctx, [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'now', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'now', output }] },
    ])
    expect(JSON.stringify(toModelMessages(ctx).messages.at(-1))).toContain(JSON.stringify(output.value))
  })

  test.each([
    [null],
    ['text'],
    [{}],
    [{ response: 5 }],
    [{ role: 'user', content: 'Hi' }],
    [
      [
        { role: 'assistant', content: 'a' },
        { role: 'system', content: 'b' },
      ],
    ],
    [[{ content: 'a' }]],
    [[5]],
    [[{ role: 'assistant', content: [() => 1] }]],
  ])('refuses %j and leaves the context as it was', (reply) => {
    const ctx = asked()
    const before = ctx.threadBytes('working')
    const refused = expect.objectContaining({ code: 'E_CONTENT_INVALID' })
    expect(() => receiveModelMessages(ctx, reply as never)).toThrow(refused)
    expect(ctx.threadBytes('working')).toEqual(before)
  })
})

function asked(): Context {
  const ctx = createContext()
  ctx.user('How is the weather in Rome?')
  return ctx
}

/** Says these things one after another; as a stream, one text. */
function model(said: readonly (readonly object[])[]): MockLanguageModelV3 {
  let at = 0
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const content = said[at++]!
      const unified = content.some((part) => 'toolCallId' in part) ? 'tool-calls' : 'stop'
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] } as never
    },
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Sunny.' },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
      ]),
    }),
  })
}
