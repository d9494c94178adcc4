// The `usage` of replies, in each provider's own form.

import { describe, expect, test } from 'vitest'

import { refusal } from '../../test/support/refusal.js'
import { readUsage } from './index.js'

describe('readUsage', () => {
  test.each([
    [
      'Anthropic: what the cache gave and took is beside the input',
      { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3000, output_tokens: 7 },
      { tokenIn: 3210, tokenOut: 7 },
    ],
    [
      'Anthropic without a cache',
      { input_tokens: 10, cache_read_input_tokens: null, output_tokens: 7 },
      { tokenIn: 10, tokenOut: 7 },
    ],
    [
      'OpenAI Chat Completions: cached tokens are within',
      { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 64 } },
      { tokenIn: 100, tokenOut: 20 },
    ],
    [
      'OpenAI Responses',
      { input_tokens: 100, input_tokens_details: { cached_tokens: 64 }, output_tokens: 20, total_tokens: 120 },
      { tokenIn: 100, tokenOut: 20 },
    ],
    [
      'Gemini: cached within, thoughts beside',
      { promptTokenCount: 50, cachedContentTokenCount: 30, candidatesTokenCount: 5, thoughtsTokenCount: 40 },
      { tokenIn: 50, tokenOut: 45 },
    ],
    ['AI SDK', { inputTokens: 9, outputTokens: undefined, inputTokenDetails: { cacheReadTokens: 4 } }, { tokenIn: 9 }],
    ['only what came out', { completion_tokens: 3 }, { tokenOut: 3 }],
  ])('%s', (_what, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected)
  })

  test.each([
    [null],
    [12],
    [{}],
    [{ tokens: 3 }],
    [{ input_tokens: -1 }],
    [{ prompt_tokens: '12' }],
    [{ input_tokens: 1.5 }],
  ])('refuses %j', (usage) => {
    expect(refusal(() => readUsage(usage as object))).toBe('E_CONTENT_INVALID')
  })
})
