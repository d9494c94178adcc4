// A reply of Chat Completions: the completion, or its message, also one that was put together from a stream.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { checkJson, invalid } from '../conversation/check-input.js'
import { isObject } from '../conversation/plain-json.js'
import { usageOf, type Reply } from '../conversation/receive.js'
import { chatSpecs } from './chat-specs.js'

export function readChatReply(reply: unknown): Reply {
  const copy = checkJson(reply, 'reply')
  const { choices, usage } = isObject(copy) ? copy : {}
  const [choice] = Array.isArray(choices) ? (choices as readonly JsonValue[]) : []
  const message = choices === undefined ? copy : isObject(choice) ? choice['message'] : undefined
  if (!isObject(message) || message['role'] !== 'assistant') {
    throw invalid('reply', 'The reply is a chat completion with a message of the assistant, or that message.')
  }
  const counted = isObject(usage) ? usageOf(usage['prompt_tokens'], usage['completion_tokens']) : undefined
  return { messages: chatSpecs([asSent(message)]), usage: counted }
}

/** A reply says null for what it does not have, and more than a request takes: a sound goes back by its id. */
function asSent(message: JsonObject): JsonObject {
  const { audio } = message
  const entries = Object.entries(message).flatMap(([key, value]): readonly (readonly [string, JsonValue])[] => {
    if (key !== 'content' && value === null) return []
    if (key === 'annotations' || key === 'parsed') return []
    return [[key, key === 'audio' && isObject(audio) && audio['id'] !== undefined ? { id: audio['id'] } : value]]
  })
  return Object.fromEntries(entries)
}
