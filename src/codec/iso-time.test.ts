// The calendar against Date as far as a Date reaches, and against its own period of 400 years beyond.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { isoTime, isWithin, readIsoTime } from './iso-time.js'

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

describe('readIsoTime', () => {
  it('reads back what isoTime writes, to the nanosecond', () => {
    const years = 10n ** 12n
    fc.assert(
      fc.property(fc.bigInt({ min: -years * 31_000_000n * 10n ** 9n, max: years * 31_000_000n * 10n ** 9n }), (ns) => {
        expect(readIsoTime(isoTime(ns))).toEqual({ ns, span: 1n })
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 33), numRuns: 2000 },
    )
  })

  it('agrees with Date on every day of the calendar, and knows no others', () => {
    for (const year of [1900, 1999, 2000, 2024, 2100]) {
      for (let month = 1; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
          const date = new Date(Date.UTC(year, month - 1, day))
          const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
          const ns = exists ? BigInt(date.getTime()) * 1_000_000n : undefined
          expect(readIsoTime(text)?.ns, text).toBe(ns)
        }
      }
    }
  })

  const NOON = 1_700_049_600_000_000_000n // 2023-11-15T12:00:00Z
  const rows: [text: string, from: bigint, span: bigint][] = [
    ['2023-11-15', NOON - 43_200n * 10n ** 9n, 86_400n * 10n ** 9n],
    ['2023-11-15T12:00Z', NOON, 60n * 10n ** 9n],
    ['2023-11-15T12:00:00Z', NOON, 10n ** 9n],
    ['2023-11-15T12:00:00', NOON, 10n ** 9n],
    ['2023-11-15 12:00:00z', NOON, 10n ** 9n],
    ['2023-11-15T12:00:00.5Z', NOON + 500_000_000n, 10n ** 8n],
    ['2023-11-15T12:00:00,000000001Z', NOON + 1n, 1n],
    ['2023-11-15T12:00:00.0000000019Z', NOON + 1n, 1n],
    ['2023-11-15T14:30:00+02:30', NOON, 10n ** 9n],
    ['2023-11-15T07:00:00-0500', NOON, 10n ** 9n],
    ['+002023-11-15T12:00:00Z', NOON, 10n ** 9n],
  ]
  test.each(rows)('reads %s', (text, ns, span) => {
    const time = readIsoTime(text)
    expect(time).toEqual({ ns, span })
    expect([ns - 1n, ns, ns + span - 1n, ns + span].map((each) => isWithin(each, time!))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test.each([
    '',
    'not a date',
    '12:00',
    '2023',
    '23-11-15',
    '2023-11-15T24:00Z',
    '2023-11-15T12:60Z',
    '2023-11-15T12:00:61Z',
    '2023-11-15T12:00+02:60',
    '2023-11-15T12:00Z ',
    '2023-11-15T12:00:00.Z',
    '+12345678901234-01-01',
  ])('takes %j for no time', (text) => {
    expect(readIsoTime(text)).toBeUndefined()
  })
})
