// The result of every `receive…`: which calls are to be executed, which were cut off, why the reply ended, and what the provider reported.

import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { receiveModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { receiveBedrock } from '../../src/adapters/bedrock/index.js'
import { receiveGemini, toGemini } from '../../src/adapters/gemini/index.js'
import { receiveMistral } from '../../src/adapters/mistral/index.js'
import { receiveOpenAIChat, receiveOpenAIResponses } from '../../src/adapters/openai/index.js'
import { applyOperations, createContext, importSnapshot, type Context, type Received } from '../../src/index.js'

type Receive = (ctx: Context, reply: never) => Received
type Row = [word: string | undefined, reply: object, stop: string, calls?: readonly string[], cut?: readonly string[]]

const text = { type: 'text', text: 'Hm.' }
const use = { type: 'tool_use', id: 'a', name: 'write', input: { path: '/x' } }
const claude = (stop: string | null | undefined, ...content: object[]): object => ({
  role: 'assistant',
  content,
  ...(stop === undefined ? {} : { stop_reason: stop }),
})

const whole = { id: 'a', type: 'function', function: { name: 'write', arguments: '{"path":"/x"}' } }
const half = { id: 'b', type: 'function', function: { name: 'write', arguments: '{"path":"/x","text":"ab' } }
const chat = (stop: string | undefined, message: object): object => ({
  choices: [
    {
      ...(stop === undefined ? {} : { finish_reason: stop }),
      message: { role: 'assistant', content: null, ...message },
    },
  ],
})

const called = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'a',
  name: 'write',
  arguments: '{"path":"/x"}',
  status: 'completed',
}
const cutItem = { ...called, id: 'fc_2', call_id: 'b', arguments: '{"path', status: 'incomplete' }
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hm.', annotations: [] }],
}
const response = (status: string | undefined, reason: string | undefined, ...output: object[]): object => ({
  ...(status === undefined ? {} : { status }),
  ...(reason === undefined ? {} : { incomplete_details: { reason } }),
  output,
})

const gemini = (stop: string | undefined, ...parts: object[]): object => ({
  candidates: [{ content: { role: 'model', parts }, ...(stop === undefined ? {} : { finishReason: stop }) }],
})
const functionCall = { functionCall: { id: 'a', name: 'write', args: { path: '/x' } } }

const toolUse = { toolUse: { toolUseId: 'a', name: 'write', input: { path: '/x' } } }
const bedrock = (stop: string | undefined, ...content: object[]): object => ({
  output: { message: { role: 'assistant', content } },
  ...(stop === undefined ? {} : { stopReason: stop }),
})

const toolCall = { type: 'tool-call', toolCallId: 'a', toolName: 'write', input: { path: '/x' } }
const sdk = (finishReason: string | undefined, ...content: object[]): object => ({
  messages: [{ role: 'assistant', content }],
  finishReason,
})

const TABLE: Readonly<Record<string, Readonly<{ receive: Receive; rows: Row[] }>>> = {
  anthropic: {
    receive: receiveAnthropic,
    rows: [
      ['end_turn', claude('end_turn', text), 'end'],
      ['stop_sequence', claude('stop_sequence', text), 'end'],
      ['end_turn', claude('end_turn'), 'end'],
      ['tool_use', claude('tool_use', text, use), 'calls', ['a']],
      ['max_tokens', claude('max_tokens', text), 'length'],
      ['max_tokens', claude('max_tokens', text, use), 'length', [], ['a']],
      ['max_tokens', claude('max_tokens', use, { ...use, id: 'b' }), 'length', ['a'], ['b']],
      ['max_tokens', claude('max_tokens', use, text), 'length', ['a']],
      ['model_context_window_exceeded', claude('model_context_window_exceeded', text), 'length'],
      [
        'pause_turn',
        claude('pause_turn', { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        'pause',
      ],
      ['refusal', claude('refusal', text), 'refusal'],
      ['refusal', claude('refusal'), 'refusal'],
      ['compaction', claude('compaction', { type: 'compaction', content: 'So far: nothing.' }), 'compaction'],
      ['tomorrow', claude('tomorrow', text), 'other'],
      [undefined, claude(undefined, text, use), 'calls', ['a']],
      [undefined, claude(undefined, text), 'end'],
      [undefined, claude(null, text, use), 'length', [], ['a']],
    ],
  },
  'openai-chat': {
    receive: receiveOpenAIChat,
    rows: [
      ['stop', chat('stop', { content: 'Hm.' }), 'end'],
      ['stop', chat('stop', { content: '' }), 'end'],
      ['tool_calls', chat('tool_calls', { tool_calls: [whole] }), 'calls', ['a']],
      ['stop', chat('stop', { tool_calls: [whole] }), 'calls', ['a']],
      ['length', chat('length', { content: 'Hm' }), 'length'],
      ['length', chat('length', { tool_calls: [whole, half] }), 'length', ['a'], ['b']],
      [
        'length',
        chat('length', { tool_calls: [{ ...half, function: { name: 'write', arguments: '' } }] }),
        'length',
        [],
        ['b'],
      ],
      ['tool_calls', chat('tool_calls', { tool_calls: [half] }), 'length', [], ['b']],
      ['content_filter', chat('content_filter', { content: 'Hm' }), 'filter'],
      ['stop', chat('stop', { refusal: 'No.' }), 'refusal'],
      ['insufficient_system_resource', chat('insufficient_system_resource', { content: 'H' }), 'other'],
      [undefined, { role: 'assistant', content: null, tool_calls: [whole, half] }, 'calls', ['a'], ['b']],
    ],
  },
  'openai-responses': {
    receive: receiveOpenAIResponses,
    rows: [
      ['completed', response('completed', undefined, said), 'end'],
      ['completed', response('completed', undefined), 'end'],
      ['completed', response('completed', undefined, said, called), 'calls', ['a']],
      ['max_output_tokens', response('incomplete', 'max_output_tokens', said), 'length'],
      ['max_messages', response('incomplete', 'max_messages', said), 'length'],
      ['steered', response('incomplete', 'steered', said), 'other'],
      ['max_output_tokens', response('incomplete', 'max_output_tokens', called, cutItem), 'length', ['a'], ['b']],
      [
        'max_output_tokens',
        response('incomplete', 'max_output_tokens', { ...cutItem, arguments: '{}' }),
        'length',
        [],
        ['b'],
      ],
      ['content_filter', response('incomplete', 'content_filter', said), 'filter'],
      [
        'completed',
        response('completed', undefined, { ...said, content: [{ type: 'refusal', refusal: 'No.' }] }),
        'refusal',
      ],
      ['failed', response('failed', undefined), 'other'],
      [undefined, [said, called], 'calls', ['a']],
    ],
  },
  gemini: {
    receive: receiveGemini,
    rows: [
      ['STOP', gemini('STOP', { text: 'Hm.' }), 'end'],
      ['STOP', gemini('STOP'), 'end'],
      ['STOP', gemini('STOP', functionCall), 'calls', ['a']],
      ['MAX_TOKENS', gemini('MAX_TOKENS', { text: 'Hm' }), 'length'],
      [
        'MAX_TOKENS',
        gemini('MAX_TOKENS', functionCall, { functionCall: { id: 'b', name: 'write', args: {} } }),
        'length',
        ['a'],
        ['b'],
      ],
      ['SAFETY', { candidates: [{ finishReason: 'SAFETY' }] }, 'filter'],
      ['PROHIBITED_CONTENT', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, 'filter'],
      ['OTHER', { promptFeedback: { blockReason: 'OTHER' } }, 'filter'],
      ['CONTINUATION', gemini('CONTINUATION', { text: 'Hm' }), 'pause'],
      ['MALFORMED_FUNCTION_CALL', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }, 'other'],
      ['STOP', [gemini(undefined, { text: 'H' }), gemini('STOP', { text: 'm.' })], 'end'],
      [undefined, { role: 'model', parts: [functionCall] }, 'calls', ['a']],
    ],
  },
  mistral: {
    receive: receiveMistral,
    rows: [
      ['stop', chat('stop', { content: 'Hm.' }), 'end'],
      ['tool_calls', chat('tool_calls', { toolCalls: [whole] }), 'calls', ['a']],
      ['length', chat('length', { content: '', tool_calls: [whole, half] }), 'length', ['a'], ['b']],
      ['model_length', chat('model_length', { content: 'Hm' }), 'length'],
      ['error', chat('error', { content: 'Hm' }), 'other'],
      ['stop', { choices: [{ finishReason: 'stop', message: { role: 'assistant', content: '' } }] }, 'end'],
      [
        'length',
        [
          { data: { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finishReason: null }] } },
          { data: { choices: [{ index: 0, delta: { toolCalls: [half] }, finishReason: 'length' }] } },
        ],
        'length',
        [],
        ['b'],
      ],
    ],
  },
  bedrock: {
    receive: receiveBedrock,
    rows: [
      ['end_turn', bedrock('end_turn', { text: 'Hm.' }), 'end'],
      ['end_turn', bedrock('end_turn'), 'end'],
      ['tool_use', bedrock('tool_use', toolUse), 'calls', ['a']],
      ['max_tokens', bedrock('max_tokens', { text: 'Hm.' }, toolUse), 'length', [], ['a']],
      ['guardrail_intervened', bedrock('guardrail_intervened', { text: 'No.' }), 'filter'],
      ['content_filtered', bedrock('content_filtered', { text: 'No.' }), 'filter'],
      ['malformed_tool_use', bedrock('malformed_tool_use', { text: 'Hm.' }), 'other'],
      [
        'max_tokens',
        [
          { messageStart: { role: 'assistant' } },
          { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a', name: 'write' } } } },
          { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"pa' } } } },
          { messageStop: { stopReason: 'max_tokens' } },
          { metadata: { usage: { inputTokens: 3, outputTokens: 4 } } },
        ],
        'length',
        [],
        ['a'],
      ],
      [
        undefined,
        [
          { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a', name: 'write' } } } },
          { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"pa' } } } },
        ],
        'length',
        [],
        ['a'],
      ],
    ],
  },
  'ai-sdk': {
    receive: receiveModelMessages,
    rows: [
      ['stop', sdk('stop', text), 'end'],
      ['stop', sdk('stop'), 'end'],
      ['tool-calls', sdk('tool-calls', toolCall), 'calls', ['a']],
      ['length', sdk('length', text), 'length'],
      ['interrupted', sdk('interrupted', text, toolCall), 'length', [], ['a']],
      ['length', sdk('length', text, toolCall), 'length', [], ['a']],
      ['content-filter', sdk('content-filter', text), 'filter'],
      ['error', sdk('error', text), 'other'],
      ['pause_turn', { ...sdk('stop', text), rawFinishReason: 'pause_turn' }, 'pause'],
      ['stop', { ...sdk('stop', text), rawFinishReason: 'end_turn' }, 'end'],
      [undefined, [{ role: 'assistant', content: [toolCall] }], 'calls', ['a']],
    ],
  },
}

/** The ends of replies that the model goes on from when they are sent back. */
const GOES_ON = new Set(['pause', 'compaction'])

describe.each(Object.entries(TABLE))('%s', (_name, { receive, rows }) => {
  it.each(rows)('%j: %j is %s', (word, reply, stop, calls = [], cut = []) => {
    const ctx = asked()
    const received = receive(ctx, reply as never)
    expect({ ...received, calls: idsOf(received.calls), cut: idsOf(received.cut) }).toMatchObject({
      stop,
      providerStop: word,
      calls,
      cut,
      nodes: [expect.any(String)],
      reported: { stop, ...(word === undefined ? {} : { providerStop: word }) },
    })
    // The tree alone says what comes next, also after a commit and in another process.
    expect(ctx.openCalls()).toEqual(received.calls)
    const open = calls.length > 0 ? 'calls' : GOES_ON.has(stop) ? 'reply' : undefined
    expect(ctx.due()).toBe(open ?? 'nothing')
    const later = ctx.fork('working')
    later.commit()
    const imported = importSnapshot(later.export())
    expect([later, imported].map((each) => each.due())).toEqual([open ?? 'user', open ?? 'user'])
    expect(imported.openCalls()).toEqual(received.calls)
    for (const call of received.calls) ctx.result(call, 'done')
    expect(ctx.openCalls()).toEqual([])
    // A call that was cut off is in no request, and a repair names it.
    for (const [format, { to }] of Object.entries(ADAPTERS)) {
      const request = to(ctx)
      const notes = request.repairs.filter(({ code }) => code === 'cut-call')
      expect(notes, format).toHaveLength(cut.length)
      expect(JSON.stringify(request).includes('"b"') && cut.includes('b'), format).toBe(false)
    }
    // The edits are data, and an export has everything: the same requests again.
    const replayed = createContext({ clock: () => 0n })
    applyOperations(replayed, ctx.operations())
    expect(requestsOf(replayed)).toEqual(requestsOf(ctx))
    const requests = requestsOf(ctx)
    ctx.commit()
    expect(requestsOf(importSnapshot(ctx.export()))).toEqual(requests)
    expect(JSON.stringify(ctx.thread('@t0'))).not.toContain('pact:')
  })
})

it.each<[string, Receive, object]>([
  ['Claude', receiveAnthropic, claude('end_turn')],
  ['Chat Completions', receiveOpenAIChat, chat('stop', { content: '' })],
  ['Responses', receiveOpenAIResponses, response('completed', undefined)],
  ['Gemini', receiveGemini, gemini('STOP')],
  ['Mistral', receiveMistral, chat('stop', { content: '' })],
  ['Bedrock', receiveBedrock, bedrock('end_turn')],
  ['the AI SDK', receiveModelMessages, sdk('stop')],
])('a reply of %s that says nothing is a node that no request has', (_name, receive, reply) => {
  const ctx = asked()
  const before = requestsOf(ctx)
  expect(receive(ctx, reply as never).nodes).toHaveLength(1)
  expect(requestsOf(ctx)).toEqual(before)
})

describe('reported', () => {
  it('has the counts with their cache split, the id, the container and everything else that Claude says', () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 7,
    }
    const transformations = [
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
    ]
    const container = { id: 'container_1', expires_at: '2026-11-18T00:00:00Z' }
    const management = { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 3 }] }
    const details = {
      usage,
      container,
      context_management: management,
      input_transformations: transformations,
      stop_details: { type: 'refusal', category: 'bio' },
    }
    const reply = {
      id: 'msg_1',
      model: 'claude',
      ...claude('refusal', text),
      ...details,
      diagnostics: null,
    }
    const { reported } = receiveAnthropic(asked(), reply as never)
    expect(reported).toEqual({
      id: 'msg_1',
      model: 'claude',
      stop: 'refusal',
      providerStop: 'refusal',
      tokenIn: 240,
      tokenOut: 7,
      cacheRead: 200,
      cacheWrite: 30,
      cacheWrites: { '5m': 10, '1h': 20 },
      container: 'container_1',
      details,
    })
  })

  it.each<[string, Receive, object, object]>([
    [
      'openai-chat',
      receiveOpenAIChat,
      {
        id: 'c1',
        model: 'gpt',
        usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        moderation: { input: { flagged: false } },
        ...chat('stop', { content: 'a' }),
      },
      { id: 'c1', model: 'gpt', tokenIn: 9, tokenOut: 2, cacheRead: 4, details: { moderation: { input: {} } } },
    ],
    [
      'openai-responses',
      receiveOpenAIResponses,
      {
        id: 'r1',
        model: 'gpt',
        usage: { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } },
        moderation: { input: { flagged: false } },
        access_programs: { cyber: 'standard' },
        ...response('completed', undefined, said),
      },
      {
        id: 'r1',
        model: 'gpt',
        tokenIn: 9,
        tokenOut: 2,
        cacheRead: 4,
        details: { moderation: { input: { flagged: false } }, access_programs: { cyber: 'standard' } },
      },
    ],
    [
      'gemini',
      receiveGemini,
      {
        responseId: 'g1',
        modelVersion: 'gem',
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, cachedContentTokenCount: 4 },
        modelStatus: { modelStage: 'DEPRECATED' },
        candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, continuationToken: 'dG9r' }],
      },
      {
        id: 'g1',
        model: 'gem',
        tokenIn: 9,
        tokenOut: 2,
        cacheRead: 4,
        details: { modelStatus: { modelStage: 'DEPRECATED' }, continuationToken: 'dG9r' },
      },
    ],
    [
      'bedrock',
      receiveBedrock,
      {
        usage: {
          inputTokens: 5,
          outputTokens: 2,
          cacheReadInputTokens: 3,
          cacheWriteInputTokens: 1,
          cacheDetails: [{ ttl: '1h', inputTokens: 1 }, { ttl: '5m' }, null],
        },
        ...bedrock('end_turn', { text: 'a' }),
      },
      { tokenIn: 9, tokenOut: 2, cacheRead: 3, cacheWrite: 1, cacheWrites: { '1h': 1 } },
    ],
    [
      'ai-sdk',
      receiveModelMessages,
      {
        ...sdk('stop', text),
        response: { id: 's1', modelId: 'm' },
        usage: { inputTokens: 9, outputTokens: 2, inputTokenDetails: { cacheReadTokens: 4, cacheWriteTokens: 1 } },
        providerMetadata: { anthropic: { container: { id: 'container_1' } } },
      },
      { id: 's1', model: 'm', tokenIn: 9, tokenOut: 2, cacheRead: 4, cacheWrite: 1, container: 'container_1' },
    ],
  ])('of %s', (_name, receive, reply, wanted) => {
    expect(receive(asked(), reply as never).reported).toMatchObject(wanted)
  })
})

describe('streams that clients put together', () => {
  it('of Claude give the same, whole, cut off and broken off', async () => {
    const events = (stop: string | undefined): readonly object[] => [
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'c',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'write', input: {} } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: stop === 'tool_use' ? '{"path":"/x"}' : '{"path":"/x","te' },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
    const streamed = async (stop: string): Promise<Received> => {
      const message = await MessageStream.fromReadableStream(lines(events(stop))).finalMessage()
      return receiveAnthropic(asked(), message)
    }
    expect(await streamed('tool_use')).toMatchObject({
      stop: 'calls',
      calls: [{ id: 'a', arguments: { path: '/x' } }],
      cut: [],
    })
    expect(await streamed('max_tokens')).toMatchObject({ stop: 'length', calls: [], cut: [{ id: 'a' }] })
  })

  it('of Chat Completions give the same', async () => {
    const streamed = async (stop: string, pieces: readonly string[]): Promise<Received> => {
      const chunk = (delta: object, finish: string | null = null): object => ({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason: finish }],
      })
      const call = { index: 0, id: 'a', type: 'function', function: { name: 'write', arguments: '' } }
      const stream = ChatCompletionStream.fromReadableStream(
        lines([
          chunk({ role: 'assistant', content: null, tool_calls: [call] }),
          ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
          chunk({}, stop),
        ]),
      )
      return receiveOpenAIChat(asked(), await stream.finalChatCompletion())
    }
    expect(await streamed('tool_calls', ['{"pa', 'th":1}'])).toMatchObject({
      stop: 'calls',
      calls: [{ arguments: { path: 1 } }],
    })
    expect(await streamed('length', ['{"pa'])).toMatchObject({ stop: 'length', calls: [], cut: [{ id: 'a' }] })
  })
})

describe('arguments that Gemini streams', () => {
  const piece = (functionCall: object, keys: object = {}): object => gemini(undefined, { functionCall, ...keys })
  const PIECES = [
    piece({ name: 'write', id: 'a', willContinue: true }, { thoughtSignature: 'c2ln' }),
    piece({ partialArgs: [{ jsonPath: '$.path', stringValue: '/tmp', willContinue: true }], willContinue: true }),
    piece({
      partialArgs: [
        { jsonPath: '$.path', stringValue: '/x' },
        { jsonPath: '$.mode', numberValue: 6 },
      ],
      willContinue: true,
    }),
    piece({
      partialArgs: [
        { jsonPath: "$.lines[0]['a b']", boolValue: true },
        { jsonPath: '$.lines[1].c', nullValue: 'NULL_VALUE' },
      ],
      willContinue: true,
    }),
  ]
  const ARGS = { path: '/tmp/x', mode: 6, lines: [{ 'a b': true }, { c: null }] }

  it('are one call, which goes back as a call without streaming does', () => {
    const ctx = asked()
    const { calls, stop } = receiveGemini(ctx, [...PIECES, piece({}), gemini('STOP')])
    expect(stop).toBe('calls')
    expect(calls).toMatchObject([{ id: 'a', name: 'write', arguments: ARGS }])
    ctx.tool('done', { kind: 'result', data_call_id: 'a' })
    expect(toGemini(ctx).contents[1]).toMatchObject({
      role: 'model',
      parts: [{ functionCall: { id: 'a', name: 'write', args: ARGS }, thoughtSignature: 'c2ln' }],
    })
  })

  it('of two calls, one after the other, with a whole call between', () => {
    const second = piece({ name: 'write', id: 'b', partialArgs: [{ jsonPath: '$.path', stringValue: '/y' }] })
    const { calls } = receiveGemini(asked(), [...PIECES, piece({}), gemini(undefined, functionCall), second])
    expect(calls.map(({ arguments: given }) => given)).toEqual([ARGS, { path: '/x' }, { path: '/y' }])
  })

  it('that do not end are cut off', () => {
    expect(receiveGemini(asked(), PIECES)).toMatchObject({ calls: [], cut: [{ id: 'a' }], stop: 'length' })
    expect(receiveGemini(asked(), [...PIECES, gemini('MAX_TOKENS')])).toMatchObject({ calls: [], cut: [{ id: 'a' }] })
  })

  it('have keys and indexes of any kind, and no others come of it', () => {
    const pieces = [
      piece({ name: 'write', willContinue: true }),
      piece({
        partialArgs: [
          { jsonPath: '$.__proto__.x', stringValue: 'y' },
          { jsonPath: '$.list[4000000000]', numberValue: 1 },
        ],
      }),
    ]
    const [call] = receiveGemini(asked(), pieces).calls
    expect(call!.argumentsText).toBe('{"__proto__":{"x":"y"},"list":[1]}')
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

it('a call that was cut off and gets whole arguments is a call again', () => {
  const ctx = asked()
  receiveAnthropic(ctx, claude('max_tokens', text, use) as never)
  expect(toAnthropic(ctx).messages).toHaveLength(2)
  ctx.replace("[kind='call']", { content: { ...use, input: { path: '/x', text: 'all of it' } } })
  ctx.tool('done', { kind: 'result', data_call_id: 'a' })
  const { messages, repairs } = toAnthropic(ctx)
  expect(repairs).toEqual([])
  expect(JSON.stringify(messages)).toContain('all of it')
})

function asked(): Context {
  const ctx = createContext({ clock: () => 0n })
  ctx.user('Write it.')
  return ctx
}

function requestsOf(ctx: Context): readonly string[] {
  return Object.values(ADAPTERS).map(({ to }) => JSON.stringify(to(ctx)))
}

function idsOf(calls: Received['calls']): readonly string[] {
  return calls.map(({ id }) => id)
}

/** Events as clients read them again: one JSON text a line. */
function lines(events: readonly object[]): ReadableStream {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  return new Response(text).body!
}
