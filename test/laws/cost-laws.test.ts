// The cache model of src/cost against a naive one, on generated sequences of requests: growing, cut, changed, repeated and late.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  CACHE_RULES,
  Messages,
  PromptCache,
  WholeMessages,
  type CostMessage,
  type TextMessage,
} from '../../src/cost/index.js'
import { NaiveCache, type NaiveMessage } from '../oracle/prompt-cache.js'

const KINDS = ['text', 'call', 'result', 'thought'] as const

/** A message by number, so that equal numbers are equal messages. Its text says how many tokens it has. */
const message = (number: number): TextMessage => ({
  role: number % 11 === 0 ? 'system' : number % 2 === 0 ? 'user' : 'assistant',
  blocks: Array.from({ length: 1 + (number % 3) }, (_, i) => ({
    kind: KINDS[(number * (i + 1)) % KINDS.length]!,
    text: `${number}.${i} ${(number * 37 + i * 11) % 400}`,
  })),
})

const tokensOf = (text: string): number => Number(text.split(' ')[1])

const naive = ({ role, blocks }: TextMessage): NaiveMessage => ({
  around: 3,
  blocks: blocks.map(({ kind, text }) => ({
    text: `${role} ${text}`,
    tokens: tokensOf(text),
    kind,
    isSystem: role === 'system',
  })),
})

/** Each step makes the next request of the one before. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('add' as const), numbers: fc.array(fc.nat(200), { maxLength: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), at: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), at: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change' as const), at: fc.nat(60), to: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('back' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const program = fc.array(fc.record({ step, minutes: fc.constantFrom(0, 1, 4, 6, 40, 70) }), {
  minLength: 1,
  maxLength: 25,
})

function applied(numbers: readonly number[], earlier: readonly (readonly number[])[], each: Step): readonly number[] {
  if (each.do === 'add') return [...numbers, ...each.numbers]
  if (each.do === 'cut') return numbers.slice(0, each.at)
  if (each.do === 'drop') return numbers.toSpliced(each.at, 1)
  if (each.do === 'change') return each.at < numbers.length ? numbers.with(each.at, each.to) : numbers
  return earlier.at(-2) ?? numbers
}

/** The requests of a program, with their times. */
function* requestsOf(
  steps: readonly Readonly<{ step: Step; minutes: number }>[],
): Generator<{ numbers: readonly number[]; at: number }> {
  // A long beginning, so that least lengths are passed and looking back has an end.
  let numbers: readonly number[] = [0, ...Array.from({ length: 30 }, (_, i) => i * 3 + 1)]
  const earlier: (readonly number[])[] = []
  let at = 0
  for (const { step: each, minutes } of steps) {
    numbers = applied(numbers, earlier, each)
    earlier.push(numbers)
    at += minutes * 60_000
    yield { numbers, at }
  }
}

describe('the prompt cache bills as a naive one does', () => {
  test.each(Object.entries(CACHE_RULES))('%s', (_, rules) => {
    fc.assert(
      fc.property(program, fc.constantFrom(1, 4), (steps, marks) => {
        const given = 'marks' in rules ? { ...rules, marks } : rules
        const messages = new Messages(tokensOf)
        const [ours, theirs] = [new PromptCache(given), new NaiveCache(given)]
        for (const { numbers, at } of requestsOf(steps)) {
          const split = ours.request(
            numbers.map((number) => messages.of(message(number))),
            at,
          )
          expect(split).toEqual(
            theirs.request(
              numbers.map((number) => naive(message(number))),
              at,
            ),
          )
        }
      }),
      { numRuns: 150 },
    )
  })

  test('also where the list of messages is one that grows', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(200), { maxLength: 8 }), { maxLength: 20 }), (parts) => {
        const messages = new Messages(tokensOf)
        const rules = CACHE_RULES['claude-5m']
        const [grown, copied, whole] = [new PromptCache(rules), new PromptCache(rules), new WholeMessages()]
        const list: CostMessage[] = []
        let before = 0
        for (const numbers of parts) {
          list.push(...numbers.map((number) => messages.of(message(number))))
          expect(grown.request(list)).toEqual(copied.request(list.slice()))
          const total = list.reduce((sum, { tokens }) => sum + tokens, 0)
          expect(whole.request(list)).toEqual({
            read: before >= 1024 ? before : 0,
            write: total - (before >= 1024 ? before : 0),
            plain: 0,
          })
          before = total
        }
      }),
      { numRuns: 50 },
    )
  })
})

test('the simple model reads the common whole messages of two requests, if they have 1,024 tokens', () => {
  fc.assert(
    fc.property(program, (steps) => {
      const messages = new Messages(tokensOf)
      const model = new WholeMessages()
      let before: readonly string[] = []
      for (const { numbers } of requestsOf(steps)) {
        const texts = numbers.map((number) => JSON.stringify(message(number)))
        const sizes = numbers.map((number) => message(number).blocks.reduce((sum, { text }) => sum + tokensOf(text), 3))
        let same = 0
        while (same < texts.length && texts[same] === before[same]) same += 1
        const shared = sizes.slice(0, same).reduce((sum, size) => sum + size, 0)
        const read = shared >= 1024 ? shared : 0
        const total = sizes.reduce((sum, size) => sum + size, 0)
        expect(model.request(numbers.map((number) => messages.of(message(number))))).toEqual({
          read,
          write: total - read,
          plain: 0,
        })
        before = texts
      }
    }),
    { numRuns: 100 },
  )
})
