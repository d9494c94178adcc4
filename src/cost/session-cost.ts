// The cost of one session: as the provider reported it, as its requests are by the documented rules, and with other strategies.

import { breaksOfCalls, reportedBreaks, type BilledCall, type KnownCall } from './call-breaks.js'
import { withoutLoose, type Exchange, type Stretch } from './history.js'
import { Messages, type CostMessage, type TextMessage } from './messages.js'
import { ours } from './ours.js'
import { Billing, replayInParts, type Bill, type CacheBreak } from './replay.js'
import { priceOf, type CacheRules } from './rules.js'
import { clearToolUses, fullHistory, slidingWindow, type Strategy } from './strategy.js'

export type SessionInput = Readonly<{
  /** Everything that was said. */
  said: readonly TextMessage[]
  /** The histories that the agent had one after another, if it has compacted or edited them. */
  stretches?: readonly Stretch<TextMessage>[]
  /** The requests, if they were recorded one by one; else one is assumed before each reply. */
  requests?: readonly (readonly TextMessage[])[]
  /** The usage of each reply that has one, in order. */
  usages: readonly BilledCall[]
  /** The calls that sent the requests, if they are known. */
  calls?: readonly KnownCall[]
}>

export type CostOptions = Readonly<{
  count: (text: string) => number
  rules: CacheRules
  /** A number of tokens, or a share of the session. */
  budget: Readonly<{ tokens: number }> | Readonly<{ share: number; most: number }>
  /** Called now and then with the number of requests that were replayed, of all strategies. */
  onProgress?: (done: number, total: number) => void
}>

export type Recorded = Readonly<{
  requests: number
  read: number
  write: number
  plain: number
  output: number
  cost: number
}>

export type SessionCost = Readonly<{
  messages: number
  tokens: number
  budget: number
  /** The sum of what the provider reported. */
  recorded?: Recorded
  /** The requests as they were, by the documented rules. */
  sent: Bill
  strategies: readonly Readonly<{ name: string; bill: Bill }>[]
  /** Of the calls, if they are known; of the reported usage, if there is one; else of the requests as they were. */
  breaks: readonly CacheBreak[]
}>

/** The strategies that a session is compared with; the first is the measure. */
export const STRATEGIES: readonly Strategy[] = [
  fullHistory,
  slidingWindow,
  clearToolUses(3),
  ours('ours: maxTokens', {}),
  ours('ours: maxTokens, target 0.1, names 100', { target: 0.1, names: 100 }),
  ours('ours: maxTokens, results { keep: 6, atLeast: 0.3 }', { results: { keep: 6, atLeast: 0.3 } }),
]

/** Works out the cost, with a pause after each history of the session (see `replayInParts`). */
export function* costOfSession(
  { said, stretches: given, requests, usages, calls }: SessionInput,
  options: CostOptions,
): Generator<undefined, SessionCost, undefined> {
  const messages = new Messages(options.count)
  const counted = new Map<TextMessage, CostMessage>()
  const inTokens = (all: readonly TextMessage[]): readonly CostMessage[] =>
    withoutLoose(all).map((message) => {
      const cost = counted.get(message) ?? messages.of(message)
      counted.set(message, cost)
      return cost
    })
  const conversation = inTokens(said)
  const stretches = given?.map(({ messages: all, from }) => ({ messages: inTokens(all), from }))
  const tokens = conversation.reduce((sum, message) => sum + (message.blocks.length === 0 ? 0 : message.tokens), 0)
  const budget = 'tokens' in options.budget ? options.budget.tokens : budgetOf(tokens, options.budget)
  const { rules, onProgress } = options
  const replies = conversation.filter(({ role }) => role === 'assistant').length
  let done = 0
  const onRequest = (): void => onProgress?.((done += 1), replies * STRATEGIES.length)
  const breaks: CacheBreak[] = []
  const onBreak = (found: CacheBreak): void => void breaks.push(found)
  const session = { conversation, messages, budget, ...(stretches === undefined ? {} : { stretches }) }
  const strategies: { name: string; bill: Bill }[] = []
  for (const [i, strategy] of STRATEGIES.entries()) {
    const isMeasure = i === 0 && requests === undefined
    const watched = isMeasure ? { rules, onRequest, onBreak } : { rules, onRequest }
    strategies.push({ name: strategy.name, bill: yield* replayInParts(session, strategy, watched) })
  }
  const sent = requests === undefined ? strategies[0]!.bill : billOf(requests, messages, budget, { rules, onBreak })
  const recorded = usages.length === 0 ? undefined : sumOf(usages, rules)
  return {
    messages: said.length,
    tokens,
    budget,
    ...(recorded === undefined ? {} : { recorded }),
    sent,
    strategies,
    breaks:
      calls !== undefined
        ? breaksOfCalls(calls, rules)
        : recorded === undefined
          ? breaks
          : reportedBreaks(usages, rules),
  }
}

function budgetOf(tokens: number, { share, most }: Readonly<{ share: number; most: number }>): number {
  return Math.max(1, Math.min(most, Math.round(tokens * share)))
}

/** Bills requests that were recorded one by one. */
function billOf(
  requests: readonly (readonly TextMessage[])[],
  messages: Messages,
  budget: number,
  options: ConstructorParameters<typeof Billing>[1],
): Bill {
  const billing = new Billing(budget, options)
  for (const request of requests) {
    const sent = request.filter(({ blocks }) => blocks.length > 0).map((message) => messages.of(message))
    billing.request(sent, { added: [], reply: NO_REPLY, at: request.at(-1)?.at } satisfies Exchange)
  }
  return billing.bill
}

const NO_REPLY: CostMessage = { id: -1, base: -1, role: 'assistant', tokens: 0, blocks: [] }

function sumOf(usages: SessionInput['usages'], rules: CacheRules): Recorded {
  let sum = { read: 0, write: 0, plain: 0, output: 0 }
  for (const { usage } of usages) {
    sum = {
      read: sum.read + usage.read,
      write: sum.write + usage.write,
      plain: sum.plain + usage.plain,
      output: sum.output + usage.output,
    }
  }
  return { requests: usages.length, ...sum, cost: priceOf(sum, sum.output, rules) }
}
