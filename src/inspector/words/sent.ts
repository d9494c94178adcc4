// All calls of a context in one sentence: the tokens that they sent, and how many of them no cache could give.

import type { ContextSummary } from '../../api/index.js'
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

/** True for a conversation that came from a file, and has no recorded calls. */
export function isImported(about: ContextSummary | undefined): boolean {
  return about !== undefined && about.attempts.count === 0 && about.format !== undefined
}

/** The sentence on columns of an imported conversation, and on the facts that they lack. */
export const OF_AN_IMPORT =
  'A column is a turn of the imported conversation. What a provider’s cache missed is not known here: pctx cost FILE reads it from the usage in the file.'

/** The answer to the question for the next broken prefix, where there is none. */
export function noBreakWords(about: ContextSummary | undefined): string {
  return isImported(about)
    ? 'No turn changed what came before it. What a provider’s cache missed is not known here: see pctx cost FILE.'
    : 'No call broke the prefix.'
}

/** The sentence about a context of which every cycle is loaded. */
export function sentInAll({ span, byCycle, isLoaded }: Columns): string | undefined {
  const { value } = span
  if (value === undefined || value.newest === 0 || !isLoaded(value.first, value.newest)) return undefined
  return sentWords([...byCycle.value.values()].flatMap((column) => sendsIn(column)))
}
