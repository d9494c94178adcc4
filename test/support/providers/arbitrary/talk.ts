// A generated conversation before it is any provider's: turns of questions, tool steps and answers. Each format writes it in
// its own way, so one conversation can be had in all of them.

import fc from 'fast-check'

import type { Keyed } from '../violations.js'

export type Ask =
  | Readonly<{ kind: 'text'; text: string }>
  | Readonly<{ kind: 'image'; base64: string }>
  | Readonly<{ kind: 'link'; url: string }>

export type Call = Readonly<{ name: string; input: Keyed; result: string; failed: boolean }>

export type Step = Readonly<{ thought?: string; says?: string; calls: readonly Call[]; reversed: boolean }>

export type Turn = Readonly<{
  asks: readonly Ask[]
  /** A system message behind the question. */
  told?: string
  steps: readonly Step[]
  /** Absent in the last turn alone: that is where the model is to go on. */
  answer?: string
}>

export type Talk = Readonly<{
  system: readonly string[]
  turns: readonly Turn[]
  /** True if a lone text is written as a list of one part. */
  lists: boolean
  /** True if call ids begin again in every step, as they do in real logs. */
  idsRecur: boolean
  /** True if calls have ids at all, where a format leaves that open. */
  ids: boolean
}>

/** Texts that a provider takes: never empty, but with everything that logs hold. */
export const words: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'e\u0301 is not NFC',
        'replaced \ufffd character',
        'NUL \0',
        '\ufeffBOM',
        '\u2028',
        '<script>',
        '\u202ebidi',
        '\r\n\u001b[31mred',
        '漢字 😀',
      ),
    },
    { weight: 1, arbitrary: fc.string({ minLength: 200, maxLength: 400 }) },
  )
  // A final text must not end in white space.
  .map((text) => (text.trim() === '' ? 'x' : text.trimEnd().toWellFormed()))

const key = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '$form', 'role', 'content', 'snake_case', '1'),
  },
)

/** JSON with hostile keys, as plain objects. */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; object: Keyed }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1.5, 1e21, Number.MAX_SAFE_INTEGER),
    words,
    fc.constant(''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
})).value

const object: fc.Arbitrary<Keyed> = fc.array(fc.tuple(key, json), { maxLength: 4 }).map(objectOf)

const ask: fc.Arbitrary<Ask> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('text' as const), text: words }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('image' as const),
      base64: fc.base64String({ minLength: 4, maxLength: 16 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), url: fc.webUrl() }) },
)

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('look_up', 'read-file', 'x', 'n'.repeat(64)),
  input: object,
  result: fc.oneof(words, fc.constant('')),
  failed: fc.boolean(),
})

const step: fc.Arbitrary<Step> = fc.record(
  { thought: words, says: words, calls: fc.array(call, { minLength: 1, maxLength: 3 }), reversed: fc.boolean() },
  { requiredKeys: ['calls', 'reversed'] },
)

const turn: fc.Arbitrary<Turn> = fc.record(
  {
    asks: fc.array(ask, { minLength: 1, maxLength: 3 }),
    told: words,
    steps: fc.array(step, { maxLength: 3 }),
    answer: words,
  },
  { requiredKeys: ['asks', 'steps'] },
)

export const talk: fc.Arbitrary<Talk> = fc
  .record({
    system: fc.array(words, { maxLength: 2 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
    lists: fc.boolean(),
    idsRecur: fc.boolean(),
    ids: fc.boolean(),
  })
  .map((talk) => ({ ...talk, turns: talk.turns.map((turn, at) => answered(turn, at === talk.turns.length - 1)) }))

function answered(turn: Turn, isLast: boolean): Turn {
  return isLast || turn.answer !== undefined ? turn : { ...turn, answer: 'Done.' }
}

export type Named = Call & Readonly<{ id: string }>

/** Gives the calls of each step their ids; the results come in the order that the step says. */
export function naming(
  talk: Talk,
  recurs: boolean,
): (step: Step) => Readonly<{ calls: readonly Named[]; results: readonly Named[] }> {
  let count = 0
  return (step) => {
    if (recurs && talk.idsRecur) count = 0
    const calls = step.calls.map((call) => ({ ...call, id: `call_${++count}` }))
    return { calls, results: step.reversed ? calls.toReversed() : calls }
  }
}

/** Own keys, also where one is `__proto__`. */
export function objectOf(entries: readonly (readonly [string, unknown])[]): Keyed {
  const result: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return result
}
