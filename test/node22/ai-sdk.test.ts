// Version 7 of the AI SDK. A step reports its own messages only; in version 6 it reports all messages so far.

import { generateText, isStepCount, jsonSchema, streamText, tool, wrapLanguageModel, type ToolSet } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { contextMiddleware, receiveModelMessages, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { createContext, PactError, type Context } from '../../src/index.js'
import { approvalPrograms, playApprovals, type Sdk } from '../support/providers/approvals.js'

const tools = {
  weather: tool({
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: ({ city }) => `${city}: sunny`,
  }),
}

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>> extends { stream: ReadableStream<infer Part> } ? Part : never

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** The same call twice, as a model without ids of its own may make it, and then an answer. */
const SAID = [[call('a', 'Rome')], [call('b', 'Rome')], [{ type: 'text' as const, text: 'Sunny.' }]]

function call(id: string, city: string) {
  return { type: 'tool-call' as const, toolCallId: id, toolName: 'weather', input: JSON.stringify({ city }) }
}

function scripted(): MockLanguageModelV4 {
  let at = 0
  const next = () => SAID[at++]!
  const finishReason = () => ({
    unified: at < SAID.length ? ('tool-calls' as const) : ('stop' as const),
    raw: undefined,
  })
  return new MockLanguageModelV4({
    doGenerate: async () => ({ content: next(), finishReason: finishReason(), usage, warnings: [] }),
    doStream: async () => {
      const parts = next().flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: part.text },
              { type: 'text-end' as const, id: '1' },
            ]
          : [part],
      )
      const finish = { type: 'finish' as const, finishReason: finishReason(), usage }
      return {
        stream: convertArrayToReadableStream<StreamPart>([
          { type: 'stream-start' as const, warnings: [] },
          ...parts,
          finish,
        ]),
      }
    },
  })
}

function asked(): Context {
  const ctx = createContext()
  ctx.user('Is it sunny?')
  return ctx
}

function rolesOf(ctx: Context): readonly string[] {
  return toModelMessages(ctx).messages.map(({ role }: { role: string }) => role)
}

/** The messages behind the question at each attempt. */
function rest(id: string): readonly object[] {
  const steps = Number(id.split('-')[1])
  return Array.from({ length: steps }, () => [{ role: 'assistant' }, { role: 'tool' }]).flat()
}

const ALL = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']

describe('version 7 of the AI SDK', () => {
  it('takes in the messages of every step once', async () => {
    const ctx = asked()
    await generateText({ model: scripted(), tools, stopWhen: isStepCount(5), ...runOn(ctx) })
    expect(rolesOf(ctx)).toEqual(ALL)
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  })

  it('does so where it is streamed', async () => {
    const ctx = asked()
    const result = streamText({ model: scripted(), tools, stopWhen: isStepCount(5), ...runOn(ctx) })
    expect(await result.text).toBe('Sunny.')
    expect(rolesOf(ctx)).toEqual(ALL)
  })

  it('makes an attempt of each call, with params, usage, the end, and the bytes again', async () => {
    const streamed = async (ctx: Context) =>
      streamText({ model: scripted(), tools, stopWhen: isStepCount(5), ...runOn(ctx) }).text
    const wrapped = (ctx: Context) =>
      generateText({
        model: wrapLanguageModel({ model: scripted(), middleware: contextMiddleware(ctx) }),
        tools,
        stopWhen: isStepCount(5),
        prompt: 'Is it sunny?',
      })
    const whole = (ctx: Context) => generateText({ model: scripted(), tools, stopWhen: isStepCount(5), ...runOn(ctx) })
    for (const play of [whole, streamed, wrapped]) {
      const ctx = play === wrapped ? createContext() : asked()
      await play(ctx)
      const attempts = ctx.attempts()
      expect(attempts.map(({ reported }) => reported?.stop)).toEqual(['calls', 'calls', 'end'])
      for (const { attempt_id: id, params, reported } of attempts) {
        expect(reported).toMatchObject({ tokenIn: 10, tokenOut: 5, cacheRead: 0, cacheWrite: 0 })
        expect(params).toMatchObject({ tools: [{ type: 'function', name: 'weather' }] })
        const body = JSON.parse(new TextDecoder().decode(ctx.requestOf(id))) as object
        expect(body).toMatchObject({ ...params, messages: [{ role: 'user' }, ...rest(id)] })
      }
      if (play !== wrapped) expect(ctx.due()).toBe('nothing')
    }
  })

  it('is received whole, whatever its response says of the last step', async () => {
    const ctx = asked()
    const result = await generateText({
      model: scripted(),
      tools,
      stopWhen: isStepCount(5),
      messages: toModelMessages(ctx).messages,
    })
    receiveModelMessages(ctx, result)
    expect(rolesOf(ctx)).toEqual(ALL)
  })

  it('says how the end of a stream is received', async () => {
    const ctx = asked()
    const result = streamText({ model: scripted(), tools, messages: toModelMessages(ctx).messages })
    let refused: unknown
    try {
      // @ts-expect-error -- the types refuse it too
      receiveModelMessages(ctx, result)
    } catch (error) {
      refused = error
    }
    expect(PactError.is(refused) && refused.message).toContain('{ messages: await result.responseMessages')
    receiveModelMessages(ctx, { messages: await result.responseMessages, usage: await result.usage })
    expect(rolesOf(ctx)).toEqual(['user', 'assistant', 'tool'])
  })
})

const SDK: Sdk = {
  model: (replies, prompts) => {
    let at = 0
    return new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        prompts.push(prompt)
        return replies[at++] as never
      },
    })
  },
  tool: (needsApproval, run) =>
    tool({
      inputSchema: jsonSchema({ type: 'object', properties: {} }),
      // oxlint-disable-next-line typescript/no-deprecated -- programs of version 6 give it, and version 7 takes it
      needsApproval,
      execute: (_input, { toolCallId }) => run(toolCallId),
    }),
  generate: (model, given, ctx) =>
    generateText({
      model: model as MockLanguageModelV4,
      tools: given as ToolSet,
      stopWhen: isStepCount(5),
      ...runOn(ctx),
    }),
}

describe('approvals with version 7', () => {
  it('run each approved call once, in whatever order, blocks and cycles', async () => {
    await fc.assert(
      fc.asyncProperty(approvalPrograms, async (program) => {
        const { ran, expected, repairs, prompt } = await playApprovals(SDK, program)
        expect(ran).toEqual(expected)
        expect(repairs).toEqual([])
        expect(prompt).not.toContain('no longer in context')
      }),
      { numRuns: 60 },
    )
  })
})
