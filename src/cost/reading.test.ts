// Messages and usage in the words of each format, and long texts as marks.

import { describe, expect, test } from 'vitest'

import type { JsonObject } from '../core/index.js'
import { readMessage, readSystem, timeOf } from './read-message.js'
import { TextMarks } from './shrink.js'
import { readUsage } from './usage.js'

describe('a message', () => {
  const shape = (message: JsonObject) => {
    const { role, blocks } = readMessage(message)
    return [
      role,
      ...blocks.map(({ kind, text, call }) => (call === undefined ? `${kind} ${text}` : `${kind} ${call}: ${text}`)),
    ]
  }

  test.each<[string, JsonObject, readonly string[]]>([
    ['OpenAI Chat', { role: 'user', content: 'Hi' }, ['user', 'text Hi']],
    [
      'OpenAI Chat, a call',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } }],
      },
      ['assistant', 'call c1: find {"a":1}'],
    ],
    ['OpenAI Chat, a result', { role: 'tool', tool_call_id: 'c1', content: 'ok' }, ['tool', 'result c1: ok']],
    ['SWE-agent, a result', { role: 'tool', tool_call_ids: ['c1'], content: 'ok' }, ['tool', 'result c1: ok']],
    [
      'Responses, a call',
      { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}' },
      ['assistant', 'call c1: find {}'],
    ],
    [
      'Claude',
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'Look.' },
          { type: 'tool_use', id: 'c1', name: 'find', input: { a: 1 } },
        ],
      },
      ['assistant', 'thought hm', 'text Look.', 'call c1: find {"a":1}'],
    ],
    [
      'Claude, results',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'ok' }] }] },
      ['tool', 'result c1: ok'],
    ],
    [
      'Gemini',
      { role: 'model', parts: [{ functionCall: { name: 'find', args: { a: 1 } } }] },
      ['assistant', 'call find: find {"a":1}'],
    ],
    [
      'the AI SDK',
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'find', output: { type: 'text', value: 'ok' } }],
      },
      ['tool', 'result c1: ok'],
    ],
    [
      'Bedrock',
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'find', input: {} } }] },
      ['assistant', 'call c1: find {}'],
    ],
    [
      'pi',
      { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'ok' }] },
      ['tool', 'result c1: ok'],
    ],
    ['pi, interrupted', { role: 'assistant', content: [] }, ['assistant']],
    ['ShareGPT', { from: 'gpt', value: 'Hi' }, ['assistant', 'text Hi']],
  ])('of %s', (_, message, expected) => {
    expect(shape(message)).toEqual(expected)
  })

  test('has the time in milliseconds, and pictures count without their bytes', () => {
    expect(readMessage({ role: 'user', content: 'Hi', timestamp: 1763681581544 }).at).toBe(1763681581544)
    expect(timeOf('2025-11-21T00:00:00Z')).toBe(Date.UTC(2025, 10, 21))
    expect(timeOf(1763681581)).toBe(1763681581000)
    expect(timeOf('soon')).toBeUndefined()
    const [picture] = readMessage({
      role: 'user',
      content: [{ type: 'image', source: { data: 'A'.repeat(9999) } }],
    }).blocks
    expect(picture).toEqual({ kind: 'text', text: 'image', media: 1500 })
  })

  test('the system text of a request comes with its tools', () => {
    expect(readSystem({ system: 'Be brief.', tools: [{ name: 'find' }] })?.blocks.map(({ text }) => text)).toEqual([
      '[{"name":"find"}]',
      'Be brief.',
    ])
    expect(readSystem({ messages: [] })).toBeUndefined()
  })
})

test.each([
  [
    'Claude',
    { input_tokens: 21, cache_creation_input_tokens: 188086, cache_read_input_tokens: 0, output_tokens: 393 },
    [0, 188086, 21, 393],
  ],
  [
    'Claude',
    { input_tokens: 21, cache_creation_input_tokens: 0, cache_read_input_tokens: 188086, output_tokens: 393 },
    [188086, 0, 21, 393],
  ],
  [
    'OpenAI',
    { prompt_tokens: 2006, completion_tokens: 300, prompt_tokens_details: { cached_tokens: 1920 } },
    [1920, 0, 86, 300],
  ],
  ['pi', { input: 3, output: 191, cacheRead: 10, cacheWrite: 1684 }, [10, 1684, 3, 191]],
  ['Gemini', { promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 5 }, [40, 0, 60, 5]],
])('usage as %s prints it', (_, usage, [read, write, plain, output]) => {
  expect(readUsage(usage)).toEqual({ read, write, plain, output })
})

test('usage that says nothing is none', () => {
  expect(readUsage(undefined)).toBeUndefined()
  expect(readUsage({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })).toBeUndefined()
})

test('marks count as the texts that they stand for, and are equal where these are', () => {
  const marks = new TextMarks((text) => text.length)
  const long = 'x'.repeat(500)
  const small = marks.shrink({ a: long, b: [long, 'short'], c: { d: `${long}y` } }) as {
    a: string
    b: string[]
    c: { d: string }
  }
  expect(JSON.stringify(small).length).toBeLessThan(100)
  expect(small.a).toBe(small.b[0])
  expect(small.a).not.toBe(small.c.d)
  expect(marks.count(`${small.a} ${small.c.d}`)).toBe(500 + 1 + 501)
})
