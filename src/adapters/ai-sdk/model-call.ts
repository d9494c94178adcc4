// A call that the SDK makes to a model: its attempt, with the params as JSON and the model's own words about its reply, and a watch over the call, since
// the SDK reports no steps that fail.

import { canonicalJson } from '../../codec/index.js'
import { type AnyContext, type Attempt, sentLens } from '../../context/index.js'
import type { JsonObject } from '../../core/index.js'
import { isRecord } from '../../errors/index.js'
import type { CallPrompt } from '../../thread/index.js'
import { type ReplyFacts, reportedOf, stopOf } from '../conversation/reported.js'
import { AI_SDK, isBoundThought, type ModelMessageOptions } from './format.js'
import { factsOf, REPLIES } from './read.js'

/** The names under which an attempt is recorded; by default those of the model. */
export type ModelNames = Readonly<{ provider?: string | undefined; model?: string | undefined }>

/** Starts the attempt of a call; `call` are the options that the model gets, if they are known. */
export function startCall(
  ctx: AnyContext,
  model: unknown,
  call: object,
  { provider, model: name, lens, ...options }: ModelMessageOptions & ModelNames,
): Attempt {
  return ctx.startAttempt({
    for: AI_SDK.to,
    provider: provider ?? textIn(model, 'provider') ?? 'ai-sdk',
    params: { ...paramsOf(call), model: name ?? textIn(model, 'modelId') ?? 'model' },
    options,
    // Named, so that nothing is shed: the model has its prompt already.
    lens: lens ?? sentLens(ctx),
  })
}

/** The part of the prompt that a call has outside its messages, as its attempt records it. */
export function promptBeside(call: object): CallPrompt {
  return { tools: paramsOf(call)['tools'] ?? [], system: undefined }
}

/**
 * A call with the bound thoughts that the request of its attempt has. The prompt was made before the tools of the call were known, so it may have more,
 * which the provider would refuse.
 */
export function withSentThoughts(call: object, { body }: Attempt): object {
  const { prompt } = call as Readonly<{ prompt?: unknown }>
  if (!Array.isArray(prompt)) return call
  const sent = new Set(thoughtsIn((body as Readonly<{ messages: readonly Message[] }>).messages).map(optionsText))
  const isStale = (part: Part): boolean => isBoundThought(part) && !sent.has(optionsText(part))
  if (!thoughtsIn(prompt as readonly Message[]).some(isStale)) return call
  const kept = (prompt as readonly Message[]).flatMap((message) => {
    const { content } = message
    if (typeof content === 'string' || !content.some(isStale)) return [message]
    const rest = content.filter((part) => !isStale(part))
    return rest.length === 0 ? [] : [{ ...message, content: rest }]
  })
  return { ...call, prompt: kept }
}

type Part = JsonObject
type Message = Readonly<{ content: string | readonly Part[] }>

function thoughtsIn(messages: readonly Message[]): readonly Part[] {
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter(isBoundThought)))
}

function optionsText({ providerOptions }: Part): string {
  return canonicalJson(providerOptions)
}

/** Not the prompt, which the context renders; nor headers, which hold keys. */
const NO_PARAMS: ReadonlySet<string> = new Set(['prompt', 'headers', 'abortSignal', 'messages', 'system', 'model'])

/** The options of a call that are JSON: tools, limits, settings of the provider. */
function paramsOf(call: object): JsonObject {
  const params = Object.entries(call).filter(([name, value]) => !NO_PARAMS.has(name) && value !== undefined)
  return Object.fromEntries(params.flatMap(([name, value]) => jsonOf(name, value)))
}

/** As it goes over the wire: what is no JSON is left out. */
function jsonOf(name: string, value: unknown): readonly (readonly [string, JsonObject])[] {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? [] : [[name, JSON.parse(text) as JsonObject]]
  } catch {
    return []
  }
}

/** Completes the attempt of a call with what the model said about its reply, which comes into the context later. A result that is none is a failure. */
export function completeCall(attempt: Attempt | undefined, result: unknown): void {
  if (attempt === undefined) return
  if (!isRecord(result)) return void attempt.fail(new Error('The model gave no result.'))
  const facts = factsOfResult(result)
  const said = stopOf(REPLIES, facts.stop) ?? 'end'
  const reported = reportedOf(REPLIES, facts, said === 'end' && asksForCalls(result) ? 'calls' : said)
  const { tokenIn, tokenOut } = reported
  attempt.complete({ tokenIn, tokenOut, reported })
}

/** A provider may say that it is done and ask for calls. */
function asksForCalls({ content }: ModelResult): boolean {
  return (
    Array.isArray(content) &&
    content.some((part: unknown) => isPart(part, 'tool-call') && (part as JsonObject)['providerExecuted'] !== true)
  )
}

/** The result of a model's call, or the end of its stream: the SDK has other names for the same. */
type ModelResult = Readonly<{
  content?: unknown
  usage?: unknown
  finishReason?: unknown
  providerMetadata?: unknown
  response?: unknown
}>

function factsOfResult({ usage, finishReason, providerMetadata, response }: ModelResult): ReplyFacts {
  const { inputTokens, outputTokens } = isRecord(usage) ? usage : {}
  const input = isRecord(inputTokens) ? inputTokens : {}
  const { unified, raw } = isRecord(finishReason) ? finishReason : {}
  return factsOf({
    usage: {
      inputTokens: input['total'],
      outputTokens: isRecord(outputTokens) ? outputTokens['total'] : undefined,
      inputTokenDetails: { cacheReadTokens: input['cacheRead'], cacheWriteTokens: input['cacheWrite'] },
    },
    finishReason: unified,
    rawFinishReason: raw,
    providerMetadata,
    response,
  })
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value === 'string') return name === 'modelId' ? value : undefined
  const text =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Callbacks for one call of a model: how it ended, each at most once. A stream tells its end when it was read. */
export type CallEnd = Readonly<{
  fail: (error: unknown) => void
  cancel: () => void
  complete?: ((result: unknown) => void) | undefined
  /** The options that the model gets instead. */
  options?: object | undefined
}>

/** Called when a call begins, with the options that the model gets. */
export type Begin = (call: object) => CallEnd

type Call = (options: CallOptions) => PromiseLike<unknown>
type CallOptions = Readonly<{ abortSignal?: AbortSignal | undefined }>

/** The same model for its callers; undefined if the model is only a name. */
export function watchModel(model: unknown, begin: Begin): object | undefined {
  if (typeof model !== 'object' || model === null) return undefined
  return new Proxy(model, {
    get(target, name) {
      // Bound to the model itself, which may have private fields.
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as Call
      if (name !== 'doGenerate' && name !== 'doStream') return call
      return (options: CallOptions) => watchedCall((given) => call(given), options, begin)
    },
  })
}

/** Makes a call of a model and tells how it ended. */
export async function watchedCall<Result>(
  call: (options: CallOptions) => PromiseLike<Result>,
  options: CallOptions,
  begin: Begin,
): Promise<Result> {
  const { abortSignal } = options
  const { fail, cancel, complete, options: given = options } = begin(options)
  // A stopped call throws, and is no failure.
  const end = (error: unknown): void => (abortSignal?.aborted === true ? cancel() : fail(error))
  abortSignal?.addEventListener('abort', cancel, { once: true })
  try {
    const result = await call(given)
    if (hasStream(result)) return { ...result, stream: watchedStream(result, { fail: end, cancel, complete }) }
    complete?.(result)
    return result
  } catch (error) {
    end(error)
    throw error
  }
}

type Streamed = Readonly<{ stream: ReadableStream<unknown>; response?: unknown }>

function hasStream(result: unknown): result is Streamed {
  return typeof result === 'object' && result !== null && 'stream' in result && result.stream instanceof ReadableStream
}

/** A stream can fail in its middle, by itself or by a part that says so, and its reader can stop. */
function watchedStream({ stream }: Streamed, { fail, cancel, complete }: CallEnd): ReadableStream<unknown> {
  const reader = stream.getReader()
  let response: object = {}
  const content: unknown[] = []
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (isPart(value, 'error')) fail((value as Readonly<{ error?: unknown }>).error)
        if (isPart(value, 'response-metadata')) response = { ...response, ...value }
        if (isPart(value, 'tool-call')) content.push(value)
        if (isPart(value, 'finish')) complete?.({ ...value, content, response })
        controller.enqueue(value)
      } catch (error) {
        fail(error)
        controller.error(error)
      }
    },
    cancel(reason) {
      cancel()
      return reader.cancel(reason)
    },
  })
}

function isPart(part: unknown, type: string): part is object {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === type
}
