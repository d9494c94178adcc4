// The state machine of place and follow: each state, each move.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { NOWHERE, type At, type Place } from './link.js'
import { moved, type Move, type Phase, type Position } from './place.js'

const at = (moment: At | null, context = 'a'): Place => ({ ...NOWHERE, context, at: moment })
const position = (phase: Phase, place: Place): Position => ({ phase, place })
const NEWEST: Move = { kind: 'newest' }
const seen = ({ phase, place }: Position): unknown => [phase, place.context, place.at]

describe('arriving', () => {
  test('waits for the newest cycle, goes there and follows it', () => {
    const now = position('arriving', at(null))
    expect(seen(moved(now, NEWEST, null))).toEqual(['arriving', 'a', null])
    expect(seen(moved(now, NEWEST, 7))).toEqual(['following', 'a', 'c7'])
    expect(seen(moved(now, NEWEST, 0))).toEqual(['following', 'a', 'working'])
  })
})

describe('landed', () => {
  test('stays where the link says, and follows only if that is the newest', () => {
    expect(seen(moved(position('landed', at('c9.9-1')), NEWEST, 30))).toEqual(['still', 'a', 'c9.9-1'])
    expect(seen(moved(position('landed', at('working')), NEWEST, 30))).toEqual(['still', 'a', 'working'])
    expect(seen(moved(position('landed', at('c30')), NEWEST, 30))).toEqual(['following', 'a', 'c30'])
  })
})

describe('following', () => {
  const now = position('following', at('c7'))
  test('goes with the newest, and stays through a change of view', () => {
    expect(seen(moved(now, NEWEST, 8))).toEqual(['following', 'a', 'c8'])
    expect(seen(moved(now, { kind: 'go', change: { view: 'request' } }, 7))).toEqual(['following', 'a', 'c7'])
  })

  test('ends with a step or a link to an older moment, and when it is switched off', () => {
    expect(seen(moved(now, { kind: 'go', change: { at: 'c3' } }, 7))).toEqual(['still', 'a', 'c3'])
    expect(seen(moved(now, { kind: 'link', place: at('c3.3-0') }, 7))).toEqual(['still', 'a', 'c3.3-0'])
    expect(seen(moved(now, { kind: 'follow', isOn: false }, 7))).toEqual(['still', 'a', 'c7'])
  })

  test('of another context begins with that context: its newest cycle is not known yet', () => {
    expect(seen(moved(now, { kind: 'link', place: at('c9', 'b') }, 7))).toEqual(['landed', 'b', 'c9'])
    expect(seen(moved(now, { kind: 'go', change: { context: 'b', at: null } }, 7))).toEqual(['arriving', 'b', null])
  })
})

describe('still', () => {
  const now = position('still', at('c3'))
  test('does not move by itself', () => {
    expect(moved(now, NEWEST, 9)).toBe(now)
  })

  test('follows again from the newest, or when it is switched on', () => {
    expect(seen(moved(now, { kind: 'go', change: { at: 'c9' } }, 9))).toEqual(['following', 'a', 'c9'])
    expect(seen(moved(now, { kind: 'follow', isOn: true }, 9))).toEqual(['following', 'a', 'c9'])
    expect(seen(moved(now, { kind: 'link', place: at(null) }, 9))).toEqual(['following', 'a', 'c9'])
  })
})

test('a moment that the user or a link named is never left, unless it is the newest', () => {
  const moments = fc.constantFrom<At>('working', 'c1', 'c2', 'c2.2-0', 'c3')
  fc.assert(
    fc.property(moments, fc.boolean(), fc.array(fc.integer({ min: 3, max: 9 })), (named, isLink, commits) => {
      const start = position('following', at('c3'))
      const move: Move = isLink ? { kind: 'link', place: at(named) } : { kind: 'go', change: { at: named } }
      let now = moved(start, move, 3)
      for (const newest of commits.sort((a, b) => a - b)) now = moved(now, NEWEST, newest)
      if (named !== 'c3') expect(now.place.at).toBe(named)
      else expect(now.place.at).toBe(`c${commits.at(-1) ?? 3}`)
    }),
    { seed: 31, numRuns: 200 },
  )
})
