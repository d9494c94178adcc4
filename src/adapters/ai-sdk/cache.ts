// The AI SDK hands cache marks on to Claude: `providerOptions.anthropic.cacheControl`, on a message for its end, on a part for the
// part. Texts may stay texts, since the SDK makes lists of them itself; a system text is a message, to have a place for the mark.

import type { CacheFormat } from '../conversation/cache-marks.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'

export const AI_SDK_CACHE: CacheFormat = {
  names: ['at', 'ttl', 'tools'],
  most: 4,
  lookBack: 20,
  system: {
    key: 'system',
    listed: (value) => {
      if (typeof value === 'string') return [inOrder({ role: 'system', content: value })]
      return (Array.isArray(value) ? value : [value]).map((message: PlainValue) => unmarked(message as PlainObject))
    },
  },
  bare: (message) => {
    const { content } = message
    if (!Array.isArray(content)) return unmarked(message)
    return unmarked(inOrder({ ...message, content: content.map((part: PlainValue) => unmarked(part as PlainObject)) }))
  },
  canMark: (block) => {
    if (typeof block === 'string') return block.trim() !== ''
    const { type, text } = block as PlainObject
    return type === 'text' ? typeof text === 'string' && text.trim() !== '' : MARKABLE.has(type)
  },
  marksMessages: true,
  marked: (made, { ttl }) => {
    const options = (made['providerOptions'] ?? {}) as PlainObject
    const anthropic = (options['anthropic'] ?? {}) as PlainObject
    const cacheControl = inOrder({ type: 'ephemeral', ttl })
    return inOrder({
      ...made,
      providerOptions: inOrder({ ...options, anthropic: inOrder({ ...anthropic, cacheControl }) }),
    })
  },
}

/** Not what a model thought, and not what stands for no block of Claude's. */
const MARKABLE: ReadonlySet<unknown> = new Set(['image', 'file', 'tool-call', 'tool-result'])

/** Marks that came with an import are of another request. */
function unmarked(made: PlainObject): PlainObject {
  const options = made['providerOptions'] as PlainObject | undefined
  const anthropic = options?.['anthropic'] as PlainObject | undefined
  const isMarked = typeof anthropic === 'object' && anthropic !== null && NAMES.some((name) => name in anthropic)
  if (!isMarked) return made
  const own = Object.fromEntries(Object.entries(anthropic).filter(([name]) => !NAMES.includes(name)))
  const others = Object.fromEntries(Object.entries(options!).filter(([name]) => name !== 'anthropic'))
  const kept = Object.keys(own).length === 0 ? others : { ...others, anthropic: own }
  const { providerOptions: _, ...rest } = made
  return inOrder(Object.keys(kept).length === 0 ? rest : { ...rest, providerOptions: inOrder(kept) })
}

const NAMES: readonly string[] = ['cacheControl', 'cache_control']
