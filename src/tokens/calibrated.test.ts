// A counter that learns: what it makes of samples, and that nothing else takes part.

import { describe, expect, test } from 'vitest'

import { refusal } from '../../test/support/refusal.js'
import { calibrated, createCounter, estimate, type Calibrated, type Sample } from './index.js'
import { MOST_SAMPLES } from './calibrated.js'

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(40)

/** Requests of a provider that counts `factor` tokens for one of ours, and some more in every request. */
function requests(
  factor: number,
  fixed: number,
  sizes: readonly number[],
): readonly ((counter: Calibrated) => Sample)[] {
  return sizes.map((size) => (counter) => ({
    counted: size * counter.factor,
    actual: Math.round(size * factor + fixed),
  }))
}

function taught(samples: readonly ((counter: Calibrated) => Sample)[], counter = calibrated()): Calibrated {
  for (const sample of samples) expect(counter.learn(sample(counter))).toBe(true)
  return counter
}

describe('a calibrated counter', () => {
  test('counts as the estimate does before it has learned', () => {
    const counter = calibrated()
    expect([counter.factor, counter.fixed, counter.revision]).toEqual([1, 0, 0])
    expect(counter(TEXT)).toBe(estimate(TEXT))
  })

  test('finds the factor of a tokenizer and what every request has beside it', () => {
    const counter = taught(requests(1.3, 2400, [500, 900, 2000, 4000, 9000]))
    expect(counter.factor).toBeCloseTo(1.3, 2)
    expect(Math.abs(counter.fixed - 2400)).toBeLessThan(30)
    expect(counter(TEXT)).toBe(Math.round(estimate(TEXT) * counter.factor))
  })

  test('takes a request or requests of one size for the factor alone', () => {
    expect(taught(requests(1.3, 0, [1000])).factor).toBeCloseTo(1.3, 3)
    const counter = taught(requests(1.2, 0, [1000, 1010, 1005]))
    expect([counter.factor.toFixed(2), counter.fixed]).toEqual(['1.20', 0])
  })

  test('believes what is said to be fixed', () => {
    const counter = taught(requests(1.25, 3000, [400]), calibrated({ fixed: 3000 }))
    expect([counter.factor.toFixed(2), counter.fixed]).toEqual(['1.25', 3000])
  })

  test('does not believe factors that no tokenizer has', () => {
    expect(taught(requests(0.01, 0, [10_000])).factor).toBe(0.5)
    expect(taught(requests(3, 100, [1000]), calibrated({ fixed: 100 })).factor).toBe(2)
    // The larger request had fewer tokens: something else was counted.
    const counter = calibrated()
    counter.learn({ counted: 1000, actual: 2000 })
    counter.learn({ counted: 2000 * counter.factor, actual: 1000 })
    expect([counter.factor, counter.fixed]).toEqual([1, 0])
  })

  test('takes a small first request with many tools for what it is, and prunes no more for it', () => {
    const counter = taught(requests(1.2, 3000, [60]))
    expect([counter.factor, counter.fixed]).toEqual([1, 3012])
    taught(requests(1.2, 3000, [500, 2000]), counter)
    expect([counter.factor.toFixed(2), Math.round(counter.fixed / 10)]).toEqual(['1.20', 300])
  })

  test(`looks back at ${MOST_SAMPLES} requests and no further`, () => {
    const counter = taught(
      requests(
        2,
        0,
        Array.from({ length: 100 }, (_, i) => 1000 + 100 * i),
      ),
    )
    taught(
      requests(
        1.1,
        500,
        Array.from({ length: MOST_SAMPLES }, (_, i) => 1000 + 100 * i),
      ),
      counter,
    )
    expect([counter.factor.toFixed(2), Math.round(counter.fixed / 10)]).toEqual(['1.10', 50])
  })

  test('learns the same from the same, and has another revision whenever it counts differently', () => {
    const samples = requests(1.3, 240, [500, 900, 2000])
    const [a, b] = [taught(samples), taught(samples)]
    expect([a.factor, a.fixed, a.revision]).toEqual([b.factor, b.fixed, b.revision])
    expect(a.revision).toBeGreaterThan(1)
    const { revision } = a
    expect(a.learn({ counted: 0, actual: 9 })).toBe(false)
    expect(a.revision).toBe(revision)
  })

  test('passes its revision on to a counter made of it', () => {
    const counter = calibrated()
    const outer = createCounter({ count: counter })
    counter.learn({ counted: 100, actual: 150 })
    expect([outer.revision, outer.isQuick, outer(TEXT)]).toEqual([1, true, counter(TEXT)])
  })

  test('learns nothing from an attempt that told no tokens', () => {
    const counter = calibrated()
    const attempt = { tokens: () => ({ total: 100 }), record: { token_in: null } }
    expect([counter.learn(attempt), counter.revision]).toEqual([false, 0])
    expect(counter.learn({ ...attempt, record: { token_in: 130 } })).toBe(true)
    expect(counter.factor).toBe(1.3)
  })

  test.each([[null], [3], [{}], [{ counted: -1, actual: 1 }], [{ counted: 1, actual: Number.NaN }]])(
    'refuses to learn from %j',
    (sample) => {
      expect(refusal(() => calibrated().learn(sample as Sample))).toBe('E_CONTENT_INVALID')
    },
  )

  test.each([[{ fixed: -1 }], [{ counter: 3 }]])('refuses the options %j', (options) => {
    expect(refusal(() => calibrated(options as object))).toBe('E_CONTENT_INVALID')
  })
})
