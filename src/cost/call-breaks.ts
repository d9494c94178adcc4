// Breaks of the prompt cache between calls: what the provider reported, and what is known of the requests themselves.

import type { CacheBreak } from './replay.js'
import type { CacheRules } from './rules.js'
import type { Usage } from './usage.js'

/** The usage of a call, and its time in milliseconds. */
export type BilledCall = Readonly<{ usage: Usage; at?: number }>

/** A call whose request is known. */
export type KnownCall = Readonly<{
  attempt: string
  /** The format of the request; providers share no cache. */
  format: string
  at?: number
  usage?: Usage
  /** The first difference from the request before, in words, with the tokens up to it and those behind it in the request before. */
  change?: Readonly<{ cause: string; kept: number; lost: number }>
}>

/** Calls that read less from the cache than the call before had sent. */
export function reportedBreaks(calls: readonly BilledCall[], rules: CacheRules): readonly CacheBreak[] {
  return calls.flatMap((call, i) => {
    const before = calls[i - 1]
    const lost = before === undefined || !usesCache(before.usage) ? 0 : lostOf(before.usage, call.usage)
    if (before === undefined || lost < rules.least) return []
    return [breakOf(i, isLate(before, call, rules) ? 'expired' : 'missed', lost, call.usage.read, rules, call.at)]
  })
}

/** Calls whose request does not go on from the one before. A report of the provider decides whether that was one, and how much it cost. */
export function breaksOfCalls(calls: readonly KnownCall[], rules: CacheRules): readonly CacheBreak[] {
  return calls.flatMap((call, i): readonly CacheBreak[] => {
    const before = calls[i - 1]
    if (before === undefined || before.format !== call.format) return []
    const { attempt, change, usage, at } = call
    const cause = change === undefined ? {} : { cause: change.cause }
    if (usage !== undefined && before.usage !== undefined && usesCache(before.usage)) {
      const lost = lostOf(before.usage, usage)
      if (lost < rules.least) return []
      const why = change !== undefined ? 'changed' : isLate(before, call, rules) ? 'expired' : 'missed'
      return [{ ...breakOf(i, why, lost, usage.read, rules, at), attempt, ...cause }]
    }
    if (change === undefined || change.lost === 0) return []
    const found = breakOf(i, 'changed', change.lost, change.kept, rules, at)
    // A shorter request was never in the cache.
    return [{ ...found, attempt, ...cause, ...(change.kept + change.lost < rules.least ? { cost: 0 } : {}) }]
  })
}

/** Tokens behind the last mark were never written. */
function lostOf({ read, write }: Usage, now: Usage): number {
  return read + write - now.read
}

function usesCache({ read, write }: Usage): boolean {
  return read + write > 0
}

function isLate(
  { at: before }: Readonly<{ at?: number }>,
  { at }: Readonly<{ at?: number }>,
  { ttl }: CacheRules,
): boolean {
  return at !== undefined && before !== undefined && at - before > ttl * 1000
}

function breakOf(
  index: number,
  why: CacheBreak['why'],
  lost: number,
  read: number,
  rules: CacheRules,
  at: number | undefined,
): CacheBreak {
  const cost = lost * (rules.write - rules.read)
  return { request: index + 1, why, lost, read, cost, ...(at === undefined ? {} : { at }) }
}
