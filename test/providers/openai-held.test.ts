// Replies that OpenAI keeps: `previous_response_id` and conversations.

import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'

import { createContext } from '../../src/index.js'
import { fromOpenAIResponses, receiveOpenAIResponses, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { HeldTest, heldTests, type Item } from '../support/providers/held.js'

function said(id: string, text: string): Item & { type: string } {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
}

const params = { model: 'gpt-5.6' }

const test = new HeldTest({
  to: toOpenAIResponses,
  params,
  place: { key: 'conversation', id: 'conv_1' },
  id: (n) => `resp_${n}`,
  list: (body) => {
    const { input } = body as { input: string | Item[] }
    return typeof input === 'string' ? [{ role: 'user', content: input }] : input
  },
  after: ({ previous_response_id: after }) => after as string | undefined,
  said: (id, isAnswer) =>
    isAnswer
      ? [said(id, `answer ${id}`)]
      : [
          { type: 'reasoning', id: `rs_${id}`, summary: [] },
          { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name: 'f', arguments: '{}' },
        ],
  isResult: ({ type }) => type === 'function_call_output',
  reply: (id, output) => ({ id, object: 'response', status: 'completed', store: true, output }),
  refusal: ({ conversation }) => {
    const param = conversation === undefined ? 'previous_response_id' : 'conversation'
    const error = { message: 'Not found.', type: 'invalid_request_error', param, code: null }
    return { status: conversation === undefined ? 400 : 404, answer: { error } }
  },
  error: (status, answer) => Object.assign(new Error('refused'), { status, ...(answer as { error: object }).error }),
  client: (baseURL) => {
    const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 })
    return (body) => client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming)
  },
  plain: (list) =>
    list.map(({ status: _status, type, ...item }) => ({ ...item, ...(type === 'message' ? {} : { type }) })),
})

heldTests(test)

describe('a response', () => {
  it('does not keep instructions, so each request has them', async () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    await test.turn(ctx, 'Rome?')
    await test.turn(ctx, 'Oslo?')
    expect(test.keeper.bodies.map(({ instructions }) => instructions)).toEqual(Array(4).fill('Be brief.'))
  })

  it('does not go on from a reply that was not stored, that was cut off, or to a request with append', () => {
    for (const [reply, input] of [
      [{ store: false }, {}],
      [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, {}],
      [{}, { append: 'Sum up.' }],
    ] as const) {
      const ctx = createContext()
      ctx.user('Hello')
      const attempt = ctx.startAttempt({ for: toOpenAIResponses, params, options: { onlyNew: true }, ...input })
      attempt.receive({ id: 'resp_1', status: 'completed', output: [said('1', 'Hi!')], ...reply })
      ctx.user('Go on.')
      expect(toOpenAIResponses(ctx, { onlyNew: true }).previous_response_id).toBeUndefined()
    }
  })
})

describe('a conversation', () => {
  it('gets only what is new, as a key of the import (l07)', () => {
    const ctx = fromOpenAIResponses({ conversation: 'conv_1', input: 'Hello' })
    expect(toOpenAIResponses(ctx)).toMatchObject({ conversation: 'conv_1', input: 'Hello' })
    receiveOpenAIResponses(ctx, { id: 'resp_1', output: [said('1', 'Hi!')] as never })
    ctx.user('How are you?')
    expect(toOpenAIResponses(ctx)).toEqual({
      conversation: 'conv_1',
      input: [{ role: 'user', content: 'How are you?' }],
    })
  })

  it('gets only what is new, as an option', async () => {
    const ctx = createContext()
    await test.turn(ctx, 'Rome?', { conversation: 'conv_1' })
    await test.turn(ctx, 'Oslo?', { conversation: 'conv_1' })
    expect(test.keeper.bodies.map(({ input, conversation }) => [(input as Item[]).length, conversation])).toEqual(
      Array.from({ length: 4 }, () => [1, 'conv_1']),
    )
  })

  it('is left once the context says something else than it holds, and responses go on', async () => {
    const ctx = createContext()
    const options = { conversation: 'conv_1' }
    await test.turn(ctx, 'Rome?', options)
    ctx.replace("d1 .block[role='user']", { content: 'Bergen?' })
    const { repairs, ...request } = toOpenAIResponses(ctx, options)
    expect(Object.keys(request)).toEqual(['input'])
    expect(repairs.map(({ code, text }) => [code, text])).toEqual([
      ['dropped-key', 'The request is sent without conversation: conv_1 does not hold what the context holds now.'],
    ])
    await test.turn(ctx, 'Oslo?', options)
    expect(
      test.keeper.bodies.slice(2).map(({ conversation, previous_response_id: after }) => [conversation, after]),
    ).toEqual([
      [undefined, undefined],
      [undefined, 'resp_3'],
    ])
  })

  it('is left once the server has forgotten it', async () => {
    const ctx = createContext()
    await test.turn(ctx, 'Rome?', { conversation: 'conv_1' })
    test.keeper.forget()
    await test.turn(ctx, 'Oslo?', { conversation: 'conv_1' })
    expect(test.keeper.bodies.at(-1)).toMatchObject({ previous_response_id: 'resp_3' })
  })
})
