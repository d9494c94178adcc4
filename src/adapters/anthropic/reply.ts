// A reply of Claude: the message that `messages.create` gives, also one that was put together from a stream.

import type { JsonValue } from '../../core/index.js'
import { checkJson, invalid } from '../conversation/check-input.js'
import { isObject } from '../conversation/plain-json.js'
import { usageOf, type Reply } from '../conversation/receive.js'
import { readMessage } from './from.js'

export function readAnthropicReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  if (!isObject(copy) || copy['role'] !== 'assistant' || copy['content'] === undefined) {
    throw invalid('reply', 'The reply is a message of Claude: { role: "assistant", content, usage? }.')
  }
  const { role, content, usage } = copy
  const asked = isObject(usage) ? usage : {}
  return {
    messages: [readMessage({ role, content: asSent(content) }, 'reply')],
    usage: usageOf(inputIn(asked), asked['output_tokens']),
  }
}

/** What was asked comes in three counts: read from a cache, written to one, and the rest. */
function inputIn(usage: Readonly<Record<string, JsonValue>>): number | undefined {
  const { input_tokens: rest, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  if (typeof rest !== 'number') return undefined
  return [rest, read, written].reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0)
}

/** A reply says null for what its blocks do not have; a request leaves that out. */
function asSent(content: JsonValue): JsonValue {
  if (!Array.isArray(content)) return content
  return content.map((block: JsonValue) =>
    isObject(block) ? Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)) : block,
  )
}
