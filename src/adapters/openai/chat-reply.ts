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

/** A reply names what it does not have, and has more than a request takes: a sound goes back by its id. */
function asSent(message: JsonObject): JsonObject {
  const { audio } = message
  const sent = Object.entries(message).filter(([key, value]) => key === 'content' || !isNothing(key, value))
  const sound = isObject(audio) ? { id: audio['id'] ?? '' } : undefined
  return Object.fromEntries(sent.map(([key, value]) => [key, key === 'audio' && sound !== undefined ? sound : value]))
}

/** Null, what only replies have, and what some servers write instead of null. */
function isNothing(key: string, value: JsonValue): boolean {
  if (value === null || key === 'annotations' || key === 'parsed') return true
  if (key === 'refusal') return value === ''
  if (key === 'function_call') return isObject(value) && (value['name'] ?? '') === ''
  return key === 'audio' && isObject(value) && (value['id'] ?? '') === ''
}
