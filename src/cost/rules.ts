// Prices and cache rules of providers, as plain numbers. All prices are multiples of the price of one input token that no cache holds, so they
// hold for every model of a family. Read from the providers' pages in 2026; copy a row and change its numbers for your model.

import { PactError, short } from '../errors/index.js'
import { CACHE_RULES_NAMES, type CacheRulesName } from '../formats/index.js'

export type CacheRules = Readonly<{
  /** The price of a token read from the cache. */
  read: number
  /** The price of a token written to the cache. */
  write: number
  /** The price of a token of the reply. */
  output: number
  /** Seconds that an entry lives after the request that wrote or read it began. */
  ttl: number
  /** The shortest prefix that is cached, in tokens. */
  least: number
  /**
   * For providers with marks (`cache_control`): the number of positions that a mark looks back for an entry, itself included. Entries are written at
   * marks only. A run of calls is one position, and so is a run of results.
   */
  lookBack?: number
  /** The most marks of a request. */
  marks?: number
  /** For providers without marks: the length of a cached prefix is a multiple of this, in tokens. */
  step?: number
}>

const CLAUDE: CacheRules = { read: 0.1, write: 1.25, output: 5, ttl: 300, least: 1024, lookBack: 20, marks: 4 }

/** One row for each provider and lifetime. */
export const CACHE_RULES = {
  /** Claude with `cache_control: { type: 'ephemeral' }`. Newer models have a `read` of 0.05 or 0.025, and a `least` from 512 to 4,096. */
  'claude-5m': CLAUDE,
  /** Claude with `ttl: '1h'`. */
  'claude-1h': { ...CLAUDE, write: 2, ttl: 3600 },
  /** OpenAI before GPT-5.6: automatic, and writing is free. */
  openai: { read: 0.1, write: 1, output: 8, ttl: 300, least: 1024, step: 128 },
  /** OpenAI from GPT-5.6: writing costs more, and entries live for 30 minutes. */
  'openai-5.6': { read: 0.1, write: 1.25, output: 6, ttl: 1800, least: 1024, step: 128 },
  /** Gemini 2.5, implicit caching; the lifetime is not documented. */
  gemini: { read: 0.1, write: 1, output: 8, ttl: 300, least: 2048, step: 1 },
} as const satisfies Record<CacheRulesName, CacheRules>

export function rulesNamed(name: string): CacheRules {
  const rules: CacheRules | undefined = Object.hasOwn(CACHE_RULES, name)
    ? CACHE_RULES[name as CacheRulesName]
    : undefined
  if (rules !== undefined) return rules
  throw new PactError(
    'E_CONTENT_INVALID',
    `There are no cache rules ${short(name)}; give one of ${CACHE_RULES_NAMES.join(', ')}.`,
    { name: 'rules' },
  )
}

/** The tokens of a request, by how they are billed. */
export type Split = Readonly<{ read: number; write: number; plain: number }>

/** The cost of a request and its reply, in input tokens. */
export function priceOf({ read, write, plain }: Split, output: number, rules: CacheRules): number {
  return read * rules.read + write * rules.write + plain + output * rules.output
}
