// Base64 in the part shapes of every provider, and texts that only look like it.

import { describe, expect, test } from 'vitest'

import type { JsonValue } from './json.js'
import { mediaIn, withoutMedia, type Media } from './media.js'

const B64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
const URL = `data:image/png;base64,${B64}`
const PDF = `data:application/pdf;base64,${B64}`

const HELD: readonly (readonly [what: string, content: JsonValue, kind: Media['kind']])[] = [
  ['a data URL by itself', URL, 'image'],
  ['OpenAI chat, image', { type: 'image_url', image_url: { url: URL, detail: 'high' } }, 'image'],
  ['OpenAI chat, audio', { type: 'input_audio', input_audio: { data: B64, format: 'wav' } }, 'audio'],
  ['OpenAI chat, file', { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }, 'file'],
  ['OpenAI chat, file without a data URL', { type: 'file', file: { file_data: B64, filename: 'a.pdf' } }, 'file'],
  ['OpenAI responses, image', { type: 'input_image', image_url: URL, detail: 'auto' }, 'image'],
  ['OpenAI responses, file', { type: 'input_file', file_data: PDF, filename: 'a.pdf' }, 'file'],
  [
    'OpenAI responses, screenshot',
    { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: URL } },
    'image',
  ],
  ['OpenAI responses, a made image', { type: 'image_generation_call', id: 'ig', result: B64 }, 'image'],
  ['OpenAI responses, encrypted reasoning', { type: 'reasoning', encrypted_content: B64, summary: [] }, 'opaque'],
  ['Anthropic, image', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: B64 } }, 'image'],
  [
    'Anthropic, document',
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: B64 } },
    'file',
  ],
  [
    'Anthropic, image in a result',
    {
      type: 'tool_result',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: B64 } }],
    },
    'image',
  ],
  ['Anthropic, signature', { type: 'thinking', thinking: 'hm', signature: B64 }, 'opaque'],
  ['Anthropic, redacted thinking', { type: 'redacted_thinking', data: B64 }, 'opaque'],
  ['Gemini, inlineData', { inlineData: { mimeType: 'image/jpeg', data: B64 } }, 'image'],
  ['Gemini, inline_data', { inline_data: { mime_type: 'audio/mp3', data: B64 } }, 'audio'],
  ['Gemini, thought signature', { functionCall: { name: 'f', args: {} }, thoughtSignature: B64 }, 'opaque'],
  ['AI SDK, image', { type: 'image', image: B64 }, 'image'],
  ['AI SDK, file', { type: 'file', data: B64, mediaType: 'application/pdf' }, 'file'],
  [
    'AI SDK, result',
    { type: 'tool-result', output: { type: 'content', value: [{ type: 'media', data: B64, mediaType: 'image/png' }] } },
    'image',
  ],
  ['AI SDK, image-data', { type: 'image-data', data: B64, mediaType: 'image/png' }, 'image'],
  ['MCP, image', { type: 'image', data: B64, mimeType: 'image/png' }, 'image'],
  ['MCP, resource', { type: 'resource', resource: { uri: 'file:///a', blob: B64, mimeType: 'audio/ogg' } }, 'audio'],
  [
    'the url-safe alphabet, with line breaks',
    { type: 'image', data: 'ab-_\n'.repeat(20), mimeType: 'image/png' },
    'image',
  ],
]

const ADDRESSED: readonly (readonly [what: string, content: JsonValue])[] = [
  ['OpenAI chat', { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
  ['OpenAI responses', { type: 'input_image', image_url: 'https://a.example/b.png' }],
  ['Anthropic', { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }],
  ['Gemini', { fileData: { fileUri: 'https://a.example/b', mimeType: 'image/png' } }],
  ['AI SDK', { type: 'image', image: 'https://a.example/b.png' }],
]

const TEXTS: readonly JsonValue[] = [
  'plain text',
  `look: ${URL}`, // is sent as text
  'data:text/plain,hello',
  'data:image/png;base64,not base64 at all',
  { type: 'text', text: B64 },
  { name: 'save', arguments: { data: B64 } },
  { data: 'word' },
  { format: 'json', data: 'word' },
  { type: 'file', data: 'short' },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hello' } },
  { type: 'tool_result', content: 'ok', result: B64 },
  { signature: 'Yours, Ada' },
  { url: 'https://a.example' },
  { type: 'search', url: 'https://a.example' },
  12n,
  null,
  ['a', { b: [true, 1.5] }],
]

describe('base64 in a content', () => {
  test.each(HELD)('%s', (_what, content, kind) => {
    for (const each of [content, [{ type: 'text', text: 'see' }, content] as JsonValue]) {
      if (Array.isArray(each) && typeof content === 'string') continue
      expect(mediaIn(each).map((media) => media.kind)).toEqual([kind])
      const rest = JSON.stringify(withoutMedia(each))
      expect(rest).not.toContain(B64.slice(0, 20))
      expect(rest).not.toContain('ab-_')
      expect(rest.length).toBeGreaterThan(1)
    }
  })

  test.each(ADDRESSED)('an image by its address is an image: %s', (_what, content) => {
    expect(mediaIn(content)).toEqual([{ kind: 'image', data: '', isLow: false }])
    expect(JSON.stringify(withoutMedia(content))).not.toContain('a.example')
  })

  test.each(TEXTS.map((content, i) => [i, content] as const))(
    'text %i is text, and comes back as it is',
    (_i, content) => {
      expect(mediaIn(content)).toEqual([])
      expect(withoutMedia(content)).toBe(content)
    },
  )

  test('is found with its bytes and the detail that is asked for, each once, in order', () => {
    const content = [
      { type: 'image_url', image_url: { url: URL, detail: 'low' } },
      { type: 'input_image', image_url: URL, detail: 'low' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ]
    expect(mediaIn(content)).toEqual([
      { kind: 'image', data: B64, isLow: true },
      { kind: 'image', data: B64, isLow: true },
      { kind: 'image', data: 'AAAA', isLow: false },
    ])
  })

  test('leaves everything around it, whatever its names are', () => {
    const content = JSON.parse(`{"__proto__":{"a":1},"b":"x","image_url":"${URL}","c":[1]}`) as JsonValue
    expect(JSON.stringify(withoutMedia(content))).toBe('{"__proto__":{"a":1},"b":"x","image_url":"","c":[1]}')
  })
})
