// Counters made of a tokenizer and a table: what they add to a text, and to which nodes.

import { createContext, type Node } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { refusal } from '../../test/support/refusal.js'
import { createCounter, createEstimate, estimate, o200k, OVERHEADS, type Overhead } from './index.js'
import { imageTokens } from './overheads.js'

const count = (text: string): number => text.length

function blockOf(content: Parameters<ReturnType<typeof createContext>['user']>[0], header = {}): Node {
  return createContext().user(content, header)
}

describe('a counter of a tokenizer', () => {
  test('counts texts by it, and nothing for a message unless it is told', () => {
    const counter = createCounter({ count })
    expect([counter('four'), counter('four', blockOf('four')), counter('', blockOf(''))]).toEqual([4, 4, 0])
  })

  test('adds the row of a provider: for each message, and for one with a name', () => {
    const counter = createCounter({ count, overhead: OVERHEADS.openai })
    expect(counter('four', blockOf('four'))).toBe(4 + 3)
    expect(counter('four', blockOf('four', { data_message: { name: 'ada' } }))).toBe(4 + 3 + 1)
    expect(counter('four', createContext().pre('four'))).toBe(4)
    expect(counter('four')).toBe(4)
  })

  test('comes to what Anthropic documents for a greeting with a system line, up to its tokenizer', () => {
    const ctx = createContext({ countTokens: createCounter({ count: o200k, overhead: OVERHEADS.anthropic }) })
    ctx.system.add('You are a scientist', { role: 'system' })
    ctx.user('Hello, Claude')
    expect(Math.abs(ctx.tokens().total - 14)).toBeLessThanOrEqual(1)
  })

  test('reads letters beyond ASCII in JSON as they are, not as they are escaped', () => {
    const seen: string[] = []
    const counter = createCounter({ count: (text) => seen.push(text) })
    const ctx = createContext({ countTokens: counter })
    ctx.user({ a: 'é漢😀', b: '\\u00e9', c: '\n"' })
    ctx.tokens()
    expect(seen).toEqual(['{"a":"é漢😀","b":"\\\\u00e9","c":"\\n\\""}'])
  })

  test.each([[undefined], [null], [{}], [{ count: 3 }], [{ count, overhead: 3 }], [{ count, overhead: {} }]])(
    'refuses %j',
    (options) => {
      expect(refusal(() => createCounter(options as { count: typeof count }))).toBe('E_CONTENT_INVALID')
    },
  )

  test.each([
    ['message', { message: -1 }],
    ['a missing image', { image: undefined }],
    ['a tile', { image: { unknown: 1, tile: 0 } }],
    ['an unknown size', { image: { pixelsPerToken: 750 } }],
    ['a text for a number', { file: '3' }],
  ])('refuses a row with a bad part: %s', (_what, part) => {
    const overhead = { ...OVERHEADS.openai, ...part } as Overhead
    expect(refusal(() => createEstimate({ overhead }))).toBe('E_CONTENT_INVALID')
  })

  test('keeps the row as it was given', () => {
    const row = { ...OVERHEADS.openai, message: 5 }
    const counter = createCounter({ count, overhead: row })
    row.message = 50
    expect(counter('', blockOf(''))).toBe(5)
    expect(Object.isFrozen(OVERHEADS.openai.image)).toBe(true)
  })
})

describe('images', () => {
  const { openai, anthropic, gemini } = OVERHEADS
  test.each([
    ['openai', openai.image, 1024, 1024, 765], // 768 × 768, four tiles
    ['openai', openai.image, 2048, 4096, 1105], // 768 × 1536, six tiles
    ['openai', openai.image, 100, 100, 255],
    ['anthropic', anthropic.image, 750, 1000, 1000],
    ['anthropic', anthropic.image, 6000, 6000, Math.ceil(1568 ** 2 / 750)],
    ['gemini', gemini.image, 384, 384, 258],
    ['gemini', gemini.image, 385, 10, 258],
    ['gemini', gemini.image, 1536, 769, 4 * 258],
  ])('by %s: %#', (_provider, rule, width, height, tokens) => {
    expect(imageTokens(rule, { width, height }, false)).toBe(tokens)
  })

  test('of low detail or unknown size are in the table', () => {
    expect(imageTokens(openai.image, { width: 9999, height: 9999 }, true)).toBe(85)
    expect(imageTokens(anthropic.image, { width: 75, height: 10 }, true)).toBe(1)
    expect(imageTokens(anthropic.image, undefined, false)).toBe(1600)
  })

  test('a PNG of one pixel is hardly anything, however long its base64, and never counts as text', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
    const data = png.slice(0, -4) + 'A'.repeat(400_000)
    const part = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const ctx = createContext()
    ctx.user([part])
    expect(ctx.tokens().total).toBeLessThan(60)
    const plain = createContext({ countTokens: (text) => text.length })
    plain.user([part])
    expect(plain.tokens().total).toBeLessThan(100)
    expect(estimate('x', ctx.user([part]))).toBe(1 + 1)
  })

  test('files and recordings are numbers of the table', () => {
    const counter = createCounter({ count: () => 0, overhead: { ...gemini, file: 11, audio: 7 } })
    const parts = [
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    ]
    expect(counter('', blockOf(parts))).toBe(18)
  })
})
