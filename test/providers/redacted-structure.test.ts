// A redaction may match in what is no free text of a part: types, codes, ids, names of keys. The part is then sent as its words, without a key, or not at all.

import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { fromModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { fromGemini, toGemini } from '../../src/adapters/gemini/index.js'
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import type { Context } from '../../src/index.js'
import { brokenBytes } from '../support/providers/fuzz/judges.js'
import { typeFaults } from '../support/providers/request-types.js'

const ALL = '^seq .block'

describe('Claude', () => {
  const search = (): Context =>
    fromAnthropic({
      messages: [
        { role: 'user', content: 'News?' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                { type: 'web_search_result', url: 'https://a.example', title: 'Ann', encrypted_content: 'eA==' },
              ],
            },
            {
              type: 'text',
              text: 'Rain.',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'rain',
                  document_index: 0,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 4,
                },
              ],
            },
          ],
        },
        { role: 'user', content: 'More.' },
      ],
    })

  it.each(['Ann', 'result', 'e'])(
    'gets the words of a result in which %s was redacted, and no half of a call',
    (match) => {
      const ctx = search()
      ctx.redact(ALL, { match, with: 'x' })
      const { messages, repairs } = toAnthropic(ctx)
      const body = JSON.stringify(messages)
      expect(typeFaults('anthropic', { messages })).toEqual([])
      for (const gone of ['encrypted_content', 'server_tool_use', 'Ann']) {
        if (gone !== 'Ann' || match === 'Ann') expect(body).not.toContain(gone)
      }
      expect(repairs.map(({ code }) => code)).toContain('left-out')
    },
  )

  it('keeps what no redaction has touched', () => {
    const ctx = search()
    expect(ctx.redact(ALL, { match: 'nothing like it' })).toEqual([])
    expect(JSON.stringify(toAnthropic(ctx).messages)).toContain('encrypted_content')
  })

  it('gets a text without citations whose words were changed', () => {
    const ctx = search()
    ctx.redact(ALL, { match: 'Rain', with: 'Sun' })
    expect(toAnthropic(ctx).messages[1]?.content).toContainEqual({ type: 'text', text: 'Sun.' })
  })
})

it('a key of Gemini that a redaction makes the key of another format is a part of nobody', () => {
  const ctx = fromGemini({
    contents: [
      { role: 'user', parts: [{ text: 'Look.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'look', args: { arguments: 'x' } } }] },
    ],
  })
  ctx.redact(ALL, { match: 'Call', with: '' })
  expect(toOpenAIChat(ctx).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }])
  expect(toGemini(ctx).contents).toEqual([{ role: 'user', parts: [{ text: 'Look.' }] }])
})

it('the format of a message is none of its words', () => {
  const ctx = fromGemini({ contents: [{ role: 'user', parts: [{ text: 'gemini' }] }] })
  ctx.redact('^seq *', { match: 'gemini', with: 'x' })
  expect(toGemini(ctx).contents).toEqual([{ role: 'user', parts: [{ text: 'x' }] }])
})

it('Responses: no thought stays whose message a redaction has emptied', () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'refusal', refusal: 'No.' }],
    },
    { role: 'user', content: 'Why?' },
  ]
  const ctx = fromOpenAIResponses({ input })
  expect(toOpenAIResponses(ctx).input).toHaveLength(4)
  ctx.redact('^seq .block[role=assistant]', { match: 'refusal', with: '' })
  expect(toOpenAIResponses(ctx).input).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'user', content: 'Why?' },
  ])
})

it('Responses: no thought stays whose call a redaction has made another kind of item', () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'seen' },
  ]
  const ctx = fromOpenAIResponses({ input })
  expect(toOpenAIResponses(ctx).input).toEqual(input)
  ctx.redact('^seq .block[kind=call]', { match: 'a', with: '' })
  const { input: sent, repairs } = toOpenAIResponses(ctx)
  expect(sent).toEqual([{ role: 'user', content: 'Hi' }])
  expect(repairs.map(({ code }) => code)).toContain('left-out')
})

it('Responses: no approval stays whose request a redaction has changed', () => {
  const ctx = fromOpenAIResponses({
    input: [
      { role: 'user', content: 'What is new?' },
      { type: 'mcp_approval_request', id: 'mcpr_m0', server_label: 'tools', name: 'echo', arguments: '{}' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_m0', approve: true },
    ],
  })
  expect(toOpenAIResponses(ctx).input).toHaveLength(3)
  ctx.redact('^seq .block', { match: '0', with: '[x]' })
  const { input, repairs } = toOpenAIResponses(ctx)
  expect(input).toEqual([{ role: 'user', content: 'What is new?' }])
  expect(repairs.filter(({ code }) => code === 'left-out')).toHaveLength(2)
})

describe('a redaction in the bytes of a picture', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB'
  const q = { type: 'text', text: 'Look.' } as const
  const claude = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  const used = { type: 'tool_use', id: 'toolu_1', name: 'shoot', input: {} }
  const answered = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'A page.' }, claude] }
  const bytes = Uint8Array.from(atob(PNG), (unit) => unit.charCodeAt(0))
  const sdk = (data: unknown): Context =>
    fromModelMessages([{ role: 'user', content: [q, { type: 'file', data, mediaType: 'image/png' }] }])
  const FROM: Readonly<Record<string, () => Context>> = {
    claude: () => fromAnthropic({ messages: [{ role: 'user', content: [q, claude] }] }),
    'a result of claude': () =>
      fromAnthropic({
        messages: [
          { role: 'user', content: 'Look.' },
          { role: 'assistant', content: [used] },
          { role: 'user', content: [answered] },
        ],
      }),
    chat: () =>
      fromOpenAIChat({
        messages: [
          { role: 'user', content: [q, { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
        ],
      }),
    gemini: () =>
      fromGemini({
        contents: [{ role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: PNG } }] }],
      }),
    'bytes of the SDK': () => sdk(bytes),
    'tagged bytes of the SDK': () => sdk({ type: 'data', data: bytes }),
    'base64 of the SDK': () => sdk(PNG),
    'an address of the SDK': () => sdk(new URL('https://Goa.example/a.png')),
  }
  const rows = Object.entries(FROM).flatMap(([from, make]) =>
    Object.entries(ADAPTERS).map(([name, { to }]) => [from, name, make, to] as const),
  )

  it.each(rows)('%s: %s gets the words without it', (from, _name, make, to) => {
    const whole = JSON.stringify(to(make()))
    const ctx = make()
    ctx.redact('.block, .cont', { match: from.startsWith('an address') ? /https/ : /Goa|VBO/, reason: 'a name' })
    const request = to(ctx)
    expect(brokenBytes(request)).toEqual([])
    const body = JSON.stringify(request)
    expect(body).toMatch(/Look\.|A page\./)
    expect(body.length).toBeLessThanOrEqual(whole.length)
    for (const left of ['pact:', '[redacted]']) expect(body).not.toContain(left)
    expect(request.repairs.map(({ code }) => code)).toContain('left-out')
    expect(() => to(ctx, { repair: false })).not.toThrow()
  })
})

it('a file by its address, where others have bytes, is a file by its address for the others', () => {
  const url = 'https://a.example/x.pdf'
  const file = { type: 'file', file: { file_data: url, filename: 'x.pdf' } }
  const ctx = fromOpenAIChat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, file] }] })
  expect(toOpenAIChat(ctx).messages[0]!.content![1]).toEqual(file)
  const document = { type: 'document', title: 'x.pdf', source: { type: 'url', url } }
  expect(toAnthropic(ctx).messages[0]!.content[1]).toEqual(document)
  expect(toGemini(ctx).contents[0]!.parts[1]).toEqual({ fileData: { mimeType: 'application/pdf', fileUri: url } })
})
