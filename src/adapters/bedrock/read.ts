// Conversations with Bedrock's Converse API, its replies and its streams, as a context takes them.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, checkList, invalid } from '../conversation/check-input.js'
import { inputValue } from '../conversation/write-part.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject, textOf } from '../conversation/plain-json.js'
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
    usage: usageOf(sum, outputTokens, read, written),
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

/** The events of a stream as the answer that they add up to. */
function joined(events: readonly JsonValue[]): JsonObject {
  const blocks = new Map<JsonValue, Block>()
  let about: JsonObject = {}
  for (const event of events) {
    if (!isObject(event)) throw invalid('reply', 'A stream of Bedrock is a list of events.')
    const { contentBlockStart: started, contentBlockDelta: changed, messageStop: stopped, metadata } = event
    for (const said of [stopped, metadata]) if (isObject(said)) about = { ...about, ...said }
    for (const about of [started, changed]) {
      if (!isObject(about)) continue
      const index = about['contentBlockIndex'] ?? 0
      const block = blocks.get(index) ?? new Block()
      blocks.set(index, block)
      for (const part of [about['start'], about['delta']]) if (isObject(part)) block.add(part)
    }
  }
  const content = [...blocks.values()].flatMap((block) => block.value ?? [])
  return { ...about, output: { message: { role: 'assistant', content } } }
}

/** A content block that comes in pieces. */
class Block {
  #tool: JsonObject | undefined
  #input = ''
  #text: string | undefined
  #thought: JsonObject | undefined
  #other: JsonObject | undefined

  add(part: JsonObject): void {
    const { text, toolUse, reasoningContent: thought } = part
    if (typeof text === 'string') this.#text = (this.#text ?? '') + text
    else if (isObject(toolUse)) {
      const { input, ...tool } = toolUse
      if (typeof input === 'string') this.#input += input
      if (Object.keys(tool).length > 0) this.#tool = { ...this.#tool, ...tool }
    } else if (isObject(thought)) this.#think(thought)
    else this.#other ??= part
  }

  #think({ text, signature, redactedContent }: JsonObject): void {
    if (redactedContent !== undefined) {
      this.#thought = { redactedContent }
      return
    }
    const { reasoningText: before } = this.#thought ?? {}
    const known = isObject(before) ? before : { text: '' }
    const said = `${textOf(known['text'] ?? '')}${typeof text === 'string' ? text : ''}`
    this.#thought = { reasoningText: { ...known, text: said, ...(signature === undefined ? {} : { signature }) } }
  }

  get value(): JsonObject | undefined {
    if (this.#tool !== undefined) return { toolUse: { ...this.#tool, input: inputValue(this.#input) ?? this.#input } }
    if (this.#thought !== undefined) return { reasoningContent: this.#thought }
    return this.#text === undefined ? this.#other : { text: this.#text }
  }
}
