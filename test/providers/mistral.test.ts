// Mistral: requests for the client and for the REST API, replies and streams. The laws are in provider-laws.test.ts.

import type { ChatCompletionRequest, CompletionEvent } from '@mistralai/mistralai/models/components'
import { createContext } from 'pact-context'
import { fromMistral, receiveMistral, toMistral } from 'pact-context/mistral'
import { describe, expect, test } from 'vitest'

import { checkMistral } from '../support/providers/mistral.js'

const CALL = { id: 'abc123DEF', function: { name: 'look', arguments: '{"q":"x"}' } }

describe('a request', () => {
  test('is one that the client takes, with ids of nine characters', () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: { q: 'x' } }, { kind: 'call', data_call_id: 'toolu_0123456789' })
    ctx.tool('seen', { kind: 'result', data_call_id: 'toolu_0123456789' })
    const request: ChatCompletionRequest = { model: 'mistral-large-latest', ...toMistral(ctx) }
    expect(checkMistral({ messages: request.messages })).toEqual([])
    const [, , called, result] = toMistral(ctx).messages
    const id = called?.role === 'assistant' ? called.toolCalls?.[0]?.id : undefined
    expect(id).toMatch(/^[0-9a-f]{9}$/)
    expect(result).toEqual({ role: 'tool', content: 'seen', toolCallId: id, name: 'look' })
    expect(toMistral(ctx).repairs.map(({ code }) => code)).toEqual(['renamed-id'])
  })

  test('is spelled as the REST API does it, where it is asked for, also of what came in', () => {
    const messages = [
      { role: 'user', content: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] },
      { role: 'assistant', content: '', tool_calls: [CALL] },
      { role: 'tool', content: 'seen', tool_call_id: CALL.id, name: 'look' },
    ]
    const ctx = fromMistral({ messages })
    for (const repair of [true, false]) expect({ ...toMistral(ctx, { form: 'rest', repair }) }).toEqual({ messages })
    expect(toMistral(ctx).messages[1]).toHaveProperty('toolCalls')
  })

  test('has prefix at its last message alone', () => {
    const ctx = fromMistral({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Well,', prefix: true },
      ],
    })
    expect(toMistral(ctx).repairs).toEqual([])
    ctx.user('Go on.')
    expect(toMistral(ctx).messages[1]).toEqual({ role: 'assistant', content: 'Well,' })
    expect(toMistral(ctx).repairs.map(({ code }) => code)).toEqual(['dropped-key'])
  })

  test('has an assistant behind results, and the beginning of an answer at the end', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'abc123DEF' })
    ctx.tool('seen', { kind: 'result', data_call_id: 'abc123DEF' })
    ctx.user('And now?')
    ctx.assistant('Well,')
    const { messages, repairs } = toMistral(ctx)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'])
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'Well,', prefix: true })
    expect(repairs.map(({ code }) => code)).toEqual(['added', 'added'])
  })
})

describe('a reply', () => {
  const call = { id: 'abc123DEF', name: 'look', arguments: { q: 'x' }, argumentsText: '{"q":"x"}' }

  test('of the client goes into the open turn, with its calls and counts', () => {
    const ctx = createContext()
    ctx.user('Look.')
    const message = { role: 'assistant', content: '', toolCalls: [CALL] }
    const reply = { choices: [{ index: 0, message }], usage: { promptTokens: 3, completionTokens: 5 } }
    const attempt = ctx.startAttempt({ provider: 'mistral', model: 'm', params: {}, for: toMistral })
    const { calls } = receiveMistral(ctx, reply, { attempt })
    expect(calls).toEqual([call])
    expect(attempt.record).toMatchObject({ status: 'completed', token_in: 3, token_out: 5 })
    ctx.tool('seen', { kind: 'result', data_call_id: call.id })
    expect(toMistral(ctx).messages[1]).toEqual(message)
  })

  test('in pieces is the message that they add up to', () => {
    const delta = (value: object): CompletionEvent => ({
      data: { id: 'x', model: 'm', choices: [{ index: 0, delta: value, finishReason: null }] },
    })
    const thinking = (text: string): object => ({ type: 'thinking', thinking: [{ type: 'text', text }] })
    const events = [
      delta({ role: 'assistant', content: [thinking('Let me ')] }),
      delta({ content: [thinking('see.')] }),
      delta({ content: 'I ' }),
      delta({ content: 'look.' }),
      delta({ toolCalls: [{ ...CALL, index: 0, function: { name: 'look', arguments: '{"q":' } }] }),
      delta({ toolCalls: [{ index: 0, function: { name: '', arguments: '"x"}' } }] }),
      { data: { id: 'x', model: 'm', choices: [], usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 } } },
    ]
    const ctx = createContext()
    ctx.user('Look.')
    expect(receiveMistral(ctx, events).calls).toEqual([call])
    ctx.tool('seen', { kind: 'result', data_call_id: call.id })
    expect(toMistral(ctx).messages[1]).toEqual({
      role: 'assistant',
      content: [thinking('Let me see.'), { type: 'text', text: 'I look.' }],
      toolCalls: [{ ...CALL, index: 0 }],
    })
  })

  test.each([[{}], [{ role: 'user', content: 'x' }], [[]], [[{ data: 'x' }]]])('%j is none', (reply) => {
    expect(() => receiveMistral(createContext(), reply)).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID' }))
  })
})
