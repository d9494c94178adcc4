// A conversation with Claude, as it is sent or was logged, and Claude's replies, as messages for a context.

import { invalid } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { copyJson } from '../../codec/index.js'
import { checkJson, checkList } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, usageOf } from '../conversation/reported.js'
import { elementSpec, messageSpec, systemSpecs } from '../conversation/specs.js'
import { readAnthropicPart } from './kinds.js'

/** Anything that has the messages of a request; other keys are not looked at. */
export type AnthropicConversation = Readonly<{ system?: unknown; messages: readonly object[] }>

export function readConversation(conversation: AnthropicConversation): readonly MessageSpec[] {
  const takes = 'fromAnthropic takes { system?, messages: […] }, as messages.create does.'
  const messages = checkList(conversation, 'messages', takes)
  const { system } = conversation
  return [
    ...systemSpecs(system === undefined ? undefined : copyJson(system), 'anthropic', readElement),
    ...messages.map((message, i) => readMessage(copyJson(message), `messages[${i}]`)),
  ]
}

function readMessage(message: JsonValue, path: string): MessageSpec {
  return messageSpec(message, path, 'anthropic', readElement, ({ type }) => type === 'tool_result')
}

function readElement(value: JsonValue): PartSpec {
  return elementSpec(value, isObject(value) ? readAnthropicPart(value, undefined) : undefined)
}

/** The message that `messages.create` gives, also one that was put together from a stream. */
export function readReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  if (!isObject(copy) || copy['role'] !== 'assistant' || copy['content'] === undefined) {
    throw invalid('reply', 'The reply is a message of Claude: { role: "assistant", content, usage? }.')
  }
  const { role, content, usage, container, stop_reason: stop } = copy
  const asked = isObject(usage) ? usage : {}
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written, output_tokens: output } = asked
  return {
    messages: [{ ...readMessage({ role, content: asSent(content) }, 'reply'), container: idIn(container) }],
    keptAs: isThreaded(copy) && typeof copy['id'] === 'string' && copy['id'] !== '' ? copy['id'] : undefined,
    usage: usageOf(inputIn(asked), output, read, written, writesIn(asked['cache_creation'])),
    stop: typeof stop === 'string' ? stop : undefined,
    // A stream that broke off has no reason yet; a whole message always has one.
    end: stop === null ? 'length' : undefined,
    about: copy,
  }
}

/** False for replies that a thread does not keep: refusals, and those of another model in Claude's place. */
function isThreaded({ stop_reason: stop, usage }: JsonObject): boolean {
  const iterations = isObject(usage) ? usage['iterations'] : undefined
  const isOther = (each: JsonValue): boolean => isObject(each) && each['type'] === 'fallback_message'
  return stop !== 'refusal' && !(Array.isArray(iterations) && iterations.some(isOther))
}

export const REPLIES: ReplyTable = {
  stops: {
    end_turn: 'end',
    stop_sequence: 'end',
    tool_use: 'calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    pause_turn: 'pause',
    refusal: 'refusal',
    compaction: 'compaction',
  },
  id: 'id',
  model: 'model',
  details: [
    'usage',
    'container',
    'context_management',
    'input_transformations',
    'diagnostics',
    'stop_details',
    'stop_sequence',
  ],
}

/** The input is counted in three numbers: read from a cache, written to one, and the rest. */
function inputIn(usage: Readonly<Record<string, JsonValue>>): number | undefined {
  const { input_tokens: rest, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  if (typeof rest !== 'number') return undefined
  return [rest, read, written].reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0)
}

function idIn(container: JsonValue | undefined): string | undefined {
  const id = isObject(container) ? container['id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The written tokens by lifetime, as `ephemeral_5m_input_tokens`. */
function writesIn(written: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return Object.entries(isObject(written) ? written : {}).flatMap(([key, count]) => {
    const ttl = /^ephemeral_(\w+)_input_tokens$/.exec(key)?.[1]
    return ttl === undefined ? [] : [[ttl, count] as const]
  })
}

/** A reply says null for keys that its blocks do not have; a request leaves those out. */
function asSent(content: JsonValue): JsonValue {
  if (!Array.isArray(content)) return content
  return content.map((block: JsonValue) =>
    isObject(block) ? Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)) : block,
  )
}
