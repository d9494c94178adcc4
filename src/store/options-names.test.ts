import { PactError } from 'pact-context'
import { expect, test } from 'vitest'

import { checkName } from './options.js'

const GOOD = [
  'a',
  ' ',
  '\0',
  '\ufeff',
  '\u2028',
  'é',
  'e\u0301',
  '\u{1f600}',
  '__proto__',
  'constructor',
  'a/b',
  '..',
  "'",
  'x'.repeat(500),
]

test.each(GOOD.map((name) => [JSON.stringify(name).slice(0, 20), name]))('%s is a name', (_, name) => {
  expect(checkName('id', name)).toBe(name)
})

const BAD: readonly (readonly [unknown, RegExp])[] = [
  ['', /must not be empty/],
  ['\ud83d', /half of a surrogate pair/],
  ['a\ude00b', /half of a surrogate pair/],
  ['\ude00\ud83d', /half of a surrogate pair/],
  ['x'.repeat(501), /too long; it may have 500 bytes/],
  ['é'.repeat(251), /too long/],
  [undefined, /is a string, not undefined/],
  [null, /is a string/],
  [7, /is a string/],
  [{ toString: () => 'a' }, /is a string/],
]

test.each(BAD.map(([name, why], i) => [i, name, why] as const))('bad name %i says why', (_, name, why) => {
  for (const what of ['id', 'key'] as const) {
    let error: unknown
    try {
      checkName(what, name)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(PactError)
    const { code, message, details } = error as PactError
    expect([code, details]).toEqual(['E_CONTENT_INVALID', { name: what }])
    expect(message).toMatch(why)
    expect(message.length).toBeLessThan(300)
  }
})
