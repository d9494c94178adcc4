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
