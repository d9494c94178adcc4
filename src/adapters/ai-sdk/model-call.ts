// A call that the SDK makes to a model, as an attempt records it: its params as JSON, and the model's own words about its reply.

import { sentLens, type AnyContext, type Attempt } from '../../context/index.js'
import { canonicalJson } from '../../codec/index.js'
import { isRecord } from '../../errors/index.js'
import type { JsonObject } from '../../core/index.js'
import type { CallPrompt } from '../../thread/index.js'
import { reportedOf, stopOf, type ReplyFacts } from '../conversation/reported.js'
import { AI_SDK, isBoundThought } from './format.js'
import { factsOf, REPLIES } from './read.js'
import type { ModelMessageOptions } from './types.js'

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

/** Completes the attempt of a call with what the model said about its reply, which comes into the context later. */
export function completeCall(attempt: Attempt, result: ModelResult): void {
  const facts = factsOfResult(result)
  const reported = reportedOf(REPLIES, facts, stopOf(REPLIES, facts.stop) ?? 'end')
  const { tokenIn, tokenOut } = reported
  attempt.complete({ tokenIn, tokenOut, reported })
}

/** The result of a model's call, or the end of its stream: the SDK has other names for the same. */
export type ModelResult = Readonly<{
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
