// The examples that providers print in their pages about prompt caching and prices.

import { describe, expect, test } from 'vitest'

import { Messages, type CostMessage } from './messages.js'
import { PromptCache } from './prompt-cache.js'
import { CACHE_RULES, priceOf, rulesNamed } from './rules.js'

const CLAUDE = CACHE_RULES['claude-5m']
const MINUTE = 60_000

const messages = new Messages((text) => Number(text.split(' ').at(-1)))

/** A message of one block; its tokens are 3 more than its text says, for the message. */
function block(name: string, tokens: number, role: 'user' | 'assistant' | 'system' = 'user'): CostMessage {
  return messages.of({ role, blocks: [{ kind: 'text', text: `${name} ${tokens - 3}` }] })
}

const blocks = (count: number, tokens = 200): readonly CostMessage[] =>
  Array.from({ length: count }, (_, i) => block(`block ${i + 1}`, tokens))

describe('Claude', () => {
  test('finds an entry at most 20 positions back, the mark included', () => {
    const cache = new PromptCache({ ...CLAUDE, marks: 1 })
    expect(cache.request(blocks(10))).toEqual({ read: 0, write: 2000, plain: 0 })
    // 15 blocks: the entry at block 10 is in the window.
    expect(cache.request(blocks(15))).toEqual({ read: 2000, write: 1000, plain: 0 })
    // 35 blocks: blocks 35 to 16 are looked at, and the entry at block 15 is one position outside.
    expect(cache.request(blocks(35))).toEqual({ read: 0, write: 7000, plain: 0 })
  })

  test('finds an entry at the edge of the window', () => {
    const cache = new PromptCache({ ...CLAUDE, marks: 1 })
    cache.request(blocks(15))
    expect(cache.request(blocks(34))).toEqual({ read: 3000, write: 3800, plain: 0 })
  })

  test('finds it from a second mark nearer to it', () => {
    const cache = new PromptCache(CLAUDE)
    cache.request(blocks(15))
    expect(cache.request(blocks(35))).toEqual({ read: 3000, write: 4000, plain: 0 })
  })

  test('counts a run of calls as one position, and a run of results', () => {
    const cache = new PromptCache({ ...CLAUDE, marks: 1 })
    const start = blocks(10)
    cache.request(start)
    const of = (kind: 'call' | 'result') =>
      Array.from({ length: 30 }, (_, i) => ({ kind, text: `${kind} ${i} 10`, call: `c${i}` }))
    const calls = messages.of({ role: 'assistant', blocks: of('call') })
    const results = messages.of({ role: 'tool', blocks: of('result') })
    expect(cache.request([...start, calls, results]).read).toBe(2000)
  })

  test('caches nothing below the least length', () => {
    const cache = new PromptCache(CLAUDE)
    expect(cache.request([block('short', 1023)])).toEqual({ read: 0, write: 0, plain: 1023 })
    expect(cache.request([block('short', 1023)])).toEqual({ read: 0, write: 0, plain: 1023 })
    expect(cache.request([block('long', 1024)])).toEqual({ read: 0, write: 1024, plain: 0 })
    expect(cache.request([block('long', 1024)])).toEqual({ read: 1024, write: 0, plain: 0 })
  })

  test('keeps an entry for five minutes after the request that wrote or read it began', () => {
    const cache = new PromptCache(CLAUDE)
    const request = blocks(10)
    cache.request(request, 0)
    expect(cache.request(request, 4 * MINUTE).read).toBe(2000)
    expect(cache.request(request, 8 * MINUTE).read).toBe(2000)
    expect(cache.request(request, 14 * MINUTE)).toEqual({ read: 0, write: 2000, plain: 0 })
    const hour = new PromptCache(CACHE_RULES['claude-1h'])
    hour.request(request, 0)
    expect(hour.request(request, 55 * MINUTE).read).toBe(2000)
    expect(hour.request(request, 116 * MINUTE).read).toBe(0)
  })

  test('reads the system text where everything after it has changed', () => {
    const cache = new PromptCache(CLAUDE)
    const system = block('rules', 5000, 'system')
    cache.request([system, block('a', 900)])
    expect(cache.request([system, block('b', 900)])).toEqual({ read: 5000, write: 900, plain: 0 })
  })

  test.each([
    // Dollars for a million tokens: input, writes for 5 minutes and for an hour, reads, output.
    ['Opus 4.5', 5, 6.25, 10, 0.5, 25],
    ['Sonnet 4.5', 3, 3.75, 6, 0.3, 15],
    ['Haiku 4.5', 1, 1.25, 2, 0.1, 5],
  ])('has the printed prices of %s', (_, input, write, writeHour, read, output) => {
    const million = 1e6
    const dollars = (cost: number): number => (cost / million) * input
    expect(dollars(priceOf({ read: 0, write: million, plain: 0 }, 0, CLAUDE))).toBeCloseTo(write)
    expect(dollars(priceOf({ read: 0, write: million, plain: 0 }, 0, CACHE_RULES['claude-1h']))).toBeCloseTo(writeHour)
    expect(dollars(priceOf({ read: million, write: 0, plain: 0 }, 0, CLAUDE))).toBeCloseTo(read)
    expect(dollars(priceOf({ read: 0, write: 0, plain: 0 }, million, CLAUDE))).toBeCloseTo(output)
    expect(dollars(priceOf({ read: 0, write: 0, plain: million }, 0, CLAUDE))).toBeCloseTo(input)
  })
})

describe('OpenAI', () => {
  test('reads multiples of 128 tokens, from 1,024 up', () => {
    const cache = new PromptCache(CACHE_RULES.openai)
    const prompt = [block('prompt', 2006)]
    expect(cache.request(prompt)).toEqual({ read: 0, write: 2006, plain: 0 })
    // prompt_tokens 2006, cached_tokens 1920
    expect(cache.request(prompt)).toEqual({ read: 1920, write: 86, plain: 0 })
    const short = new PromptCache(CACHE_RULES.openai)
    short.request([block('short', 1023)])
    expect(short.request([block('short', 1023)]).read).toBe(0)
  })

  test('keeps entries of GPT-5.6 for 30 minutes, and bills their writing', () => {
    const rules = CACHE_RULES['openai-5.6']
    const cache = new PromptCache(rules)
    const prompt = [block('prompt', 1280)]
    expect(priceOf(cache.request(prompt, 0), 0, rules)).toBe(1600)
    expect(priceOf(cache.request(prompt, 29 * MINUTE), 0, rules)).toBe(128)
    expect(cache.request(prompt, 60 * MINUTE).read).toBe(0)
  })
})

test('a wrong name lists the right ones', () => {
  expect(() => rulesNamed('claude')).toThrow(/There are no cache rules "?claude"?; give one of claude-5m, claude-1h/)
})
