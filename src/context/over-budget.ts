// A request over the limit of all tokens says so (D61): in its repairs, always, and by a warning when requests begin to be too large.

import type { CallPrompt, RenderedBytes } from '../thread/index.js'
import type { View } from '../timeline/index.js'
import type { TreeTokens } from '../reports/index.js'
import type { AnyOptions } from './options.js'
import type { Warnings } from './warnings.js'

/** A request that has more tokens than the limit. */
export type OverBudget = Readonly<{ limit: number; actual: number; text: string }>

/** The request as it was rendered, with the part of the prompt that is in the params of its call. */
export type MeasuredRequest = Readonly<{
  view: View
  name: string
  chunks: RenderedBytes
  prompt: CallPrompt | undefined
}>

/** Measures requests of one context against its limit. */
export class RequestBudget {
  readonly #limit: number
  readonly #tokens: TreeTokens
  readonly #warnings: Warnings
  #isOver = false

  constructor(limit: number, tokens: TreeTokens, warnings: Warnings) {
    this.#limit = limit
    this.#tokens = tokens
    this.#warnings = warnings
  }

  /** Undefined for a context without a limit of all tokens. */
  static of({ prune }: AnyOptions, tokens: TreeTokens, warnings: Warnings): RequestBudget | undefined {
    return typeof prune?.maxTokens === 'number' ? new RequestBudget(prune.maxTokens, tokens, warnings) : undefined
  }

  /** Undefined for a request within the limit. */
  over({ view, name, chunks, prompt }: MeasuredRequest): OverBudget | undefined {
    const limit = this.#limit
    const actual = this.#tokens.ofRequest(view, chunks, name, prompt)
    const wasOver = this.#isOver
    this.#isOver = actual > limit
    if (!this.#isOver) return undefined
    const text = `The request has ${Math.round(actual)} tokens, and prune.maxTokens is ${limit}.`
    if (!wasOver) {
      const advice =
        'Nothing more may be shed or pruned, since the rest is the open turn or protected; raise the limit, or protect less.'
      this.#warnings.add(`${text} ${advice}`, { kind: 'over-budget', limit, actual })
    }
    return { limit, actual, text }
  }
}
