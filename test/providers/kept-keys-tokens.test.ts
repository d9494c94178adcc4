// Keys that are kept with a message or a part: counted by `tokens` and budgets, and in a request exactly where the request has them.

import { createContext, type Context, type TokensOptions } from 'pact-context'
import { fromModelMessages, toModelMessages } from 'pact-context/ai-sdk'
import { fromAnthropic, toAnthropic } from 'pact-context/anthropic'
import { fromBedrock, toBedrock } from 'pact-context/bedrock'
import { fromGemini, toGemini } from 'pact-context/gemini'
import { fromMistral, toMistral } from 'pact-context/mistral'
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  receiveOpenAIChat,
  toOpenAIChat,
  toOpenAIResponses,
} from 'pact-context/openai'
import { OVERHEADS } from 'pact-context/tokens'
import { describe, expect, test } from 'vitest'

/** No text around it is as long. */
const LONG = 'thinking about it at length. '.repeat(100)

const options = { countTokens: (text: string) => text.length }
const question = { role: 'user', content: 'q' } as const

type To = NonNullable<TokensOptions['for']> & ((ctx: Context) => Readonly<{ repairs: readonly { code: string }[] }>)

const TO: Readonly<Record<string, To>> = {
  toOpenAIChat,
  toOpenAIResponses,
  toAnthropic,
  toBedrock,
  toGemini,
  toMistral,
  toModelMessages,
}

/** Conversations with a long value under a key that is not content, of the message or of a part. */
const FROM: Readonly<Record<string, () => Context>> = {
  'a message of Chat': () =>
    fromOpenAIChat({ messages: [question, { role: 'assistant', content: 'a', reasoning_content: LONG }] }, options),
  'a message of Chat with parts': () =>
    fromOpenAIChat(
      {
        messages: [
          question,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
            reasoning_content: LONG,
          },
        ],
      },
      options,
    ),
  'a nested value': () =>
    fromOpenAIChat(
      { messages: [question, { role: 'assistant', content: 'a', reasoning_details: [{ text: LONG }] }] },
      options,
    ),
  'a part of Chat': () =>
    fromOpenAIChat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'a', note: LONG }] }] }, options),
  'a part of Claude': () =>
    fromAnthropic(
      {
        messages: [
          question,
          {
            role: 'assistant',
            content: [
              {
                type: 'text',
                text: 'a',
                citations: [
                  {
                    type: 'char_location',
                    cited_text: LONG,
                    document_index: 0,
                    document_title: null,
                    start_char_index: 0,
                    end_char_index: 9,
                  },
                ],
              },
            ],
          },
          question,
        ],
      },
      options,
    ),
  'a message of Responses': () =>
    fromOpenAIResponses(
      {
        input: [
          question,
          {
            type: 'message',
            id: 'msg_1',
            status: 'completed',
            role: 'assistant',
            note: LONG,
            content: [{ type: 'output_text', text: 'a', annotations: [] }],
          },
        ],
      },
      options,
    ),
  'a part of Gemini': () => fromGemini({ contents: [{ role: 'user', parts: [{ text: 'a', note: LONG }] }] }, options),
  'a message of the AI SDK': () =>
    fromModelMessages([{ role: 'user', content: 'q', providerOptions: { own: { note: LONG } } }], options),
  'a message of Bedrock': () =>
    fromBedrock({ messages: [{ role: 'user', content: [{ text: 'q' }], note: LONG }] }, options),
  'a message of Mistral': () => fromMistral({ messages: [{ role: 'user', content: 'q', note: LONG }] }, options),
}

const DROPPED: ReadonlySet<string> = new Set(['a message of Bedrock in toBedrock', 'a message of Mistral in toMistral'])

const cases = Object.entries(FROM).flatMap(([from, make]) =>
  Object.entries(TO).map(([name, to]) => [from, name, make, to] as const),
)

describe('keys besides the content', () => {
  test.each(Object.entries(FROM))('of %s are in the tokens of a tree', (_from, make) => {
    const ctx = make()
    const { total } = ctx.tokens()
    expect(total).toBeGreaterThan(LONG.length)
    for (const by of ['region', 'depth', 'role', 'key', 'node'] as const) {
      const counted = ctx.tokens('working', { by })
      expect([counted.total, Object.values(counted.by).reduce((sum, each) => sum + each, 0)]).toEqual([total, total])
    }
  })

  test.each(cases)('of %s are in the tokens of %s if the request has them', (from, name, make, to) => {
    const ctx = make()
    const request = to(ctx)
    const isSent = JSON.stringify(request).includes(LONG)
    const { total } = ctx.tokens('@t0', { for: to })
    // Bedrock and Mistral refuse unknown keys. Their own adapters drop such keys with a repair, and count them all the same.
    const isDropped = DROPPED.has(`${from} in ${name}`) && request.repairs.some(({ code }) => code === 'dropped-key')
    expect(total > LONG.length).toBe(isSent || isDropped)
    for (const by of ['region', 'role', 'node'] as const) expect(ctx.tokens('@t0', { for: to, by }).total).toBe(total)
  })

  test('of every format are in a request of that format', () => {
    const sent = cases.filter(([, , make, to]) => JSON.stringify(to(make())).includes(LONG))
    expect(new Set(sent.map(([, to]) => to)).size).toBeGreaterThan(4)
  })

  test('are in a budget and its receipt', () => {
    const ctx = createContext({ prune: { maxTokens: 2000 } })
    for (let turn = 0; turn < 20; turn++) {
      ctx.user(`question ${turn}`)
      receiveOpenAIChat(ctx, { role: 'assistant', content: 'ok', reasoning_content: LONG })
      const { receipt } = ctx.commit()
      for (const { after } of receipt.limits) expect(after).toBe(ctx.tokens('@t0').total)
    }
    const { total, overhead = 0 } = ctx.tokens('@t0', { for: toOpenAIChat })
    expect(total - overhead).toBe(ctx.tokens('@t0').total)
    expect(total).toBeLessThan(2000)
    expect(toOpenAIChat(ctx).byteLength).toBeLessThan(3 * LONG.length)
  })

  test('that only say which message it is count nothing, nor do null and empty ones', () => {
    const ctx = createContext(options)
    receiveOpenAIChat(ctx, { role: 'assistant', content: 'ok', refusal: null, annotations: [] })
    expect(ctx.tokens().total).toBe(2)
  })

  test('count as text in any order, and base64 in them as media', () => {
    const counted = (message: object): number => {
      const ctx = createContext()
      ctx.user('q', { data_message: { ...message } })
      return ctx.tokens().total
    }
    const [a, b] = ['first words', 'других слов']
    expect(counted({ a, b })).toBe(counted({ b, a }))
    const url = `data:image/png;base64,${'A'.repeat(4000)}`
    expect(counted({ picture: { type: 'image_url', image_url: { url } } })).toBeGreaterThan(
      OVERHEADS.anthropic.image.unknown,
    )
    expect(counted({ picture: url })).toBeLessThan(OVERHEADS.anthropic.image.unknown + 10)
  })
})
