// Version 7 of OpenAI's client: its types, and a reply that goes back as it came.

import OpenAI from 'openai'
import type { ResponseCreateParamsNonStreaming, ResponseInputItem } from 'openai/resources/responses/responses'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import { expect, test } from 'vitest'

import {
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'

function asked(): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('Compare Rome and Oslo.')
  return ctx
}

/** A client whose requests are answered with this, and the bodies that it sends. */
function scripted(reply: object): Readonly<{ client: OpenAI; bodies: unknown[] }> {
  const bodies: unknown[] = []
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(await new Request(url, init).text()))
    return Response.json(reply)
  }
  return { client: new OpenAI({ apiKey: 'none', fetch }), bodies }
}

test('Responses: version 7 takes a request by its types, and its items go back', async () => {
  const items = [
    { type: 'configuration_update', id: 'cu_1', reasoning: { effort: 'low' } },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'a',
      name: 'weather',
      arguments: '{}',
      async: true,
      status: 'completed',
    },
    { type: 'tomorrow', id: 'tm_1', secret: 7 },
  ]
  const { client, bodies } = scripted({ id: 'r1', object: 'response', status: 'completed', output: items, usage: {} })
  const ctx = asked()
  const params: ResponseCreateParamsNonStreaming = { model: 'gpt-5.6', ...toOpenAIResponses(ctx) }
  const reply = await client.responses.create(params)
  expect(bodies[0]).toEqual(params)
  receiveOpenAIResponses(ctx, reply)
  const { input } = toOpenAIResponses(ctx)
  const again: readonly ResponseInputItem[] = typeof input === 'string' ? [] : input
  expect(again.slice(-3)).toEqual(items)
})

test('Chat: version 7 takes a request by its types, and a reply with calls goes back', async () => {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
  }
  const { client, bodies } = scripted({
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  })
  const ctx = asked()
  const params: ChatCompletionCreateParamsNonStreaming = { model: 'gpt-5.6', ...toOpenAIChat(ctx) }
  receiveOpenAIChat(ctx, await client.chat.completions.create(params))
  expect(bodies[0]).toEqual(params)
  ctx.tool('Sunny', { kind: 'result', data_call_id: 'a' })
  const next: ChatCompletionCreateParamsNonStreaming = { model: 'gpt-5.6', ...toOpenAIChat(ctx) }
  expect(next.messages.slice(-2)).toMatchObject([message, { role: 'tool', tool_call_id: 'a', content: 'Sunny' }])
})
