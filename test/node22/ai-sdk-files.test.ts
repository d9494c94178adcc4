// Files, thoughts with files, custom parts and deferred results with version 7 and the published provider packages: the body that a provider package sends
// for a call through a context is the body that it sends for the same call without one.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import {
  generateText,
  isStepCount,
  jsonSchema,
  modelMessageSchema,
  tool,
  wrapLanguageModel,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'

import { contextMiddleware, fromModelMessages, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = 'JVBERi0xLjQKJSVFT0YK'

type Model = Exclude<LanguageModel, string>
type Body = Readonly<Record<string, unknown>>

/** A provider package whose server answers from a script: first a call of `look`, if there are tools, then a text. */
type Provider = Readonly<{ name: string; model: (fetch: typeof globalThis.fetch) => Model; replies: readonly object[] }>

const anthropicReply = (content: object[], stop: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 5 },
})

const openaiReply = (output: object[]): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-6',
  status: 'completed',
  output,
  usage: { input_tokens: 5, output_tokens: 5 },
})

const googleReply = (parts: object[]): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
})

const PROVIDERS: readonly Provider[] = [
  {
    name: 'anthropic',
    model: (fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-5-5'),
    replies: [
      anthropicReply([{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }], 'tool_use'),
      anthropicReply([{ type: 'text', text: 'A dot.' }], 'end_turn'),
    ],
  },
  {
    name: 'openai',
    model: (fetch) => createOpenAI({ apiKey: 'key', fetch })('gpt-6'),
    replies: [
      openaiReply([
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}', status: 'completed' },
      ]),
      openaiReply([
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'A dot.', annotations: [] }],
        },
      ]),
    ],
  },
  {
    name: 'google',
    model: (fetch) => createGoogleGenerativeAI({ apiKey: 'key', fetch })('gemini-3-pro'),
    replies: [
      googleReply([{ functionCall: { name: 'look', args: {} }, thoughtSignature: 'c2ln' }]),
      googleReply([{ text: 'A dot.' }]),
    ],
  },
]

/** The bodies that a provider package sends while `play` runs. */
async function bodiesOf(
  { model, replies }: Provider,
  isLooking: boolean,
  play: (model: Model) => PromiseLike<unknown>,
): Promise<readonly Body[]> {
  const bodies: Body[] = []
  const script = isLooking ? [...replies] : replies.slice(1)
  const server: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(init?.body as string) as Body)
    const reply = script.length > 1 ? script.shift() : script[0]
    return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } })
  }
  await play(model(server))
  return bodies
}

/** Ids that a package makes up are the same in all bodies. */
function evened(bodies: readonly Body[]): readonly unknown[] {
  const ids = new Map<string, string>()
  const text = JSON.stringify(bodies).replaceAll(/"(?:id|call_id|tool_use_id)":"([^"]+)"/g, (all, id: string) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size}`)
    return all.replace(id, ids.get(id)!)
  })
  return JSON.parse(text) as unknown[]
}

const user = (...content: object[]): ModelMessage => ({ role: 'user', content }) as unknown as ModelMessage
const dot = { type: 'file', data: PNG, mediaType: 'image/png' }

const ASKED: Readonly<Record<string, ModelMessage[]>> = {
  'a text and a picture': [user({ type: 'text', text: 'What is this?' }, dot)],
  'a picture alone': [user(dot)],
  'a tagged picture': [
    user({ type: 'text', text: 'This?' }, { ...dot, data: { type: 'data', data: Uint8Array.from(atob(PNG), code) } }),
  ],
  'a tagged address': [
    user({
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'url', url: new URL(`data:image/png;base64,${PNG}`) },
    }),
  ],
  'a document': [
    user({ type: 'text', text: 'Read.' }, { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' }),
  ],
}

function code(unit: string): number {
  return unit.charCodeAt(0)
}

const looking = (output: object): ToolSet => ({
  look: tool({
    inputSchema: jsonSchema({ type: 'object', properties: {} }),
    execute: () => 'looked',
    toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: 'Here.' }, output] }) as never,
  }),
})

const SEEN: Readonly<Record<string, object>> = {
  'a tagged file': { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
  'a file as version 6 has it': { type: 'image-data', data: PNG, mediaType: 'image/png' },
}

const through = (ctx: Context, model: Model): Model =>
  wrapLanguageModel({ model: model, middleware: contextMiddleware(ctx) })

describe.each(PROVIDERS)('$name, by what its package sends', (provider) => {
  it.each(Object.keys(ASKED))('gets %s through contextMiddleware', async (name) => {
    const messages = ASKED[name]!
    const alone = await bodiesOf(provider, false, (model) => generateText({ model, messages }))
    const bodies = await bodiesOf(provider, false, (model) =>
      generateText({ model: through(createContext(), model), messages }),
    )
    expect(bodies).toEqual(alone)
    expect(JSON.stringify(bodies)).toMatch(/iVBORw0KGgo|JVBERi0/)
  })

  it.each(Object.keys(ASKED))('gets %s through runOn', async (name) => {
    const messages = ASKED[name]!
    const alone = await bodiesOf(provider, false, (model) => generateText({ model, messages }))
    const ctx = fromModelMessages(messages)
    expect(await bodiesOf(provider, false, (model) => generateText({ model, ...runOn(ctx) }))).toEqual(alone)
    expect(toModelMessages(ctx).repairs).toEqual([])
  })

  it.each(Object.keys(SEEN))('gets %s that a tool gave', async (name) => {
    const given = { tools: looking(SEEN[name]!), stopWhen: isStepCount(3) }
    const messages = [user({ type: 'text', text: 'Look.' })]
    const alone = await bodiesOf(provider, true, (model) => generateText({ model, messages, ...given }))
    const ctx = createContext()
    ctx.user('Look.')
    const run = await bodiesOf(provider, true, (model) => generateText({ model, ...given, ...runOn(ctx) }))
    const wrapped = await bodiesOf(provider, true, (model) =>
      generateText({ model: through(createContext(), model), messages, ...given }),
    )
    expect(JSON.stringify(alone)).toContain(PNG)
    expect(evened(run)).toEqual(evened(alone))
    expect(evened(wrapped)).toEqual(evened(alone))
  })
})

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** A model that says these contents, one for each call, and keeps its prompts. */
function saying(replies: readonly object[][], prompts: unknown[] = []): MockLanguageModelV4 {
  let at = 0
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt)
      const content = replies[at++]!
      return { content, finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] } as never
    },
  })
}

describe('parts of version 7 only', () => {
  const REPLY = [
    {
      type: 'reasoning-file',
      mediaType: 'image/png',
      data: { type: 'data', data: PNG },
      providerMetadata: { google: { thoughtSignature: 's' } },
    },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
    { type: 'custom', kind: 'openai.item', providerMetadata: { openai: { itemId: 'x_1' } } },
    { type: 'text', text: 'Here.' },
  ]

  it('go back to the model as the SDK itself sends them back', async () => {
    const ctx = createContext()
    ctx.user('Draw.')
    const { responseMessages } = await generateText({ model: saying([REPLY]), ...runOn(ctx) })
    ctx.user('Again.')
    const [alone, ours, wrapped]: [unknown[], unknown[], unknown[]] = [[], [], []]
    const messages: ModelMessage[] = [
      user({ type: 'text', text: 'Draw.' }),
      ...responseMessages,
      user({ type: 'text', text: 'Again.' }),
    ]
    await generateText({ model: saying([[{ type: 'text', text: 'ok' }]], alone), messages })
    await generateText({ model: saying([[{ type: 'text', text: 'ok' }]], ours), ...runOn(ctx) })
    const model = through(createContext(), saying([[{ type: 'text', text: 'ok' }]], wrapped))
    await generateText({ model, messages })
    expect(JSON.stringify(alone)).toContain('thoughtSignature')
    expect(ours).toEqual(alone)
    expect(wrapped).toEqual(alone)
    expect(toModelMessages(ctx).repairs).toEqual([])
  })

  it('keep the summary that OpenAI made, as the beginning', async () => {
    const ctx = createContext()
    ctx.user('Long talk.')
    const made = {
      type: 'custom',
      kind: 'openai.compaction',
      providerMetadata: { openai: { itemId: 'cmp_1', encryptedContent: 'e' } },
    }
    await generateText({ model: saying([[made, { type: 'text', text: 'Yes.' }]]), ...runOn(ctx) })
    ctx.user('Go on.')
    const bodies = await bodiesOf(PROVIDERS[1]!, false, (model) => generateText({ model, ...runOn(ctx) }))
    expect(JSON.stringify(bodies)).toContain('cmp_1')
  })

  it('give the words of a text document to other providers', () => {
    const data = { type: 'text', text: 'Twelve apples.' }
    const file = { type: 'file', mediaType: 'text/plain', data }
    const ctx = fromModelMessages([user(file)])
    ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    ctx.receive([resultOf(file)], { from: fromModelMessages })
    const { messages } = toOpenAIChat(ctx)
    expect(JSON.stringify(messages).split('Twelve apples.').length - 1).toBe(2)
  })

  const bytes = Uint8Array.from(atob(PNG), code)
  const url = new URL('https://example.com/a.png')
  const places: readonly object[] = [
    { type: 'data', data: PNG },
    { type: 'data', data: bytes },
    { type: 'url', url },
    { type: 'reference', reference: { openai: 'file_1' } },
    { type: 'text', text: 'Words.' },
  ]
  const made = [PNG, bytes, url, ...places.slice(0, 3)].map((data) => ({
    type: 'reasoning-file',
    data,
    mediaType: 'image/png',
  }))
  const files = [...places, { openai: 'file_1' }].map((data) => ({ type: 'file', data, mediaType: 'image/png' }))
  const outputs: readonly object[] = [
    ...files.slice(0, -1),
    { type: 'file-reference', providerReference: { openai: 'file_1' } },
    { type: 'image-file-reference', providerReference: { openai: 'file_1' } },
  ]
  const call = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }] }
  const asked = { role: 'user', content: 'Look.' }
  const CASES: readonly (readonly object[])[] = [
    ...files.map((file) => [{ role: 'user', content: [file] }]),
    [{ role: 'user', content: [{ type: 'image', image: { openai: 'file_1' } }] }],
    ...[...files, ...made].map((part) => [
      asked,
      { role: 'assistant', content: [part, { type: 'text', text: 'So.' }] },
    ]),
    ...outputs.map((part) => [asked, call, resultOf(part)]),
  ]

  it.each(CASES.map((messages, at) => ({ at, messages })))(
    'are valid, kept, and the same after an export: $at',
    ({ messages }) => {
      for (const message of messages) expect(modelMessageSchema.safeParse(message).success).toBe(true)
      const ctx = fromModelMessages(messages)
      const again = importSnapshot(ctx.export())
      for (const each of [ctx, again]) {
        expect({ ...toModelMessages(each) }).toEqual({ messages })
        expect({ ...toModelMessages(each, { repair: false }) }).toEqual({ messages })
        expect(toModelMessages(each).repairs).toEqual([])
      }
    },
  )

  it('have no `media` in results, which is of version 6: it becomes `file-data`, which both take', () => {
    const { messages } = toModelMessages(
      fromModelMessages([asked, call, resultOf({ type: 'media', data: PNG, mediaType: 'image/png' })]),
    )
    expect(messages[2]).toMatchObject({
      content: [
        { output: { value: expect.arrayContaining([{ type: 'file-data', data: PNG, mediaType: 'image/png' }]) } },
      ],
    })
    expect(modelMessageSchema.safeParse(messages[2]).success).toBe(true)
  })

  it('give a result that the provider brings later to its call, over a commit too', async () => {
    const call = { type: 'tool-call', toolCallId: 'srv_1', toolName: 'search', input: '{}', providerExecuted: true }
    const result = {
      type: 'tool-result',
      toolCallId: 'srv_1',
      toolName: 'search',
      result: { hits: 3 },
      providerExecuted: true,
    }
    for (const isCommitted of [false, true]) {
      const ctx = createContext()
      ctx.user('Search.')
      await generateText({ model: saying([[call, { type: 'text', text: 'Searching.' }]]), ...runOn(ctx) })
      if (isCommitted) ctx.commit()
      ctx.receive(
        [
          {
            role: 'assistant',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'srv_1',
                toolName: 'search',
                output: { type: 'json', value: result.result },
              },
              { type: 'text', text: 'Three.' },
            ],
          },
        ],
        { from: fromModelMessages },
      )
      const { messages, repairs } = toModelMessages(ctx)
      expect(repairs).toEqual([])
      expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'assistant'])
      expect(messages[2]?.content[0]).toMatchObject({ type: 'tool-result', toolCallId: 'srv_1' })
      expect(toModelMessages(fromModelMessages(messages)).messages).toEqual(messages)
    }
  })
})

function resultOf(part: object): object {
  const output = { type: 'content', value: [{ type: 'text', text: 'Here.' }, part] }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output }] }
}

describe('an attempt', () => {
  it.each([undefined, { content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'none', input: '{' }] }])(
    'ends with a reply that the SDK cannot use: %j',
    async (reply) => {
      const ctx = createContext()
      ctx.user('Hi')
      const model = new MockLanguageModelV4({ doGenerate: async () => reply as never })
      await generateText({ model, maxRetries: 0, ...runOn(ctx) }).catch(() => undefined)
      expect(ctx.attempts().map(({ status }) => status === 'running')).toEqual([false])
    },
  )
})
