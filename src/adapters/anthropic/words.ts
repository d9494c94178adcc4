// Blocks of Claude as plain text, for every other provider: search results, documents, and what tools of the server gave.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { isObject } from '../conversation/plain-json.js'

/** A result of a tool of the server, with the name of the tool: it is part of the assistant's message and none of its own words. */
export function resultWords({ type, content }: JsonObject): string {
  const words = wordsIn(content)
  const tool = typeof type === 'string' ? type.replace(/_tool_result$/, '') : 'a tool'
  return words === '' ? '' : `[result of ${tool}]\n${words}`
}

export function summaryWords({ content }: JsonObject): string {
  return typeof content === 'string' ? `[summary of the conversation before this]\n${content}` : ''
}

/** Everything in a block that can be read, line by line. */
export function wordsIn(value: JsonValue | undefined): string {
  return textsIn(value)
    .filter((text) => text.trim() !== '')
    .join('\n')
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => textsIn(each))
  if (!isObject(value) || value['type'] === 'base64') return []
  return READABLE.flatMap((key) => textsIn(value[key]))
}

/** The keys with text that a person can read, in their order; `data` is a text unless its source is `base64`. */
const READABLE: readonly string[] = [
  'title',
  'url',
  'context',
  'source',
  'text',
  'data',
  'stdout',
  'stderr',
  'error_code',
  'error_message',
  'lines',
  'content',
]
