// Cache marks of Chat Completions and the Responses API: on parts of the input, next to the one that the provider sets by itself; and a key
// that brings requests of one kind to one place.

import type { CacheFormat } from '../conversation/cache-marks.js'
import { type PlainObject, type PlainValue, inOrder } from '../conversation/plain-json.js'

export const CHAT_CACHE: CacheFormat = cacheOf({
  text: 'text',
  others: ['image_url', 'input_audio', 'file'],
  // Answers of the old kind are no lists.
  takes: ({ role }) => role !== 'function',
})

export const RESPONSES_CACHE: CacheFormat = cacheOf({
  text: 'input_text',
  others: ['input_image', 'input_file'],
  // Messages that the model did not write.
  takes: ({ type = 'message', role }) =>
    type === 'message' && (role === 'user' || role === 'system' || role === 'developer'),
})

/** `text` is the type of a text, `others` are the types of other parts that take a mark, `takes` tells messages that have them. */
function cacheOf({
  text: textType,
  others,
  takes,
}: Readonly<{ text: string; others: readonly string[]; takes(message: PlainObject): boolean }>): CacheFormat {
  return {
    names: ['at', 'key'],
    // A request writes four, and one of them is the provider's own.
    most: 3,
    bare: (message) => {
      const { content } = message
      if (!takes(message)) return message
      if (Array.isArray(content)) return inOrder({ ...message, content: content.map(unmarked) })
      // The empty output of a tool stays a text: some servers refuse an empty part.
      if (typeof content !== 'string' || content === '') return message
      return inOrder({ ...message, content: [inOrder({ type: textType, text: content })] })
    },
    canMark: (block, message) => {
      if (!takes(message)) return false
      if (typeof block === 'string') return block !== ''
      const { type, text } = block as PlainObject
      return type === textType ? text !== '' : others.includes(type as string)
    },
    marked: (part) => inOrder({ ...part, prompt_cache_breakpoint: EXPLICIT }),
    beside: ({ key }) => (key === undefined ? {} : { prompt_cache_key: key }),
  }
}

const EXPLICIT: PlainObject = inOrder({ mode: 'explicit' })

/** Marks that came with an import are of another request. */
function unmarked(part: PlainValue): PlainObject {
  const { prompt_cache_breakpoint: mark, ...rest } = part as PlainObject
  return mark === undefined ? (part as PlainObject) : inOrder(rest)
}
