// Parts that only their own provider has, rendered for every other one: words that can be read go along as text, and everything else has an entry in
// `repairs`.

import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import type { FormatName } from '../../src/formats/index.js'
import type { Context } from '../../src/index.js'

const NEEDLE = 'needle in a haystack'
const SECOND = 'another needle'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = 'JVBERi0='

type Row = readonly [what: string, format: FormatName, conversation: object]

const sdk = (...content: object[]): object => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content },
    { role: 'user', content: 'go' },
  ],
})
const bedrock = (content: object): object => ({ messages: [{ role: 'user', content: [{ text: 'q' }, content] }] })
const responses = (...items: object[]): object => ({
  input: [{ role: 'user', content: 'q' }, ...items, { role: 'user', content: 'go' }],
})
const chat = (said: object): object => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'x', ...said },
    { role: 'user', content: 'go' },
  ],
})
const ran = { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: {}, providerExecuted: true }
const found = (output: object): object => ({ type: 'tool-result', toolCallId: 'a', toolName: 'search', output })

const WORDS: readonly Row[] = [
  ['the result of a tool that the provider ran', 'ai-sdk', sdk(ran, found({ type: 'json', value: { fact: NEEDLE } }))],
  ['the error of such a tool', 'ai-sdk', sdk(ran, found({ type: 'error-text', value: NEEDLE }))],
  ['its parts', 'ai-sdk', sdk(ran, found({ type: 'content', value: [{ type: 'text', text: NEEDLE }] }))],
  [
    'a search result',
    'bedrock',
    bedrock({ searchResult: { source: 'https://a.example', title: 'A', content: [{ text: NEEDLE }] } }),
  ],
  ['a guarded text', 'bedrock', bedrock({ guardContent: { text: { text: NEEDLE, qualifiers: ['query'] } } })],
  ['the name of a document', 'bedrock', bedrock({ document: { name: NEEDLE, format: 'txt', source: { text: 'A.' } } })],
  [
    'a document with a list',
    'bedrock',
    bedrock({ document: { name: 'a', format: 'txt', source: { content: [{ text: NEEDLE }] } } }),
  ],
  [
    'the context of a document',
    'bedrock',
    bedrock({ document: { name: 'a', format: 'pdf', context: NEEDLE, source: { bytes: PDF } } }),
  ],
  [
    'what a picture was made of',
    'openai-responses',
    responses({ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PNG, revised_prompt: NEEDLE }),
  ],
]

/** The needle is in a key that only some formats have. */
const KEYS: readonly Row[] = [
  ['a thought next to a message', 'openai-chat', chat({ reasoning_content: NEEDLE })],
  ['the name of a speaker', 'openai-chat', { messages: [{ role: 'user', content: 'q', name: NEEDLE }] }],
  [
    'annotations of a message',
    'openai-chat',
    chat({ annotations: [{ type: 'url_citation', url_citation: { url: NEEDLE } }] }),
  ],
  [
    'annotations of a text',
    'openai-responses',
    responses({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'file_path', file_id: NEEDLE, index: 0 }] }],
    }),
  ],
  [
    'citations of Claude',
    'anthropic',
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [{ type: 'text', text: 'x', citations: [{ cited_text: NEEDLE }] }] },
      ],
    },
  ],
  [
    'citations of Bedrock',
    'bedrock',
    {
      messages: [
        { role: 'user', content: [{ text: 'q' }] },
        {
          role: 'assistant',
          content: [{ citationsContent: { content: [{ text: 'x' }], citations: [{ title: NEEDLE }] } }],
        },
      ],
    },
  ],
  [
    'the title of a file by its address',
    'anthropic',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', title: NEEDLE, source: { type: 'url', url: 'https://a.example/a.pdf' } }],
        },
      ],
    },
  ],
  [
    'the name of a file in a result',
    'ai-sdk',
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [{ ...ran, providerExecuted: false }] },
        {
          role: 'tool',
          content: [
            found({
              type: 'content',
              value: [{ type: 'file-data', data: PDF, mediaType: 'application/pdf', filename: `${NEEDLE}.pdf` }],
            }),
          ],
        },
      ],
    },
  ],
  [
    'the name of a text file',
    'ai-sdk',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', data: { type: 'text', text: 'x' }, mediaType: 'text/plain', filename: NEEDLE }],
        },
      ],
    },
  ],
]

const others = (format: FormatName): FormatName[] =>
  (Object.keys(ADAPTERS) as FormatName[]).filter((name) => name !== format)

const imported = (format: FormatName, conversation: object): Context =>
  (ADAPTERS[format].from as (given: object) => Context)(conversation)

describe.each(WORDS)('%s', (_what, format, conversation) => {
  it.each(others(format))('is a text for %s', (to) => {
    const { repairs, ...request } = ADAPTERS[to].to(imported(format, conversation))
    expect(JSON.stringify(request)).toContain(NEEDLE)
    expect(repairs.map(({ code }) => code)).toContain('converted')
  })

  it('goes back as it came', () => {
    const request = ADAPTERS[format].to(imported(format, conversation))
    expect(JSON.stringify(request)).toContain(NEEDLE)
    expect(request.repairs.map(({ code }) => code)).not.toContain('converted')
  })
})

describe.each(KEYS)('%s', (_what, format, conversation) => {
  it.each(others(format))('goes to %s or is listed', (to) => {
    const { repairs, ...request } = ADAPTERS[to].to(imported(format, conversation))
    const said = JSON.stringify(request).includes(NEEDLE)
    const codes = repairs.map(({ code }) => code).filter((code) => code === 'dropped-key' || code === 'left-out')
    expect([said, codes.length > 0]).toEqual([said, !said])
  })
})

it('nothing is listed for keys that say nothing', () => {
  const said = { type: 'output_text', text: 'x', annotations: [], logprobs: [] }
  const ctx = imported('openai-responses', responses({ role: 'assistant', content: [said] }))
  for (const to of others('openai-responses')) {
    const texts = ADAPTERS[to].to(ctx).repairs.filter(({ text }) => text.includes('annotations'))
    expect([to, texts]).toEqual([to, []])
  }
})

it('a text file is a document of Claude, and one that is no text is left out', () => {
  const file = (data: string): object => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'q' },
          { type: 'file', data, mediaType: 'text/markdown', filename: 'a.md' },
        ],
      },
    ],
  })
  const sent = (data: string) => ADAPTERS.anthropic.to(imported('ai-sdk', file(data)))
  const text = sent(Buffer.from(SECOND).toString('base64'))
  expect({ ...text }).toEqual({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'q' },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: SECOND }, title: 'a.md' },
        ],
      },
    ],
  })
  expect(sent(Buffer.from([0xc3, 0x28]).toString('base64')).repairs.map(({ code }) => code)).toEqual(['left-out'])
})

it.each([
  ['openai-responses', 'audio/wav'],
  ['openai-responses', 'video/mp4'],
  ['openai-chat', 'audio/ogg'],
  ['openai-chat', 'video/mp4'],
] as const)('%s has no place for %s, and it is no document', (to, mimeType) => {
  const parts = [{ text: 'Listen.' }, { inlineData: { mimeType, data: 'AAAA' } }]
  const request = ADAPTERS[to].to(imported('gemini', { contents: [{ role: 'user', parts }] }))
  expect(JSON.stringify(request)).not.toContain('AAAA')
  expect(request.repairs.map(({ code }) => code)).toEqual(['left-out'])
})
