// Cache marks of Chat Completions and the Responses API: on parts of the input, next to the one that the provider sets by itself; and a key
// that brings requests of one kind to one place.

import type { CacheFormat } from '../conversation/cache-marks.js'
import { type PlainObject, type PlainValue, inOrder } from '../conversation/plain-json.js'

export const CHAT_CACHE: CacheFormat = cacheOf({
  names: [],
  ttls: ['30m'],
  text: 'text',
  others: ['image_url', 'input_audio', 'file'],
  // Answers of the old kind are no lists.
  takes: ({ role }) => role !== 'function',
})

export const RESPONSES_CACHE: CacheFormat = cacheOf({
  names: ['compareTo'],
  ttls: ['30m', '12h'],
  text: 'input_text',
  others: ['input_image', 'input_file'],
  // Messages that the model did not write.
  takes: ({ type = 'message', role }) =>
    type === 'message' && (role === 'user' || role === 'system' || role === 'developer'),
})

/** `names` and `ttls` are keys and lifetimes that the option takes, `text` is the type of a text, `others` are the types of other parts that take a mark, `takes` tells messages that have them. */
function cacheOf({
  text: textType,
  others,
  takes,
  names,
  ttls,
}: Readonly<{
  names: readonly string[]
  ttls: readonly string[]
  text: string
  others: readonly string[]
  takes(message: PlainObject): boolean
}>): CacheFormat {
  return {
    names: ['at', 'key', 'mode', 'ttl', ...names],
    ttls,
    // A request writes four, and one of them is the provider's own, unless the mode is explicit.
    most: 3,
    bare: (message) => {
      const { content } = message
      if (!takes(message)) return message
      if (Array.isArray(content)) return inOrder({ ...message, content: content.map(unmarked) })
      // Some servers refuse an empty part.
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
    beside: ({ key, mode, ttl, compareTo }) => {
      const options = inOrder({ comparison_response_id: compareTo, mode, ttl })
      return {
        ...(key === undefined ? {} : { prompt_cache_key: key }),
        ...(Object.keys(options).length === 0 ? {} : { prompt_cache_options: options }),
      }
    },
  }
}

const EXPLICIT: PlainObject = inOrder({ mode: 'explicit' })

/** Marks that came with an import are of another request. */
function unmarked(part: PlainValue): PlainObject {
  const { prompt_cache_breakpoint: mark, ...rest } = part as PlainObject
  return mark === undefined ? (part as PlainObject) : inOrder(rest)
}
