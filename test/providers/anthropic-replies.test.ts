// Replies of Claude into the open turn: the next request has them as they came.

import { describe, expect, it } from 'vitest'

import { fromAnthropic, receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext, PactError } from '../../src/index.js'
import { recordedAnthropic } from '../support/providers/recorded.js'

const SAID = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  stop_reason: 'tool_use',
  stop_sequence: null,
  content: [
    { type: 'thinking', thinking: 'Two calls.', signature: 'c2ln' },
    { type: 'text', text: 'Let me look.', citations: null },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
    { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
  ],
  usage: { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 7 },
}

describe('receiveAnthropic', () => {
  it('gives the calls, keeps the thought with its signature, and completes the attempt with all that was read', () => {
    const ctx = createContext()
    ctx.user('Weather and time?')
    const attempt = ctx.startAttempt({ provider: 'anthropic', model: 'scripted', params: {} })
    const { calls } = ctx.receive(SAID, { from: fromAnthropic, attempt })
    expect(calls.map(({ id, name, arguments: given }) => [id, name, given])).toEqual([
      ['toolu_1', 'weather', { city: 'Rome' }],
      ['toolu_2', 'time', {}],
    ])
    expect([attempt.record.status, attempt.record.token_in, attempt.record.token_out]).toEqual(['completed', 240, 7])
    for (const { id } of calls) ctx.tool('done', { kind: 'result', data_call_id: id })
    const { messages, repairs } = toAnthropic(ctx)
    expect(repairs).toEqual([])
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: SAID.content.map((block) =>
        Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)),
      ),
    })
  })

  it.each([null, 'text', {}, { role: 'user', content: 'x' }, { role: 'assistant' }])(
    'refuses %j and leaves the context as it was',
    (reply) => {
      const ctx = createContext()
      ctx.user('Hi')
      const before = ctx.thread('working')
      expect(codeOf(() => receiveAnthropic(ctx, reply as never))).toBe('E_CONTENT_INVALID')
      expect(ctx.thread('working')).toEqual(before)
    },
  )

  it('takes every recorded reply in', () => {
    const replies = recordedAnthropic().filter(({ response }) => response !== undefined)
    expect(replies.length).toBeGreaterThan(50)
    for (const { name, request, response } of replies) {
      const ctx = fromAnthropic(request)
      receiveAnthropic(ctx, response as never)
      const sent = toAnthropic(ctx, { repair: false }).messages
      expect(sent.length, name).toBe(request.messages.length + 1)
      expect(sent.at(-1)?.content, name).toEqual(withoutNulls((response as { content: unknown }).content))
    }
  })
})

/** Blocks as a request has them: without the keys that a reply sets to null. */
function withoutNulls(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((block: object) => Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)))
}

function codeOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error.code
    throw error
  }
  return 'nothing thrown'
}
