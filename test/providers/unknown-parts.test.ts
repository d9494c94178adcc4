// Parts that a provider itself sent go back to it, also parts and keys that are newer than our tables. A part that was edited, came from elsewhere or was written by
// hand is checked.

import { isDeepStrictEqual } from 'node:util'

import { describe, expect, it } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import type { FormatName } from '../../src/formats/index.js'
import { fromOpenAIChat, toOpenAIChat } from '../../src/adapters/openai/index.js'
import { type Context, createContext } from '../../src/index.js'

type Json = Record<string, unknown>

/** A reply with a part of tomorrow and a key of tomorrow, and both as the request should have them. */
type Row = Readonly<{
  reply: object
  /** A conversation with the same parts. */
  conversation: object
  part: Json
  keyed: Json
  /** The keyed part without its key. */
  bare: Json
}>

const PART = { type: 'hologram', scene: { shape: 'cube' }, id: 'hg_1' }
const TEXT = { type: 'text', text: 'Here.' }

const ROWS: Readonly<Partial<Record<FormatName, Row>>> = {
  anthropic: row({
    part: PART,
    keyed: { ...TEXT, shade: 'blue' },
    bare: TEXT,
    reply: (content) => ({ role: 'assistant', content, stop_reason: 'end_turn' }),
    conversation: (content) => ({ messages: [user('Hi'), { role: 'assistant', content }, user('More')] }),
  }),
  'openai-chat': row({
    part: { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    keyed: { ...TEXT, shade: 'blue' },
    bare: TEXT,
    reply: (content) => ({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
    conversation: (content) => ({ messages: [user('Hi'), { role: 'assistant', content }, user('More')] }),
  }),
  'openai-responses': row({
    part: PART,
    keyed: { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}', shade: 'blue' },
    bare: { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
    reply: (output) => ({ status: 'completed', output }),
    conversation: (items) => ({ input: [user('Hi'), ...items, user('More')] }),
  }),
  gemini: row({
    part: { hologram: { shape: 'cube' }, thoughtSignature: 'c2ln' },
    keyed: { text: 'Here.', shade: 'blue' },
    bare: { text: 'Here.' },
    reply: (parts) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }),
    conversation: (parts) => ({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts },
        { role: 'user', parts: [{ text: 'More' }] },
      ],
    }),
  }),
  'ai-sdk': row({
    part: PART,
    keyed: { ...TEXT, shade: 'blue' },
    // The SDK lets keys pass that it does not know.
    bare: { ...TEXT, shade: 'blue' },
    reply: (content) => ({ response: { messages: [{ role: 'assistant', content }] } }),
    conversation: (content) => ({ messages: [user('Hi'), { role: 'assistant', content }, user('More')] }),
  }),
  mistral: row({
    part: PART,
    keyed: { ...TEXT, shade: 'blue' },
    bare: TEXT,
    reply: (content) => ({ choices: [{ message: { role: 'assistant', content }, finishReason: 'stop' }] }),
    conversation: (content) => ({ messages: [user('Hi'), { role: 'assistant', content }, user('More')] }),
  }),
  bedrock: row({
    part: { hologram: { shape: 'cube' } },
    keyed: { toolUse: { toolUseId: 't1', name: 'look', input: {}, shade: 'blue' } },
    bare: { toolUse: { toolUseId: 't1', name: 'look', input: {} } },
    reply: (content) => ({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' }),
    conversation: (content) => ({
      messages: [
        { role: 'user', content: [{ text: 'Hi' }] },
        { role: 'assistant', content },
        { role: 'user', content: [{ text: 'More' }] },
      ],
    }),
  }),
}

describe.each(Object.entries(ROWS))('%s', (name, { part, keyed, bare, reply, conversation }) => {
  const { to, from } = ADAPTERS[name as FormatName]
  const received = (): Context => {
    const ctx = createContext()
    ctx.user('Hi')
    ctx.receive(reply, { from })
    return ctx
  }
  const texts = (ctx: Context, options?: object): readonly string[] => {
    const body = JSON.stringify(to(ctx, options))
    return [part, keyed, bare].map((each) => (contains(JSON.parse(body), each) ? 'there' : 'left out'))
  }
  const isSame = JSON.stringify(keyed) === JSON.stringify(bare)

  it('gives back a part and a key that its reply brought', () => {
    const ctx = received()
    expect(texts(ctx)).toEqual(['there', 'there', isSame ? 'there' : 'left out'])
    ctx.commit()
    expect(texts(ctx)).toEqual(['there', 'there', isSame ? 'there' : 'left out'])
  })

  it('gives back what was imported in its form', () => {
    const ctx = (from as (given: object) => Context)(conversation)
    expect(texts(ctx)).toEqual(['there', 'there', isSame ? 'there' : 'left out'])
  })

  it("leaves both out with unknown: 'drop', and says so", () => {
    const ctx = received()
    expect(texts(ctx, { unknown: 'drop' })).toEqual(['left out', isSame ? 'there' : 'left out', 'there'])
    const codes = to(ctx, { unknown: 'drop' }).repairs.map(({ code }) => code)
    expect(codes).toContain('left-out')
    if (!isSame) expect(codes).toContain('dropped-key')
  })

  it('checks what was edited', () => {
    const ctx = received()
    const marks = (): number => new TextDecoder().decode(ctx.export('working')).split(`"data_wire":"${name} `).length
    const before = marks()
    ctx.redact('.block', { match: name === 'openai-chat' ? 'Hm.' : 'cube' })
    expect(texts(ctx)[0]).toBe('left out')
    expect(JSON.stringify(to(ctx))).not.toContain('[redacted]')
    // No digest of what was redacted is left.
    expect(marks()).toBe(before - 1)
  })

  it('gives other providers nothing of it', () => {
    for (const [other, adapter] of Object.entries(ADAPTERS)) {
      if (other === name) continue
      expect(contains(JSON.parse(JSON.stringify(adapter.to(received()))), part), other).toBe(false)
    }
  })

  it('checks a part that was written by hand', () => {
    const ctx = createContext()
    ctx.user('Hi')
    ctx.assistant([part] as never)
    expect(contains(JSON.parse(JSON.stringify(to(ctx))), part)).toBe(false)
  })
})

it("keys of Chat Completions that only compatible servers have are kept, also after an edit, and left out with unknown: 'drop'", () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const picture = { url: 'https://example.com/a.png', detail: 'low' }
  const plain = [
    user('Hi'),
    { role: 'assistant', content: 'Hm.', tool_calls: [call] },
    { role: 'tool', content: 'A cube.', tool_call_id: 'c1' },
    { role: 'user', content: [{ type: 'image_url', image_url: picture }], name: 'Ann' },
  ]
  const keyed: Json[] = structuredClone(plain)
  Object.assign(keyed[1]!, { reasoning_content: 'Let me look.' })
  Object.assign((keyed[1]!['tool_calls'] as Json[])[0]!, { index: 0, extra_content: { google: {} } })
  Object.assign(keyed[2]!, { is_error: false })
  Object.assign((keyed[3]!['content'] as Json[])[0]!, { image_url: { ...picture, max_pixels: 9 } })
  const ctx = fromOpenAIChat({ messages: keyed })
  expect(toOpenAIChat(ctx)).toMatchObject({ messages: keyed, repairs: [] })
  const { messages, repairs } = toOpenAIChat(ctx, { unknown: 'drop' })
  expect(messages).toEqual(plain)
  expect(repairs.map(({ code, text }) => `${code} ${/without (.*):/.exec(text)?.[1]}`)).toEqual([
    'dropped-key reasoning_content',
    'dropped-key extra_content, index',
    'dropped-key is_error',
    'dropped-key max_pixels',
  ])
  ctx.replace(".block[kind='text']", { content: 'Well.' })
  expect(toOpenAIChat(ctx).messages[1]).toMatchObject({ content: 'Well.', reasoning_content: 'Let me look.' })
})

function user(content: string): Json {
  return { role: 'user', content }
}

function row({
  part,
  keyed,
  bare,
  reply,
  conversation,
}: Readonly<{
  part: Json
  keyed: Json
  bare: Json
  reply: (parts: readonly Json[]) => object
  conversation: (parts: readonly Json[]) => object
}>): Row {
  return { part, keyed, bare, reply: reply([part, keyed]), conversation: conversation([part, keyed]) }
}

/** True if an equal object is somewhere in a value, with its keys in any order. */
function contains(value: unknown, wanted: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isDeepStrictEqual(value, wanted) || Object.values(value).some((each) => contains(each, wanted))
}
