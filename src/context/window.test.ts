// Two windows on one list: the selector's own controls first, then the options of the call, within what the first one left
// (D23).

import { describe, expect, test } from 'vitest'

import { DIALECTS } from '../../test/support/context.js'
import { createContext, type Context, type Dialect } from '../index.js'

/** Eight blocks in two snapshots: 1 to 4 of the first, 5 to 8 of the second. */
function numbered(dialect: Dialect): Context {
  const ctx = createContext({ dialect })
  for (const turn of [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ]) {
    for (const n of turn) ctx.user(String(n))
    ctx.commit()
  }
  return ctx
}

const ROWS: readonly (readonly [controls: string, options: { skip?: number; limit?: number }, found: string])[] = [
  ['', {}, '1 2 3 4 5 6 7 8'],
  ['@skip=1 @limit=3', {}, '2 3 4'],
  ['', { skip: 1, limit: 3 }, '2 3 4'],
  ['@skip=1', { skip: 2 }, '4 5 6 7 8'],
  ['@limit=3', { limit: 2 }, '1 2'],
  ['@limit=3', { limit: 5 }, '1 2 3'],
  // The selector's own limit applies first, then the options skip.
  ['@limit=3', { skip: 1 }, '2 3'],
  ['@limit=3', { skip: 1, limit: 5 }, '2 3'],
  ['@limit=3', { skip: 3 }, ''],
  ['@limit=3', { skip: 4 }, ''],
  ['@skip=2 @limit=3', { skip: 2 }, '5'],
  ['@first', { skip: 1 }, ''],
  ['@limit=3', { skip: 2, limit: 0 }, ''],
]

describe.each(DIALECTS)('a window of %s', (dialect) => {
  test.each(ROWS)('.cb %s with %j gives "%s", in every call that takes options', (controls, options, found) => {
    const ctx = numbered(dialect)
    const expected = found.split(' ').filter((text) => text !== '')
    const contents = (ids: readonly string[]): unknown[] => ids.map((id) => ctx.node(id)!.content)
    for (const time of ['@t0', '@working']) {
      const selector = `${time} .cb ${controls}`
      expect(contents(ctx.select(selector, options) as readonly string[]), selector).toEqual(expected)
      expect(
        ctx.nodes(selector, options).map(({ content }) => content),
        selector,
      ).toEqual(expected)
      expect(ctx.count(selector, options), selector).toBe(expected.length)
      expect(ctx.first(selector, options)?.content, selector).toBe(expected[0])
    }
    // A joined list is one list: here the newest snapshot first, which holds them all.
    expect(contents(ctx.select(`@* .cb ${controls}`, options))).toEqual(expected)
  })
})
