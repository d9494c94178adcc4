// The orders (02 §4.3, 02 §7.1) by rows, and code point order against the naive comparison of code point lists.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { compareForPruning, compareSiblings, compareText, type PruningKey, type SiblingKey } from './order.js'

const RUNS = { seed: Number(process.env['PACT_SEED'] ?? 20), numRuns: 3000 }

/** Around every border that matters: before, in and after the surrogates, halves that pair up and halves that do not. */
const unit = fc.constantFrom(0x61, 0x7f, 0xd7ff, 0xd800, 0xd83d, 0xdbff, 0xdc00, 0xde00, 0xdfff, 0xe000, 0xffff)
const text = fc.array(unit, { maxLength: 5 }).map((units) => String.fromCharCode(...units))
/** Texts that begin alike, so that they differ late: in the second half of a pair, or by length. */
const texts = fc.tuple(text, text, text, text).map(([start, a, b, c]) => [start + a, start + b, start + c] as const)

describe('compareText', () => {
  it('ranks as a naive comparison of code points does, lone surrogates included (D20)', () => {
    const check = fc.property(texts, ([a, b]) => {
      expect(compareText(a, b)).toBe(compareNaively(a, b))
    })
    fc.assert(check, RUNS)
  })

  it('is an order: total, antisymmetric and transitive', () => {
    const check = fc.property(texts, ([a, b, c]) => {
      expect(compareText(a, b) === 0).toBe(a === b)
      expect(compareText(a, b) + compareText(b, a)).toBe(0)
      if (compareText(a, b) <= 0 && compareText(b, c) <= 0) expect(compareText(a, c)).toBeLessThanOrEqual(0)
    })
    fc.assert(check, RUNS)
  })

  const rows: readonly (readonly [before: string, after: string, why: string])[] = [
    ['', 'a', 'a prefix comes first'],
    ['Z', 'a', 'no locale, no case'],
    ['e\u0301', '\u00e9', 'no normalization'],
    ['\uffff', '😀', 'beyond the BMP comes last, though its first unit is smaller'],
    ['\ue000', '\u{10000}', 'the first astral character stands after the private use area'],
    ['😀', '😁', 'only the second halves differ'],
    ['\ud83d', '😀', 'half a pair is its own code point, and a prefix'],
    ['\ud83dz', '😀', 'a half before a letter stays a half'],
    ['\ude00', '😀', 'the second half alone is below the whole character'],
    ['\ud800\ud800', '\ud800\udc00', 'of two leads, the first is alone'],
  ]
  test.each(rows)('puts %j before %j: %s (D20)', (before, after) => {
    expect([compareText(before, after), compareText(after, before)]).toEqual([-1, 1])
  })
})

describe('compareSiblings', () => {
  const key: SiblingKey = { offset: 0, createdAtNs: 10n, creationIndex: 5, id: 'm' }
  const rows: readonly (readonly [why: string, before: Partial<SiblingKey>, after: Partial<SiblingKey>])[] = [
    ['offset wins over all', { offset: -1, createdAtNs: 99n, creationIndex: 9, id: 'z' }, { offset: 0 }],
    ['offsets are signed', { offset: -10 }, { offset: -9 }],
    ['then time', { createdAtNs: 9n, creationIndex: 9, id: 'z' }, {}],
    ['time is exact beyond 2^53', { createdAtNs: 2n ** 53n }, { createdAtNs: 2n ** 53n + 1n }],
    ['then index', { creationIndex: 4, id: 'z' }, {}],
    ['then id, by code point', { id: '\uffff' }, { id: '😀' }],
  ]
  test.each(rows)('%s (02 §4.3)', (_why, before, after) => {
    const [a, b] = [
      { ...key, ...before },
      { ...key, ...after },
    ]
    expect([compareSiblings(a, b), compareSiblings(b, a), compareSiblings(a, a)]).toEqual([-1, 1, 0])
  })
})

describe('compareForPruning', () => {
  const key: PruningKey = { priority: 0, createdAtNs: 10n, id: 'm' }
  const rows: readonly (readonly [why: string, before: Partial<PruningKey>, after: Partial<PruningKey>])[] = [
    ['the lowest priority goes first, even the newest', { priority: -1, createdAtNs: 99n, id: 'z' }, {}],
    ['then the oldest', { createdAtNs: 9n, id: 'z' }, {}],
    ['then the lowest id, by code point', { id: '\uffff' }, { id: '😀' }],
  ]
  test.each(rows)('%s (02 §7.1)', (_why, before, after) => {
    const [a, b] = [
      { ...key, ...before },
      { ...key, ...after },
    ]
    expect([compareForPruning(a, b), compareForPruning(b, a), compareForPruning(a, a)]).toEqual([-1, 1, 0])
  })

  it('does not look at offset or index (D27)', () => {
    const placed = { ...key, offset: 1, creationIndex: 1 }
    expect(compareForPruning(placed, { ...placed, offset: -1, creationIndex: 9 } as PruningKey)).toBe(0)
  })
})

/** Ten lines too slow for a million runs: both texts as lists of code points. */
function compareNaively(a: string, b: string): number {
  const [left, right] = [a, b].map((each) => Array.from(each, (character) => character.codePointAt(0)!)) as [
    number[],
    number[],
  ]
  const i = left.findIndex((point, at) => point !== right[at])
  if (i === -1) return left.length === right.length ? 0 : -1
  return i >= right.length || left[i]! > right[i]! ? 1 : -1
}
