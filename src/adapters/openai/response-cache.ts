// Cache marks of the Responses API: on the parts of what goes in; what the model said itself takes none.

import type { CacheFormat } from '../conversation/cache-marks.js'
import { inOrder, type PlainObject } from '../conversation/plain-json.js'
import { markedPart, unmarkedPart } from './chat-cache.js'

export const RESPONSES_CACHE: CacheFormat = {
  names: ['at', 'key'],
  most: 3,
  bare: (item) => {
    const { content } = item
    if (!isInput(item)) return item
    if (Array.isArray(content)) return inOrder({ ...item, content: content.map(unmarkedPart) })
    if (typeof content !== 'string') return item
    return inOrder({ ...item, content: [inOrder({ type: 'input_text', text: content })] })
  },
  canMark: (block, item) => {
    if (!isInput(item)) return false
    if (typeof block === 'string') return block !== ''
    const { type, text } = block as PlainObject
    return type === 'input_text' ? text !== '' : type === 'input_image' || type === 'input_file'
  },
  mark: (item, at) => {
    const parts = item['content'] as readonly PlainObject[]
    return inOrder({ ...item, content: parts.map((part, i) => (i === at ? markedPart(part) : part)) })
  },
  beside: ({ key }) => (key === undefined ? {} : { prompt_cache_key: key }),
}

/** A message that the model did not write. */
function isInput({ type = 'message', role }: PlainObject): boolean {
  return type === 'message' && (role === 'user' || role === 'system' || role === 'developer')
}
