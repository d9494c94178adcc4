// Claude's cache marks: on blocks, so whatever may carry one stands as a list, in every request, marked or not.

import type { CacheFormat } from '../conversation/cache-marks.js'
import type { Cache } from '../conversation/cache-options.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'

export const ANTHROPIC_CACHE: CacheFormat = {
  names: ['at', 'ttl', 'tools'],
  most: 4,
  lookBack: 20,
  system: {
    key: 'system',
    listed: (value) => listOf(value),
    mark: marked,
  },
  bare: (message) => inOrder({ ...message, content: listOf(message['content']!) }),
  canMark: (block) => (typeof block === 'string' ? block.trim() !== '' : canMark(block as PlainObject)),
  mark: (message, at, cache) => {
    const blocks = message['content'] as readonly PlainObject[]
    return inOrder({ ...message, content: blocks.map((block, i) => (i === at ? marked(block, cache) : block)) })
  },
}

function listOf(content: PlainValue): readonly PlainObject[] {
  if (typeof content === 'string') return [inOrder({ type: 'text', text: content })]
  return Array.isArray(content) ? content.map((block: PlainValue) => unmarked(block)) : []
}

/** Marks that came with an import are of another request. */
function unmarked(block: PlainValue): PlainObject {
  const { cache_control: mark, content, ...rest } = block as PlainObject
  if (mark === undefined && !Array.isArray(content)) return block as PlainObject
  const inner = Array.isArray(content) ? content.map((each: PlainValue) => unmarked(each)) : content
  // The content of a result keeps its place among the keys.
  const keys = Object.keys(block as PlainObject).filter((key) => key !== 'cache_control')
  return inOrder(Object.fromEntries(keys.map((key) => [key, key === 'content' ? inner : rest[key]])))
}

function marked(block: PlainObject, { ttl }: Cache): PlainObject {
  return inOrder({ ...block, cache_control: inOrder({ type: 'ephemeral', ttl }) })
}

function canMark({ type, text }: PlainObject): boolean {
  if (type === 'thinking' || type === 'redacted_thinking') return false
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '')
}
