// Replies of Gemini into the open turn: whole ones, streamed ones, and those that say nothing. Its calls often have no id.

import { GoogleGenAI, type GenerateContentResponse } from '@google/genai'
import { describe, expect, test, vi } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { fromGemini, receiveGemini, toGemini } from '../../src/adapters/gemini/index.js'
import { createContext, importSnapshot, PactError, type Context, type Dialect } from '../../src/index.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { checkGemini } from '../support/providers/gemini.js'
import { recordedGemini } from '../support/providers/recorded.js'
import { isKeyed, keyedList } from '../support/providers/violations.js'

const PARTS = [
  { text: 'Two cities, two calls.', thought: true },
  { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'c2ln' },
  { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
]
const SAID = {
  candidates: [{ content: { role: 'model', parts: PARTS }, finishReason: 'STOP', index: 0 }],
  usageMetadata: {
    promptTokenCount: 900,
    cachedContentTokenCount: 800,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 5,
  },
  modelVersion: 'gemini-3',
}

describe('receiveGemini', () => {
  test('gives the calls, keeps thoughts and signatures, and completes the attempt', () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'google', model: 'gemini-3', params: {}, for: toGemini })
    const { nodes, calls } = ctx.receive(SAID, { from: fromGemini, attempt })
    expect(nodes).toHaveLength(1)
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ['weather', { city: 'Rome' }],
      ['weather', { city: 'Oslo' }],
    ])
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 900, token_out: 25 })
    for (const { id, argumentsText } of calls) ctx.tool(`Of ${argumentsText}`, { kind: 'result', data_call_id: id })
    const made = toGemini(ctx)
    expect(made.repairs).toEqual([])
    expect(made.contents.slice(1)).toEqual([
      { role: 'model', parts: PARTS },
      { role: 'user', parts: [answer('Of {"city":"Rome"}'), answer('Of {"city":"Oslo"}')] },
    ])
    expect(checkGemini({ ...made })).toEqual([])
    expect(checkAnthropic({ ...toAnthropic(ctx) })).toEqual([])
    expect(ctx.warnings).toEqual([])
  })

  test.each<Dialect>(['1.0', '0.1'])('gives every call of a turn an id of its own (%s)', (dialect) => {
    const ctx = asked(dialect)
    const ids = [1, 2, 3].flatMap((step) => {
      const { calls } = receiveGemini(ctx, SAID)
      for (const { id } of calls) ctx.tool(`step ${step}`, { kind: 'result', data_call_id: id })
      if (step === 2) ctx.commit()
      return calls.map(({ id }) => id)
    })
    expect(new Set(ids).size).toBe(6)
    expect(toGemini(ctx).repairs).toEqual([])
    expect(toGemini(ctx).contents).toHaveLength(7)
  })

  test('without ids the order tells whose a response is, also after an export', () => {
    const ctx = asked()
    const { calls } = receiveGemini(ctx, SAID)
    for (const { id, argumentsText } of calls.toReversed())
      ctx.tool(argumentsText, { kind: 'result', data_call_id: id })
    ctx.commit()
    for (const each of [ctx, importSnapshot(ctx.export('@t0'))]) {
      const { contents, repairs } = toGemini(each)
      expect(contents.at(-1)).toEqual({ role: 'user', parts: [answer('{"city":"Rome"}'), answer('{"city":"Oslo"}')] })
      expect(repairs.map(({ code }) => code)).toEqual(['moved-result', 'moved-result'])
    }
  })

  describe('without ids the order tells whose a response is, also over a commit', () => {
    const [first, second] = ['{"city":"Rome"}', '{"city":"Oslo"}'] as const
    // When the commit comes: before both results, or between them.
    test.each([0, 1])('with %i results before it', (before) => {
      const ctx = asked()
      const { calls } = receiveGemini(ctx, SAID)
      for (const [i, { id, argumentsText }] of calls.toReversed().entries()) {
        if (i === before) ctx.commit()
        ctx.tool(argumentsText, { kind: 'result', data_call_id: id })
      }
      ctx.user('Where is it warmer?')
      for (const each of [ctx, importSnapshot(ctx.export('preview'))]) {
        const { contents, repairs } = toGemini(each)
        expect(contents.at(-2)).toEqual({ role: 'user', parts: [answer(first), answer(second)] })
        expect(repairs.map(({ code }) => code)).toContain('moved-result')
        expect(checkGemini({ contents })).toEqual([])
      }
    })

    test.each(['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'] as const)(
      '%s takes them as they are',
      (name) => {
        const ctx = asked()
        const { calls } = receiveGemini(ctx, SAID)
        ctx.commit()
        for (const { id, argumentsText } of calls.toReversed()) {
          ctx.tool(argumentsText, { kind: 'result', data_call_id: id })
        }
        const { repairs } = ADAPTERS[name].to(ctx)
        expect(repairs.map(({ code }) => code)).not.toContain('moved-result')
      },
    )
  })

  test('a call with an id keeps it, and so does its result', () => {
    const ctx = asked()
    const call = { functionCall: { id: 'fc_1', name: 'weather', args: {} } }
    const { calls } = receiveGemini(ctx, { role: 'model', parts: [call] })
    expect(calls[0]?.id).toBe('fc_1')
    ctx.tool('Sunny', { kind: 'result', data_call_id: 'fc_1' })
    const response = { functionResponse: { id: 'fc_1', name: 'weather', response: { output: 'Sunny' } } }
    expect(toGemini(ctx).contents.at(-1)?.parts).toEqual([response])
  })

  test('a call without an id whose result is gone is answered without one', () => {
    const ctx = asked()
    receiveGemini(ctx, SAID)
    ctx.user('Well?')
    const { contents, repairs } = toGemini(ctx)
    expect(repairs.map(({ code }) => code)).toEqual(['stub-result', 'stub-result'])
    expect(contents[2]?.parts.map(({ functionResponse = {} }) => Object.keys(functionResponse))).toEqual([
      ['name', 'response'],
      ['name', 'response'],
    ])
    expect(checkGemini({ contents })).toEqual([])
  })

  test('the pieces of a stream are one reply: texts are joined, a signature stays in the part it came in', () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'google', model: 'gemini-3', params: {} })
    const pieces = [
      piece([{ text: 'Let me ', thought: true }]),
      piece([{ text: 'think.', thought: true }, { text: 'Sun' }]),
      piece([{ text: 'ny.' }], { promptTokenCount: 9, candidatesTokenCount: 1 }),
      piece([{ text: '', thoughtSignature: 'c2ln' }], { promptTokenCount: 9, candidatesTokenCount: 4 }),
    ]
    receiveGemini(ctx, pieces, { attempt })
    expect(toGemini(ctx).contents.at(-1)).toEqual({
      role: 'model',
      parts: [{ text: 'Let me think.', thought: true }, { text: 'Sunny.' }, { text: '', thoughtSignature: 'c2ln' }],
    })
    expect(attempt.record).toMatchObject({ token_in: 9, token_out: 4 })
  })

  test.each([
    [
      'a prompt that was blocked',
      { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 7 } },
    ],
    ['a reply that was stopped', { candidates: [{ finishReason: 'SAFETY' }], usageMetadata: { promptTokenCount: 7 } }],
    ['a reply without parts', { candidates: [{ content: { role: 'model' } }], usageMetadata: { promptTokenCount: 7 } }],
  ])('%s adds nothing to the request, and is counted', (_name, reply) => {
    const ctx = asked()
    const before = ctx.threadBytes('working')
    const request = toGemini(ctx)
    const attempt = ctx.startAttempt({ provider: 'google', model: 'gemini-3', params: {} })
    expect(receiveGemini(ctx, reply, { attempt })).toMatchObject({ nodes: [expect.any(String)], calls: [], cut: [] })
    expect(ctx.threadBytes('working')).toEqual(before)
    expect(toGemini(ctx)).toEqual(request)
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 7 })
  })

  test.each([
    [null],
    ['text'],
    [{}],
    [[]],
    [[1]],
    [{ role: 'user', parts: [] }],
    [{ parts: 'x' }],
    [{ candidates: 'x' }],
    [{ candidates: [{ content: 'x' }] }],
    [{ candidates: [{ content: { parts: [new Date(0)] } }] }],
  ])('refuses %j and leaves the context as it was', (reply) => {
    const ctx = asked()
    const before = ctx.threadBytes('working')
    expect(() => receiveGemini(ctx, reply as object)).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID' }))
    expect(() => receiveGemini(ctx, SAID, { attempt: {} as never })).toThrow(PactError)
    expect(ctx.threadBytes('working')).toEqual(before)
  })

  test('takes what the client gives, whole and streamed', async () => {
    const answers = [
      () => Response.json(SAID),
      () =>
        new Response(
          `data: ${JSON.stringify(piece([{ text: 'Sun' }]))}\r\n\r\ndata: ${JSON.stringify(piece([{ text: 'ny' }]))}\r\n\r\n`,
        ),
    ]
    vi.stubGlobal('fetch', async () => answers.shift()!())
    try {
      const client = new GoogleGenAI({ apiKey: 'none' })
      const ctx = asked()
      const model = 'gemini-3'
      const { calls } = receiveGemini(
        ctx,
        await client.models.generateContent({ model, ...toGemini(ctx, { form: 'sdk' }) }),
      )
      for (const { id } of calls) ctx.tool('Sunny', { kind: 'result', data_call_id: id })
      const pieces: GenerateContentResponse[] = []
      for await (const each of await client.models.generateContentStream({
        model,
        ...toGemini(ctx, { form: 'sdk' }),
      })) {
        pieces.push(each)
      }
      receiveGemini(ctx, pieces)
      expect(toGemini(ctx).contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'model'])
      expect(toGemini(ctx).contents.at(-1)?.parts).toEqual([{ text: 'Sunny' }])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test('takes every recorded reply in', () => {
    let calls = 0
    for (const { name, request, response } of recordedGemini()) {
      if (!isKeyed(response) || keyedList(response['parts']).length === 0) continue
      const ctx = fromGemini(request)
      const received = receiveGemini(ctx, response)
      for (const { id } of received.calls) ctx.tool('done', { kind: 'result', data_call_id: id })
      calls += received.calls.length
      const sent = toGemini(ctx, { repair: false }).contents
      expect(sent[request.contents.length], name).toEqual({ role: 'model', parts: response['parts'] })
      expect(checkGemini({ ...toGemini(ctx) }), name).toEqual([])
    }
    expect(calls).toBeGreaterThan(0)
  })
})

function asked(dialect: Dialect = '1.0'): Context {
  const ctx = createContext({ dialect })
  ctx.user('How is the weather in Rome and Oslo?')
  return ctx
}

function piece(parts: readonly object[], usageMetadata?: object): object {
  return {
    candidates: [{ content: { role: 'model', parts } }],
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
  }
}

function answer(output: string): object {
  return { functionResponse: { name: 'weather', response: { output } } }
}
