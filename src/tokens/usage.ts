// The cost of a request as providers report it, in the two numbers that an attempt keeps. Anthropic counts cache reads and writes in
// addition to the input; for the others the cached tokens are part of the input.

import { asCall, describe, PactError } from '../errors/index.js'

/** The token counts that complete an attempt. */
export type TokenUsage = Readonly<{ tokenIn?: number; tokenOut?: number }>

/** The names of input and output by provider; the first present one is used. */
const INPUTS = [
  'prompt_tokens', // OpenAI, Chat Completions
  'input_tokens', // OpenAI, Responses; Anthropic
  'promptTokenCount', // Gemini
  'inputTokens', // AI SDK
] as const
const OUTPUTS = ['completion_tokens', 'output_tokens', 'candidatesTokenCount', 'outputTokens'] as const

/** Counts of Anthropic in addition to `input_tokens`. */
const BESIDE_INPUT = ['cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** Reads the `usage` (Gemini's `usageMetadata`) of a reply of any provider, for `attempt.complete`. */
export function readUsage(usage: object): TokenUsage {
  return asCall(readUsage, () => {
    if (typeof usage !== 'object' || usage === null) {
      throw invalid(`A usage is an object such as { input_tokens: 12 }, not ${describe(usage)}.`)
    }
    const said = usage as Readonly<Record<string, unknown>>
    const tokenIn = firstOf(said, INPUTS)
    const tokenOut = firstOf(said, OUTPUTS)
    if (tokenIn === undefined && tokenOut === undefined) {
      throw invalid(`This is no usage that is known; it has one of ${[...INPUTS, ...OUTPUTS].join(', ')}.`)
    }
    return Object.freeze({
      ...(tokenIn === undefined ? {} : { tokenIn: tokenIn + besideInput(said) }),
      // Gemini counts thinking in addition to the answer.
      ...(tokenOut === undefined ? {} : { tokenOut: tokenOut + (countOf(said, 'thoughtsTokenCount') ?? 0) }),
    })
  })
}

function besideInput(said: Readonly<Record<string, unknown>>): number {
  if (said['input_tokens'] === undefined) return 0
  return BESIDE_INPUT.reduce((sum, name) => sum + (countOf(said, name) ?? 0), 0)
}

function firstOf(said: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = countOf(said, name)
    if (count !== undefined) return count
  }
  return undefined
}

function countOf(said: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = said[name]
  // Some providers give null for a count that they did not make.
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalid(`${name} is a whole number from 0 up, not ${describe(value)}.`)
}

function invalid(message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message)
}
