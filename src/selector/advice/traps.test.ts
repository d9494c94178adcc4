// The quick look that spares most texts the search for traps never overlooks one.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { runs } from '../../../test/support/runs.js'
import { selectors } from '../../../test/support/selectors.js'
import { formatSelector } from '../format.js'
import { readSelector } from '../parse/selector.js'
import { findTraps, isClear } from './traps.js'

// Dotted names belong to 1.0 alone; they are among the rows below.
const NAMES = {
  types: ['seg', 'mt', 'block', 'note', 'user', 'call', 'x:user', 'x:not'],
  names: ['key'],
  tags: ['audit'],
  attributes: ['role', 'rol', 'data_x', 'prefix:x', 'status', 'tgas', 'offset'],
  texts: ['user', 'ok'],
}

describe('isClear', () => {
  test.each(['1.0', '0.1'] as const)('is true only where no trap is found, %s', (dialect) => {
    const seen = { clear: 0, traps: 0 }
    fc.assert(
      fc.property(selectors({ dialect, names: NAMES }), (made) => {
        const text = formatSelector(made)
        const tree = readSelector(text, { dialect, bound: true })
        const traps = findTraps(tree, text)
        if (isClear(tree)) {
          expect(traps, text).toEqual([])
          seen.clear++
        } else if (traps.length > 0) seen.traps++
      }),
      { numRuns: runs(1500), seed: 20261116 },
    )
    expect(seen.clear).toBeGreaterThan(20)
    expect(seen.traps).toBeGreaterThan(20)
  })

  test.each([
    ['^seq .seg > .cont > .block', true],
    [".block[role='user'][data_x=1][content.command~'ls']", true],
    ['d1 .block+audit', true],
    ['.user', false],
    ['.x:call', false],
    ['.block:not', false],
    ['.block[rol=user]', false],
    ["d1..d3 [role='user']", false],
    ['^ah +audit', false],
    ['.seg[content.x=1]', false],
    ['( .user )', false],
  ])('of %s is %s', (text, clear) => {
    const tree = readSelector(text, { bound: true })
    expect([isClear(tree), findTraps(tree, text).length === 0]).toEqual([clear, clear])
  })
})
