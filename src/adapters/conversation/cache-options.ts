// The option `cache`, checked.

import { describe } from '../../errors/index.js'
import { invalid } from './check-input.js'

/**
 * The places of marks: `stable` puts the last one before the first part that will not stay, `end` behind everything; a list of node
 * ids puts one behind each of them that is there, and so an empty list puts none.
 */
export type CacheAt = 'stable' | 'end' | readonly string[]

/** Options for cache marks with a lifetime. */
export type CacheMarks = Readonly<{
  at?: CacheAt | undefined
  /** The lifetime of the cached part; five minutes by default. */
  ttl?: '5m' | '1h' | undefined
  /** True if the caller marks the tools: that mark counts among those a request may have. */
  tools?: boolean | undefined
}>

/** Options for caches whose requests may have a key. */
export type CacheKey = Readonly<{
  at?: CacheAt | undefined
  /** Sent as `prompt_cache_key`. */
  key?: string | undefined
}>

/** Everything that a format's marks follow from. */
export type Cache = Readonly<{ at: CacheAt; ttl: '5m' | '1h' | undefined; tools: boolean; key: string | undefined }>

const PLAIN: Cache = Object.freeze({ at: 'stable', ttl: undefined, tools: false, key: undefined })

const MAY_BE: Readonly<Record<string, readonly [test: (value: unknown) => boolean, words: string]>> = {
  at: [
    (value) => value === 'stable' || value === 'end' || (Array.isArray(value) && value.every(isText)),
    'stable, end or a list of node ids',
  ],
  ttl: [(value) => value === '5m' || value === '1h', '5m or 1h'],
  tools: [(value) => typeof value === 'boolean', 'true or false'],
  key: [(value) => isText(value) && value !== '', 'a text'],
}

/** The marks that are wanted, if any are. */
export function checkCache(given: unknown, names: readonly string[]): Cache | undefined {
  if (given === undefined || given === false) return undefined
  if (given === true) return PLAIN
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('cache', `The option cache is true, or an object with ${names.join(', ')}, not ${describe(given)}.`)
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of said) {
    if (!names.includes(name))
      throw invalid('cache', `There is no ${describe(name)} among what cache takes: ${names.join(', ')}.`)
    const [test, words] = MAY_BE[name]!
    if (!test(value)) throw invalid('cache', `In the option cache, ${name} is ${words}, not ${describe(value)}.`)
  }
  return Object.freeze({ ...PLAIN, ...Object.fromEntries(said) })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
