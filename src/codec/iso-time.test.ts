// The calendar against Date as far as a Date reaches, and against its own period of 400 years beyond.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { isoTime } from './iso-time.js'

describe('isoTime', () => {
  const rows: [ns: bigint, text: string][] = [
    [0n, '1970-01-01T00:00:00.000000000Z'],
    [1n, '1970-01-01T00:00:00.000000001Z'],
    [-1n, '1969-12-31T23:59:59.999999999Z'],
    [1700000000123456789n, '2023-11-14T22:13:20.123456789Z'],
    [951782400n * 10n ** 9n, '2000-02-29T00:00:00.000000000Z'],
    [253402300799_999999999n, '9999-12-31T23:59:59.999999999Z'],
    [253402300800_000000000n, '+010000-01-01T00:00:00.000000000Z'],
    [-62167219200_000000000n, '0000-01-01T00:00:00.000000000Z'],
    [-62167219200_000000001n, '-000001-12-31T23:59:59.999999999Z'],
    [31556889864403199n * 10n ** 9n, '+1000000000-12-31T23:59:59.000000000Z'], // as Java's Instant.MAX
  ]

  test.each(rows)('writes %s ns with nine digits and Z (D37)', (ns, text) => {
    expect(isoTime(ns)).toBe(text)
  })

  it('agrees with Date wherever a Date can be (D37)', () => {
    const limit = 8_640_000_000_000_000
    const milliseconds = fc.oneof(
      fc.integer({ min: -limit, max: limit }),
      fc.integer({ min: -63e12, max: 254e12 }),
      fc.integer({ min: -1e9, max: 1e9 }),
    )
    fc.assert(
      fc.property(milliseconds, fc.integer({ min: 0, max: 999_999 }), (ms, rest) => {
        const expected = new Date(ms).toISOString().replace('Z', `${String(rest).padStart(6, '0')}Z`)
        expect(isoTime(BigInt(ms) * 1_000_000n + BigInt(rest))).toBe(expected)
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 33), numRuns: 5000 },
    )
  })

  it('repeats its dates every 400 years, however far away (D37)', () => {
    const era = 146_097n * 86_400n * 10n ** 9n
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: era - 1n }), fc.bigInt({ min: 50n, max: 10n ** 20n }), (ns, eras) => {
        const near = isoTime(ns)
        const far = isoTime(ns + eras * era)
        expect(far.slice(far.indexOf('-'))).toBe(near.slice(4))
        expect(BigInt(far.slice(1, far.indexOf('-')))).toBe(BigInt(near.slice(0, 4)) + 400n * eras)
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 33) },
    )
  })
})
