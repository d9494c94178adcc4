// Links: a written link is read again, and a malformed one does no harm.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  attemptOf,
  cycleOf,
  FORMATS,
  lensOf,
  NOWHERE,
  readLink,
  sendOf,
  VIEWS,
  writeLink,
  type At,
  type Place,
} from './link.js'

const RUNS = { seed: 18, numRuns: 300 }
const ats = fc.oneof(
  fc.constant<At>('working'),
  fc.integer({ min: 1, max: 1e9 }).map((cycle): At => `c${cycle}`),
  fc
    .tuple(fc.integer({ min: 1, max: 1e9 }), fc.constantFrom('attempt:7-0', 'attempt:f1:12-3', 'attempt:7-0~writer'))
    .map(([cycle, attempt]) => sendOf(cycle, attempt)),
)
// No lone surrogates: an address cannot hold them.
const texts = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text.isWellFormed())
const places: fc.Arbitrary<Place> = fc
  .record({
    context: texts,
    at: fc.option(ats),
    view: fc.constantFrom(...VIEWS),
    as: fc.option(fc.constantFrom(...FORMATS.keys())),
    node: fc.option(texts),
    q: texts,
    from: fc.option(ats),
    other: fc.option(texts),
    by: fc.option(fc.constantFrom('role', 'tool')),
  })
  .map((place) => {
    if (place.view !== 'compare') return { ...place, from: null, other: null }
    // Of another context, only snapshots are compared.
    return isSnapshot(place.from) ? place : { ...place, other: null }
  })

function isSnapshot(at: At | null): boolean {
  return at !== null && at !== 'working' && attemptOf(at) === null
}

describe('links', () => {
  test('a place that is written is read again', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(readLink(writeLink(place))).toEqual(place)
      }),
      RUNS,
    )
  })

  test('name an attempt by its cycle and its id, which stays', () => {
    const at = sendOf(12, 'attempt:f1:13-0')
    expect([at, cycleOf(at), attemptOf(at), lensOf(at)]).toEqual([
      'c12.f1:13-0',
      12,
      'attempt:f1:13-0',
      'attempt:f1:13-0',
    ])
    expect(writeLink({ ...NOWHERE, context: 'a', at })).toBe('#/a?at=c12.f1:13-0')
  })

  test('are readable', () => {
    const place: Place = {
      ...NOWHERE,
      context: 'airline/task8',
      at: 'c14',
      view: 'request',
      as: 'anthropic',
      node: 'block:14-3',
    }
    expect(
      writeLink({ ...NOWHERE, context: 'try-b', at: 'c20', view: 'compare', from: 'c30', other: 'coding-agent' }),
    ).toBe('#/try-b?at=c20&view=compare&from=coding-agent@c30')
    expect(writeLink({ ...place, q: '[ttl]' })).toBe(
      '#/airline/task8?at=c14&view=request&as=anthropic&node=block:14-3&q=[ttl]',
    )
  })

  test.each([
    ['', NOWHERE],
    ['#nonsense', NOWHERE],
    ['#/a?at=@t-1&view=nothing&as=nobody&from=c2', { ...NOWHERE, context: 'a' }],
    ['#/a?at=c0', { ...NOWHERE, context: 'a' }],
    ['#/a?at=c3.', { ...NOWHERE, context: 'a' }],
    ['#/%E0%A4?at=working', { ...NOWHERE, context: '%E0%A4', at: 'working' }],
  ] as const)('%j is read as far as it makes sense', (hash, place) => {
    expect(readLink(hash)).toEqual(place)
  })

  test('a lone surrogate is no reason to fail', () => {
    expect(writeLink({ ...NOWHERE, context: 'x\uD800' })).toBe('#/x%EF%BF%BD')
  })
})
