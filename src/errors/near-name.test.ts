// Near names: near enough to be meant, and none rather than a far one.

import { expect, test } from 'vitest'

import { suggestNames } from './near-name.js'

const KNOWN = [':pre', ':core', ':post', ':first', ':last', ':depth', ':nth']

test.each([
  [':cor', ':core'],
  [':Core', ':core'],
  [':frist', ':first'],
  [':lats', ':last'],
  [':dpeth', ':depth'],
  [':pots', ':post'],
  [':re', ':pre'],
  [':not', undefined],
  [':has', undefined],
  [':x', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s means %s', (unknown, near) => {
  expect(suggestNames(unknown, KNOWN)).toBe(near)
})

test('the earlier of two equally near names wins', () => {
  expect(suggestNames('cat', ['bat', 'car'])).toBe('bat')
})
