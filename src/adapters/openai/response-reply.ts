// A reply of the Responses API: the response, or its output, whose items are sent back as they came.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, checkMessages, invalid } from '../conversation/check-input.js'
import { isObject } from '../conversation/plain-json.js'
import { usageOf, type Reply } from '../conversation/receive.js'
import { itemSpecs } from './response-specs.js'

export function readResponsesReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  const { output = copy, usage } = isObject(copy) ? copy : {}
  if (!Array.isArray(output)) throw invalid('reply', 'The reply is a response with its output, or that output.')
  const items = checkMessages(output, 'output').map((item) => asSent(item))
  const counted = isObject(usage) ? usageOf(usage['input_tokens'], usage['output_tokens']) : undefined
  return { messages: itemSpecs(items), usage: counted }
}

/** A reply says null for what it does not have, and clients add what they read out of it. */
function asSent(item: JsonObject): JsonObject {
  const isSent = ([key, value]: readonly [string, JsonValue]): boolean => !ADDED.has(key) && value !== null
  const sent = Object.fromEntries(Object.entries(item).filter(isSent))
  const { content } = sent
  return Array.isArray(content)
    ? { ...sent, content: content.map((part) => (isObject(part) ? asSent(part) : part)) }
    : sent
}

const ADDED: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments'])
