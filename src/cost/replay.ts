// Replays a recorded conversation with a strategy and adds up the bill under both cache models.

import { beginsWithReply, faultOf, type Fault } from './faults.js'
import { exchangesOf, type Exchange, type Stretch } from './history.js'
import { commonRun, type CostMessage, type Messages } from './messages.js'
import { PromptCache } from './prompt-cache.js'
import { CACHE_RULES, priceOf, type CacheRules, type Split } from './rules.js'
import type { Strategy } from './strategy.js'
import { WholeMessages } from './whole-messages.js'

/** The bill of a strategy. Costs are in input tokens at their base price. */
export type Bill = Readonly<{
  requests: number
  /** The tokens of all requests, those for summaries included. */
  sent: number
  /** Of these, the tokens that the simple model reads from the cache. */
  fromCache: number
  /** By the simple model, at the prices of the rules. */
  cost: number
  /** By the documented rules. */
  strict: Readonly<{ fromCache: number; cost: number }>
  /** Requests that providers refuse. */
  invalid: number
  faults: Readonly<Partial<Record<Fault, number>>>
  /** Requests that begin with a reply, which Bedrock refuses and others take. */
  headless: number
  /** Requests larger than the budget. */
  over: number
  /** Requests that hold a thought that another history led to. */
  stale: number
}>

/** A request whose beginning is not that of the request before, or whose cache entry had died. */
export type CacheBreak = Readonly<{
  /** The number of the request, from 1. */
  request: number
  /** The place of the first message that differs, from 0; undefined if the entry had died. */
  message?: number
  /** `missed`: the provider read less than it had cached, and does not say why. */
  why: 'changed' | 'expired' | 'missed'
  /** Tokens that the request before had, and that were not read from the cache. */
  lost: number
  /** Tokens that were read. */
  read: number
  /** Their price above that of reading them. */
  cost: number
  /** The time of the request, in milliseconds. */
  at?: number
  /** The attempt that sent the request, and the change to a node that parts it from the one before. */
  attempt?: string
  cause?: string
}>

export type ReplayOptions = Readonly<{
  rules?: CacheRules
  /** Called with every request, and with the reply that was recorded. */
  onRequest?: (messages: readonly CostMessage[], exchange: Exchange, number: number) => void
  onBreak?: (found: CacheBreak) => void
}>

const NOTHING: Bill = {
  requests: 0,
  sent: 0,
  fromCache: 0,
  cost: 0,
  strict: { fromCache: 0, cost: 0 },
  invalid: 0,
  faults: {},
  headless: 0,
  over: 0,
  stale: 0,
}

export type ReplayedSession = Readonly<{
  conversation: readonly CostMessage[]
  /** The histories that the agent had one after another, if it was more than one. Every strategy begins again with each. */
  stretches?: readonly Stretch<CostMessage>[]
  messages: Messages
  budget: number
}>

export function replay(session: ReplayedSession, strategy: Strategy, options: ReplayOptions = {}): Bill {
  return ended(replayInParts(session, strategy, options))
}

/** The result of work that may be interrupted, done at once. */
export function ended<Result>(work: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/**
 * The same, with a pause after each history. A caller with many of them gives the event loop a turn there: until then the engine keeps every context
 * that a strategy has made, since contexts are held by weak references.
 */
export function* replayInParts(
  session: ReplayedSession,
  strategy: Strategy,
  options: ReplayOptions,
): Generator<undefined, Bill, undefined> {
  const billing = new Billing(session.budget, options)
  for (const { messages: history, from } of session.stretches ?? [{ messages: session.conversation, from: 0 }]) {
    const next = strategy.start(session)
    for (const exchange of exchangesOf(history, from)) {
      const { messages, kept, side } = next(exchange.added)
      if (side !== undefined) billing.side(side.messages, side.output, side.isAppended, exchange.at)
      billing.request(messages, exchange, kept)
    }
    yield
  }
  return billing.bill
}

/** Bills requests one by one. */
export class Billing {
  readonly #budget: number
  readonly #rules: CacheRules
  readonly #simple = new WholeMessages()
  readonly #strict: PromptCache
  readonly #options: ReplayOptions
  /** The end of the request that led to each reply, by the id of the reply. */
  readonly #origins = new Map<number, object>()
  #bill: Bill = NOTHING
  #before: readonly CostMessage[] = []
  #beforeLength = 0
  #fault: Fault | undefined
  #isStale = false
  #beforeTotal = 0

  constructor(budget: number, options: ReplayOptions = {}) {
    this.#budget = budget
    this.#options = options
    this.#rules = options.rules ?? CACHE_RULES['claude-5m']
    this.#strict = new PromptCache(this.#rules)
  }

  get bill(): Bill {
    return this.#bill
  }

  request(messages: readonly CostMessage[], exchange: Exchange, kept?: number): void {
    const simple = this.#simple.request(messages, exchange.at, kept)
    const strict = this.#strict.request(messages, exchange.at, kept)
    const total = totalOf(simple)
    const same = commonRun(this.#before, this.#beforeLength, messages, kept)
    this.#noteBreak(same, strict, exchange.at)
    const isGrown = same === this.#beforeLength
    const judged = isGrown ? same : settledBefore(messages, same)
    this.#fault = faultOf(messages, this.#fault === undefined ? judged : 0)
    const fault = this.#fault
    this.#isStale = (isGrown && this.#isStale) || this.#hasStale(messages, isGrown ? same : 0)
    const bill = this.#bill
    this.#bill = {
      ...bill,
      requests: bill.requests + 1,
      invalid: bill.invalid + (fault === undefined ? 0 : 1),
      faults: fault === undefined ? bill.faults : { ...bill.faults, [fault]: (bill.faults[fault] ?? 0) + 1 },
      headless: bill.headless + (beginsWithReply(messages) ? 1 : 0),
      over: bill.over + (total > this.#budget ? 1 : 0),
      stale: bill.stale + (this.#isStale ? 1 : 0),
    }
    this.#charge(simple, strict, 0)
    if (hasThought(exchange.reply)) this.#origins.set(exchange.reply.id, this.#strict.place)
    this.#before = messages
    this.#beforeLength = messages.length
    this.#beforeTotal = total
    this.#options.onRequest?.(messages, exchange, this.#bill.requests)
  }

  /** A request besides those of the agent. One that is not appended finds nothing in the cache and writes nothing to it. */
  side(messages: readonly CostMessage[], output: number, isAppended: boolean, at: number | undefined): void {
    if (isAppended) return this.#charge(this.#simple.request(messages), this.#strict.request(messages, at), output)
    const plain = { read: 0, write: 0, plain: messages.reduce((sum, { tokens }) => sum + tokens, 0) }
    this.#charge(plain, plain, output)
  }

  #charge(simple: Split, strict: Split, output: number): void {
    const bill = this.#bill
    this.#bill = {
      ...bill,
      sent: bill.sent + totalOf(simple),
      fromCache: bill.fromCache + simple.read,
      cost: bill.cost + priceOf(simple, output, this.#rules),
      strict: {
        fromCache: bill.strict.fromCache + strict.read,
        cost: bill.strict.cost + priceOf(strict, output, this.#rules),
      },
    }
  }

  #noteBreak(same: number, { read }: Split, at: number | undefined): void {
    const { onBreak } = this.#options
    const lost = this.#beforeTotal - read
    // Blocks of the newest message are often just not found; only a real loss is worth a word.
    if (onBreak === undefined || lost < this.#rules.least) return
    const cost = lost * (this.#rules.write - this.#rules.read)
    const request = this.#bill.requests + 1
    const found = { request, lost, read, cost, ...(at === undefined ? {} : { at }) }
    onBreak(same < this.#beforeLength ? { ...found, message: same, why: 'changed' } : { ...found, why: 'expired' })
  }

  /** A thought is bound to what came before it: after another history it is refused, dropped or ignored. */
  #hasStale(messages: readonly CostMessage[], from: number): boolean {
    if (this.#origins.size === 0) return false
    for (let i = from; i < messages.length; i++) {
      const message = messages[i]!
      const origin = hasThought(message) ? this.#origins.get(message.base) : undefined
      if (origin !== undefined && origin !== this.#strict.placeBefore(i)) return true
    }
    return false
  }
}

/** The last place up to `at` where no call waits for its result, if the request before had no fault: behind a message without calls and results. */
function settledBefore(messages: readonly CostMessage[], at: number): number {
  let place = Math.min(at, messages.length)
  const isPaired = ({ blocks }: CostMessage): boolean => blocks.some(({ kind }) => kind === 'call' || kind === 'result')
  while (place > 0 && isPaired(messages[place - 1]!)) place -= 1
  return place
}

function hasThought({ blocks }: CostMessage): boolean {
  return blocks.some(({ kind }) => kind === 'thought')
}

function totalOf({ read, write, plain }: Split): number {
  return read + write + plain
}
