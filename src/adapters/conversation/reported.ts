// The facts that a provider gives about a reply, read by one table for each provider: its words for the end, and the keys that a record keeps.

import { copyJson } from '../../codec/index.js'
import type { JsonValue, Reported, Stop } from '../../core/index.js'
import { isObject } from './plain-json.js'

/** The replies of a provider: its words for the end of a reply, and the keys of a reply that say something about it. */
export type ReplyTable = Readonly<{
  /** Each word of the provider for the end of a reply, with ours. Other words are `other`. */
  stops: Readonly<Record<string, Stop>>
  /** The keys of a reply's id and of the model that replied. */
  id?: string
  model?: string
  /** Keys that go into `details`, as they came. */
  details?: readonly string[]
}>

/** The token counts of a provider. */
export type Usage = Readonly<{
  tokenIn?: number
  tokenOut?: number
  cacheRead?: number
  cacheWrite?: number
  cacheWrites?: Readonly<Record<string, number>>
}>

/** The word and the counts of a reply, and the object that has the other keys; an object of a client may hold more than JSON. */
export type ReplyFacts = Readonly<{
  usage: Usage | undefined
  /** The provider's word for the end of the reply, if it gave one. */
  stop?: string | undefined
  /** Our word, where the reply shows more than the provider's word says. */
  end?: Stop | undefined
  about?: object | undefined
}>

export const NO_TABLE: ReplyTable = { stops: {} }

/** Our word for the provider's; undefined if it gave none. */
export function stopOf({ stops }: ReplyTable, word: string | undefined): Stop | undefined {
  return word === undefined ? undefined : Object.hasOwn(stops, word) ? stops[word]! : 'other'
}

/** Everything that the provider said; `stop` is what became of its word. */
export function reportedOf(table: ReplyTable, { usage, stop: word, about = {} }: ReplyFacts, stop: Stop): Reported {
  const keys = about as Readonly<Record<string, unknown>>
  const { id, model, details = [] } = table
  const said = Object.fromEntries(details.flatMap((key) => detail(key, keys[key])))
  const container = said['container']
  return Object.freeze({
    ...named('id', id === undefined ? undefined : keys[id]),
    ...named('model', model === undefined ? undefined : keys[model]),
    stop,
    ...named('providerStop', word),
    ...usage,
    ...named('container', isObject(container) ? container['id'] : container),
    ...(Object.keys(said).length === 0 ? {} : { details: Object.freeze(said) }),
  })
}

function named(name: string, value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'string' && value !== '' ? { [name]: value } : {}
}

/** A reply says null for what it does not have; what a client adds may be no JSON, and is left out. */
function detail(key: string, value: unknown): readonly (readonly [string, JsonValue])[] {
  if (value === undefined || value === null) return []
  try {
    return [[key, copyJson(JSON.parse(JSON.stringify(value)))]]
  } catch {
    return []
  }
}

/**
 * The token counts of a provider, those of them that are whole numbers. The cached tokens are part of `tokenIn`; `writes` are those of `cacheWrite`
 * by lifetime.
 */
export function usageOf(
  tokenIn: unknown,
  tokenOut: unknown,
  cacheRead?: unknown,
  cacheWrite?: unknown,
  writes: readonly (readonly [ttl: string, count: unknown])[] = [],
): Usage | undefined {
  const counts = Object.entries({ tokenIn, tokenOut, cacheRead, cacheWrite }).filter(([, value]) => isCount(value))
  const cacheWrites = writes.filter(([, count]) => isCount(count)) as readonly (readonly [string, number])[]
  if (counts.length + cacheWrites.length === 0) return undefined
  const usage = Object.fromEntries(counts) as Usage
  return cacheWrites.length === 0 ? usage : { ...usage, cacheWrites: Object.freeze(Object.fromEntries(cacheWrites)) }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
