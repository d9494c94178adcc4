// A budget over the longest recorded session: how often the thread of one commit is no prefix of the next one's, which is
// what a prompt cache loses by. Counted, so that the figures are the same everywhere.

import { existsSync, readFileSync } from 'node:fs'

import { createContext, type Context, type PrunePolicy } from 'pact-context'
import { describe, expect, test } from 'vitest'

const SESSION = new URL('../../shared/data/badlogic__pi-mono.jsonl', import.meta.url)
const BUDGET = 60_000

type Part = { type: string; text?: string; thinking?: string; id?: string; name?: string; arguments?: unknown }
type Message = { role: string; content: Part[]; toolCallId?: string }

/** How often the prefix broke, and over how many commits since the budget was reached. */
type Breaks = Readonly<{ broken: number; commits: number }>

/** A turn begins with each user message; a request goes out before each answer, and is a commit in the other flow (D47). */
type Flow = 'a commit a turn' | 'a commit a request'

/** Of each way: how often it broke with a target of 0.7, how often without one, and over how many commits. */
const ROWS: readonly (readonly [flow: Flow, unit: 'turn' | 'node', low: number, without: number, commits: number])[] = [
  ['a commit a turn', 'turn', 3, 11, 81],
  ['a commit a turn', 'node', 4, 46, 81],
  ['a commit a request', 'turn', 4, 96, 348],
  ['a commit a request', 'node', 4, 117, 348],
]

describe('of a session of 914 messages with a budget of 60,000 tokens', () => {
  const title = '%s, by %s: with a target of 0.7 the prefix breaks %i times, without one %i times, in %i commits'
  test.for(ROWS)(title, ([flow, unit, low, without, commits], { skip }) => {
    skip(!existsSync(SESSION), '../shared/data is not beside this checkout, and the session is only there')
    const kept = breaksOf(flow, { unit, target: 0.7 })
    expect(kept.broken / kept.commits).toBeLessThanOrEqual(0.1)
    expect(kept).toEqual({ broken: low, commits })
    expect(breaksOf(flow, { unit })).toEqual({ broken: without, commits })
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

/** A fixed measure, so that the figures stay when a better counter comes. */
function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

function addMessage(ctx: Context, { role, content, toolCallId }: Message): void {
  if (role === 'toolResult') {
    ctx.tool(content, { kind: 'result', ...(toolCallId === undefined ? {} : { data_call_id: toolCallId }) })
    return
  }
  for (const part of content) {
    if (role === 'user') ctx.user(part.text ?? part)
    else if (part.type === 'toolCall') ctx.assistant(part, { kind: 'call', data_call_id: part.id! })
    else ctx.assistant(part.text ?? part, part.type === 'thinking' ? { kind: 'reasoning' } : {})
  }
}

function readSession(): readonly Message[] {
  const [line] = readFileSync(SESSION, 'utf8').split('\n')
  return (JSON.parse(line!) as { messages: Message[] }).messages
}
