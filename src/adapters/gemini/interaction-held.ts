// Interactions that Gemini keeps: `previous_interaction_id` names one. The server has its steps, but not its system instruction and tools.

import type { HeldFormat } from '../conversation/held.js'
import { inOrder } from '../conversation/plain-json.js'
import { isOfModel } from './interaction-read.js'

export const INTERACTIONS_HELD: HeldFormat = {
  keys: (before, after) => (after === undefined ? before : inOrder({ ...before, previous_interaction_id: after })),
  // An imported conversation may itself follow an interaction.
  same: ['previous_interaction_id'],
  keepsFor: ({ store }) => store !== false,
  isSaid: isOfModel,
  isForgotten,
}

/** The documents do not say how the API refuses an id that it does not have: any error of that kind counts, unless it names the model. */
function isForgotten(error: unknown): boolean {
  const { status, statusCode, message } = (error ?? {}) as Readonly<Record<string, unknown>>
  const code = status ?? statusCode
  const text = typeof message === 'string' ? message : ''
  if (code === 404) return !/\bmodels?\b/i.test(text)
  return (code === 400 || code === 403) && /\binteraction\b|previous_interaction_id/i.test(text)
}
