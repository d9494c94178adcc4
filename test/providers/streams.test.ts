// Streams that the providers' own clients put together: each goes into the attempt whose body was sent, whole, with what was reported.

import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'

type Fetch = (url: unknown, init?: Readonly<{ body?: unknown }>) => Promise<Response>

/** A server that answers one request with these events, and notes what it was sent. */
function streaming(events: readonly object[], isNamed: boolean): { fetch: Fetch; sent: unknown[] } {
  const sent: unknown[] = []
  const text = events
    .map(
      (event) => `${isNamed ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    )
    .join('')
  const fetch: Fetch = async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)))
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch, sent }
}

function asked(): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('Is it sunny in Rome?')
  return ctx
}

const CALL = { id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }

/** Everything that holds after a reply with one call was taken in. */
function expectTaken(ctx: Context, reported: object): void {
  const [record] = ctx.attempts()
  expect(record).toMatchObject({ status: 'completed', reported: { stop: 'calls', ...reported } })
  expect(ctx.due()).toBe('calls')
  expect(ctx.openCalls()).toMatchObject([CALL])
}

describe('a stream', () => {
  test('of Claude, with finalMessage', async () => {
    const usage = { input_tokens: 8, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 1 }
    const { fetch, sent } = streaming(
      [
        {
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'claude',
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage,
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Look it up.' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
        },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Rome"}' } },
        { type: 'content_block_stop', index: 1 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use', stop_sequence: null },
          usage: { output_tokens: 20 },
        },
        { type: 'message_stop' },
      ],
      true,
    )
    const client = new Anthropic({ apiKey: 'none', fetch })
    const ctx = asked()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-sonnet-5-5', max_tokens: 1024 } })
    attempt.receive(await client.messages.stream(attempt.body).finalMessage())
    expect(sent[0]).toEqual({ ...attempt.body, stream: true })
    expectTaken(ctx, { id: 'msg_1', tokenIn: 108, cacheRead: 100, tokenOut: 20, providerStop: 'tool_use' })
    expect(ctx.nodes("[kind='reasoning']")).toMatchObject([{ content: { signature: 'c2lnbmVk' } }])
  })

  test('of Chat Completions, with finalChatCompletion', async () => {
    const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    })
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }
    const usage = {
      prompt_tokens: 50,
      completion_tokens: 9,
      total_tokens: 59,
      prompt_tokens_details: { cached_tokens: 40 },
    }
    const { fetch, sent } = streaming(
      [
        chunk({ role: 'assistant', content: null, tool_calls: [call] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city"' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Rome"}' } }] }),
        chunk({}, 'tool_calls'),
        { ...chunk({}), choices: [], usage },
      ],
      false,
    )
    const client = new OpenAI({ apiKey: 'none', fetch })
    const ctx = asked()
    const params = { model: 'gpt-5', stream_options: { include_usage: true } }
    const attempt = ctx.startAttempt({ for: toOpenAIChat, params })
    attempt.receive(await client.chat.completions.stream(attempt.body).finalChatCompletion())
    expect(sent[0]).toEqual({ ...attempt.body, stream: true })
    expectTaken(ctx, { id: 'chatcmpl-1', tokenIn: 50, cacheRead: 40, tokenOut: 9, providerStop: 'tool_calls' })
  })

  test('of Responses, with finalResponse', async () => {
    const item = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Rome"}',
      status: 'completed',
    }
    const response = { id: 'resp_1', object: 'response', status: 'in_progress', model: 'gpt', output: [] }
    const usage = { input_tokens: 50, output_tokens: 9, input_tokens_details: { cached_tokens: 40 } }
    const { fetch, sent } = streaming(
      [
        { type: 'response.created', sequence_number: 0, response },
        {
          type: 'response.output_item.added',
          sequence_number: 1,
          output_index: 0,
          item: { ...item, arguments: '', status: 'in_progress' },
        },
        {
          type: 'response.function_call_arguments.delta',
          sequence_number: 2,
          output_index: 0,
          item_id: 'fc_1',
          delta: '{"city":"Rome"}',
        },
        { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item },
        {
          type: 'response.completed',
          sequence_number: 4,
          response: { ...response, status: 'completed', output: [item], usage },
        },
      ],
      true,
    )
    const client = new OpenAI({ apiKey: 'none', fetch })
    const ctx = asked()
    const attempt = ctx.startAttempt({ for: toOpenAIResponses, params: { model: 'gpt-5' } })
    attempt.receive(await client.responses.stream(attempt.body).finalResponse())
    expect(sent[0]).toEqual({ ...attempt.body, stream: true })
    expectTaken(ctx, { id: 'resp_1', tokenIn: 50, cacheRead: 40, tokenOut: 9 })
  })

  describe('of Gemini', () => {
    afterEach(() => vi.unstubAllGlobals())

    test('in pieces, as its client gives them', async () => {
      const piece = (parts: readonly object[], more: object = {}, finish: object = {}): object => ({
        candidates: [{ content: { role: 'model', parts }, ...finish }],
        responseId: 'r1',
        modelVersion: 'gemini',
        ...more,
      })
      const usageMetadata = { promptTokenCount: 50, cachedContentTokenCount: 40, candidatesTokenCount: 9 }
      const { fetch } = streaming(
        [
          piece([{ text: 'Let me ' }]),
          piece([{ text: 'look.' }]),
          piece(
            [{ functionCall: { id: 'call_1', name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'c2ln' }],
            { usageMetadata },
            { finishReason: 'STOP' },
          ),
        ],
        false,
      )
      vi.stubGlobal('fetch', fetch)
      const client = new GoogleGenAI({ apiKey: 'none' })
      const ctx = asked()
      const attempt = ctx.startAttempt({ for: toGemini, params: { model: 'gemini-3-pro' }, options: { form: 'sdk' } })
      const pieces: object[] = []
      for await (const each of await client.models.generateContentStream(attempt.body)) pieces.push(each)
      attempt.receive(pieces)
      expectTaken(ctx, { tokenIn: 50, cacheRead: 40, tokenOut: 9, providerStop: 'STOP' })
      expect(JSON.stringify(toGemini(ctx))).toContain('"thoughtSignature":"c2ln"')
    })
  })

  test('that breaks off leaves the attempt running and the context as it was', async () => {
    const { fetch } = streaming([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }], true)
    const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
    const ctx = asked()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-sonnet-5-5', max_tokens: 1024 } })
    await expect(client.messages.stream(attempt.body).finalMessage()).rejects.toThrow('Overloaded')
    expect([attempt.record.status, ctx.due()]).toEqual(['running', 'reply'])
    attempt.fail(new Error('Overloaded'))
    expect(ctx.due()).toBe('reply')
  })
})
