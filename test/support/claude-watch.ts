// The functions for Claude as an example of the documentation gets them, with the scripted Claude behind: each request that the example makes is
// judged, and each reply that it takes in has a signed thought. `doc-claude.ts` compiles this file into the folder of examples and imports it there;
// everything that happens is written to a file, one line each.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

import { createContext, PactError, type Context } from 'pact-context'
import * as sdk from 'pact-context/ai-sdk'
import * as anthropic from 'pact-context/anthropic'
import * as bedrock from 'pact-context/bedrock'
import { RemoteContext } from 'pact-context/client'
import type { StoredContext } from 'pact-context/store'

import { AI_SDK, ANTHROPIC, BEDROCK, BoundClaude, type Block, type ClaudeBody } from './providers/bound-claude.js'

/** One line of the file: a request that was judged, with the thoughts that Claude has made for its context and those that it holds. */
export type Judged = Readonly<{ example: string; made: number; kept: number; refused?: string }>

type AnyContext = Parameters<typeof anthropic.receiveAnthropic>[0]
type Way = 'anthropic' | 'ai-sdk' | 'bedrock'
type Reply = Readonly<Record<string, unknown>>
type Asked = Readonly<{ way: Way; request: ClaudeBody }>
type Call = (...args: never[]) => unknown
type Source = AnyContext | Parameters<typeof anthropic.toAnthropic>[0]

const FILE = fileURLToPath(new URL('judged.jsonl', import.meta.url))

let example = ''
/** Where the example lets the model speak by hand, Claude does. */
let isSpeaking = false
let claudes: Record<Way, BoundClaude>
/** The signatures that were made for a context, by its id. */
let made: Map<string, Set<string>>
/** The contexts of the example, and the params of the last call of each. */
let contexts: Map<AnyContext, object>
/** The `expiry` of the last attempt of a context: calls without it send other messages. */
const expiries = new WeakMap<object, object>()
/** Contexts that the SDK runs on. */
let runs: WeakSet<object>
/** The last request of a context, and that of an attempt. */
let asked: WeakMap<object, Asked>
const answered = new WeakSet<Asked>()

/** An example begins: a new Claude, which has said nothing yet. */
export function begin(name: string, speaks = false): void {
  example = name
  isSpeaking = speaks
  claudes = {
    anthropic: new BoundClaude(ANTHROPIC),
    'ai-sdk': new BoundClaude(AI_SDK),
    bedrock: new BoundClaude(BEDROCK),
  }
  made = new Map()
  contexts = new Map()
  runs = new WeakSet()
  asked = new WeakMap()
}

/**
 * The example is over. Each of its contexts goes on for two steps of a loop and another question, so that all thoughts are asked for again: with the
 * adapter of its last request, and as far as its store is open.
 */
export async function end(): Promise<void> {
  for (const [ctx, given] of contexts) {
    const way = asked.get(ctx)?.way ?? 'anthropic'
    const params = { [way === 'bedrock' ? 'modelId' : 'model']: 'claude', ...given }
    const input = { for: TO[way], params, options: expiries.get(ctx) ?? {} } as never
    // The model of a run judges prompts in another form.
    if (runs.has(ctx)) continue
    try {
      ctx.user('And then?')
      for (const isLast of [false, true]) {
        for (const call of ctx.openCalls()) ctx.result(call, 'done')
        ctx.startAttempt(input).receive(said(way, isLast))
        await (ctx as Context | StoredContext).commit()
      }
      ctx.user('Thanks.')
      ctx.startAttempt(input).cancel()
    } catch (error) {
      if (!PactError.is(error) || error.code !== 'E_STORE') throw error
    }
  }
}

/** A reply: a call, and then an answer. */
function said(way: Way, isLast: boolean): object {
  if (way === 'bedrock') {
    const toolUse = { toolUseId: 'end', name: 'look_up', input: {} }
    const content = isLast ? [{ text: 'Done.' }] : [{ toolUse }]
    return { output: { message: { role: 'assistant', content } }, stopReason: isLast ? 'end_turn' : 'tool_use' }
  }
  if (way === 'ai-sdk') {
    const call = { type: 'tool-call', toolCallId: 'end', toolName: 'look_up', input: {} }
    return { messages: [{ role: 'assistant', content: isLast ? 'Done.' : [call] }] }
  }
  const use = { type: 'tool_use', id: 'end', name: 'look_up', input: {} }
  const content = isLast ? [{ type: 'text', text: 'Done.' }] : [use]
  return { role: 'assistant', content, stop_reason: isLast ? 'end_turn' : 'tool_use' }
}

/** Gives a request to Claude and writes down its judgement. */
function judge(source: object, way: Way, body: object): Asked {
  const claude = claudes[way]
  const mine = madeFor(source)
  const kept = claude.signaturesIn(JSON.parse(JSON.stringify(body)) as ClaudeBody)
  const judged = { example, made: mine.size, kept: kept.length }
  try {
    const request = { way, request: claude.take(body) }
    write(judged)
    asked.set(source, request)
    return request
  } catch (error) {
    write({ ...judged, refused: String(error) })
    throw error
  }
}

function write(judged: Judged): void {
  fs.appendFileSync(FILE, `${JSON.stringify(judged)}\n`)
}

function madeFor(source: object): Set<string> {
  const { id } = source as Readonly<{ id: string }>
  const mine = made.get(id) ?? new Set()
  made.set(id, mine)
  return mine
}

/** The blocks of a reply with a thought in front, or with Claude's own signature on each thought that is there. */
function withThoughts(source: object, { way, request }: Asked, blocks: readonly Block[]): readonly Block[] {
  const claude = claudes[way]
  const think = (before: readonly Block[]): Block => {
    const thought = claude.think(request, before)
    madeFor(source).add(JSON.stringify(thought))
    return thought
  }
  const isThought = ({ type, reasoningContent }: Block): boolean =>
    ['thinking', 'redacted_thinking', 'reasoning'].includes(String(type)) || reasoningContent !== undefined
  const signed: Block[] = blocks.some(isThought) ? [] : [think([])]
  for (const block of blocks) signed.push(isThought(block) ? think(signed) : block)
  return signed
}

/** The request that a reply without an attempt answers: the last one of the context that has no reply yet, or what it would send now. */
function lastAsked(ctx: AnyContext, way: Way): Asked {
  const last = asked.get(ctx)
  const from = last?.way === way && !answered.has(last) ? last : askNow(ctx, way)
  answered.add(from)
  return from
}

function askNow(ctx: AnyContext, way: Way): Asked {
  return judge(ctx, way, bodyFor(ctx, RENDER[way](ctx)))
}

/** A request that is made by hand, with the tools of the call before. */
function bodyFor(source: object, request: object): object {
  const { tools } = (asked.get(source)?.request ?? {}) as Readonly<{ tools?: unknown }>
  return { ...request, ...(tools === undefined ? {} : { tools }) }
}

/** A reply of a provider with thoughts. */
const SIGN: Readonly<Record<Way, (source: object, from: Asked, reply: Reply) => object>> = {
  anthropic: (source, from, reply) => ({
    ...reply,
    content: withThoughts(source, from, blocksOf(reply['content'])),
  }),
  'ai-sdk': (source, from, reply) => {
    const list = (
      Array.isArray(reply) ? reply : (reply['messages'] ?? (reply['response'] as Reply)['messages'])
    ) as Reply[]
    const first = list.findIndex(({ role }) => role === 'assistant')
    const messages = list.with(first, {
      ...list[first],
      content: withThoughts(source, from, blocksOf(list[first]!['content'])),
    })
    return Array.isArray(reply) ? messages : { ...reply, messages }
  },
  bedrock: (source, from, reply) => {
    const { message } = reply['output'] as Readonly<{ message: Reply }>
    const content = withThoughts(source, from, message['content'] as Block[])
    return { ...reply, output: { message: { ...message, content } } }
  },
}

function blocksOf(content: unknown): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Block[])
}

const RENDER = { anthropic: anthropic.toAnthropic, 'ai-sdk': sdk.toModelMessages, bedrock: bedrock.toBedrock } as const

/** Keeps a context for the end of the example. */
function note(ctx: object, params: object = {}): void {
  if (!('startAttempt' in ctx)) return
  contexts.set(ctx as Context, { ...contexts.get(ctx as Context), ...params })
}

/** `to…`, which still can be the `for` of an attempt. */
function watchTo<To extends Call>(to: To, way: Way): To {
  return new Proxy(to, {
    apply: (target, _, args: [Source, ...unknown[]]) => {
      const request = Reflect.apply(target, undefined, args) as object
      note(args[0])
      judge(args[0], way, bodyFor(args[0], request))
      return request
    },
  })
}

/** `receive…` */
function watchReceive<Receive extends Call>(receive: Receive, way: Way): Receive {
  const watched = (ctx: AnyContext, reply: Reply, options?: Readonly<{ attempt?: object }>): unknown => {
    note(ctx)
    const signed = SIGN[way](ctx, lastAsked(ctx, way), reply)
    return Reflect.apply(receive, undefined, options === undefined ? [ctx, signed] : [ctx, signed, options])
  }
  return watched as unknown as Receive
}

/** `from…`: each message of the model in a conversation has a thought, made when the messages before it were the request. */
function watchFrom<From extends Call>(from: From, way: Way): From {
  return new Proxy(from, {
    apply: (target, _, [conversation, ...rest]: [Reply | readonly Reply[], ...unknown[]]) => {
      const given = Array.isArray(conversation) ? { messages: conversation } : (conversation as Reply)
      const { tools: _tools, ...printed } = given as Reply & Readonly<{ messages: readonly Reply[] }>
      const token = { id: `import ${Math.random()}` }
      const messages: Reply[] = []
      for (const message of printed.messages) {
        const request = { ...printed, messages: messages as never[] }
        const content = (): unknown => withThoughts(token, { way, request }, blocksOf(message['content']))
        messages.push(message['role'] === 'assistant' ? { ...message, content: content() } : message)
      }
      const ctx = Reflect.apply(target, undefined, [{ ...given, messages }, ...rest]) as Context
      made.set(ctx.id, madeFor(token))
      note(ctx)
      return ctx
    },
  })
}

export const toAnthropic: typeof anthropic.toAnthropic = watchTo(anthropic.toAnthropic, 'anthropic')
export const toModelMessages: typeof sdk.toModelMessages = watchTo(sdk.toModelMessages, 'ai-sdk')
export const toBedrock: typeof bedrock.toBedrock = watchTo(bedrock.toBedrock, 'bedrock')
const TO = { anthropic: toAnthropic, 'ai-sdk': toModelMessages, bedrock: toBedrock } as const
const WATCHED = ['anthropic', 'ai-sdk', 'bedrock'] as const
export const receiveAnthropic: typeof anthropic.receiveAnthropic = watchReceive(anthropic.receiveAnthropic, 'anthropic')
export const receiveModelMessages: typeof sdk.receiveModelMessages = watchReceive(sdk.receiveModelMessages, 'ai-sdk')
export const receiveBedrock: typeof bedrock.receiveBedrock = watchReceive(bedrock.receiveBedrock, 'bedrock')
export const fromAnthropic: typeof anthropic.fromAnthropic = watchFrom(anthropic.fromAnthropic, 'anthropic')
export const fromModelMessages: typeof sdk.fromModelMessages = watchFrom(sdk.fromModelMessages, 'ai-sdk')
export const fromBedrock: typeof bedrock.fromBedrock = watchFrom(bedrock.fromBedrock, 'bedrock')

/** The model of a run is Claude: it judges the prompt that it gets, and thinks before it says what the example lets it say. */
export const runOn: typeof sdk.runOn = (ctx, options) => {
  note(ctx)
  runs.add(ctx)
  const run = sdk.runOn(ctx, options)
  const prepareStep = <Model>(step: sdk.StepToCome<Model>): sdk.PreparedStep<Model> =>
    run.prepareStep<Model>({ ...step, model: thinking(ctx, step.model as object) as Model })
  return { ...run, prepareStep }
}

type Generate = (call: Readonly<{ prompt: object; tools?: object }>) => Promise<Readonly<{ content: readonly Block[] }>>

function thinking(ctx: AnyContext, model: object): object {
  return new Proxy(model, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'doGenerate') return typeof value === 'function' ? (value.bind(target) as unknown) : value
      return async (call: Parameters<Generate>[0]) => {
        const from = judge(ctx, 'ai-sdk', { messages: call.prompt, tools: call.tools ?? [] })
        const reply = await (value as Generate).call(target, call)
        const content = withThoughts(ctx, from, reply.content).map(({ providerOptions, ...part }) =>
          providerOptions === undefined ? part : { ...part, providerMetadata: providerOptions },
        )
        return { ...reply, content }
      }
    },
  })
}

// Methods are watched for all contexts of the process, since an example gets its contexts in many ways.
const edits = prototypeWith(createContext(), 'startAttempt')
const { startAttempt, receive, assistant } = edits as unknown as Context
type Started = Parameters<Context['startAttempt']>[0] & Readonly<{ for?: unknown; params?: object; options?: object }>

Object.assign(edits, {
  startAttempt(this: Context, input: Started) {
    // A run of the SDK starts attempts of its own; there the model judges what it gets.
    const way = WATCHED.find((each) => input.for === TO[each])
    if (way === undefined) return startAttempt.call(this, input)
    const attempt = startAttempt.call(this, { ...input, for: RENDER[way] } as never)
    note(this, input.params)
    const { expiry } = (input.options ?? {}) as Readonly<{ expiry?: unknown }>
    if (expiry !== undefined) expiries.set(this, { expiry })
    asked.set(attempt, { ...judge(this, way, attempt.body as object), ctx: this } as Asked)
    return attempt
  },
  assistant(this: Context, content: unknown, ...rest: []) {
    if (!isSpeaking || typeof content !== 'string' || rest.length > 0)
      return assistant.call(this, content as never, ...rest)
    const reply = { role: 'assistant', content, stop_reason: 'end_turn' }
    askNow(this, 'anthropic')
    const [node] = receiveAnthropic(this, reply).nodes
    return this.nodes(`#${node} .block`).at(-1)
  },
  receive(this: Context, reply: Reply, options: Parameters<Context['receive']>[1]) {
    const names = { fromAnthropic: 'anthropic', fromModelMessages: 'ai-sdk', fromBedrock: 'bedrock' } as const
    const way = names[options.from.name as keyof typeof names]
    return receive.call(this, way === undefined ? reply : SIGN[way](this, lastAsked(this, way), reply), options)
  },
})

const sample = createContext()
const attempts = prototypeWith(startAttempt.call(sample, { provider: 'none', model: 'none', params: {} }), 'receive')
const { receive: take } = attempts as unknown as Readonly<{
  receive: (this: object, reply: Reply, ...rest: unknown[]) => unknown
}>
Object.assign(attempts, {
  receive(this: object, reply: Reply, ...rest: unknown[]) {
    const from = asked.get(this) as (Asked & Readonly<{ ctx: object }>) | undefined
    return take.call(this, from === undefined ? reply : (SIGN[from.way](from.ctx, from, reply) as Reply), ...rest)
  },
})

const { render } = RemoteContext.prototype
Object.assign(RemoteContext.prototype, {
  async render(this: RemoteContext, ...args: Parameters<typeof render>) {
    const answer = await render.apply(this, args)
    const [format] = args
    const isClaude = format === 'anthropic' || format === 'ai-sdk' || format === 'bedrock'
    if (isClaude) judge(this, format, JSON.parse(answer.text) as object)
    return answer
  },
})

function prototypeWith(of: object, name: string): object {
  const prototype = Object.getPrototypeOf(of) as object
  return Object.hasOwn(prototype, name) ? prototype : prototypeWith(prototype, name)
}
