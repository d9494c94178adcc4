// All calls of a context in one sentence: the tokens that they sent, and how many of them no cache could give.

import { sendsIn, type Send } from '../state/sends.js'
import type { Columns } from '../state/timeline.js'
import { count, percent, plural } from './numbers.js'

/** Undefined where nothing was sent. Tokens after the bytes that a call shares with the one before cannot come from a cache. */
export function sentWords(sends: readonly Pick<Send, 'attempt' | 'figures'>[]): string | undefined {
  const calls = sends.flatMap(({ attempt, figures }) =>
    attempt === undefined || figures === undefined ? [] : [figures],
  )
  if (calls.length === 0) return undefined
  const sent = calls.reduce((sum, { tokens }) => sum + tokens, 0)
  const fresh = calls.reduce((sum, { tokens, prefix }) => sum + Math.max(0, tokens - prefix.tokens), 0)
  const share = percent(fresh / Math.max(1, sent))
  return `${plural(calls.length, 'call')} sent ${count(sent)} tokens; ${count(fresh)} (${share}) could not come from a cache`
}

/** The sentence about a context of which every cycle is loaded. */
export function sentInAll({ span, byCycle, isLoaded }: Columns): string | undefined {
  const { value } = span
  if (value === undefined || value.newest === 0 || !isLoaded(value.first, value.newest)) return undefined
  return sentWords([...byCycle.value.values()].flatMap((column) => sendsIn(column)))
}
