// Requests of recorded conversations, their faults, and the bills of strategies.

import { describe, expect, test } from 'vitest'

import { beginsWithReply, faultOf } from './faults.js'
import { exchangesOf, withoutLoose } from './history.js'
import { Messages, type CostMessage, type TextMessage } from './messages.js'
import { ours } from './ours.js'
import { replay, type CacheBreak } from './replay.js'
import { clearToolUses, fullHistory, slidingWindow, summarise, type Strategy } from './strategy.js'

const count = (text: string): number => text.length
const user = (text: string, at?: number): TextMessage => ({
  role: 'user',
  blocks: [{ kind: 'text', text }],
  ...(at === undefined ? {} : { at }),
})
const reply = (text: string): TextMessage => ({ role: 'assistant', blocks: [{ kind: 'text', text }] })
const call = (id: string): TextMessage => ({
  role: 'assistant',
  blocks: [{ kind: 'call', text: `read ${id}`, call: id }],
})
const result = (id: string, text = 'r'): TextMessage => ({ role: 'tool', blocks: [{ kind: 'result', text, call: id }] })

function sessionOf(said: readonly TextMessage[], budget: number) {
  const messages = new Messages(count)
  return { messages, budget, conversation: said.map((each) => messages.of(each)) }
}

function requestsOf(
  said: readonly TextMessage[],
  strategy: Strategy,
  budget: number,
): readonly (readonly CostMessage[])[] {
  const requests: (readonly CostMessage[])[] = []
  replay(sessionOf(said, budget), strategy, { onRequest: (messages) => requests.push(messages.slice()) })
  return requests
}

/** 40 steps of a call and a long result. */
const STEPS = [
  user('go'),
  ...Array.from({ length: 40 }, (_, i) => [call(`c${i}`), result(`c${i}`, 'x'.repeat(500))]).flat(),
  reply('done'),
]

describe('the history of a recording', () => {
  test('has a request before each reply that follows something else', () => {
    const { conversation } = sessionOf(
      [user('a'), reply('b'), reply('c'), user('d'), { role: 'assistant', blocks: [] }, user('e'), reply('f')],
      1,
    )
    expect([...exchangesOf(conversation)].map(({ added }) => added.map(({ role }) => role))).toEqual([
      ['user'],
      ['assistant', 'assistant', 'user'],
      // The reply before was interrupted, and is not sent.
      ['user'],
    ])
  })

  test('leaves out calls that never got a result, and results of no call', () => {
    const said = [user('a'), call('1'), user('b'), result('1'), call('2'), result('2'), result('3')]
    expect(withoutLoose(said).map(({ blocks }) => blocks.length)).toEqual([1, 0, 1, 0, 1, 1, 0])
  })
})

describe('faults', () => {
  const fault = (...said: readonly TextMessage[]) => faultOf(sessionOf(said, 1).conversation)

  test.each([
    [undefined, [user('a'), call('1'), result('1')]],
    [undefined, [reply('a'), user('b')]],
    ['no messages', []],
    ['no messages', [{ role: 'system', blocks: [{ kind: 'text', text: 's' }] } satisfies TextMessage]],
    ['a result without its call', [result('1'), user('a')]],
    ['a result without its call', [user('a'), call('1'), result('1'), result('1')]],
    ['a call without its result', [user('a'), call('1'), user('b')]],
    ['a call without its result', [user('a'), call('1')]],
  ])('%s', (expected, said) => {
    expect(fault(...said)).toBe(expected)
  })

  test('a request that begins with a reply is noted apart', () => {
    expect(beginsWithReply(sessionOf([reply('a')], 1).conversation)).toBe(true)
    expect(beginsWithReply(sessionOf([user('a'), reply('b')], 1).conversation)).toBe(false)
  })

  test.each([fullHistory, clearToolUses(3)])('a list that is given again is billed as a copy is: $name', (strategy) => {
    const copying: Strategy = {
      name: 'copies',
      start: (session) => {
        const next = strategy.start(session)
        return (added) => ({ messages: next(added).messages.slice() })
      },
    }
    const given = replay(sessionOf(STEPS, 3000), strategy)
    expect(replay(sessionOf(STEPS, 3000), copying)).toEqual(given)
    expect(given.invalid).toBe(0)
  })
})

describe('a request is judged as a whole, also where only its end is looked at', () => {
  /** Leaves one message out, another one at each request. */
  const leaving: Strategy = {
    name: 'leaves one out',
    start: () => {
      const history: CostMessage[] = []
      let count = 0
      return (added) => {
        history.push(...added)
        const at = (count += 7) % history.length
        return { messages: count % 3 === 0 ? history.slice() : history.filter((_, i) => i !== at) }
      }
    },
  }
  test.each([fullHistory, slidingWindow, clearToolUses(3), summarise({ keep: 6, isAppended: true }), leaving])(
    '$name',
    (strategy) => {
      for (const budget of [1500, 2050, 4000]) {
        let invalid = 0
        const onRequest = (messages: readonly CostMessage[]): void =>
          void (invalid += faultOf(messages.slice()) === undefined ? 0 : 1)
        expect(replay(sessionOf(STEPS, budget), strategy, { onRequest }).invalid).toBe(invalid)
      }
    },
  )
})

describe('strategies', () => {
  test('the full history is everything, and its bill can be worked out by hand', () => {
    const bill = replay(
      sessionOf([user('x'.repeat(1997)), reply('y'.repeat(97)), user('z'.repeat(197)), reply('.')], 2100),
      fullHistory,
    )
    // 2,000 tokens are written, then read while 300 more are written.
    expect(bill).toMatchObject({
      requests: 2,
      sent: 4300,
      fromCache: 2000,
      over: 1,
      cost: 2000 * 1.25 + 2000 * 0.1 + 300 * 1.25,
    })
    expect(bill.strict).toEqual({ fromCache: 2000, cost: bill.cost })
  })

  test('the sliding window sends the newest messages that fit, and cuts calls from results', () => {
    const requests = requestsOf(STEPS, slidingWindow, 2050)
    expect(requests.every((messages) => messages.reduce((sum, { tokens }) => sum + tokens, 0) <= 2050)).toBe(true)
    expect(requests.some((messages) => faultOf(messages) !== undefined)).toBe(true)
  })

  test('clear_tool_uses keeps the newest results once the budget is passed', () => {
    const last = requestsOf(STEPS, clearToolUses(3), 2000).at(-1)!
    const results = last.filter(({ role }) => role === 'tool')
    expect(results).toHaveLength(40)
    expect(results.filter(({ blocks }) => blocks[0]!.tokens === 500)).toHaveLength(3)
  })

  test('summaries replace what is old by a tenth of its tokens, and are billed', () => {
    const session = sessionOf(STEPS, 6000)
    const [own, appended] = [false, true].map((isAppended) => replay(session, summarise({ keep: 4, isAppended })))
    expect(own!.invalid).toBe(0)
    expect(own!.over).toBe(0)
    // The same prompt is plain input in one case, and mostly read from the cache in the other.
    expect(appended!.cost).toBeLessThan(own!.cost)
  })

  test('ours stays within the budget and keeps calls with their results', () => {
    const bill = replay(sessionOf(STEPS, 5000), ours('ours', {}))
    expect(bill).toMatchObject({ requests: 41, invalid: 0, over: 0 })
    expect(bill.cost).toBeLessThan(replay(sessionOf(STEPS, 5000), ours('ours', { target: 1 })).cost)
  })

  test('ours with shedding keeps every call', () => {
    const last = requestsOf(STEPS, ours('ours', { results: { keep: 3 } }), 8000).at(-1)!
    expect(last.filter(({ role }) => role === 'tool')).toHaveLength(40)
    expect(last.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(8000)
  })
})

describe('breaks of the cache', () => {
  const breaksOf = (said: readonly TextMessage[], strategy: Strategy, budget = 1e6): readonly CacheBreak[] => {
    const found: CacheBreak[] = []
    replay(sessionOf(said, budget), strategy, { onBreak: (each) => found.push(each) })
    return found
  }

  test('names the request, the message and the price', () => {
    const [first] = breaksOf(STEPS, slidingWindow, 2000)
    expect(first).toMatchObject({ message: 0, why: 'changed' })
    expect(first!.cost).toBeCloseTo(first!.lost * 1.15)
  })

  test('finds entries that have expired', () => {
    const said = [user('x'.repeat(2000), 0), reply('a'), user('b', 60_000), reply('c'), user('d', 600_000), reply('e')]
    expect(breaksOf(said, fullHistory)).toEqual([
      {
        request: 3,
        why: 'expired',
        lost: 2003 + 4 + 4,
        read: 0,
        cost: expect.closeTo(2011 * 1.15) as number,
        at: 600_000,
      },
    ])
  })
})

test('a thought is stale where another history leads to it', () => {
  const thoughtful = (text: string): TextMessage => ({
    role: 'assistant',
    blocks: [
      { kind: 'thought', text: `hm ${text}` },
      { kind: 'text', text },
    ],
  })
  const said = Array.from({ length: 20 }, (_, i) => [user(`q${i} ${'x'.repeat(100)}`), thoughtful(`a${i}`)]).flat()
  expect(replay(sessionOf(said, 600), fullHistory).stale).toBe(0)
  // Five exchanges fit; from then on each request holds thoughts that its beginning did not lead to.
  expect(replay(sessionOf(said, 600), slidingWindow).stale).toBeGreaterThan(10)
})
