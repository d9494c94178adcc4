// Conversations and replies that were handed to the wrong adapter: each pair of formats is refused by name, and nothing is added.

import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import type { FormatName } from '../../src/formats/index.js'
import { type Context, createContext, PactError } from '../../src/index.js'

const CALLS: Readonly<Record<FormatName, Readonly<{ from: string; receive: string }>>> = {
  'openai-chat': { from: 'fromOpenAIChat', receive: 'receiveOpenAIChat' },
  'openai-responses': { from: 'fromOpenAIResponses', receive: 'receiveOpenAIResponses' },
  anthropic: { from: 'fromAnthropic', receive: 'receiveAnthropic' },
  gemini: { from: 'fromGemini', receive: 'receiveGemini' },
  'gemini-interactions': { from: 'fromGeminiInteractions', receive: 'receiveGeminiInteractions' },
  'ai-sdk': { from: 'fromModelMessages', receive: 'receiveModelMessages' },
  mistral: { from: 'fromMistral', receive: 'receiveMistral' },
  bedrock: { from: 'fromBedrock', receive: 'receiveBedrock' },
}

const REPLIES: Readonly<Record<FormatName, object>> = {
  'openai-chat': {
    choices: [
      {
        message: { role: 'assistant', content: null, tool_calls: [chatCall('t1abcdefg')] },
        finish_reason: 'tool_calls',
      },
    ],
  },
  'openai-responses': {
    object: 'response',
    status: 'completed',
    output: [{ type: 'function_call', call_id: 't1', name: 'look', arguments: '{}' }],
  },
  anthropic: {
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }],
  },
  gemini: { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] } }] },
  'gemini-interactions': {
    id: 'v1_1',
    status: 'requires_action',
    steps: [{ type: 'function_call', id: 't1', name: 'look', arguments: {} }],
  },
  'ai-sdk': {
    response: {
      messages: [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }] },
      ],
    },
  },
  mistral: {
    choices: [
      {
        message: { role: 'assistant', content: '', toolCalls: [chatCall('t1abcdefg')] },
        finishReason: 'tool_calls',
      },
    ],
  },
  bedrock: {
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'look', input: {} } }] } },
    stopReason: 'tool_use',
  },
}

/** Mistral's REST API spells messages and replies as OpenAI does. */
const isTaken = (format: FormatName, by: FormatName): boolean =>
  format === by || (format === 'openai-chat' && by === 'mistral')

const NAMES = Object.keys(CALLS) as FormatName[]

const PAIRS = NAMES.flatMap((format) => NAMES.map((by) => [format, by] as const))

/** A conversation with a call and its result, as the format has it. */
function conversationOf(format: FormatName): unknown {
  const ctx = createContext()
  ctx.user('Look.')
  ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 't1abcdefg' })
  ctx.tool('A cube.', { kind: 'result', data_call_id: 't1abcdefg' })
  return JSON.parse(JSON.stringify(ADAPTERS[format].to(ctx)))
}

describe.each(PAIRS)('%s, handed to %s', (format, by) => {
  const { from } = ADAPTERS[by]

  it('as a conversation', () => {
    const read = (): Context => (from as (conversation: unknown) => Context)(conversationOf(format))
    if (isTaken(format, by)) expect(JSON.stringify(ADAPTERS[by].to(read()))).toMatch(/"look".*A cube\./)
    else expect(refusalOf(read)).toContain(`use ${CALLS[format].from}.`)
  })

  it.each(['reply', 'message of the reply'])('as a %s', (what) => {
    const ctx = createContext()
    ctx.user('Look.')
    const before = ctx.export('working')
    const reply = what === 'reply' ? REPLIES[format] : messageIn(REPLIES[format])
    const receive = () => ctx.receive(reply, { from })
    if (isTaken(format, by)) {
      expect(receive().calls.map(({ name }) => name)).toEqual(['look'])
      return
    }
    expect(refusalOf(receive)).toContain(`use ${CALLS[format].receive}.`)
    expect(ctx.export('working')).toEqual(before)
  })
})

const CALLED = { type: 'function_call', call_id: 't1', name: 'look', arguments: '{}' }
const GEMINI_CALL = { functionCall: { name: 'look', args: {} } }
const CLAUDE_CALL = { type: 'tool_use', id: 't1', name: 'look', input: {} }
const CHOICE = { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [chatCall('t1')] } }

/** Pieces of replies and streams, with the adapters that take them; every other one refuses them. */
const PIECES: Readonly<Record<string, Readonly<{ given: unknown; takenBy?: readonly FormatName[] }>>> = {
  'events of Claude': {
    given: [
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: CLAUDE_CALL },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ],
  },
  'blocks of Claude': { given: [CLAUDE_CALL] },
  'texts of Claude': { given: [{ type: 'text', text: 'Look.' }] },
  'an error of Claude': { given: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
  'an entry of a batch of Claude': {
    given: { custom_id: 'a', result: { type: 'succeeded', message: { role: 'assistant', content: [CLAUDE_CALL] } } },
  },
  'chunks of Chat Completions': {
    given: [
      { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { tool_calls: [chatCall('t1abcdefg')] } }] },
    ],
    takenBy: ['mistral'],
  },
  'a chunk of Chat Completions': {
    given: { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { tool_calls: [chatCall('t1')] } }] },
  },
  'a choice': { given: CHOICE },
  'a list of choices': { given: [CHOICE] },
  'a message with an older call': {
    given: { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
    takenBy: ['openai-chat'],
  },
  'events of Responses': {
    given: [
      { type: 'response.created', response: { status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item: CALLED },
      { type: 'response.completed', response: { object: 'response', status: 'completed', output: [CALLED] } },
    ],
  },
  'the last event of Responses': {
    given: { type: 'response.completed', response: { object: 'response', status: 'completed', output: [CALLED] } },
  },
  'an item of Responses': { given: CALLED },
  'a message of Responses': {
    given: { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Look.' }] },
  },
  'a refusal of Responses': {
    given: { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
  },
  'pieces of Gemini': {
    given: [{ candidates: [{ content: { role: 'model', parts: [GEMINI_CALL] } }] }],
    takenBy: ['gemini'],
  },
  'parts of Gemini': { given: [GEMINI_CALL] },
  'a candidate of Gemini': { given: { content: { role: 'model', parts: [GEMINI_CALL] }, finishReason: 'STOP' } },
  'steps of an interaction': { given: [{ type: 'function_call', id: 't1', name: 'look', arguments: {} }] },
  'events of an interaction': {
    given: [
      { event_type: 'interaction.created', interaction: { id: 'v1', status: 'in_progress' } },
      {
        event_type: 'step.start',
        index: 0,
        step: { type: 'function_call', id: 't1', name: 'look', arguments: {} },
      },
      { event_type: 'step.stop', index: 0 },
      { event_type: 'interaction.completed', interaction: { id: 'v1', status: 'requires_action' } },
    ],
    takenBy: ['gemini-interactions'],
  },
  'events of Mistral': {
    given: [{ data: { choices: [{ index: 0, delta: { content: '', toolCalls: [chatCall('t1abcdefg')] } }] } }],
    takenBy: ['mistral'],
  },
  'events of Bedrock': {
    given: [
      { messageStart: { role: 'assistant' } },
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't1', name: 'look' } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } } },
      { messageStop: { stopReason: 'tool_use' } },
    ],
    takenBy: ['bedrock'],
  },
  'all that generateText gives': {
    given: {
      text: '',
      content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }],
      toolCalls: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }],
      finishReason: 'tool-calls',
      steps: [{ response: { messages: [] } }],
      response: {
        id: 'r1',
        messages: [
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }] },
        ],
      },
    },
    takenBy: ['ai-sdk'],
  },
  'all that version 7 gives': {
    given: {
      text: '',
      steps: [],
      responseMessages: [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }] },
      ],
    },
    takenBy: ['ai-sdk'],
  },
  'what a model of the AI SDK gives': {
    given: { content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: '{}' }], usage: {} },
  },
  'parts of a stream of the AI SDK': {
    given: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }, { type: 'finish' }],
  },
  'a UI message': {
    given: { id: 'm1', role: 'assistant', parts: [{ type: 'tool-look', toolCallId: 't1', state: 'input-available' }] },
  },
  'UI messages': { given: [{ id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Look.' }] }] },
  'a message of LangChain': {
    given: { content: '', tool_calls: [{ name: 'look', args: {}, id: 't1' }], response_metadata: {} },
  },
  'a reply in a wrapper': { given: { status: 200, data: { choices: [CHOICE] } } },
  'a reply as text': { given: JSON.stringify({ choices: [CHOICE] }) },
  'a promise': { given: Promise.resolve({ choices: [CHOICE] }) },
  'a stream': { given: { async *[Symbol.asyncIterator]() {} } },
  'no reply': { given: undefined },
}

describe.each(Object.entries(PIECES))('%s', (_what, { given, takenBy = [] }) => {
  it.each(NAMES)('are taken whole by %s, or refused', (by) => {
    const ctx = createContext()
    ctx.user('Look.')
    const before = ctx.export('working')
    const receive = () => ctx.receive(given, { from: ADAPTERS[by].from })
    if (takenBy.includes(by)) {
      expect(receive().calls.map(({ name }) => name)).toEqual(['look'])
      return
    }
    expect(refusalOf(receive)).not.toBe('nothing was refused')
    expect(ctx.export('working')).toEqual(before)
  })
})

it('a UI message is refused by name, and so is the output of Responses that Claude might take', () => {
  const receive = (given: unknown, by: FormatName): string =>
    refusalOf(() => createContext().receive(given, { from: ADAPTERS[by].from }))
  expect(receive(PIECES['a UI message']!.given, 'openai-chat')).toContain('use fromUIMessages.')
  expect(receive(PIECES['a message of Responses']!.given, 'anthropic')).toContain('use receiveOpenAIResponses.')
  expect(receive(PIECES['steps of an interaction']!.given, 'openai-responses')).toContain(
    'use receiveGeminiInteractions.',
  )
  expect(receive(PIECES['events of Responses']!.given, 'openai-responses')).toContain('the response at its end')
})

it.each<readonly [string, object[], string]>([
  ['words alone', [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }], 'Hi'],
  ['a message without its type', [{ role: 'assistant', content: 'Hi' }], 'Hi'],
  ['an item of tomorrow next to words', [{ type: 'hologram' }, { role: 'assistant', content: 'Hi' }], 'Hi'],
  ['nothing', [], ''],
])('the output of a response is taken: %s', (_what, output, text) => {
  const ctx = createContext()
  ctx.user('Hello.')
  ctx.receive(output, { from: ADAPTERS['openai-responses'].from })
  expect(JSON.stringify(ADAPTERS['openai-responses'].to(ctx))).toContain(text)
})

/** Texts alone have no sign of their format, and the key that holds them is all that tells. */
describe('a conversation of texts', () => {
  const fromOf = (by: FormatName) => ADAPTERS[by].from as (conversation: unknown) => Context

  it.each([
    ['messages of any provider', [{ role: 'user', content: 'Hi' }], 'Message 0 has content and no parts'],
    ['parts with a type', [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], 'Message 0 has content and no'],
    ['parts of Bedrock', [{ role: 'user', content: [{ text: 'Hi' }] }], 'use fromBedrock.'],
    ['a call after a text', [{ role: 'user', content: 'Hi' }, { tool_calls: [chatCall('t1')] }], 'use fromOpenAIChat.'],
  ])('%s is not taken for contents of Gemini', (_what, contents, says) => {
    expect(refusalOf(() => fromOf('gemini')({ contents }))).toContain(says)
  })

  it.each(NAMES.filter((name) => !name.startsWith('gemini')))('UI messages are not taken by %s', (by) => {
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    const given = by === 'openai-responses' ? { input: messages } : { messages }
    expect(refusalOf(() => fromOf(by)(given))).toContain('looks like a UI message of the AI SDK; use fromUIMessages.')
  })

  it.each([
    ['messages', [{ role: 'user', content: 'Hi' }], 'use fromOpenAIResponses.'],
    ['contents of Gemini', [{ role: 'user', parts: [{ text: 'Hi' }] }], 'use fromGemini.'],
  ])('%s are not taken for steps of an interaction', (_what, input, says) => {
    expect(refusalOf(() => fromOf('gemini-interactions')({ input }))).toContain(says)
  })
})

function chatCall(id: string): object {
  return { id, type: 'function', function: { name: 'look', arguments: '{}' } }
}

/** Many keep only the message, or the output, of a reply. */
function messageIn(reply: object): object {
  const { choices, candidates, output, response } = reply as Record<string, never>
  if (choices !== undefined) return (choices as { message: object }[])[0]!.message
  if (candidates !== undefined) return (candidates as { content: object }[])[0]!.content
  if (Array.isArray(output)) return output
  if (output !== undefined) return (output as { message: object }).message
  return response === undefined ? reply : (response as { messages: object[] }).messages
}

function refusalOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (!PactError.is(error)) throw error
    expect(error.code).toBe('E_CONTENT_INVALID')
    return error.message
  }
  return 'nothing was refused'
}
