// ModelMessages, or a prompt with a system text, and replies of the SDK, as messages for a context.

import { copyJson } from '../../codec/index.js'
import type { AnyContext } from '../../context/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { describe, isRecord, invalid } from '../../errors/index.js'
import { checkedAs, checkList } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { usageOf, type ReplyFacts, type ReplyTable, type Usage } from '../conversation/reported.js'
import { elementSpec, messageSpec } from '../conversation/specs.js'
import { PROVIDER_RESULT, readAiSdkPart } from './kinds.js'
import { tag, unwrapped, wrapped } from './tagged.js'

/** A list of messages, or what generateText takes. */
export type ModelConversation = readonly object[] | Readonly<{ system?: unknown; messages: readonly object[] }>

export function readConversation(conversation: ModelConversation): readonly MessageSpec[] {
  const given = Array.isArray(conversation) ? { messages: conversation } : conversation
  const list = checkList(given, 'messages', 'fromModelMessages takes a list of messages, or { system?, messages }.')
  const { system } = given as Readonly<{ system?: unknown }>
  let isLeading = true
  const run = new Set<JsonValue>()
  const messages = list.map((message, i) => {
    const spec = readMessage(copyJson(tag(message)), `messages[${i}]`, run)
    // A system message whose content is no text stays where it was.
    isLeading &&= spec.role === 'system' && spec.form === 'text'
    return isLeading ? { ...spec, isSystem: true } : spec
  })
  return [...(system === undefined || system === null ? [] : readSystem(copyJson(tag(system)))), ...messages]
}

/** One message; `path` is how an error calls it. `run` has the ids of calls that the provider ran in earlier messages, and gets those of this one. */
export function readMessage(given: JsonValue, path: string, run: Set<JsonValue>): MessageSpec {
  const message = unwrapped(given)
  if (isObject(message)) addRun(message, run)
  const isModels = isObject(message) && message['role'] === 'assistant'
  const spec = messageSpec(message, path, 'ai-sdk', (value) => readElement(value, isModels ? run : NONE))
  return { ...spec, envelope: wrapped(spec.envelope) }
}

const NONE: ReadonlySet<JsonValue> = new Set()

/** Adds the ids of calls that the provider ran: their results come in this message or in a later one of the model, and mean nothing to others. */
export function addRun({ role, content }: JsonObject, run: Set<JsonValue>): void {
  if (role !== 'assistant' || !Array.isArray(content)) return
  for (const part of content as readonly JsonValue[]) if (isObject(part) && isRun(part)) run.add(part['toolCallId']!)
}

function isRun({ type, providerExecuted, toolCallId }: JsonObject): boolean {
  return type === 'tool-call' && providerExecuted === true && toolCallId !== undefined
}

/** The ids of calls in a context that the provider ran. */
export function runIn(ctx: AnyContext): Set<JsonValue> {
  const calls = ctx.nodes(".block[kind='tool-call']").map(({ content }) => content as JsonValue)
  return new Set(calls.filter(isObject).flatMap((call) => (isRun(call) ? call['toolCallId']! : [])))
}

function readElement(value: JsonValue, run: ReadonlySet<JsonValue>): PartSpec {
  const part = isObject(value) ? readAiSdkPart(value, undefined) : undefined
  return part?.kind === 'result' && run.has(part.callId)
    ? { content: value, kind: PROVIDER_RESULT }
    : elementSpec(value, part)
}

/** The system text of the prompt, or its system messages: one node each. */
function readSystem(system: JsonValue): readonly MessageSpec[] {
  if (typeof system === 'string') {
    const about = { role: 'system', isSystem: true, startsTurn: false, format: 'ai-sdk', envelope: {} } as const
    return [{ ...about, form: undefined, body: { content: system } }]
  }
  const isList = Array.isArray(system)
  return (isList ? (system as readonly JsonValue[]) : [system]).map((each, i) => {
    const path = isList ? `system[${i}]` : 'system'
    return { ...readMessage(each, path, new Set()), isSystem: true, startsTurn: false, form: isList ? 'list' : 'value' }
  })
}

/** The result of generateText has getters of a class, so nothing is copied before it is known what it is. */
type Given = Readonly<Record<string, unknown>>

/** A reply: what generateText gives, the response in it, or messages. Calls that the SDK has answered come with their results. */
export function readReply(reply: unknown, ctx: AnyContext): Reply {
  if (typeof reply !== 'object' || reply === null) throw notAReply()
  const { response, responseMessages: all, messages: own, role } = reply as Given
  const messages = Array.isArray(reply)
    ? (reply as unknown[])
    : role === undefined
      ? messagesIn(response, all ?? own)
      : [reply]
  return { messages: readSaid(messages, ctx), ...factsOf(reply) }
}

/** The facts that the SDK gives about a reply, or about one step. */
export function factsOf(reply: object): ReplyFacts {
  const { response, totalUsage, usage, finishReason, rawFinishReason: raw, providerMetadata: metadata } = reply as Given
  const isKnown = typeof raw === 'string' && Object.hasOwn(REPLIES.stops, raw)
  return {
    usage: readCounts(totalUsage ?? usage),
    stop: isKnown ? raw : typeof finishReason === 'string' ? finishReason : undefined,
    about: {
      ...(isRecord(response) ? { id: response['id'], modelId: response['modelId'] } : {}),
      ...aboutIn(metadata),
    },
  }
}

/** The words of the SDK, and those of providers that it has no word for. */
export const REPLIES: ReplyTable = {
  stops: {
    stop: 'end',
    length: 'length',
    'content-filter': 'filter',
    'tool-calls': 'calls',
    interrupted: 'length',
    pause_turn: 'pause',
    refusal: 'refusal',
    compaction: 'compaction',
  },
  id: 'id',
  model: 'modelId',
  details: ['providerMetadata', 'container'],
}

/** The provider's own words about the reply, if they are data. */
function aboutIn(metadata: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(metadata)) return {}
  const { anthropic } = metadata
  return { providerMetadata: metadata, container: isRecord(anthropic) ? anthropic['container'] : undefined }
}

/** Version 7 gives the messages of all steps by themselves; its response is that of the last step alone. */
function messagesIn(response: unknown, own: unknown): readonly unknown[] {
  if (isPromise(response) || isPromise(own)) {
    const given = isPromise(own) ? 'messages: await result.responseMessages' : 'response: await result.response'
    const message = `This is a stream; wait for its end: receiveModelMessages(ctx, { ${given}, usage: await result.usage }).`
    throw invalid('reply', message)
  }
  const messages = own ?? (response as Readonly<{ messages?: unknown }> | null | undefined)?.messages
  if (Array.isArray(messages)) return messages as readonly unknown[]
  throw notAReply()
}

function isPromise(value: unknown): boolean {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** Messages of the assistant and its tools. */
export function readSaid(messages: readonly unknown[], ctx: AnyContext): readonly MessageSpec[] {
  const run = runIn(ctx)
  return messages.map((given, at) => {
    const copy = checkedAs('reply', `reply[${at}]`, () => copyJson(tag(given)))
    const spec = readMessage(copy, `reply[${at}]`, run)
    if (spec.role === 'assistant' || spec.role === 'tool') return spec
    const role = describe(spec.role)
    throw invalid('reply', `reply[${at}] is of the role ${role}; a reply is the assistant's and its tools'.`)
  })
}

function readCounts(usage: unknown): Usage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const { inputTokens, outputTokens, inputTokenDetails, cachedInputTokens } = usage as Readonly<Record<string, unknown>>
  const { cacheReadTokens = cachedInputTokens, cacheWriteTokens } = isRecord(inputTokenDetails) ? inputTokenDetails : {}
  return usageOf(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens)
}

function notAReply(): Error {
  return invalid(
    'reply',
    'The reply is what generateText gives, its response, or a list of messages of the assistant and its tools.',
  )
}
