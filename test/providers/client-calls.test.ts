// A program as a user writes it, for each client: requests go into its calls and replies come back, without a cast. The compiler is the judge of this
// file (npm run typecheck); nothing here calls a provider.

import type Anthropic from '@anthropic-ai/sdk'
import {
  type BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime'
import type { GenerateContentResponse, GoogleGenAI, Interactions } from '@google/genai'
import type { Mistral } from '@mistralai/mistralai'
import type { CompletionEvent } from '@mistralai/mistralai/models/components'
import { generateText, type LanguageModel, streamText, wrapLanguageModel } from 'ai'
import type OpenAI from 'openai'
import { expect, expectTypeOf, test } from 'vitest'

import { contextMiddleware, receiveModelMessages, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromAnthropic, receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import { receiveBedrock, toBedrock } from '../../src/adapters/bedrock/index.js'
import {
  receiveGemini,
  receiveGeminiInteractions,
  toGemini,
  toGeminiInteractions,
} from '../../src/adapters/gemini/index.js'
import { receiveMistral, toMistral } from '../../src/adapters/mistral/index.js'
import {
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import type { Context } from '../../src/index.js'

const PROGRAMS = {
  async claude(ctx: Context, client: Anthropic) {
    const tools = [{ name: 'look', input_schema: { type: 'object' as const } }]
    const params = { model: 'claude-sonnet-5-5', max_tokens: 100, tools }
    const attempt = ctx.startAttempt({ for: toAnthropic, options: { cache: true }, params })
    const { calls } = attempt.receive(await client.messages.create(attempt.body))
    for (const call of calls) ctx.result(call, { ok: true })
    attempt.receive(await client.messages.stream(attempt.body).finalMessage())
    attempt.receive(await client.beta.messages.create({ ...attempt.body, betas: ['a'] }))
    attempt.receive(await client.beta.messages.stream(attempt.body).finalMessage())
    receiveAnthropic(ctx, await client.messages.create({ ...params, ...toAnthropic(ctx) }))
    const given: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi' }]
    for (const { content } of toAnthropic(fromAnthropic({ messages: given })).messages) {
      if (typeof content === 'string') continue
      for (const block of content) if (block.type === 'tool_use') expectTypeOf(block.input).not.toBeAny()
    }
    // @ts-expect-error A stream is no reply.
    attempt.receive(await client.messages.create({ ...attempt.body, stream: true }))
    // @ts-expect-error The call has not been awaited.
    attempt.receive(client.messages.create(attempt.body))
  },
  async chat(ctx: Context, client: OpenAI) {
    const attempt = ctx.startAttempt({ for: toOpenAIChat, params: { model: 'gpt-6' } })
    attempt.receive(await client.chat.completions.create(attempt.body))
    attempt.receive(await client.chat.completions.stream(attempt.body).finalChatCompletion())
    attempt.receive((await client.chat.completions.create(attempt.body)).choices[0]!.message)
    receiveOpenAIChat(ctx, await client.chat.completions.create({ model: 'gpt-6', ...toOpenAIChat(ctx) }))
    // @ts-expect-error A stream is no reply.
    attempt.receive(await client.chat.completions.create({ ...attempt.body, stream: true }))
  },
  async responses(ctx: Context, client: OpenAI) {
    const attempt = ctx.startAttempt({ for: toOpenAIResponses, params: { model: 'gpt-6', store: false } })
    const response = await client.responses.create(attempt.body)
    attempt.receive(response)
    attempt.receive(await client.responses.stream(attempt.body).finalResponse())
    receiveOpenAIResponses(ctx, response.output)
    receiveOpenAIResponses(ctx, await client.responses.create({ model: 'gpt-6', ...toOpenAIResponses(ctx) }))
    // @ts-expect-error A stream is no reply.
    attempt.receive(await client.responses.create({ ...attempt.body, stream: true }))
  },
  async gemini(ctx: Context, client: GoogleGenAI) {
    const params = { model: 'gemini-3', config: { temperature: 1 } }
    const attempt = ctx.startAttempt({ for: toGemini, options: { form: 'sdk' }, params })
    attempt.receive(await client.models.generateContent(attempt.body))
    const pieces: GenerateContentResponse[] = []
    for await (const piece of await client.models.generateContentStream(attempt.body)) pieces.push(piece)
    attempt.receive(pieces)
    const reply = await client.models.generateContent({ model: 'gemini-3', ...toGemini(ctx, { form: 'sdk' }) })
    receiveGemini(ctx, reply)
  },
  async interactions(ctx: Context, client: GoogleGenAI) {
    const attempt = ctx.startAttempt({ for: toGeminiInteractions, params: { model: 'gemini-3' } })
    attempt.receive(await client.interactions.create(attempt.body))
    const events: Interactions.InteractionSSEEvent[] = []
    for await (const event of await client.interactions.create({ ...attempt.body, stream: true })) events.push(event)
    attempt.receive(events)
    const reply = await client.interactions.create({ model: 'gemini-3', ...toGeminiInteractions(ctx) })
    receiveGeminiInteractions(ctx, reply)
  },
  async mistral(ctx: Context, client: Mistral) {
    const attempt = ctx.startAttempt({ for: toMistral, params: { model: 'large' } })
    attempt.receive(await client.chat.complete(attempt.body))
    const events: CompletionEvent[] = []
    for await (const event of await client.chat.stream(attempt.body)) events.push(event)
    attempt.receive(events)
    receiveMistral(ctx, await client.chat.complete({ model: 'large', ...toMistral(ctx) }))
  },
  async bedrock(ctx: Context, client: BedrockRuntimeClient) {
    const attempt = ctx.startAttempt({ for: toBedrock, params: { modelId: 'claude' } })
    attempt.receive(await client.send(new ConverseCommand(attempt.body)))
    const events: ConverseStreamOutput[] = []
    const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'claude', ...toBedrock(ctx) }))
    for await (const event of stream ?? []) events.push(event)
    receiveBedrock(ctx, events)
  },
  async sdk(ctx: Context, model: Parameters<typeof wrapLanguageModel>[0]['model']) {
    const own: LanguageModel = model
    await generateText({ model: own, ...runOn(ctx) })
    const streamed = streamText({ model: own, ...runOn(ctx) })
    await streamed.consumeStream()
    receiveModelMessages(ctx, { response: await streamed.response, usage: await streamed.usage })
    receiveModelMessages(ctx, await generateText({ model: own, ...toModelMessages(ctx) }))
    await generateText({ model: wrapLanguageModel({ model, middleware: contextMiddleware(ctx) }), prompt: 'Hi' })
    const attempt = ctx.startAttempt({ for: toModelMessages, params: { temperature: 1 } })
    attempt.receive(await generateText({ ...attempt.body, model: own }))
    const prepared = runOn(ctx).prepareStep({ model: own, steps: [], messages: [] })
    expectTypeOf(prepared.model).toExtend<LanguageModel | undefined>()
  },
}

test('every adapter has a program', () => {
  expect(Object.keys(PROGRAMS)).toHaveLength(Object.keys(ADAPTERS).length)
})
