// Replies of OpenAI's models, as recorded and by hand: what they say goes into the open turn and can be sent back at once.

import { describe, expect, test } from 'vitest'

import {
  fromOpenAIChat,
  fromOpenAIResponses,
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import { createContext, PactError, type Context } from '../../src/index.js'
import { checkOpenAIChat } from '../support/providers/openai-chat.js'
import { checkOpenAIResponses } from '../support/providers/openai-responses.js'
import { recordedChats, recordedResponses } from '../support/providers/recorded.js'
import { isKeyed, keyedList, type Keyed } from '../support/providers/violations.js'

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        annotations: [],
        reasoning_content: 'Two cities, two calls.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
          { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{city: Rome}' } },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 1200, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 1024 } },
}

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x', status: null, content: null },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'output_text', text: 'One moment.', annotations: [], parsed: null }],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Rome"}',
      status: 'completed',
      parsed_arguments: { city: 'Rome' },
      created_by: 'someone',
    },
  ],
  usage: { input_tokens: 900, output_tokens: 20, input_tokens_details: { cached_tokens: 800 } },
}

describe('a tool loop', () => {
  test('with Chat Completions: the calls are told, and their results make the next request', () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'openai', model: 'm', params: {} })
    const { nodes, calls } = receiveOpenAIChat(ctx, COMPLETION, { attempt })
    expect(nodes).toHaveLength(1)
    expect(calls).toEqual([
      { id: 'call_1', name: 'weather', arguments: { city: 'Rome' }, argumentsText: '{"city":"Rome"}' },
      { id: 'call_2', name: 'weather', arguments: undefined, argumentsText: '{city: Rome}' },
    ])
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 1200, token_out: 30 })
    for (const { id } of calls) ctx.tool('Sunny', { kind: 'result', data_call_id: id })
    const made = toOpenAIChat(ctx)
    expect(made.repairs).toEqual([])
    expect({ ...made }).toEqual({
      messages: [
        { role: 'user', content: 'How is the weather?' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Two cities, two calls.',
          tool_calls: COMPLETION.choices[0]!.message.tool_calls,
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
        { role: 'tool', tool_call_id: 'call_2', content: 'Sunny' },
      ],
    })
    expect(checkOpenAIChat({ ...made })).toEqual([])
  })

  test('with Responses: reasoning, words and calls are one step', () => {
    const ctx = asked()
    const attempt = ctx.startAttempt({ provider: 'openai', model: 'm', params: {} })
    const { nodes, calls } = ctx.receive(RESPONSE, { from: fromOpenAIResponses, attempt })
    expect(nodes).toHaveLength(1)
    expect(calls.map(({ id, arguments: given }) => [id, given])).toEqual([['call_1', { city: 'Rome' }]])
    expect(attempt.record).toMatchObject({ token_in: 900, token_out: 20 })
    ctx.tool('Sunny', { kind: 'result', data_call_id: 'call_1' })
    const made = toOpenAIResponses(ctx)
    expect(made.repairs).toEqual([])
    expect(checkOpenAIResponses({ ...made }, { store: false, reasoned: true })).toEqual([])
    expect((made.input as Keyed[]).map(({ type }) => type)).toEqual([
      undefined,
      'reasoning',
      'message',
      'function_call',
      'function_call_output',
    ])
    expect(checkOpenAIChat({ ...toOpenAIChat(ctx) })).toEqual([])
  })

  test('the message alone, a refusal, a sound', () => {
    const ctx = asked()
    ctx.receive({ role: 'assistant', content: 'Fine.' }, { from: fromOpenAIChat })
    ctx.receive({ role: 'assistant', content: null, refusal: 'No.' }, { from: fromOpenAIChat })
    const audio = { id: 'audio_1', data: 'AAAA', transcript: 'Hi', expires_at: 1 }
    ctx.receive({ role: 'assistant', content: null, audio }, { from: fromOpenAIChat })
    expect(toOpenAIChat(ctx).messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Fine.' },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: null, audio: { id: 'audio_1' } },
    ])
  })
})

test('what is no reply changes nothing, and says what is wanted', () => {
  const ctx = asked()
  const before = ctx.threadBytes('working')
  const wrong: readonly (() => unknown)[] = [
    () => receiveOpenAIChat(ctx, { choices: [] }),
    () => receiveOpenAIChat(ctx, { role: 'user', content: 'a' }),
    () => receiveOpenAIResponses(ctx, { output: 'a' } as never),
    () => receiveOpenAIResponses(ctx, { output: [1] } as never),
    () => receiveOpenAIChat(ctx, COMPLETION, { attempt: {} as never }),
    () => receiveOpenAIChat(ctx, COMPLETION, { other: 1 } as never),
    () => ctx.receive(COMPLETION, { from: () => 1 }),
    () => ctx.receive(COMPLETION, 5 as never),
  ]
  for (const call of wrong) {
    expect(call).toThrow(PactError)
    expect(ctx.threadBytes('working')).toEqual(before)
  }
})

describe('every recorded reply', () => {
  test('of Chat Completions goes in, and out again', () => {
    let calls = 0
    for (const { name, request, response } of recordedChats()) {
      if (!isKeyed(response) || response['role'] !== 'assistant') continue
      const ctx = fromOpenAIChat(request)
      const received = ctx.receive(response, { from: fromOpenAIChat })
      for (const { id } of received.calls) ctx.tool('done', { kind: 'result', data_call_id: id })
      calls += received.calls.length
      expect(checkOpenAIChat({ ...toOpenAIChat(ctx, { unknown: 'drop' }) }), name).toEqual([])
      const wanted = keyedList(response['tool_calls'])
      expect(
        received.calls.map(({ id }) => id),
        name,
      ).toEqual(wanted.map(({ id }) => id))
    }
    expect(calls).toBeGreaterThan(0)
  })

  test('of Responses goes in, and out again', () => {
    let calls = 0
    for (const { name, request, response } of recordedResponses()) {
      if (!Array.isArray(response)) continue
      const ctx = fromOpenAIResponses(request)
      const received = ctx.receive(response, { from: fromOpenAIResponses })
      for (const { id } of received.calls) ctx.tool('done', { kind: 'result', data_call_id: id })
      calls += received.calls.length
      expect(checkOpenAIResponses({ ...toOpenAIResponses(ctx) }), name).toEqual([])
    }
    expect(calls).toBeGreaterThan(0)
  })
})

function asked(): Context {
  const ctx = createContext()
  ctx.user('How is the weather?')
  return ctx
}

describe.each(['ls', '{', '"', 'x = [1,', 'print("a")'])('a call of a custom tool with the text %j', (input) => {
  const ofChat = (stop: string): object => ({
    choices: [
      {
        finish_reason: stop,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'run', input } }],
        },
      },
    ],
  })
  const ofResponses = (status: string): object => ({
    status,
    output: [{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'a', name: 'run', input }],
    ...(status === 'incomplete' ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
  })
  test.each([
    ['Chat', (ctx: Context) => receiveOpenAIChat(ctx, ofChat('tool_calls') as never), toOpenAIChat],
    ['Responses', (ctx: Context) => receiveOpenAIResponses(ctx, ofResponses('completed') as never), toOpenAIResponses],
  ])('is whole, and %s gets it back', (_, receive, to) => {
    const ctx = createContext()
    ctx.user('Run it.')
    const { calls, cut, stop } = receive(ctx)
    expect({ calls, cut, stop }).toMatchObject({ calls: [{ id: 'a', argumentsText: input }], cut: [], stop: 'calls' })
    expect(ctx.due()).toBe('calls')
    ctx.result(calls[0]!, 'done')
    const request = to(ctx)
    expect(request.repairs).toEqual([])
    expect(JSON.stringify(request)).toContain(JSON.stringify(input))
  })
  test('is cut off where the reply reached its limit', () => {
    const cut = { calls: [], cut: [{ id: 'a' }], stop: 'length' }
    expect(receiveOpenAIChat(createContext(), ofChat('length') as never)).toMatchObject(cut)
    expect(receiveOpenAIResponses(createContext(), ofResponses('incomplete') as never)).toMatchObject(cut)
  })
})

test.each([
  ['{"a":tr', 'cut'],
  ['{"a":-', 'cut'],
  ['{"a":1.5e', 'cut'],
  ['[nul', 'cut'],
  ['{"a":"x\\u00', 'cut'],
  ['ls', 'calls'],
  ['{city: Rome}', 'calls'],
  ['True', 'calls'],
])('arguments %j are in `%s`', (given, where) => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: given } }
  const reply = { role: 'assistant', content: null, tool_calls: [call] }
  const { calls, cut } = receiveOpenAIChat(createContext(), reply)
  expect(calls.length > 0 ? 'calls' : 'cut').toBe(where)
  expect([...calls, ...cut]).toMatchObject([{ id: 'a', argumentsText: given }])
})

test('calls of a server that gives no ids have ids, and their results go to them', () => {
  const call = (name: string, id: object): object => ({ ...id, type: 'function', function: { name, arguments: '{}' } })
  const reply = { role: 'assistant', content: null, tool_calls: [call('f', {}), call('g', { id: '' }), call('f', {})] }
  const ctx = createContext()
  for (let step = 1; step <= 2; step++) {
    ctx.user('Go.')
    const { calls, stop } = receiveOpenAIChat(ctx, reply)
    expect({ stop, open: ctx.openCalls() }).toEqual({ stop: 'calls', open: calls })
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    for (const { id, name } of calls) ctx.result(id, `${step} ${name}`)
    expect(ctx.due()).toBe('reply')
  }
  const request = toOpenAIChat(ctx)
  expect(checkOpenAIChat({ ...request })).toEqual([])
  const said = request.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
  expect(said).toEqual(['1 f', '1 g', '1 f', '2 f', '2 g', '2 f'])
})
