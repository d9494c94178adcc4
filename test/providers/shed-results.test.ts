// Shed results (D61) of every provider's form, for every provider: the request is valid, the call and the mark of an error stay, and the line is
// all that the result says.

import { beforeAll, describe, expect, test } from 'vitest'

import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'
import { carriedBy } from '../support/providers/carried.js'
import { FORMATS, recordedConversations, type Conversation } from '../support/providers/formats.js'
import { expectSame } from '../support/same.js'

/** Nothing is pruned, and every result that is longer than its line is shed. */
const SHEDS_ALL = { prune: { maxTokens: 1, protectSegments: 1_000_000, results: { keep: 0 } } } as const

describe('every recorded conversation whose results were shed', () => {
  let opened: readonly Readonly<{ each: Conversation; ctx: Context; shed: Context }>[] = []
  beforeAll(() => {
    opened = recordedConversations().flatMap((each) => {
      const ctx = each.open()
      const shed = ctx.fork('@t0', SHEDS_ALL)
      return shed.commit().receipt.shed.length === 0 ? [] : [{ each, ctx, shed }]
    })
  })

  test.each(FORMATS)('is valid for $name, with all its calls', ({ to, faults }) => {
    for (const { each, ctx, shed } of opened) {
      expectSame(faults(shed, each.thoughts), [], each.name)
      const [before, after] = [carriedBy({ ...to(ctx) }), carriedBy({ ...to(shed) })]
      expectSame(after.calls, before.calls, each.name)
      expectSame(after.results.length, before.results.length, each.name)
    }
    expect(opened.length).toBeGreaterThan(50)
  })

  test('gives every original back', () => {
    for (const { each, ctx, shed } of opened) {
      for (const { id } of shed.snapshot().receipt.shed) expectSame(shed.recall(id), ctx.node(id)!.content, each.name)
      // Without the limit, or the preview would shed them again.
      const whole = shed.fork('@t0', { prune: {} })
      for (const { id } of shed.snapshot().receipt.shed) whole.unshed(id)
      expectSame(carriedBy({ ...toOpenAIChat(whole) }), carriedBy({ ...toOpenAIChat(ctx) }), each.name)
    }
  })
})

describe.each([
  ['by hand', 'x'.repeat(200)],
  ['a value by hand', { rows: ['x'.repeat(200)] }],
  ['parts by hand', [{ type: 'text', text: 'x'.repeat(200) }]],
  ['Anthropic', { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x'.repeat(200) }] }],
  ['Responses', { type: 'function_call_output', call_id: 'c', output: 'x'.repeat(200) }],
  [
    'AI SDK',
    { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: ['x'.repeat(200)] } },
  ],
  ['Gemini', { functionResponse: { id: 'c', name: 'look', response: { output: 'x'.repeat(200) } } }],
  ['Bedrock', { toolResult: { toolUseId: 'c', content: [{ text: 'x'.repeat(200) }] } }],
])('a result in the form of %s', (_name, content) => {
  const line = '[result of look, 10 tokens, shed; recall block:1-3]'
  test.each(FORMATS)('is its line for $name', ({ to }) => {
    const ctx = createContext({ ...SHEDS_ALL, countTokens: (text) => (text.includes('xxx') ? 10 : 1) })
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'c' })
    ctx.tool(content, { kind: 'result', data_call_id: 'c' })
    expect(ctx.trim()).toMatchObject([{ id: 'block:1-3', standIn: 'block:1-3' }])
    const sent = JSON.stringify({ ...to(ctx) })
    expect(sent).toContain(line)
    expect(sent).not.toContain('xxx')
    expect(ctx.recall('block:1-3')).toEqual(content)
  })
})

describe('an error stays an error', () => {
  const x = 'x'.repeat(200)
  test.each([
    ['Anthropic', { type: 'tool_result', tool_use_id: 'c', is_error: true, content: x }],
    ['AI SDK', { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'error-json', value: [x] } }],
    ['Gemini', { functionResponse: { id: 'c', name: 'look', response: { error: x } } }],
    ['Bedrock', { toolResult: { toolUseId: 'c', status: 'error', content: [{ text: x }] } }],
  ])('in the form of %s', (name, content) => {
    const ctx = createContext(SHEDS_ALL)
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'c' })
    // A form of Bedrock is one only in a message of Bedrock's.
    const format = name === 'Bedrock' ? { data_format: 'bedrock' } : {}
    ctx.tool(content, { kind: 'result', data_call_id: 'c', ...format })
    expect(ctx.trim()).toHaveLength(1)
    const { content: line } = ctx.thread().at(-1)!
    expect(JSON.stringify(line)).toContain('shed; recall block:1-3]')
    expect(toAnthropic(ctx).messages.at(-1)?.content).toMatchObject([{ tool_use_id: 'c', is_error: true }])
    expect(toGemini(ctx).contents.at(-1)?.parts[0]?.functionResponse?.response).toHaveProperty('error')
    expect(toModelMessages(ctx).messages.at(-1)?.content).toMatchObject([{ output: { type: 'error-text' } }])
    expect(JSON.stringify(toBedrock(ctx).messages)).toContain('"status":"error"')
    expect(JSON.stringify(toOpenAIResponses(ctx).input)).toContain('shed; recall')
  })
})

test('a result of a tool that ran at the provider is never shed', () => {
  const ctx = createContext(SHEDS_ALL)
  ctx.user('Look.')
  const content = {
    type: 'web_search_tool_result',
    tool_use_id: 's',
    content: [{ encrypted_content: 'x'.repeat(300) }],
  }
  ctx.assistant(content, { kind: 'result', data_call_id: 's' })
  expect(ctx.trim()).toEqual([])
})
