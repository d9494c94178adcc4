// The keys of messages and chunks in both spellings: the client's and that of the REST API.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { isObject } from '../conversation/plain-json.js'

const SNAKE: Readonly<Record<string, string>> = {
  toolCalls: 'tool_calls',
  toolCallId: 'tool_call_id',
  imageUrl: 'image_url',
  documentUrl: 'document_url',
  documentName: 'document_name',
  inputAudio: 'input_audio',
  fileId: 'file_id',
  referenceIds: 'reference_ids',
}
const CAMEL: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SNAKE).map(([camel, snake]) => [snake, camel]),
)

/** A message with its keys, and those of its chunks, as the client spells them. */
export function camelKeys({ content, ...message }: JsonObject): JsonObject {
  const spelled = respelled(message, CAMEL)
  if (content === undefined) return spelled
  if (!Array.isArray(content)) return { ...spelled, content }
  return { ...spelled, content: content.map((chunk: JsonValue) => (isObject(chunk) ? respelled(chunk, CAMEL) : chunk)) }
}

/** An object of a request with its keys as the REST API spells them. */
export function snakeKeys<T extends JsonObject>(value: T): T {
  return respelled(value, SNAKE) as T
}

function respelled(value: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(value)
  if (!entries.some(([key]) => Object.hasOwn(names, key))) return value
  return Object.fromEntries(entries.map(([key, each]) => [Object.hasOwn(names, key) ? names[key]! : key, each]))
}
