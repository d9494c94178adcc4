// The text of an attempt's params for the model, its tools and its system text, is part of the request that is compared, counted and checked.

import { describe, expect, it } from 'vitest'

import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toMistral } from '../../src/adapters/mistral/index.js'
import { toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { createContext, type Context, type Lens } from '../../src/index.js'
import { BoundClaude, type ClaudeBody, type Said } from '../support/providers/bound-claude.js'

const SAID: Said = { calls: 0, text: true, interleaved: false, redacted: false, thinks: true }

const look = (name: string): object => ({ name, description: `Looks at ${name}.`, input_schema: { type: 'object' } })

/** For each adapter its function, options, and the params with these tools. */
const CALLS = [
  ['anthropic', toAnthropic, {}, (tools: object[]) => ({ model: 'm', tools })],
  ['bedrock', toBedrock, {}, (tools: object[]) => ({ modelId: 'm', toolConfig: { tools } })],
  ['openai-chat', toOpenAIChat, {}, (tools: object[]) => ({ model: 'm', tools })],
  ['openai-responses', toOpenAIResponses, {}, (tools: object[]) => ({ model: 'm', tools })],
  ['gemini', toGemini, {}, (tools: object[]) => ({ model: 'm', tools })],
  ['gemini, sdk', toGemini, { form: 'sdk' }, (tools: object[]) => ({ model: 'm', config: { tools } })],
  ['mistral', toMistral, {}, (tools: object[]) => ({ model: 'm', tools })],
  ['ai-sdk', toModelMessages, {}, (tools: object[]) => ({ model: 'm', tools })],
] as const

function talk(): Context {
  const ctx = createContext()
  ctx.user('first question')
  ctx.assistant('first answer')
  ctx.commit()
  ctx.user('second question')
  return ctx
}

const counted = new Map<Lens, number>()

function send(ctx: Context, input: object): Lens {
  const attempt = ctx.startAttempt(input as never)
  const id = attempt.complete().attempt_id as Lens
  counted.set(id, attempt.tokens().total)
  return id
}

describe('the prefix of two attempts', () => {
  it.each(CALLS)('ends at the start if the tools changed (%s)', (_name, to, options, params) => {
    const ctx = talk()
    const first = send(ctx, { for: to, options, params: params([look('a')]) })
    const again = send(ctx, { for: to, options, params: params([look('a')]) })
    const other = send(ctx, { for: to, options, params: params([look('a'), look('b')]) })
    expect(ctx.prefix(first, again, { for: to }).first).toBeUndefined()
    for (const asked of [{ for: to }, {}]) {
      const { total } = ctx.prefix(first, again, asked)
      const prefix = ctx.prefix(first, other, asked)
      expect(prefix).toMatchObject({ bytes: 0, tokens: 0, total })
      expect(prefix.first).toEqual({ byte: 0, item: 0, node: 'root', cause: 'the tools changed', lost: total })
      // The figures of the tools are those by which the tokens of the attempts differ.
      const [few, more] = [ctx.prefix(first, again, asked).params!, prefix.params!]
      expect([few.tokens, few.lost]).toEqual([few.total, 0])
      expect([more.tokens, more.lost]).toEqual([0, few.total])
      expect(more.total - few.total).toBe(counted.get(other)! - counted.get(first)!)
      expect(few.total).toBeGreaterThan(0)
    }
    expect(ctx.prefix('@t0', 'preview', { for: to }).params).toBeUndefined()
  })

  it('compares no tools that are not known, or that were sent by another adapter', () => {
    const ctx = talk()
    const claude = send(ctx, { for: toAnthropic, params: { model: 'm', tools: [look('a')] } })
    const unknown = send(ctx, { provider: 'anthropic', for: toAnthropic, params: { max_tokens: 5 }, model: 'm' })
    const chat = send(ctx, { for: toOpenAIChat, params: { model: 'm', tools: [look('b')] } })
    expect(ctx.prefix(claude, unknown, { for: toAnthropic }).first).toBeUndefined()
    expect(ctx.prefix(claude, chat, { for: toAnthropic }).first).toBeUndefined()
    expect(ctx.prefix(claude, chat).first).toBeUndefined()
    // The newest attempt is compared with what would be sent now, by the same call.
    expect(ctx.prefix(undefined, undefined, { for: toOpenAIChat }).first).toBeUndefined()
  })

  it('takes no cache mark for a change of the tools', () => {
    const ctx = talk()
    const params = (mark: object): object => ({ model: 'm', tools: [{ ...look('a'), ...mark }] })
    const plain = send(ctx, { for: toAnthropic, params: params({}) })
    const marked = send(ctx, { for: toAnthropic, params: params({ cache_control: { type: 'ephemeral' } }) })
    expect(ctx.prefix(plain, marked, { for: toAnthropic }).first).toBeUndefined()
  })

  it.each([
    ['anthropic', toAnthropic, (text: string) => ({ model: 'm', system: text })],
    ['openai-responses', toOpenAIResponses, (text: string) => ({ model: 'm', instructions: text })],
    ['gemini', toGemini, (text: string) => ({ model: 'm', systemInstruction: { parts: [{ text }] } })],
  ] as const)('ends at the start if the system text in the params changed (%s)', (_name, to, params) => {
    const ctx = talk()
    const [kind, stern] = ['Be kind.', 'Be stern.'].map((text) => send(ctx, { for: to, params: params(text) }))
    expect(ctx.prefix(kind, stern, { for: to }).first?.cause).toBe('the system text in the params changed')
    expect(ctx.prefix(kind, kind, { for: to }).first).toBeUndefined()
  })

  it('is that of the requests as they were sent: with the options of the attempts, and their marks', () => {
    const ctx = talk()
    ctx.system.add('rules', { key: 'rules' })
    const options = { cache: true, blocks: { role: 'user' } }
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' }, options })
    const first = attempt.complete().attempt_id as Lens
    ctx.system.replace('#rules', { content: 'other rules' })
    const second = send(ctx, { for: toAnthropic, params: { model: 'm' }, options })
    expect(ctx.prefix(first, second, { for: toAnthropic })).toEqual(
      ctx.prefix(first, second, { for: toAnthropic, options }),
    )
    expect(ctx.prefix(first, second, { for: toAnthropic }).first?.breakpoint).toBeDefined()
    expect(ctx.prefix(first, second, { for: toAnthropic, options: {} }).first?.breakpoint).toBeUndefined()
  })

  it('has the thoughts that the requests had: those from before the tools changed are in neither', () => {
    const ctx = talk()
    const claude = new BoundClaude()
    const ask = (tools: object[]): Lens => {
      const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm', tools } })
      attempt.receive(claude.create(attempt.body, SAID))
      ctx.commit()
      ctx.user('and then?')
      return attempt.id
    }
    ask([look('a')])
    const [second, third] = [ask([look('b')]), ask([look('b')])]
    const body = JSON.parse(new TextDecoder().decode(ctx.requestOf(second))) as ClaudeBody
    expect(claude.signaturesIn(body)).toEqual([])
    const { first, bytes } = ctx.prefix(second, third, { for: toAnthropic })
    expect(first).toBeUndefined()
    expect(bytes).toBe(JSON.stringify({ messages: body.messages }).length - ']}'.length)
  })
})

describe('the tokens of an attempt', () => {
  it.each(CALLS)('have those of its tools (%s)', (_name, to, options, params) => {
    const ctx = createContext({ countTokens: (text) => text.length })
    ctx.user('question')
    const tokens = (tools: object[]): number =>
      ctx.startAttempt({ for: to, options, params: params(tools) } as never).tokens().total
    const grown = tokens([look('a'), look('b')]) - tokens([look('a')])
    expect(grown).toBe(JSON.stringify([look('a'), look('b')]).length - JSON.stringify([look('a')]).length)
    expect(tokens([look('a')])).toBeGreaterThan(tokens([]))
  })

  it('have those of the system text in its params', () => {
    const ctx = createContext({ countTokens: (text) => text.length })
    ctx.user('question')
    const tokens = (more: object): number =>
      ctx.startAttempt({ for: toAnthropic, params: { model: 'm', ...more } }).tokens().total
    expect(tokens({ system: 'Be kind.' }) - tokens({})).toBe('Be kind.'.length)
  })
})

describe('the system text in the params', () => {
  it('is what precedes thoughts, where the tree has none: nothing is refused, and all thoughts are kept', () => {
    const ctx = createContext()
    const claude = new BoundClaude()
    const ask = (system: string): void => {
      ctx.user('a question')
      const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm', system } })
      attempt.receive(claude.create(attempt.body, SAID))
      ctx.commit()
    }
    for (let turn = 0; turn < 4; turn++) ask('Be kind.')
    expect(claude.signaturesIn(claude.requests.at(-1)!)).toEqual(['signature-1', 'signature-2', 'signature-3'])
    ask('Be stern.')
    expect(claude.signaturesIn(claude.requests.at(-1)!)).toEqual([])
  })
})

describe('a reply', () => {
  it('that was paid for comes in, also if something in its request was forgotten meanwhile', () => {
    const ctx = fromAnthropic({ messages: [{ role: 'user', content: 'my number is 555-0199' }] })
    ctx.user('a question')
    const claude = new BoundClaude()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    const reply = claude.create(attempt.body, SAID)
    ctx.forget("[content~'555']")
    expect(() => attempt.body).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
    const { stop } = attempt.receive(reply)
    expect(stop).toBe('end')
    expect(attempt.record.status).toBe('completed')
    // Its thought was bound to what is gone.
    ctx.commit()
    ctx.user('another question')
    const next = toAnthropic(ctx)
    expect(JSON.stringify(next.messages)).not.toContain('signature-1')
    expect(next.repairs.map(({ code }) => code)).toContain('stale-thought')
  })

  it('is read as text, too', () => {
    const ctx = createContext()
    ctx.user('my number is 555-0199')
    const claude = new BoundClaude()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    const reply = claude.create(attempt.body, SAID)
    ctx.commit()
    ctx.forget("[content~'555']")
    expect(attempt.text(reply)).toBe('Answer 1.')
  })
})
