// Blocks of Claude as plain text, for every other provider: search results, documents, and what tools of the server gave.

import type { JsonObject } from '../../core/index.js'
import { wordsIn } from '../conversation/words.js'

/** A result of a tool of the server, with the name of the tool: it is part of the assistant's message and none of its own words. */
export function resultWords({ type, content }: JsonObject): string {
  const words = wordsIn(content)
  const tool = typeof type === 'string' ? type.replace(/_tool_result$/, '') : 'a tool'
  return words === '' ? '' : `[result of ${tool}]\n${words}`
}

export function summaryWords({ content }: JsonObject): string {
  return typeof content === 'string' ? `[summary of the conversation before this]\n${content}` : ''
}
