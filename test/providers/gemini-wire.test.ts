// Gemini's generateContent today: lost signatures, names of tools, short forms of the client, and what other providers get of Gemini's own parts.

import type { ContentListUnion } from '@google/genai'
import { describe, expect, test } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { fromGemini, receiveGemini, toGemini } from '../../src/adapters/gemini/index.js'
import { createContext, importSnapshot, PactError, type Context } from '../../src/index.js'
import { FORMATS } from '../support/providers/formats.js'
import { checkGemini } from '../support/providers/gemini.js'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const OTHERS = FORMATS.filter(({ name }) => name !== 'gemini' && name !== 'gemini-interactions')

describe('a signature that is gone with its call', () => {
  const parallel = (thoughts: readonly object[] = []): Readonly<{ ctx: Context; ids: readonly string[] }> => {
    const ctx = createContext()
    ctx.user('Compare.')
    const parts = [
      ...thoughts,
      { functionCall: { name: 'a', args: {} }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'b', args: {} } },
    ]
    const { calls } = receiveGemini(ctx, { role: 'model', parts })
    for (const { id } of calls) ctx.tool('x', { kind: 'result', data_call_id: id })
    return { ctx, ids: calls.map(({ id }) => id) }
  }

  test.each([[[]], [[{ text: 'Two calls.', thought: true }]]])(
    'the next call has the stand-in, with a repair',
    (thoughts) => {
      const { ctx, ids } = parallel(thoughts)
      ctx.delete(`[data_call_id='${ids[0]}']`, { author: 'me', reason: 'private' })
      for (const each of [ctx, importSnapshot(ctx.export('preview'))]) {
        const made = toGemini(each)
        expect(checkGemini({ ...made }, { signatures: true })).toEqual([])
        expect(made.repairs.map(({ code }) => code)).toContain('added')
      }
    },
  )

  test('also if the call left history, where a marker is in its place', () => {
    const { ctx, ids } = parallel()
    ctx.commit()
    ctx.delete(`[data_call_id='${ids[0]}']`, { author: 'me', reason: 'private' })
    expect(JSON.stringify(toGemini(ctx).contents)).toContain('skip_thought_signature_validator')
  })

  test('a reply that is whole gets none, signed or not', () => {
    const { ctx, ids } = parallel()
    expect(toGemini(ctx).repairs).toEqual([])
    ctx.delete(`[data_call_id='${ids[1]}']`, { author: 'me', reason: 'private' })
    expect(JSON.stringify(toGemini(ctx).contents)).not.toContain('skip_thought')
    const unsigned = createContext()
    unsigned.user('Go.')
    const { calls } = receiveGemini(unsigned, {
      role: 'model',
      parts: [{ text: 'Yes.' }, { functionCall: { name: 'a', args: {} } }],
    })
    unsigned.tool('x', { kind: 'result', data_call_id: calls[0]!.id })
    expect(toGemini(unsigned).repairs).toEqual([])
  })
})

describe('names of tools', () => {
  test.each([
    ['a b', 'a_b'],
    ['[redacted]', '_redacted_'],
    ['7zip', '_7zip'],
    ['mcp.server:tool-1', 'mcp.server:tool-1'],
    ['', 'tool'],
    ['n'.repeat(130), 'n'.repeat(128)],
  ])('%j is %j in the call and in its response', (name, valid) => {
    const byHand = createContext()
    byHand.user('Go.')
    byHand.assistant({ name, arguments: {} }, { kind: 'call', data_call_id: 'c1' })
    byHand.tool('x', { kind: 'result', data_call_id: 'c1' })
    const contents = [
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name, args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name, response: { output: 'x' } } }] },
    ]
    for (const ctx of [byHand, fromGemini({ contents })]) {
      const made = toGemini(ctx)
      expect(made.contents[1]?.parts[0]?.functionCall?.name).toBe(valid)
      expect(made.contents[2]?.parts[0]?.functionResponse?.name).toBe(valid)
      expect(made.repairs.some(({ code }) => code === 'converted')).toBe(name !== valid)
    }
  })
})

test('a changed system instruction is a change at the start, in both forms', () => {
  const ctx = createContext()
  ctx.system.add('You help with flights.', { key: 'rules' })
  ctx.user('To Oslo.')
  ctx.assistant('When?')
  ctx.commit()
  ctx.system.replace('#rules', { content: 'You help with flights and trains.' })
  ctx.user('Friday.')
  for (const form of ['rest', 'sdk'] as const) {
    const { tokens, first } = ctx.prefix('@t0', 'preview', { for: toGemini, options: { form } })
    expect([tokens, first?.cause]).toEqual([0, expect.stringContaining('edited in cycle 2')])
  }
})

describe('fromGemini', () => {
  const user = (...parts: object[]): object => ({ role: 'user', parts })
  test.each<[ContentListUnion, object[]]>([
    ['Hello', [user({ text: 'Hello' })]],
    [{ text: 'Hello' }, [user({ text: 'Hello' })]],
    [
      ['Look:', { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } }],
      [user({ text: 'Look:' }, { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } })],
    ],
    [{ role: 'user', parts: [{ text: 'Hello' }] }, [user({ text: 'Hello' })]],
    [[{ role: 'user', parts: [{ text: 'Hello' }] }], [user({ text: 'Hello' })]],
  ])('takes the contents that the client takes: %j', (contents, sent) => {
    expect(toGemini(fromGemini({ contents })).contents).toEqual(sent)
  })

  test('reads what toGemini gives the client', () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    ctx.user('Hi')
    const made = toGemini(ctx, { form: 'sdk' })
    expect({ ...toGemini(fromGemini(made), { form: 'sdk' }) }).toEqual({ ...made })
  })

  test.each([5, null, undefined, {}, [5]])('refuses %j', (contents) => {
    expect(() => fromGemini({ contents } as never)).toThrow(PactError)
  })
})

describe('elsewhere', () => {
  test.each(OTHERS)('$name gets the pictures of a response', ({ name, check }) => {
    const ctx = fromGemini({
      contents: [
        { role: 'user', parts: [{ text: 'Draw.' }] },
        { role: 'model', parts: [{ functionCall: { name: 'draw', args: {} } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                name: 'draw',
                response: { size: 1 },
                parts: [{ inlineData: { mimeType: 'image/png', data: PICTURE } }],
              },
            },
          ],
        },
      ],
    })
    const made = ADAPTERS[name as 'anthropic'].to(ctx)
    const text = JSON.stringify({ ...made }, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    )
    expect(text).toContain(PICTURE)
    expect(text).toMatch(/size[\\": ]+1/)
    expect(check({ ...made })).toEqual([])
  })

  test.each(OTHERS)('$name gets code and what it printed as text, with a repair', ({ name, check }) => {
    const ctx = createContext()
    ctx.user('What is 6 times 7?')
    receiveGemini(ctx, {
      role: 'model',
      parts: [
        { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'forty-two' } },
        { text: 'It is 42.' },
      ],
    })
    ctx.user('Sure?')
    const made = ADAPTERS[name as 'anthropic'].to(ctx)
    const text = JSON.stringify({ ...made })
    for (const said of ['print(6 * 7)', 'forty-two', 'It is 42.']) expect(text).toContain(said)
    expect(made.repairs.filter(({ code }) => code === 'converted')).toHaveLength(2)
    expect(check({ ...made })).toEqual([])
    expect(toGemini(ctx).repairs).toEqual([])
  })
})

test('the report of a reply has the cache split, thoughts, the id and what the provider looked at', () => {
  const ctx = createContext()
  ctx.user('What is on that page?')
  const { reported } = receiveGemini(ctx, {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'News.' }] },
        finishReason: 'STOP',
        urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://example.com' }] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 900,
      toolUsePromptTokenCount: 50,
      cachedContentTokenCount: 800,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
    },
    responseId: 'r1',
    modelVersion: 'gemini-3',
  })
  expect(reported).toMatchObject({ id: 'r1', model: 'gemini-3', stop: 'end', providerStop: 'STOP' })
  expect(reported).toMatchObject({ tokenIn: 950, tokenOut: 25, cacheRead: 800 })
  expect(reported.details).toMatchObject({
    urlContextMetadata: { urlMetadata: [{}] },
    usageMetadata: { thoughtsTokenCount: 5 },
  })
})

test('a part of a kind of tomorrow goes back, and to no other provider', () => {
  const ctx = createContext()
  ctx.user('Look.')
  const parts = [
    { hologram: { depth: 3 }, thoughtSignature: 'c2ln' },
    { text: 'Here.', aura: 'blue' },
  ]
  receiveGemini(ctx, { role: 'model', parts })
  const { contents, repairs } = toGemini(ctx)
  expect([contents.at(-1), repairs]).toEqual([{ role: 'model', parts }, []])
  expect(toGemini(ctx, { unknown: 'drop' }).contents.at(-1)).toEqual({ role: 'model', parts: [{ text: 'Here.' }] })
})
