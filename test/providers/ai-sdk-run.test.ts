// The AI SDK on a context: generateText, streamText and agents with scripted models. What the model gets at each step is what the
// context renders then, and what it says is in the context once.

import {
  APICallError,
  generateText,
  stepCountIs,
  streamText,
  tool,
  ToolLoopAgent,
  wrapLanguageModel,
  type ModelMessage,
} from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { contextMiddleware, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { createContext, type Context } from '../../src/index.js'
import { reopened } from '../support/reopened.js'

type Reply = Readonly<{
  text?: string
  calls?: readonly Readonly<{ id: string; name: string; input: object }>[]
  /** The error that the call throws instead. */
  error?: Error
}>

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>> extends { stream: ReadableStream<infer Part> } ? Part : never

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `${city}: sunny` }),
  time: tool({ inputSchema: z.object({}), execute: () => ({ hour: 12 }) }),
}

const REPLIES: readonly Reply[] = [
  {
    text: 'Let me look.',
    calls: [
      { id: 'a', name: 'weather', input: { city: 'Rome' } },
      { id: 'b', name: 'time', input: {} },
    ],
  },
  { calls: [{ id: 'c', name: 'weather', input: { city: 'Oslo' } }] },
  { text: 'Sunny in both.' },
]

describe('runOn', () => {
  it('sends at every step what the context renders then, and takes each message in once', async () => {
    const ctx = newContext()
    const { model, prompts } = scripted(REPLIES, ctx)
    const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect(text).toBe('Sunny in both.')
    expect(prompts).toHaveLength(3)
    for (const { sent, rendered } of prompts) expect(sent).toEqual(rendered)
    expect(outline(ctx)).toEqual([
      'user text',
      'assistant text',
      'assistant call a',
      'assistant call b',
      'tool result a',
      'tool result b',
      'assistant call c',
      'tool result c',
      'assistant text',
    ])
    expect(
      ctx.attempts().map(({ status, token_in, token_out, model: name }) => [status, token_in, token_out, name]),
    ).toEqual(Array.from({ length: 3 }, () => ['completed', 10, 5, 'scripted']))
    ctx.commit()
    expect({ ...toModelMessages(ctx) }.messages).toHaveLength(6)
  })

  it('works with streams and with agents', async () => {
    const streamed = newContext()
    const stream = streamText({
      model: scripted(REPLIES, streamed).model,
      tools,
      stopWhen: stepCountIs(5),
      ...runOn(streamed),
    })
    expect(await stream.text).toBe('Sunny in both.')
    const generated = newContext()
    await generateText({
      model: scripted(REPLIES, generated).model,
      tools,
      stopWhen: stepCountIs(5),
      ...runOn(generated),
    })
    expect(outline(streamed)).toEqual(outline(generated))

    const led = newContext()
    const { messages, prepareStep, onStepFinish } = runOn(led)
    const agent = new ToolLoopAgent({ model: scripted(REPLIES, led).model, tools, prepareStep, onStepFinish })
    await agent.generate({ messages })
    expect(outline(led)).toEqual(outline(generated))
  })

  it('waits for an approval: the tool runs once, and the model sees its result in the call after', async () => {
    const ctx = newContext()
    const runs: string[] = []
    const asked = {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        needsApproval: true,
        execute: ({ city }) => {
          runs.push(city)
          return `${city}: sunny`
        },
      }),
    }
    const { model, prompts } = scripted([REPLIES[1]!, { text: 'Sunny in Oslo.' }], ctx)
    const first = await generateText({ model, tools: asked, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect([first.steps.length, runs]).toEqual([1, []])
    const request = first.content.find((part) => part.type === 'tool-approval-request')!
    const approval = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true }
    ctx.tool(approval, { kind: 'approval' })
    const second = await generateText({ model, tools: asked, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect([second.text, runs]).toEqual(['Sunny in Oslo.', ['Oslo']])
    expect(JSON.stringify(prompts[1]!.sent)).toContain('Oslo: sunny')
    expect(JSON.stringify(prompts[1]!.sent)).not.toContain('no longer in context')
    expect(ctx.nodes("[kind='call']").length).toBe(1)
    expect(JSON.stringify(ctx.nodes('.block')).split('Oslo: sunny').length - 1).toBe(1)
  })

  it('shows the model what a failing tool threw, and goes on', async () => {
    const ctx = newContext()
    const failing = {
      ...tools,
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }): string => {
          throw new Error(`no station in ${city}`)
        },
      }),
    }
    const { model, prompts } = scripted(REPLIES, ctx)
    await generateText({ model, tools: failing, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect(JSON.stringify(prompts[1]!.sent)).toContain('no station in Rome')
    for (const { sent, rendered } of prompts) expect(sent).toEqual(rendered)
    expect(outline(ctx).filter((line) => line.startsWith('tool'))).toEqual([
      'tool result a',
      'tool result b',
      'tool result c',
    ])
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  })

  it('ends the attempt of a step that throws as failed, and the context goes on from the step before', async () => {
    const ctx = newContext()
    const broken = { error: new RangeError('overloaded') }
    const { model } = scripted([REPLIES[0]!, broken], ctx)
    const call = { tools, stopWhen: stepCountIs(5), maxRetries: 0 }
    await expect(generateText({ model, ...call, ...runOn(ctx) })).rejects.toThrow('overloaded')
    expect(ctx.attempts().map(({ status, error }) => [status, error?.message])).toEqual([
      ['completed', undefined],
      ['error', 'overloaded'],
    ])
    const again = scripted([{ text: 'Sunny.' }], ctx)
    const { text } = await generateText({ model: again.model, ...call, ...runOn(ctx) })
    expect(text).toBe('Sunny.')
    expect(again.prompts[0]!.sent).toEqual(again.prompts[0]!.rendered)
    expect(outline(ctx).at(-1)).toBe('assistant text')
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'error', 'completed'])
    ctx.commit()
  })

  it('makes an attempt of each call that the SDK makes again', async () => {
    const ctx = newContext()
    const busy = new APICallError({
      message: 'slow down',
      url: 'https://example.org',
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders: { 'retry-after-ms': '1' },
      isRetryable: true,
    })
    const { model } = scripted([{ error: busy }, { text: 'Here.' }], ctx)
    await generateText({ model, ...runOn(ctx) })
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['error', 'completed'])
  })

  it('ends the attempt where a stream fails or is stopped', async () => {
    const ctx = newContext()
    const { model } = scripted([{ error: new Error('cut off') }], ctx)
    const failed = streamText({ model, maxRetries: 0, onError: () => {}, ...runOn(ctx) })
    await failed.consumeStream()
    expect(ctx.attempts().map(({ status, error }) => [status, error?.message])).toEqual([['error', 'cut off']])

    const stopped = newContext()
    const controller = new AbortController()
    const { signal } = controller
    const stream = new ReadableStream<StreamPart>({
      pull: (parts) => {
        controller.abort()
        parts.error(signal.reason)
      },
    })
    const endless = new MockLanguageModelV3({ doStream: async () => ({ stream }) })
    await streamText({ model: endless, abortSignal: signal, onError: () => {}, ...runOn(stopped) }).consumeStream()
    expect(stopped.attempts().map(({ status }) => status)).toEqual(['canceled'])
  })

  it('leaves out of a step what the context lets go in between', async () => {
    const ctx = newContext()
    ctx.post('a long document', { ttl: 0 })
    const { model, prompts } = scripted(REPLIES, ctx)
    await generateText({ model, tools, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect(JSON.stringify(prompts)).not.toContain('a long document')
    for (const { sent, rendered } of prompts) expect(sent).toEqual(rendered)
  })
})

describe('an attempt of the SDK', () => {
  const cached = {
    inputTokens: { total: 30, noCache: 8, cacheRead: 20, cacheWrite: 2 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  }
  const said = {
    content: [{ type: 'text' as const, text: 'Sunny.' }],
    finishReason: { unified: 'stop' as const, raw: 'end_turn' },
    usage: cached,
    warnings: [],
    response: { id: 'msg_1', modelId: 'scripted-1' },
    providerMetadata: { anthropic: { container: { id: 'container_1' } } },
  }
  const REPORTED = {
    id: 'msg_1',
    model: 'scripted-1',
    stop: 'end',
    providerStop: 'stop',
    tokenIn: 30,
    tokenOut: 5,
    cacheRead: 20,
    cacheWrite: 2,
    container: 'container_1',
  }
  const call = {
    tools,
    maxOutputTokens: 99,
    headers: { authorization: 'secret' },
    providerOptions: { acme: { deep: 1 } },
  }
  const parts: StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'msg_1', modelId: 'scripted-1' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Sunny.' },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: said.finishReason, usage: cached, providerMetadata: said.providerMetadata },
  ]

  function speaking(): MockLanguageModelV3 {
    return new MockLanguageModelV3({
      provider: 'acme.chat',
      modelId: 'scripted',
      doGenerate: async () => said,
      doStream: async () => ({ stream: convertArrayToReadableStream(parts) }),
    })
  }

  type Play = (ctx: Context) => Promise<unknown>
  const options = { blocks: { before: 'Document: ' } }
  const wrapped = (ctx: Context) =>
    wrapLanguageModel({ model: speaking(), middleware: contextMiddleware(ctx, options) })
  const prompt = 'How is the weather in Rome and Oslo?'
  const PLAYS: readonly (readonly [string, Play])[] = [
    ['generateText with runOn', (ctx) => generateText({ model: speaking(), ...call, ...runOn(asking(ctx), options) })],
    [
      'streamText with runOn',
      async (ctx) => streamText({ model: speaking(), ...call, ...runOn(asking(ctx), options) }).text,
    ],
    ['generateText with the middleware', (ctx) => generateText({ model: wrapped(ctx), ...call, prompt })],
    ['streamText with the middleware', async (ctx) => streamText({ model: wrapped(ctx), ...call, prompt }).text],
  ]

  function asking(ctx: Context): Context {
    ctx.user(prompt)
    return ctx
  }

  it.each(PLAYS)(
    'of %s has params, options, and everything that was reported; its bytes are given again',
    async (_, play) => {
      const ctx = createContext()
      ctx.post('a timetable')
      await play(ctx)
      const [record, ...others] = ctx.attempts()
      expect(others).toEqual([])
      expect(record).toMatchObject({
        status: 'completed',
        provider: 'acme.chat',
        model: 'scripted',
        token_in: 30,
        token_out: 5,
        reported: REPORTED,
        params: { model: 'scripted', maxOutputTokens: 99, providerOptions: { acme: { deep: 1 } } },
        adapter_options: options,
      })
      expect((record!.params as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
        'weather',
        'time',
      ])
      const bytes = ctx.requestOf(record!.attempt_id)
      const body = JSON.parse(new TextDecoder().decode(bytes)) as {
        messages: { role: string; content: unknown }[]
        headers?: unknown
        prompt?: unknown
      }
      const asked = { role: 'user', content: prompt }
      const document = { role: 'user', content: 'Document: a timetable' }
      expect(body.messages.map(asList)).toEqual([asked, document].map(asList))
      expect(JSON.stringify(record)).not.toContain('secret')
      expect(body).toEqual({ ...record!.params, messages: body.messages })
      ctx.commit()
      ctx.user('And now?')
      ctx.commit()
      expect(ctx.requestOf(record!.attempt_id)).toEqual(bytes)
      const again = await reopened(ctx)
      expect(again.requestOf(record!.attempt_id)).toEqual(bytes)
    },
  )

  it('ends with the call of a wrapped model that fails or is stopped', async () => {
    const failing = new MockLanguageModelV3({
      doGenerate: async () => {
        throw new RangeError('overloaded')
      },
    })
    const ctx = createContext()
    const model = wrapLanguageModel({ model: failing, middleware: contextMiddleware(ctx) })
    await expect(generateText({ model, prompt, maxRetries: 0 })).rejects.toThrow('overloaded')
    const controller = new AbortController()
    const stream = new ReadableStream<StreamPart>({
      pull: (out) => {
        controller.abort()
        out.error(controller.signal.reason)
      },
    })
    const endless = new MockLanguageModelV3({ doStream: async () => ({ stream }) })
    const stopped = wrapLanguageModel({ model: endless, middleware: contextMiddleware(ctx) })
    await streamText({ model: stopped, prompt, abortSignal: controller.signal, onError: () => {} }).consumeStream()
    expect(ctx.attempts().map(({ status, error }) => [status, error?.message])).toEqual([
      ['error', 'overloaded'],
      ['canceled', undefined],
    ])
  })

  it('leaves the state of the turn behind: what a loop asks for next', async () => {
    const ctx = newContext()
    expect(ctx.due()).toBe('reply')
    await generateText({ model: scripted(REPLIES, ctx).model, tools, stopWhen: stepCountIs(1), ...runOn(ctx) })
    expect(ctx.due()).toBe('reply')
    await generateText({ model: scripted(REPLIES.slice(1), ctx).model, tools, stopWhen: stepCountIs(5), ...runOn(ctx) })
    expect(ctx.due()).toBe('nothing')
    const paused = newContext()
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({ ...said, finishReason: { unified: 'stop' as const, raw: 'pause_turn' } }),
    })
    await generateText({ model, ...runOn(paused) })
    expect(paused.due()).toBe('reply')
    const silent = newContext()
    const nothing = new MockLanguageModelV3({ doGenerate: async () => ({ ...said, content: [] }) })
    await generateText({ model: nothing, ...runOn(silent) })
    expect(silent.due()).toBe('nothing')
  })

  it.each([
    ['NaN', { mean: Number.NaN }],
    ['Infinity', { most: Infinity }],
    ['a hole', [1, undefined, 3]],
    ['nothing', undefined],
    ['a date', { at: new Date(0) }],
  ])('takes %s from a tool as the SDK sends it', async (_, value) => {
    const ctx = newContext()
    const odd = { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: () => value }) }
    await generateText({
      model: scripted(REPLIES.slice(1), ctx).model,
      tools: odd,
      stopWhen: stepCountIs(5),
      ...runOn(ctx),
    })
    expect(outline(ctx)).toEqual(['user text', 'assistant call c', 'tool result c', 'assistant text'])
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'completed'])
  })
})

describe('the attempt of a reply that the SDK cannot use', () => {
  it('has ended, and the context has the steps before it', async () => {
    const ctx = newContext()
    const model = scripted(REPLIES.slice(1, 2), ctx).model
    await expect(
      generateText({ model, tools, stopWhen: stepCountIs(5), maxRetries: 0, ...runOn(ctx) }),
    ).rejects.toThrow()
    expect(ctx.attempts().map(({ status }) => status)).toEqual(['completed', 'error'])
    expect(outline(ctx)).toEqual(['user text', 'assistant call c', 'tool result c'])
  })
})

describe('contextMiddleware', () => {
  it('gives the model the context, and takes in what is new of each call', async () => {
    const ctx = createContext()
    ctx.system.add('Be brief.')
    ctx.post('The plan: look first.', { key: 'plan' })
    const { model, prompts } = scripted(REPLIES, ctx)
    const wrapped = wrapLanguageModel({ model, middleware: contextMiddleware(ctx) })
    const { response } = await generateText({
      model: wrapped,
      tools,
      stopWhen: stepCountIs(5),
      prompt: 'How is the weather?',
    })
    for (const { sent, rendered } of prompts) expect(sent).toEqual(rendered)
    expect(JSON.stringify(prompts[0]!.sent)).toContain('The plan: look first.')
    expect(outline(ctx).filter((line) => line.startsWith('user'))).toEqual(['user text'])
    // The next call has the whole conversation again; only its end is new.
    const messages = [
      { role: 'user' as const, content: 'How is the weather?' },
      ...response.messages,
      { role: 'user' as const, content: 'Thanks.' },
    ]
    await generateText({
      model: wrapLanguageModel({
        model: scripted([{ text: 'Welcome.' }], ctx).model,
        middleware: contextMiddleware(ctx),
      }),
      messages: messages.slice(-1),
    })
    expect(outline(ctx).filter((line) => line.startsWith('user'))).toEqual(['user text', 'user text'])
  })
})

describe('one contextMiddleware', () => {
  it('takes nothing in twice from two calls of a conversation that grows', async () => {
    const ctx = createContext()
    const { model, prompts } = scripted([...REPLIES, { text: 'Welcome.' }], ctx)
    const wrapped = wrapLanguageModel({ model, middleware: contextMiddleware(ctx) })
    const messages: ModelMessage[] = [{ role: 'user', content: 'How is the weather?' }]
    const call = { model: wrapped, tools, stopWhen: stepCountIs(5), system: 'Be brief.' }
    const first = await generateText({ ...call, messages })
    messages.push(...first.response.messages, { role: 'user', content: 'Thanks.' })
    await generateText({ ...call, messages })
    expect(outline(ctx)).toEqual([
      'user text',
      'assistant text',
      'assistant call a',
      'assistant call b',
      'tool result a',
      'tool result b',
      'assistant call c',
      'tool result c',
      'assistant text',
      'user text',
    ])
    expect(ctx.nodes('^sys .block').map(({ content }) => content)).toEqual(['Be brief.'])
    for (const { sent, rendered } of prompts) expect(sent).toEqual(rendered)
  })
})

describe('a contextMiddleware on a context that has been used', () => {
  it('takes in what is new of a call that begins with what the context renders', async () => {
    const ctx = newContext()
    ctx.assistant('Which one?')
    ctx.commit()
    const { model } = scripted([{ text: 'Sunny.' }], ctx)
    const wrapped = wrapLanguageModel({ model, middleware: contextMiddleware(ctx) })
    const { system, messages } = toModelMessages(ctx)
    await generateText({
      model: wrapped,
      ...(system === undefined ? {} : { system }),
      messages: [...messages, { role: 'user', content: 'Both.' }],
    })
    expect(ctx.nodes('^ah .block').map(({ content }) => content)).toEqual(['Both.'])
    expect(ctx.count('^sys .block')).toBe(1)
  })

  it('takes all of a call in that is about something else', async () => {
    const ctx = newContext()
    ctx.assistant('Which one?')
    ctx.commit()
    const { model } = scripted([{ text: 'Sunny.' }], ctx)
    const wrapped = wrapLanguageModel({ model, middleware: contextMiddleware(ctx) })
    await generateText({ model: wrapped, system: 'Be brief.', messages: [{ role: 'user', content: 'Hello.' }] })
    expect(ctx.nodes('^ah .block').map(({ content }) => content)).toEqual(['Hello.'])
    await generateText({
      model: wrapLanguageModel({ model: scripted([{ text: 'A' }], ctx).model, middleware: contextMiddleware(ctx) }),
      system: 'Be brief.',
      messages: toModelMessages(ctx).messages.slice(0, 1),
    })
    expect(ctx.nodes('^ah .block').map(({ content }) => content)).toEqual([
      'Hello.',
      'How is the weather in Rome and Oslo?',
    ])
  })
})

function newContext(): Context {
  const ctx = createContext()
  ctx.system.add('Be brief.')
  ctx.user('How is the weather in Rome and Oslo?')
  return ctx
}

/** A model that says these things one after another, and notes what it got and what the context renders at that time. */
function scripted(
  replies: readonly Reply[],
  ctx: Context,
): { model: MockLanguageModelV3; prompts: { sent: unknown; rendered: unknown }[] } {
  const prompts: { sent: unknown; rendered: unknown }[] = []
  let at = 0
  const next = (prompt: unknown): Reply => {
    const { system, messages } = toModelMessages(ctx)
    prompts.push({
      sent: plain(prompt),
      rendered: plain([{ role: 'system', content: system }, ...messages.map(asList)]),
    })
    const reply = replies[at++]!
    if (reply.error !== undefined) throw reply.error
    return reply
  }
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  }
  const contentOf = ({ text, calls = [] }: Reply) => [
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(input),
    })),
  ]
  const finish = ({ calls = [] }: Reply) => ({
    unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const),
    raw: undefined,
  })
  const model = new MockLanguageModelV3({
    modelId: 'scripted',
    doGenerate: async ({ prompt }) => {
      const reply = next(prompt)
      return { content: contentOf(reply), finishReason: finish(reply), usage, warnings: [] }
    },
    doStream: async ({ prompt }) => {
      const reply = next(prompt)
      const parts = contentOf(reply).flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: part.text },
              { type: 'text-end' as const, id: '1' },
            ]
          : [part],
      )
      return {
        stream: convertArrayToReadableStream<StreamPart>([
          { type: 'stream-start' as const, warnings: [] },
          ...parts,
          { type: 'finish' as const, finishReason: finish(reply), usage },
        ]),
      }
    },
  })
  return { model, prompts }
}

/** The model's view of a message: text as a list of one part, and no more than what it says. */
function asList(message: { role: string; content: unknown }): object {
  return typeof message.content === 'string' && message.role !== 'system'
    ? { ...message, content: [{ type: 'text', text: message.content }] }
    : message
}

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) => (key === 'providerOptions' || each === undefined ? undefined : each)),
  )
}

function outline(ctx: Context): readonly string[] {
  return ctx.nodes('^seq .block, ^ah .block').flatMap(({ role, kind, attributes }) => {
    if (role === undefined) return []
    const callId = attributes['data_call_id']
    return [
      [
        role,
        kind === 'call' || kind === 'result' ? kind : 'text',
        ...(callId === undefined ? [] : [callId as string]),
      ].join(' '),
    ]
  })
}
