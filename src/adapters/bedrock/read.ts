// Conversations with Bedrock's Converse API, its replies and its streams, as a context takes them.

import { invalid } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, checkList } from '../conversation/check-input.js'
import { inputValue } from '../conversation/write-part.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, usageOf } from '../conversation/reported.js'
import { elementSpec, messageSpec, systemSpecs } from '../conversation/specs.js'
import { withBase64 } from './bytes.js'
import { readBedrockPart } from './kinds.js'

/** A conversation as Converse takes it; other keys are not looked at. */
export type BedrockConversation = Readonly<{ system?: unknown; messages: readonly object[] }>

export function readConversation(conversation: BedrockConversation): readonly MessageSpec[] {
  const takes = 'fromBedrock takes { system?, messages: […] }, as Converse does.'
  const messages = checkList(conversation, 'messages', takes)
  const { system } = conversation
  return [
    ...systemSpecs(system === undefined ? undefined : checkJson(withBase64(system), 'system'), 'bedrock', readElement),
    ...messages.map((message, i) => readMessage(checkJson(withBase64(message), `messages[${i}]`), `messages[${i}]`)),
  ]
}

function readMessage(message: JsonValue, path: string): MessageSpec {
  return messageSpec(message, path, 'bedrock', readElement, ({ toolResult }) => toolResult !== undefined)
}

function readElement(value: JsonValue): PartSpec {
  const part = isObject(value) ? readBedrockPart(value, undefined) : undefined
  return elementSpec(value, part, (other) => Object.keys(other)[0])
}

/** The answer of Converse, the message in it, or the list of all events of ConverseStream. */
export function readReply(reply: unknown): Reply {
  const given =
    Array.isArray(reply) && reply.length > 0
      ? joined(reply.map((event) => checkJson(withBase64(event), 'reply')))
      : reply
  const {
    output,
    usage,
    stopReason: stop,
    role,
    content,
  } = (typeof given === 'object' && given !== null ? given : {}) as Answer
  const message = output?.message ?? { role, content }
  if (message.role !== 'assistant' || !Array.isArray(message.content)) {
    throw invalid(
      'reply',
      'The reply is what Converse gives, { output: { message }, usage }, that message, or a list of stream events.',
    )
  }
  const copy = checkJson(withBase64({ role: message.role, content: message.content }), 'reply')
  // A stream may end before anything is said.
  const messages = message.content.length === 0 ? [] : [readMessage(copy, 'reply')]
  const { inputTokens, outputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage ?? {}
  const isCounted = typeof inputTokens === 'number'
  const sum = isCounted ? inputTokens + countOf(read) + countOf(written) : undefined
  return {
    messages,
    usage: usageOf(sum, outputTokens, read, written, writesIn(usage?.['cacheDetails'])),
    stop: typeof stop === 'string' ? stop : undefined,
    about: given as object,
  }
}

export const REPLIES: ReplyTable = {
  stops: {
    end_turn: 'end',
    stop_sequence: 'end',
    tool_use: 'calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    guardrail_intervened: 'filter',
    content_filtered: 'filter',
    pause_turn: 'pause',
    refusal: 'refusal',
  },
  details: ['usage', 'metrics', 'additionalModelResponseFields', 'trace', 'performanceConfig', 'serviceTier'],
}

type Answer = Readonly<{
  stopReason?: unknown
  output?: Readonly<{ message?: Said }>
  usage?: Readonly<Record<string, unknown>>
}> &
  Said
type Said = Readonly<{ role?: unknown; content?: unknown }>

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** The written tokens by lifetime: `cacheDetails` has one entry for each. */
function writesIn(details: unknown): readonly (readonly [string, unknown])[] {
  const entries: readonly unknown[] = Array.isArray(details) ? details : []
  return entries.flatMap((entry) => {
    const { ttl, inputTokens } = (entry ?? {}) as Readonly<Record<string, unknown>>
    return typeof ttl === 'string' ? [[ttl, inputTokens] as const] : []
  })
}

const EVENTS = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata']

/** The events of a stream as the answer that they add up to. */
function joined(events: readonly JsonValue[]): JsonObject {
  if (!events.some((event) => isObject(event) && EVENTS.some((key) => Object.hasOwn(event, key))))
    throw invalid('reply', 'The list has no events of ConverseStream.')
  const blocks = new Map<JsonValue, JsonObject[]>()
  let about: JsonObject = {}
  for (const event of events) {
    if (!isObject(event)) throw invalid('reply', 'A stream of Bedrock is a list of events.')
    const { contentBlockStart: started, contentBlockDelta: changed, messageStop: stopped, metadata } = event
    for (const said of [stopped, metadata]) if (isObject(said)) about = { ...about, ...said }
    for (const { contentBlockIndex: index = 0, start, delta } of [started, changed].filter(isObject)) {
      const pieces = blocks.get(index) ?? []
      blocks.set(index, pieces.concat([start, delta].filter(isObject)))
    }
  }
  const content = [...blocks.values()].flatMap(blockOf)
  return { ...about, output: { message: { role: 'assistant', content } } }
}

/** A content block of its pieces: texts, arguments and thoughts come bit by bit. */
function blockOf(pieces: readonly JsonObject[]): readonly JsonObject[] {
  const texts = pieces.flatMap((piece) => textsAt(piece, 'text'))
  const spoken = pieces.filter(({ text }) => typeof text !== 'string')
  const tools = spoken.flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse] : []))
  const thoughts = spoken.flatMap(({ reasoningContent: thought }) => (isObject(thought) ? [thought] : []))
  const { input: _input, ...tool } = Object.assign({}, ...tools) as JsonObject
  if (Object.keys(tool).length > 0) {
    const input = tools.flatMap((each) => textsAt(each, 'input')).join('')
    return [{ toolUse: { ...tool, input: inputValue(input) ?? input } }]
  }
  if (thoughts.length > 0) {
    const { redactedContent, signature } = Object.assign({}, ...thoughts) as JsonObject
    if (redactedContent !== undefined) return [{ reasoningContent: { redactedContent } }]
    const text = thoughts.flatMap((each) => textsAt(each, 'text')).join('')
    return [{ reasoningContent: { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } } }]
  }
  if (texts.length > 0) return [{ text: texts.join('') }]
  return spoken.filter(({ toolUse }) => !isObject(toolUse)).slice(0, 1)
}

function textsAt(piece: JsonObject, key: string): readonly string[] {
  const text = piece[key]
  return typeof text === 'string' ? [text] : []
}
