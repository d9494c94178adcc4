import { expect, test } from 'vitest'

import { pagerOf } from './pager.js'

test.each([
  [{}, 'linux', 'less -R'],
  [{}, 'win32', undefined],
  [{ PAGER: 'more' }, 'win32', 'more'],
  [{ PAGER: 'cat' }, 'linux', undefined],
  [{ PAGER: '' }, 'darwin', undefined],
] as const)('with %j on %s the pager is %s', (env, platform, pager) => {
  expect(pagerOf(env, platform)).toBe(pager)
})
