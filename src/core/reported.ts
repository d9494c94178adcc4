// The end of a model's reply, and the facts that its provider gave about it, in the same words for all providers.

import type { JsonObject } from './json.js'

/**
 * Why a reply ended: `end` the model was done, `calls` it asks for tools, `length` a limit cut it off, `pause` it goes on when it is sent
 * back, `refusal` the model declined, `filter` the provider withheld it, `compaction` it stopped to compact its context, `other` anything else.
 */
export type Stop = (typeof STOPS)[number]

export const STOPS = ['end', 'calls', 'length', 'pause', 'refusal', 'filter', 'compaction', 'other'] as const

/**
 * The next thing to come in the open cycle: a message of the `user`, results of `calls`, a `reply` of the model, or `nothing`, since the model has
 * ended its turn.
 */
export type Due = (typeof DUE)[number]

export const DUE = ['user', 'calls', 'reply', 'nothing'] as const

/** The facts that a provider gave about a request and its reply; plain JSON. Numbers that it did not give are absent. */
export type Reported = Readonly<{
  /** The provider's id of the reply. */
  id?: string
  /** The model that replied. */
  model?: string
  stop?: Stop
  /** The provider's own word for `stop`. */
  providerStop?: string
  /** All tokens of the input, cached ones too. */
  tokenIn?: number
  /** All tokens of the output, thoughts too. */
  tokenOut?: number
  /** The tokens of the input that came from a prompt cache. */
  cacheRead?: number
  /** The tokens of the input that were written to a prompt cache. */
  cacheWrite?: number
  /** The same by lifetime, such as `{ '5m': 800, '1h': 200 }`: the longer one costs more. */
  cacheWrites?: Readonly<Record<string, number>>
  /** The id of the container in which the provider's tools ran; the next request names it. */
  container?: string
  /** Whatever else it said, under its own names: `usage`, `stop_details`, `context_management`, `input_transformations`, `diagnostics`. */
  details?: JsonObject
}>
