// Contexts that were written by hand, and such as came from other providers, as OpenAI's requests.

import fc from 'fast-check'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'

import { fromModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromAnthropic } from '../../src/adapters/anthropic/index.js'
import { fromGemini } from '../../src/adapters/gemini/index.js'
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'
import { runs } from '../support/runs.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { arbitraryAnthropic } from '../support/providers/arbitrary/anthropic.js'
import { arbitraryGemini } from '../support/providers/arbitrary/gemini.js'
import { arbitraryModelMessages } from '../support/providers/arbitrary/model-messages.js'
import type { Style } from '../support/providers/arbitrary/oddities.js'
import { arbitraryChat } from '../support/providers/arbitrary/openai-chat.js'
import { arbitraryResponses } from '../support/providers/arbitrary/openai-responses.js'
import { checkGemini } from '../support/providers/gemini.js'
import { checkOpenAIChat } from '../support/providers/openai-chat.js'
import { checkOpenAIResponses } from '../support/providers/openai-responses.js'
import { recordedAnthropic, recordedChats, recordedGemini, recordedResponses } from '../support/providers/recorded.js'
import { lostOf } from '../support/providers/said.js'
import { arbitraryShakes, shake } from '../support/providers/shaken.js'

describe('a picture that an assistant gave behind its call', () => {
  const file = { type: 'file', data: 'aGVsbG8=', mediaType: 'image/png' }
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'draw', input: {} }
  const result = { type: 'tool-result', toolCallId: 'a', toolName: 'draw', output: { type: 'text', value: 'done' } }

  test('stands behind the answer, also where the next turn answers it', () => {
    const ctx = fromModelMessages([
      { role: 'user', content: 'draw' },
      { role: 'assistant', content: [call, file] },
      { role: 'tool', content: [result] },
    ])
    expect(kindsOf(ctx)).toEqual(['user', 'function_call', 'function_call_output', 'user'])
    const later = createContext()
    later.user('draw')
    later.add(undefined, {
      role: 'assistant',
      zone: 'core',
      children: [
        { content: call, kind: 'call', data_call_id: 'a', role: 'assistant' },
        { content: file, kind: 'file', role: 'assistant' },
      ],
    })
    later.commit()
    later.tool('done', { kind: 'result', data_call_id: 'a' })
    later.commit()
    expect(kindsOf(later)).toEqual(['user', 'function_call', 'function_call_output', 'user'])
  })

  function kindsOf(ctx: Context): readonly unknown[] {
    const made = toOpenAIResponses(ctx)
    expect(checkOpenAIResponses({ ...made })).toEqual([])
    return (made.input as readonly { type?: string; role?: string }[]).map(({ type, role }) => role ?? type)
  }
})

describe('a turn by hand', () => {
  test('is what one would write for Chat Completions', () => {
    const made = toOpenAIChat(aTurn())
    expect(made.repairs).toEqual([])
    expect({ ...made }).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Free plan.' },
        { role: 'user', content: 'Rome or Oslo?' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
            { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Sun' },
        { role: 'tool', tool_call_id: 'b', content: '{"rain":true}' },
        { role: 'assistant', content: 'Rome.' },
        { role: 'user', content: '{"plan":"pack"}' },
      ],
    })
  })

  test('is what one would write for Responses', () => {
    const made = toOpenAIResponses(aTurn())
    expect(made.repairs).toEqual([])
    expect({ ...made }).toEqual({
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'Free plan.' },
        { role: 'user', content: 'Rome or Oslo?' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'b', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'a', output: 'Sun' },
        { type: 'function_call_output', call_id: 'b', output: '{"rain":true}' },
        { role: 'assistant', content: 'Rome.' },
        { role: 'user', content: '{"plan":"pack"}' },
      ],
    })
  })

  test('has its context blocks as the caller wants them', () => {
    const ctx = createContext()
    ctx.user('Hi')
    ctx.post('Reset by mail.', { key: 'kb' })
    ctx.post('', { key: 'empty' })
    const blocks = { role: 'developer', before: '<doc key="{key}">', after: '</doc>' } as const
    const wanted = '<doc key="kb">Reset by mail.</doc>'
    expect(toOpenAIChat(ctx, { blocks }).messages.slice(1)).toEqual([{ role: 'developer', content: wanted }])
    expect(toOpenAIResponses(ctx, { blocks }).input.slice(1)).toEqual([{ role: 'developer', content: wanted }])
    expect(toOpenAIChat(ctx).messages.slice(1)).toEqual([{ role: 'user', content: 'Reset by mail.' }])
  })

  test('keeps what a cut takes: a missing result is told, a lone one is left out, with the cause', () => {
    const ctx = createContext()
    ctx.user('Hi')
    ctx.assistant({ name: 'look' }, { kind: 'call', data_call_id: 'a' })
    const { id } = ctx.tool('long', { kind: 'result', data_call_id: 'a', ttl: 1 })
    ctx.commit()
    ctx.user('And?')
    ctx.commit()
    const made = toOpenAIChat(ctx)
    expect(made.messages[2]).toEqual({ role: 'tool', tool_call_id: 'a', content: '[tool result no longer in context]' })
    expect(made.repairs).toMatchObject([{ code: 'stub-result', cause: 'expired' }])
    expect(ctx.node(id)).toBeUndefined()
  })

  test('an id that is refused is the same for call and result, in every rendering', () => {
    const id = `toolu_${'x'.repeat(60)}`
    const ctx = createContext()
    ctx.user('Hi')
    ctx.assistant({ name: 'look', arguments: { n: 12345678901234567890n } }, { kind: 'call', data_call_id: id })
    ctx.tool('found', { kind: 'result', data_call_id: id })
    const [, call, result] = toOpenAIChat(ctx).messages as [
      unknown,
      { tool_calls: { id: string }[] },
      { tool_call_id: string },
    ]
    expect(call.tool_calls[0]!.id).toBe(result.tool_call_id)
    expect(call.tool_calls[0]!.id).toMatch(/^call_[0-9a-f]{24}$/)
    expect(call).toMatchObject({ tool_calls: [{ function: { arguments: '{"n":12345678901234567890}' } }] })
    expect(toOpenAIChat(ctx.fork('working')).bytes).toEqual(toOpenAIChat(ctx).bytes)
  })

  test('several system texts are one text to Responses, each with its part of the bytes', () => {
    const ctx = createContext()
    const first = ctx.system.add('Be "brief".')
    const second = ctx.system.add('Be kind.')
    ctx.user('Hi')
    const made = toOpenAIResponses(ctx)
    expect(made.instructions).toBe('Be "brief".\n\nBe kind.')
    const said = made.sourceMap.map(({ node, start, end }) => [
      node,
      new TextDecoder().decode(made.bytes.subarray(start, end)),
    ])
    expect(said.slice(0, 2)).toEqual([
      [first.id, 'Be \\"brief\\".'],
      [second.id, 'Be kind.'],
    ])
  })
})

/** Never called: it has to compile. */
export function spreadsIntoTheClient(client: OpenAI, ctx: Context): readonly unknown[] {
  return [
    client.chat.completions.create({ model: 'm', ...toOpenAIChat(ctx) }),
    client.responses.create({ model: 'm', ...toOpenAIResponses(ctx) }),
    fromOpenAIChat({ model: 'm', messages: [] } as OpenAI.ChatCompletionCreateParamsNonStreaming),
  ]
}

describe('conversations of other providers', () => {
  const sources: readonly (readonly [string, () => readonly (readonly [string, object, Context, boolean])[]])[] = [
    [
      'Claude',
      () =>
        recordedAnthropic().map(({ name, request }) => [
          name,
          request,
          fromAnthropic(request),
          checkAnthropic(request).length === 0,
        ]),
    ],
    [
      'Gemini',
      () =>
        recordedGemini().map(({ name, request }) => [
          name,
          request,
          fromGemini(request),
          checkGemini(request).length === 0,
        ]),
    ],
    [
      'Chat Completions',
      () =>
        recordedChats().map(({ name, request }) => [
          name,
          request,
          fromOpenAIChat(request),
          checkOpenAIChat(request).length === 0,
        ]),
    ],
    [
      'Responses',
      () =>
        recordedResponses().map(({ name, request }) => [
          name,
          request,
          fromOpenAIResponses(request),
          checkOpenAIResponses(request).length === 0,
        ]),
    ],
  ]

  test.each(sources)('of %s are valid here, and lose no text, call or picture', (_provider, conversations) => {
    for (const [name, request, ctx, isValid] of conversations()) {
      const chat = { ...toOpenAIChat(ctx, { unknown: 'drop' }) }
      const made = toOpenAIResponses(ctx, { unknown: 'drop' })
      const responses = { ...made }
      expect(checkOpenAIChat(chat), name).toEqual([])
      expect(checkOpenAIResponses(responses), name).toEqual([])
      if (!isValid) continue
      expect(lostOf(request, chat), name).toEqual([])
      // A summary of OpenAI's own is sent in place of what it stands for.
      const isSummed = made.repairs.some(({ code }) => code === 'summarized')
      expect(lostOf(request, responses).length > 0, name).toBe(isSummed)
    }
  })
})

describe('made-up conversations of every provider', () => {
  const sources: readonly (readonly [string, (style: Style) => fc.Arbitrary<Context>])[] = [
    ['Claude', (style) => arbitraryAnthropic(style).map((request) => fromAnthropic(request))],
    ['Gemini', (style) => arbitraryGemini(style).map((request) => fromGemini(request))],
    ['the AI SDK', (style) => arbitraryModelMessages(style).map((request) => fromModelMessages(request))],
    ['Chat Completions', (style) => arbitraryChat(style).map((request) => fromOpenAIChat(request))],
    ['Responses', (style) => arbitraryResponses(style).map((request) => fromOpenAIResponses(request))],
  ]

  test.each(sources)('of %s are valid here, also after edits', (_provider, contexts) => {
    for (const style of ['valid', 'odd'] as const) {
      fc.assert(
        fc.property(contexts(style), arbitraryShakes(4), (ctx, shakes) => {
          shake(ctx, shakes)
          expect(checkOpenAIChat({ ...toOpenAIChat(ctx, { unknown: 'drop' }) })).toEqual([])
          expect(checkOpenAIResponses({ ...toOpenAIResponses(ctx, { unknown: 'drop' }) })).toEqual([])
        }),
        { seed: Number(process.env['PACT_SEED'] ?? 20261116), numRuns: runs(15) },
      )
    }
  })
})

function aTurn(): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.pre('Free plan.')
  ctx.user('Rome or Oslo?')
  ctx.assistant('I look.')
  ctx.assistant({ name: 'weather', arguments: { city: 'Rome' } }, { kind: 'call', data_call_id: 'a' })
  ctx.assistant({ name: 'weather', arguments: { city: 'Oslo' } }, { kind: 'call', data_call_id: 'b' })
  ctx.tool('Sun', { kind: 'result', data_call_id: 'a' })
  ctx.tool({ rain: true }, { kind: 'result', data_call_id: 'b' })
  ctx.assistant('Rome.')
  ctx.post({ plan: 'pack' })
  return ctx
}
