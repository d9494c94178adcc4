// The request of an attempt: params and rendering in one body, and the reply to it taken in (LOOP).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { canonicalJson, createContext, type Context } from 'pact-context'
import { openStore } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toMistral } from '../../src/adapters/mistral/index.js'
import { toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { sentRecordsOf } from '../support/attempts.js'
import { refusal, textOf } from '../support/context.js'

const TOOLS = [{ name: 'search', input_schema: { type: 'object', properties: {} } }]

function talk(): Context {
  const ctx = createContext({ id: 'talk' })
  ctx.system.add('Be brief.')
  ctx.user('Hello')
  return ctx
}

describe('the body of an attempt', () => {
  test('has the params and the rendering, and the name of the model where the provider has it', () => {
    const ctx = talk()
    const params = { model: 'm-1', temperature: 0, max_tokens: 100 }
    const claude = ctx.startAttempt({ for: toAnthropic, params: { ...params, tools: TOOLS } })
    expect(claude.body).toEqual({ ...params, tools: TOOLS, ...toAnthropic(ctx) })
    expect(claude.record).toMatchObject({ provider: 'anthropic', model: 'm-1', params: { ...params, tools: TOOLS } })
    const chat = ctx.startAttempt({ for: toOpenAIChat, params })
    expect(chat.body).toEqual({ ...params, ...toOpenAIChat(ctx) })
    const responses = ctx.startAttempt({ for: toOpenAIResponses, params })
    expect(responses.body).toEqual({ ...params, ...toOpenAIResponses(ctx) })
    const mistral = ctx.startAttempt({ for: toMistral, params })
    expect(mistral.body).toEqual({ ...params, ...toMistral(ctx) })
    const bedrock = ctx.startAttempt({ for: toBedrock, params: { modelId: 'b-1', toolConfig: { tools: [] } } })
    expect(bedrock.body).toEqual({ modelId: 'b-1', toolConfig: { tools: [] }, ...toBedrock(ctx) })
    const rest = ctx.startAttempt({ for: toGemini, params: { model: 'g-1', generationConfig: { topK: 1 } } })
    expect(rest.body).toEqual({ generationConfig: { topK: 1 }, ...toGemini(ctx) })
    const sdk = ctx.startAttempt({
      for: toGemini,
      params: { model: 'g-1', config: { topK: 1 } },
      options: { form: 'sdk' },
    })
    const { contents, config } = toGemini(ctx, { form: 'sdk' })
    expect(sdk.body).toEqual({ model: 'g-1', contents, config: { topK: 1, ...config } })
    expect(ctx.attempts().map(({ provider, model }) => [provider, model])).toEqual([
      ['anthropic', 'm-1'],
      ['openai', 'm-1'],
      ['openai', 'm-1'],
      ['mistral', 'm-1'],
      ['bedrock', 'b-1'],
      ['google', 'g-1'],
      ['google', 'g-1'],
    ])
    for (const attempt of [claude, chat, responses, mistral, bedrock, rest, sdk]) {
      expect(textOf(ctx.requestOf(attempt.id))).toBe(JSON.stringify(attempt.body))
      expect(textOf(attempt.request())).toBe(JSON.stringify(attempt.body))
      expectFrozen(attempt.body)
    }
  })

  test('refuses params that are no JSON, name a key of the rendering, or name no model', () => {
    const ctx = talk()
    const refused = (params: object, more: object = {}): unknown => {
      const { code, details } = refusal(() => ctx.startAttempt({ for: toAnthropic, params, ...more }))
      return [code, details['name']]
    }
    expect(refused({ model: 'm', messages: [] })).toEqual(['E_CONTENT_INVALID', 'messages'])
    expect(refused({ model: 'm', system: 'x' })).toEqual(['E_CONTENT_INVALID', 'system'])
    expect(refused({ model: 'm', onText: () => undefined })).toEqual(['E_CONTENT_INVALID', 'params'])
    expect(refused({ model: 'm', n: 2n })).toEqual(['E_CONTENT_INVALID', 'params'])
    expect(refused([])).toEqual(['E_CONTENT_INVALID', 'params'])
    expect(refused({ temperature: 0 })).toEqual(['E_CONTENT_INVALID', 'model'])
    expect(refused({ model: 'm' }, { model: 'n' })).toEqual(['E_CONTENT_INVALID', 'model'])
    const config = { systemInstruction: 'x' }
    const twice = { for: toGemini, options: { form: 'sdk' }, params: { model: 'g', config } }
    expect(refusal(() => ctx.startAttempt(twice)).details['name']).toBe('config.systemInstruction')
    expect(ctx.attempts()).toEqual([])
  })

  test('leaves out params that are undefined, and takes the name of the model from the attempt where the params have none', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toGemini, model: 'g-1', params: { tools: undefined } })
    expect(attempt.body).toEqual({ ...toGemini(ctx) })
    expect(attempt.record).toMatchObject({ model: 'g-1', params: {} })
  })

  test.each(['memory:', 'sqlite:'])(
    'has the keys of the params in the order of the caller, also after a restart (%s)',
    async (kind) => {
      const folder = await mkdtemp(join(tmpdir(), 'pact-'))
      const store = await openStore(kind === 'sqlite:' ? `sqlite:${join(folder, 'a.db')}` : kind)
      const ctx = await store.open('a')
      ctx.user('Why?')
      // A model writes the reasoning before the answer because the schema has it first.
      const schema = { type: 'object', properties: { reasoning: { type: 'string' }, answer: { type: 'string' } } }
      const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters: schema } }]
      const given = [
        { tools, model: 'gpt', 2: 'b', metadata: { z: '\u{1f600}\ud800', a: 1 } },
        { model: 'gpt', metadata: { a: 1, z: '\u{1f600}\ud800' }, 2: 'b', tools },
      ]
      const { messages } = toOpenAIChat(ctx)
      const sent = new Map<string, string>()
      for (const params of given) {
        const attempt = ctx.startAttempt({ for: toOpenAIChat, params: params as never })
        sent.set(attempt.id, JSON.stringify({ ...params, messages }))
        expect(JSON.stringify(attempt.body)).toBe(sent.get(attempt.id))
        attempt.complete()
      }
      await ctx.commit()
      await ctx.flush()
      for (const each of [ctx, await store.open('a')]) {
        for (const [id, body] of sent) expect(textOf(each.requestOf(id))).toBe(body)
      }
      // The order is no difference of the params.
      const [one, two] = ctx.attempts()
      expect(one!.params_hash).toBe(two!.params_hash)
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
      await rm(folder, { recursive: true })
    },
  )

  test('is undefined without for, as the record has no params then', () => {
    const attempt = talk().startAttempt({ provider: 'acme', model: 'm', params: { a: 1 } })
    expect(attempt.body).toBeUndefined()
    expect(attempt.record).not.toHaveProperty('params')
    expect(refusal(() => attempt.receive({})).details['name']).toBe('for')
  })
})

describe('the reply to an attempt', () => {
  const REPLY = {
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi.' }],
    usage: { input_tokens: 7, output_tokens: 2 },
  }

  test('is taken in, and completes the attempt', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    const { calls, nodes } = attempt.receive(REPLY)
    expect([calls, nodes.length]).toEqual([[], 1])
    expect(ctx.thread().at(-1)).toMatchObject({ role: 'assistant' })
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 7, token_out: 2 })
    expect(attempt.record.reported).toMatchObject({ stop: 'end', tokenIn: 7, tokenOut: 2 })
    expect(refusal(() => attempt.receive(REPLY)).code).toBe('E_CONFLICT')
    expect(ctx.thread()).toHaveLength(3)
  })

  test('that cannot be read changes nothing: the attempt is still running', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    expect(refusal(() => attempt.receive({ role: 'user', content: 'Hi.' })).code).toBe('E_CONTENT_INVALID')
    expect([attempt.record.status, ctx.thread().length]).toEqual(['running', 2])
    attempt.receive(REPLY)
    expect(attempt.record.status).toBe('completed')
  })

  test('as a text adds nothing to the context', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    expect(attempt.text(REPLY)).toBe('Hi.')
    expect([attempt.record.status, ctx.thread().length]).toEqual(['completed', 2])
    const message = { role: 'assistant', content: 'Hi.' }
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }
    const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] }
    const content = { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'Hi.' }] }
    const bedrock = { output: { message: { role: 'assistant', content: [{ text: 'Hi.' }] } } }
    const params = { model: 'm' }
    const texts = [
      ctx.startAttempt({ for: toOpenAIChat, params }).text({ choices: [{ message }] }),
      ctx.startAttempt({ for: toOpenAIResponses, params }).text({ output: [thought, said] }),
      ctx.startAttempt({ for: toGemini, params }).text({ candidates: [{ content }] }),
      ctx.startAttempt({ for: toMistral, params }).text({ choices: [{ message }] }),
      ctx.startAttempt({ for: toBedrock, params: { modelId: 'm' } }).text(bedrock),
      ctx.startAttempt({ for: toModelMessages, params }).text([message]),
    ]
    expect(texts).toEqual(texts.map(() => 'Hi.'))
    expect(ctx.thread()).toHaveLength(2)
  })
})

describe('what is forgotten', () => {
  const params = { model: 'm', tools: [{ name: 'search', description: 'The code is hunter2.' }] }

  test('is searched in params, and takes them with it', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toAnthropic, params })
    const other = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    const body = JSON.stringify(other.body)
    const { ids } = ctx.forget("[content~'hunter2']")
    expect(ids).toEqual([attempt.id])
    expect(attempt.record.params).toBeNull()
    expect(canonicalJson(sentRecordsOf(ctx))).not.toContain('hunter2')
    for (const call of [() => attempt.body, () => attempt.request(), () => ctx.requestOf(attempt.id)]) {
      expect(refusal(call)).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'forgotten' } })
    }
    expect([JSON.stringify(other.body), textOf(ctx.requestOf(other.id))]).toEqual([body, body])
    expect(refusal(() => ctx.forget("[content~'hunter2']")).code).toBe('E_NODE_NOT_FOUND')
  })

  test('is searched in replies with several parts, which attempts of the open turn hold', () => {
    const ctx = talk()
    const call = { type: 'tool_use', id: 'a', name: 'look', input: { secret: 'hunter2' } }
    const first = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    first.receive({ role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }, call] })
    const second = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
    expect(ctx.forget("[content~'hunter2']").ids).toHaveLength(1)
    expect(canonicalJson(sentRecordsOf(ctx))).not.toContain('hunter2')
    expect(refusal(() => ctx.requestOf(second.id)).details['reason']).toBe('forgotten')
    expect(textOf(ctx.requestOf(first.id))).toContain('Hello')
  })

  test('is found in params that quote a node', () => {
    const ctx = talk()
    const attempt = ctx.startAttempt({ for: toAnthropic, params })
    const { id } = ctx.pre('The code is hunter2.')
    expect(ctx.forget(`[id='${id}']`).ids).toEqual([attempt.id, id])
    expect(attempt.record.params).toBeNull()
  })

  test.each(['memory:', 'sqlite:'])('is erased in a store (%s), and the error names the erasure', async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), 'pact-'))
    const store = await openStore(kind === 'memory:' ? kind : `sqlite:${join(folder, 'a.db')}`)
    try {
      const ctx = await store.open('talk')
      ctx.user('Hello')
      const attempt = ctx.startAttempt({ for: toAnthropic, params })
      await ctx.commit()
      const later = ctx.startAttempt({ for: toAnthropic, params: { model: 'm' } })
      await ctx.flush()
      const bytes = textOf(later.request())
      expect((await store.erase('talk', "[content~'hunter2']")).attempts).toBe(1)
      const again = await store.open('talk')
      expect(JSON.stringify(again.attempts())).not.toContain('hunter2')
      expect(refusal(() => again.requestOf(attempt.id)).details['reason']).toBe('forgotten')
      expect(textOf(again.requestOf(later.id))).toBe(bytes)
      await store.erase('talk', ".block[content='Hello']")
      const third = await store.open('talk')
      expect(refusal(() => third.requestOf(later.id)).details['reason']).toBe('forgotten')
    } finally {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.isFrozen(value)).toBe(true)
  for (const part of Object.values(value)) expectFrozen(part)
}
