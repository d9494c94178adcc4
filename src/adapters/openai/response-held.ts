// Replies that OpenAI keeps: `previous_response_id` names one, and a conversation has all of its own.

import type { HeldFormat } from '../conversation/held.js'
import { byKeys } from '../conversation/plain-json.js'
import { ITEM_KINDS, itemKind } from './response-kinds.js'
import { saidByModel } from './response-read.js'

/** The keys of a request before its items. */
export const BESIDE: readonly string[] = ['instructions', 'previous_response_id', 'conversation']

export const RESPONSES_HELD: HeldFormat = {
  place: 'conversation',
  keys: (before, after) => (after === undefined ? before : byKeys(BESIDE, { ...before, previous_response_id: after })),
  // An item of a kind that is not known here is the model's, too.
  isSaid: (item) => saidByModel(item) || !Object.hasOwn(ITEM_KINDS, itemKind(item) ?? 'message'),
  isForgotten,
}

/** The API names the param that it cannot follow, or says so in a code or a sentence. */
function isForgotten(error: unknown): boolean {
  const { status, param, code, message } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (status !== 400 && status !== 404) return false
  if (param === 'previous_response_id' || param === 'conversation') return true
  return (
    code === 'previous_response_not_found' ||
    code === 'conversation_not_found' ||
    (typeof message === 'string' && /\b(?:previous response|conversation)\b.* not found/i.test(message))
  )
}
