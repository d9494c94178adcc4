// Cache marks of Chat Completions and the Responses API: on parts of the input, next to the one that the provider sets by itself; and a key
// that brings requests of one kind to one place.

import type { CacheFormat } from '../conversation/cache-marks.js'
import { type PlainObject, type PlainValue, inOrder } from '../conversation/plain-json.js'

export const CHAT_CACHE: CacheFormat = {
  names: ['at', 'key'],
  // A request writes four, and one of them is the provider's own.
  most: 3,
  bare: (message) => {
    const { role, content } = message
    if (Array.isArray(content))
      return inOrder({ ...message, content: content.map((part: PlainValue) => unmarkedPart(part)) })
    // Answers of the old kind are no lists.
    if (typeof content !== 'string' || role === 'function') return message
    return inOrder({ ...message, content: [inOrder({ type: 'text', text: content })] })
  },
  canMark: (block, { role }) => {
    if (role === 'function') return false
    if (typeof block === 'string') return block !== ''
    const { type, text } = block as PlainObject
    return type === 'text' ? text !== '' : type === 'image_url' || type === 'input_audio' || type === 'file'
  },
  mark: (message, at) => {
    const parts = message['content'] as readonly PlainObject[]
    return inOrder({ ...message, content: parts.map((part, i) => (i === at ? markedPart(part) : part)) })
  },
  beside: ({ key }) => (key === undefined ? {} : { prompt_cache_key: key }),
}

export function markedPart(part: PlainObject): PlainObject {
  return inOrder({ ...part, prompt_cache_breakpoint: EXPLICIT })
}

const EXPLICIT: PlainObject = inOrder({ mode: 'explicit' })

/** Marks that came with an import are of another request. */
export function unmarkedPart(part: PlainValue): PlainObject {
  const { prompt_cache_breakpoint: mark, ...rest } = part as PlainObject
  return mark === undefined ? (part as PlainObject) : inOrder(rest)
}

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
