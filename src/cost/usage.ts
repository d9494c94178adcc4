// The tokens that a provider reported for a call, in the words of each of them.

import { isObject, type JsonObject, type JsonValue } from '../core/index.js'
import type { Split } from './rules.js'

export type Usage = Split & Readonly<{ output: number }>

/** Reads the usage of a reply; undefined if nothing was reported. */
export function readUsage(usage: JsonValue | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined
  const given = (...path: readonly string[]): number => numberAt(usage, path)
  // Claude and pi give the input without what the cache had; the others give all of it.
  const isApart = 'cache_read_input_tokens' in usage || 'cacheRead' in usage
  const read =
    given('cache_read_input_tokens') ||
    given('cacheRead') ||
    given('prompt_tokens_details', 'cached_tokens') ||
    given('input_tokens_details', 'cached_tokens') ||
    given('cached_input_tokens') ||
    given('cachedContentTokenCount')
  const write = given('cache_creation_input_tokens') || given('cacheWrite')
  const input = given('input_tokens') || given('input') || given('prompt_tokens') || given('promptTokenCount')
  const output =
    given('output_tokens') || given('output') || given('completion_tokens') || given('candidatesTokenCount')
  if (read + write + input + output === 0) return undefined
  return { read, write, plain: isApart ? input : Math.max(0, input - read), output }
}

function numberAt(object: JsonObject, [key = '', ...rest]: readonly string[]): number {
  const value = object[key]
  if (rest.length === 0) return typeof value === 'number' && value > 0 ? value : 0
  return isObject(value) ? numberAt(value, rest) : 0
}
