// A text that was cut inside an emoji has half of a character. Providers refuse such JSON, so a request has U+FFFD in its place, and the tree keeps what
// it has.

import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { type Context, createContext } from '../../src/index.js'

const HALF = 'build ok 🎉'.slice(0, 10)
const WHOLE = 'build ok \ufffd'

const PLACES: Readonly<Record<string, (ctx: Context) => void>> = {
  'a text': (ctx) => ctx.user(HALF),
  'a system text': (ctx) => ctx.system.add(HALF),
  'a context block': (ctx) => ctx.post(HALF, { key: 'note' }),
  'parts of a message': (ctx) => ctx.user([{ type: 'text', text: HALF }] as never),
  'the text of a result': (ctx) => called(ctx, { name: 'read', arguments: {} }, HALF),
  'the value of a result': (ctx) => called(ctx, { name: 'read', arguments: {} }, { [HALF]: [HALF] }),
  'arguments and their keys': (ctx) => called(ctx, { name: 'read', arguments: { [HALF]: HALF } }, 'ok'),
  'arguments as text': (ctx) => called(ctx, { name: 'read', arguments: JSON.stringify({ path: HALF }) }, 'ok'),
  'the name of a tool': (ctx) => called(ctx, { name: HALF, arguments: {} }, 'ok'),
  'the id of a call': (ctx) => called(ctx, { name: 'read', arguments: {} }, 'ok', HALF),
}

describe.each(Object.entries(ADAPTERS))('%s', (_name, adapter) => {
  it.each(Object.entries(PLACES))('%s', (place, put) => {
    const ctx = createContext()
    ctx.user('Read the log.')
    put(ctx)
    for (const lens of ['working', '@t0'] as const) {
      if (lens === '@t0') ctx.commit()
      const before = ctx.export(lens)
      const request = adapter.to(ctx, { lens })
      expect(halvesIn({ ...request })).toEqual([])
      expect(halvesIn(JSON.parse(request.chunks.join('')))).toEqual([])
      expect(ctx.export(lens)).toEqual(before)
      const codes = request.repairs.map(({ code }) => code)
      // Text of arguments is text, and its escapes are whole characters, unless the provider takes a value.
      if (place !== 'arguments as text') expect(codes).toContain('half-character')
    }
  })

  it('in everything of an imported conversation', () => {
    const ctx = createContext()
    for (const put of Object.values(PLACES)) put(ctx)
    const held = JSON.parse(JSON.stringify(adapter.to(ctx, { repair: false })))
    const again = (adapter.from as (conversation: unknown) => Context)(held)
    expect(halvesIn({ ...adapter.to(again) })).toEqual([])
    expect(JSON.parse(JSON.stringify(adapter.to(again, { repair: false })))).toEqual(held)
  })

  it('in the frame of a context block', () => {
    const ctx = createContext()
    ctx.post('Plan', { key: 'plan' })
    expect(halvesIn({ ...adapter.to(ctx, { blocks: { before: HALF } }) })).toEqual([])
  })
})

it('keeps two keys that differ only in what is replaced', () => {
  const ctx = createContext()
  called(ctx, { name: 'read', arguments: { 'a\ud83c': 1, 'a\ud83d': 2 } }, 'ok')
  const [, call] = toAnthropic(ctx).messages
  expect((call!.content as readonly { input: object }[])[0]!.input).toEqual({ 'a\ufffd': 1, 'a\ufffd\ufffd': 2 })
})

it('names the node', () => {
  const ctx = createContext()
  const { id } = ctx.user(HALF)
  const { messages, repairs } = toOpenAIChat(ctx)
  expect(messages).toEqual([{ role: 'user', content: WHOLE }])
  expect(repairs.map(({ code, node }) => [code, node])).toEqual([['half-character', id]])
})

function called(ctx: Context, call: object, result: unknown, id = 'a'): void {
  ctx.assistant(call, { kind: 'call', data_call_id: id })
  ctx.tool(result as never, { kind: 'result', data_call_id: id })
}

function halvesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [...halvesIn(key), ...halvesIn(each)])
}
