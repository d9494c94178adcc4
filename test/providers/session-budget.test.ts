// A budget over the longest recorded session: how often the thread of one commit is no prefix of the next one's, which is
// what a prompt cache loses by. Counted, so that the figures are the same everywhere.

import { createContext, type PrunePolicy } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { addMessage, countTokens, readSession } from '../support/session.js'

const BUDGET = 60_000

/** The number of breaks of the prefix, and the number of commits since the budget was reached. */
type Breaks = Readonly<{ broken: number; commits: number }>

/** A turn begins with each user message; a request goes out before each answer, and is a commit in the other flow (D47). */
type Flow = 'a commit a turn' | 'a commit a request'

/** Of each way: how often it broke with the default target, how often with a target of 1, and over how many commits. */
const ROWS: readonly (readonly [flow: Flow, unit: 'turn' | 'node', low: number, whole: number, commits: number])[] = [
  ['a commit a turn', 'turn', 3, 11, 81],
  ['a commit a turn', 'node', 3, 46, 81],
  ['a commit a request', 'turn', 4, 96, 348],
  ['a commit a request', 'node', 4, 117, 348],
]

describe('of a session of 914 messages with a budget of 60,000 tokens', () => {
  const title = '%s, by %s: the prefix breaks %i times, with a target of 1 %i times, in %i commits'
  test.for(ROWS)(title, ([flow, unit, low, whole, commits]) => {
    const kept = breaksOf(flow, { unit })
    expect(kept.broken / kept.commits).toBeLessThanOrEqual(0.1)
    expect(kept).toEqual({ broken: low, commits })
    expect(breaksOf(flow, { unit, target: 1 })).toEqual({ broken: whole, commits })
  })
})

function breaksOf(flow: Flow, policy: PrunePolicy): Breaks {
  const ctx = createContext({ id: 'session', clock: () => 0n, countTokens, prune: { maxTokens: BUDGET, ...policy } })
  let [broken, commits] = [0, 0]
  let before: Uint8Array = new Uint8Array()
  for (const message of readSession()) {
    const isNext = message.role === (flow === 'a commit a turn' ? 'user' : 'assistant')
    if (isNext && ctx.count('^ah .block') > 0) {
      const { receipt } = ctx.commit()
      const thread = ctx.threadBytes('@t0').subarray(0, -1) // without the bracket that ends it
      const hasReached = commits > 0 || receipt.limits.length > 0
      if (hasReached) commits++
      if (hasReached && Buffer.compare(before, thread.subarray(0, before.length)) !== 0) broken++
      expect(receipt.unmet).toEqual([])
      before = thread
    }
    addMessage(ctx, message)
  }
  return { broken, commits }
}
