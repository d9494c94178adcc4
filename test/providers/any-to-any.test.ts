// Any context renders for every provider, whichever it came from: every recorded conversation for all of them, valid there, with its calls and
// their arguments, its results and its pictures.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromOpenAIResponses, toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { carriedBy } from '../support/providers/carried.js'
import {
  judgeWithAnthropic,
  judgeWithGemini,
  judgeWithOpenAI,
  judgeWithResponses,
} from '../support/providers/clients.js'
import { FORMATS, recordedConversations, type Conversation } from '../support/providers/formats.js'
import { expectSame } from '../support/same.js'

describe('every recorded conversation', () => {
  // Opening all of them takes as long as rendering them: once is enough for all formats.
  let opened: readonly Readonly<{ each: Conversation; ctx: Context; carried: ReturnType<typeof carriedBy> }>[] = []
  beforeAll(() => {
    opened = recordedConversations().map((each) => {
      const ctx = each.open()
      const own = FORMATS.find((format) => format.name === each.format)!
      return { each, ctx, carried: carriedBy({ ...own.to(ctx) }) }
    })
  })
  afterAll(() => void (opened = []))

  test.each(FORMATS)('is valid for $name, with all its calls, results and pictures', ({ to, faults, carries }) => {
    for (const { each, ctx, carried } of opened) {
      expectSame(faults(ctx, each.thoughts), [], each.name)
      expectSame(carries(carriedBy({ ...to(ctx) })), carries(carried), each.name)
    }
    expect(opened.reduce((sum, { carried }) => sum + carried.calls.length, 0)).toBeGreaterThan(900)
  })
})

describe('the clients', () => {
  test.each([
    ['openai-chat', judgeWithOpenAI],
    ['openai-responses', judgeWithResponses],
    ['anthropic', judgeWithAnthropic],
    ['gemini', judgeWithGemini],
  ] as const)('send what is made for %s byte for byte, whatever it was made from', async (name, judge) => {
    const { to } = FORMATS.find((format) => format.name === name)!
    // The client for Gemini drops the snake_case keys that some of its own recordings have.
    const given = recordedConversations().filter(
      ({ format }, at) => at % 30 === 0 && (name !== format || name !== 'gemini'),
    )
    for (const each of given) {
      const { errors } = await judge({ ...to(each.open()) })
      expect({ [each.name]: errors }).toEqual({ [each.name]: [] })
    }
  })
})

test('a request to Claude begins with a user, also where pruning took the first message', () => {
  const ctx = createContext({ countTokens: (text) => text.length, prune: { maxTokens: 60, target: 1 } })
  ctx.user('A question of so many words that a budget takes it.')
  ctx.assistant('How can I help?')
  ctx.commit()
  ctx.user('Never mind.')
  ctx.commit()
  ctx.commit()
  const [first] = ctx.thread('@t0')
  expect(first?.role).toBe('assistant')
  const { messages, repairs } = toAnthropic(ctx)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(messages[0]?.content).toBe('(continued)')
  expect(repairs).toMatchObject([{ code: 'added', node: first?.id }])
  expect(toAnthropic(ctx, { repair: false }).messages[0]?.role).toBe('assistant')
})

test('a result that is gone is an error where the format has one (D48)', () => {
  const ctx = createContext()
  ctx.user('Look.')
  ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
  const gone = '[tool result no longer in context]'
  const result = { type: 'tool_result', tool_use_id: 'a', content: gone, is_error: true }
  expect(toAnthropic(ctx).messages.at(-1)?.content).toEqual([result])
  expect(toGemini(ctx).contents.at(-1)?.parts[0]?.functionResponse?.response).toEqual({ error: gone })
  const output = { type: 'error-text', value: gone }
  expect(toModelMessages(ctx).messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output }] })
  expect(toOpenAIChat(ctx).messages.at(-1)).toEqual({ role: 'tool', content: gone, tool_call_id: 'a' })
  expect(toOpenAIResponses(ctx).input.at(-1)).toMatchObject({ type: 'function_call_output', output: gone })
})

test.each([1, 50])('ids that come again every %i turns stand once for Claude, also after each commit', (every) => {
  const ctx = createContext()
  for (let n = 0; n < 200; n++) {
    const id = `call_${n % every}`
    ctx.user(`question ${n}`)
    ctx.assistant({ name: 'look', arguments: { n } }, { kind: 'call', data_call_id: id })
    ctx.tool(`answer ${n}`, { kind: 'result', data_call_id: id })
    ctx.commit()
    if (n % 60 !== 0 && n < 197) continue
    const made = toAnthropic(ctx)
    expect(checkAnthropic({ ...made })).toEqual([])
    // As a context that was never rendered gives it.
    expect(made.bytes).toEqual(toAnthropic(importSnapshot(ctx.export('@t0'))).bytes)
  }
})

test.each([
  ['https://example.com/a.pdf?page=2', 'document', 'application/pdf'],
  ['https://example.com/download', 'document', 'application/octet-stream'],
  ['https://example.com/a.JPG', 'image', 'image/jpeg'],
])('a file by its address, %s, is a %s', (url, type, mimeType) => {
  const file = { type: 'input_file', file_url: url }
  const ctx = fromOpenAIResponses({ input: [{ role: 'user', content: [file] }] })
  expect(toAnthropic(ctx).messages[0]?.content).toEqual([{ type, source: { type: 'url', url } }])
  expect(toGemini(ctx).contents[0]?.parts).toEqual([{ fileData: { mimeType, fileUri: url } }])
})
