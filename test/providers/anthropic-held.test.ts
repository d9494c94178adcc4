// Message threads of Claude: a server that keeps a conversation with its system text and tools, and takes each reply once.

import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/beta/messages/messages.js'
import { expect, describe, it } from 'vitest'

import { createContext, type Context } from '../../src/index.js'
import { receiveAnthropic, sendNew, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { HeldTest, heldTests, type Body, type Item } from '../support/providers/held.js'

const BETA = 'message-threads-2026-08-12'
const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const params = { model: 'claude-opus-5-5', max_tokens: 1024, tools }

type Thread = { type: string; previous_message_id?: string } | undefined

/** The 400 of a server that is given what it has, or a thread without the header. */
function check(body: Body): void {
  const { type } = (body['thread'] as Thread) ?? {}
  if (type === 'continue' && (body['system'] !== undefined || body['tools'] !== undefined))
    throw new Error('system and tools are those of the thread')
  if (type === 'create' && body['tools'] === undefined) throw new Error('the tools are missing')
  if (type === undefined) throw new Error('a request without a thread')
}

const test = new HeldTest({
  to: toAnthropic,
  params,
  isOnce: true,
  id: (n) => `msg_${n}`,
  check,
  list: (body) => (body as { messages: Item[] }).messages,
  after: ({ thread }) => (thread as Thread)?.previous_message_id,
  prompt: ({ system, tools: given }) => ({ system, tools: given }),
  said: (id, isAnswer) => [
    {
      role: 'assistant',
      content: isAnswer
        ? [{ type: 'text', text: `answer ${id}` }]
        : [
            { type: 'thinking', thinking: 'Rain?', signature: `sig_${id}` },
            { type: 'tool_use', id: `toolu_${id}`, name: 'f', input: {} },
          ],
    },
  ],
  isResult: ({ content }) => JSON.stringify(content).includes('tool_result'),
  reply: (id, [said]) => {
    const isCall = JSON.stringify(said).includes('tool_use')
    return {
      id,
      type: 'message',
      model: params.model,
      ...said,
      stop_reason: isCall ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
  },
  refusal: (_body, isContinued) => {
    const [status, code] = isContinued ? [400, 'thread_already_continued'] : [404, 'thread_not_found']
    return {
      status,
      answer: { type: 'error', error: { message: 'No.', details: { error_code: code } } },
    }
  },
  // A client of before version 1.10.
  error: (status, answer) => Object.assign(new Error('refused'), { status, error: answer }),
  client: (baseURL) => {
    const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 })
    return (body) => client.beta.messages.create({ ...(body as MessageCreateParamsNonStreaming), betas: [BETA] })
  },
  plain: (list) =>
    list.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    })),
})

heldTests(test)

/** A reply in a thread, to be gone on from. */
function answered(reply: object = {}, more: object = {}): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('Hello')
  const attempt = ctx.startAttempt({ for: toAnthropic, params: { ...params, ...more }, options: { onlyNew: true } })
  const said = { role: 'assistant', content: [{ type: 'text', text: 'Hi!' }], stop_reason: 'end_turn' }
  attempt.receive({ id: 'msg_1', ...said, ...reply })
  return ctx
}

function bodyOf(ctx: Context, more: object = {}): Body {
  const attempt = ctx.startAttempt({ for: toAnthropic, params: { ...params, ...more }, options: { onlyNew: true } })
  attempt.cancel()
  return attempt.body
}

const CONTINUED = { type: 'continue', previous_message_id: 'msg_1' }

describe('a thread', () => {
  it('is asked for by the option alone', () => {
    const ctx = answered()
    ctx.user('Go on.')
    expect(Object.keys(toAnthropic(ctx))).toEqual(['system', 'messages'])
    expect(toAnthropic(ctx, { onlyNew: false })).toMatchObject({ system: 'Be brief.', thread: { type: 'create' } })
    expect({ ...toAnthropic(ctx, { onlyNew: true }) }).toEqual({
      thread: CONTINUED,
      messages: [{ role: 'user', content: 'Go on.' }],
    })
  })

  it.each([
    ['a refusal', { stop_reason: 'refusal' }, {}],
    ['cut off', { stop_reason: 'max_tokens' }, {}],
    ['that of another model', { usage: { iterations: [{ type: 'fallback_message' }] } }, {}],
    ['without an id', { id: '' }, {}],
  ])('does not go on from a reply that is %s', (_, reply, more) => {
    const ctx = answered(reply, more)
    ctx.user('Go on.')
    expect(bodyOf(ctx)).toMatchObject({ thread: { type: 'create' }, system: 'Be brief.', tools })
  })

  it('goes on with the same system text and tools only, which it does not repeat', () => {
    const ctx = answered()
    ctx.user('Go on.')
    expect(bodyOf(ctx)).toEqual({
      model: params.model,
      max_tokens: 1024,
      thread: CONTINUED,
      messages: [{ role: 'user', content: 'Go on.' }],
    })
    const marked = [{ ...tools[0], cache_control: { type: 'ephemeral' } }]
    expect(bodyOf(ctx, { tools: marked })['thread']).toEqual(CONTINUED)
    expect(bodyOf(ctx, { tools: [] })).toMatchObject({ thread: { type: 'create' }, tools: [] })
    ctx.system.add('In rhymes.')
    expect(bodyOf(ctx)).toMatchObject({ thread: { type: 'create' }, tools })
  })

  it('has a system text of the params, too', () => {
    const ctx = createContext()
    ctx.user('Hello')
    const more = { ...params, system: 'Be brief.' }
    const start = (given: object): Body =>
      ctx.startAttempt({ for: toAnthropic, params: given as typeof more, options: { onlyNew: true } }).body
    const attempt = ctx.startAttempt({ for: toAnthropic, params: more, options: { onlyNew: true } })
    attempt.receive({ id: 'msg_1', role: 'assistant', content: 'Hi!', stop_reason: 'end_turn' })
    ctx.user('Go on.')
    expect(start(more)).toEqual({
      ...params,
      tools: undefined,
      thread: CONTINUED,
      messages: [{ role: 'user', content: 'Go on.' }],
    })
    expect(start({ ...more, system: 'In rhymes.' })['thread']).toEqual({ type: 'create' })
  })

  it('resumes a paused reply with nothing new', () => {
    const ctx = answered({ stop_reason: 'pause_turn' })
    expect(bodyOf(ctx)).toMatchObject({ thread: CONTINUED, messages: [] })
    expect(bodyOf(answered())).toMatchObject({ thread: { type: 'create' } })
  })

  it('is not gone on with where its reply has a thought that the request leaves out', () => {
    const ctx = answered({
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'text', text: 'Hi!' },
      ],
    })
    ctx.user('Go on.')
    expect(toAnthropic(ctx, { onlyNew: true }).thread).toEqual(CONTINUED)
    expect(toAnthropic(ctx, { onlyNew: true, thinking: 'off' }).thread).toEqual({ type: 'create' })
  })

  it('binds the thoughts of its replies to the whole conversation', () => {
    const ctx = answered()
    ctx.user('Go on.')
    const attempt = ctx.startAttempt({ for: toAnthropic, params, options: { onlyNew: true } })
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Well.' },
    ]
    attempt.receive({ id: 'msg_2', role: 'assistant', content, stop_reason: 'end_turn' })
    ctx.user('And?')
    expect(toAnthropic(ctx, { onlyNew: true })).toMatchObject({ thread: { previous_message_id: 'msg_2' }, repairs: [] })
    const whole = ctx.startAttempt({ for: toAnthropic, params })
    expect(JSON.stringify(whole.body)).toContain('"signature":"s"')
  })

  it('has cache marks in what is new', () => {
    const ctx = answered()
    ctx.user('Go on.')
    const { messages, thread, system } = toAnthropic(ctx, { onlyNew: true, cache: { at: 'end' } })
    expect([thread, system]).toEqual([CONTINUED, undefined])
    expect(JSON.stringify(messages)).toContain('cache_control')
  })

  it.each(['context_management', 'compaction', 'fallbacks'])(
    'is not asked for with %s, which excludes it',
    async (name) => {
      const ctx = createContext()
      ctx.user('Hello')
      const sent: Body[] = []
      await sendNew(ctx, { for: toAnthropic, params: { ...params, [name]: {} } }, async (body) => {
        sent.push(body)
        return { id: 'msg_1', role: 'assistant', content: 'Hi!', stop_reason: 'end_turn' }
      })
      expect(sent.map(({ thread }) => thread)).toEqual([undefined])
      ctx.user('Go on.')
      expect(bodyOf(ctx)['thread']).toEqual({ type: 'create' })
    },
  )

  it('is not gone on with after a reply that came without one', () => {
    const ctx = createContext()
    ctx.user('Hello')
    receiveAnthropic(ctx, { id: 'msg_1', role: 'assistant', content: 'Hi!', stop_reason: 'end_turn' })
    ctx.user('Go on.')
    expect(toAnthropic(ctx, { onlyNew: true }).thread).toEqual({ type: 'create' })
  })

  it.each([
    ['thread_not_found', 404, 2],
    ['thread_already_continued', 400, 2],
    ['thread_continue_in_flight', 400, 2],
    ['thread_fingerprint_mismatch', 400, 2],
    ['thread_unsupported_request', 400, 1],
    [undefined, 404, 1],
  ])('is begun again or not: %s', async (code, status, attempts) => {
    const ctx = answered()
    ctx.user('Go on.')
    const body = { type: 'error', error: { type: 'x', message: 'No.', details: code && { error_code: code } } }
    const error = Anthropic.APIError.generate(status, body, undefined, new Headers())
    await expect(sendNew(ctx, { for: toAnthropic, params }, () => Promise.reject(error))).rejects.toBe(error)
    const threads = ctx.attempts().map(({ attempt_id: id }) => {
      return (JSON.parse(new TextDecoder().decode(ctx.requestOf(id))) as Body)['thread']
    })
    expect(threads.slice(1)).toEqual([CONTINUED, { type: 'create' }].slice(0, attempts))
  })
})
