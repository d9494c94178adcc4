// Interactions that Gemini keeps: `previous_interaction_id`.

import { ApiError, GoogleGenAI, type Interactions } from '@google/genai'
import { describe, expect, it } from 'vitest'

import { createContext } from '../../src/index.js'
import { fromGeminiInteractions, sendNew, toGeminiInteractions } from '../../src/adapters/gemini/index.js'
import { HeldTest, heldTests, type Item } from '../support/providers/held.js'

function said(text: string): Item {
  return { type: 'model_output', content: [{ type: 'text', text }] }
}

const params = { model: 'gemini-3' }

const test = new HeldTest({
  to: toGeminiInteractions,
  params,
  id: (n) => `v1_${n}`,
  list: (body) => {
    const { input } = body as { input: string | Item[] }
    return typeof input === 'string' ? [{ type: 'user_input', content: [{ type: 'text', text: input }] }] : input
  },
  after: ({ previous_interaction_id: after }) => after as string | undefined,
  said: (id, isAnswer) =>
    isAnswer
      ? [said(`answer ${id}`)]
      : [
          { type: 'thought', signature: 'c2ln' },
          { type: 'function_call', id: `call_${id}`, name: 'f', arguments: {} },
        ],
  isResult: ({ type }) => type === 'function_result',
  reply: (id, steps) => {
    const status = steps.at(-1)!['type'] === 'function_call' ? 'requires_action' : 'completed'
    return {
      id,
      object: 'interaction',
      created: '2026-11-18T00:00:00Z',
      updated: '2026-11-18T00:00:00Z',
      status,
      steps,
    }
  },
  refusal: () => ({
    status: 404,
    answer: { error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' } },
  }),
  error: (status, answer) => new ApiError({ status, message: JSON.stringify(answer) }),
  client: (baseUrl) => {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
    return (body) =>
      client.interactions.create(body as Interactions.InteractionCreateParams.CreateModelInteractionParamsNonStreaming)
  },
  plain: (list) => list,
})

heldTests(test)

describe('an interaction', () => {
  it('does not keep its system instruction, so each request has it', async () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    await test.turn(ctx, 'Rome?')
    expect(test.keeper.bodies.map(({ system_instruction: told }) => told)).toEqual(Array(2).fill('Be brief.'))
  })

  it.each([
    ['was not stored', { store: false }, {}, {}],
    ['has no id', {}, { id: '' }, {}],
    ['was cut off', {}, { status: 'incomplete' }, {}],
    ['answers a request with append', {}, {}, { append: 'Sum up.' }],
  ])('is not gone on from if it %s', (_, more, reply, input) => {
    const ctx = createContext()
    ctx.user('Hello')
    const attempt = ctx.startAttempt({
      for: toGeminiInteractions,
      params: { ...params, ...more },
      options: { onlyNew: true },
      ...input,
    })
    attempt.receive({ id: 'v1_1', status: 'completed', steps: [said('Hi!')], ...reply })
    ctx.user('Go on.')
    expect(toGeminiInteractions(ctx, { onlyNew: true }).previous_interaction_id).toBeUndefined()
  })

  it('follows the one that an import names, and then its own', async () => {
    const ctx = fromGeminiInteractions({ previous_interaction_id: 'v1_0', input: 'Hello' })
    const send = async (body: object) => {
      test.keeper.bodies.push(body as Item)
      return { id: `v1_${test.keeper.bodies.length}`, status: 'completed', steps: [said('Hi!')] }
    }
    await sendNew(ctx, { for: toGeminiInteractions, params }, send)
    ctx.user('How are you?')
    await sendNew(ctx, { for: toGeminiInteractions, params }, send)
    expect(test.after).toEqual(['v1_0', 'v1_1'])
    expect(test.sizes).toEqual([
      [1, 'v1_0'],
      [1, 'v1_1'],
    ])
  })

  it.each([
    [404, 'Requested entity was not found.', true],
    [404, 'models/gemini-0 is not found for API version v1beta.', false],
    [400, 'Invalid previous_interaction_id.', true],
    [403, 'You do not have permission to access the interaction v1_1, or it may not exist.', true],
    [400, 'Invalid JSON payload received.', false],
    [429, 'Too many interaction requests.', false],
  ])('is forgotten or not: %i %s', async (status, message, isForgotten) => {
    const ctx = createContext()
    ctx.user('Hello')
    const error = new ApiError({ status, message })
    await expect(sendNew(ctx, { for: toGeminiInteractions, params }, () => Promise.reject(error))).rejects.toBe(error)
    expect(ctx.attempts()).toHaveLength(isForgotten ? 2 : 1)
  })
})
