// Content as one line: safe in a terminal, whatever it holds, and short, however long it is.

import { expect, it, test } from 'vitest'

import { oneLine } from './one-line.js'

const ROWS: readonly (readonly [why: string, value: unknown, most: number | undefined, line: string])[] = [
  ['breaks and runs of blanks', 'a\r\n\r\n  b\tc  d', undefined, 'a ↵ b c d'],
  ['joined emoji stay, other joiners are spelled', '👩‍👩‍👧 a\u200db', undefined, String.raw`👩‍👩‍👧 a\u200db`],
  ['a lone surrogate', '\ud800 lone \udc00', undefined, String.raw`\ud800 lone \udc00`],
  ['escapes of a terminal', '\u001b[31mred\u0007 \u009b', undefined, String.raw`\x1b[31mred\x07 \x9b`],
  ['bidi controls and tags', 'a\u202eb\u2066\u{e0041}', undefined, String.raw`a\u202eb\u2066\u{e0041}`],
  [
    'structured content',
    { a: [1, 'x\ny', null, true], b: {} },
    undefined,
    String.raw`{"a":[1,"x\ny",null,true],"b":{}}`,
  ],
  ['a surrogate in structured content', ['\ud800'], undefined, String.raw`["\ud800"]`],
  ['every digit of a large integer', { n: 2n ** 70n }, undefined, '{"n":1180591620717411303424}'],
  ['a large integer alone', -(2n ** 70n), undefined, '-1180591620717411303424'],
  ['a number and null', [1.5, null], undefined, '[1.5,null]'],
  ['null', null, undefined, 'null'],
  ['nothing', undefined, undefined, ''],
  ['what fits', 'abcde', 5, 'abcde'],
  ['what does not fit', 'abcdef', 5, 'abcd…'],
  ['no blank before the cut', 'abc def', 5, 'abc…'],
  ['an emoji is one character', 'ab👩‍👩‍👧cd', 4, 'ab👩‍👩‍👧…'],
  ['a flag is one character', 'ab🇨🇭🇨🇭🇨🇭', 4, 'ab🇨🇭…'],
  ['marks stay with their letter', 'e\u0301e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301…'],
]

test.each(ROWS)('%s', (_why, value, most, line) => {
  expect(oneLine(value, most)).toBe(line)
})

it('looks at a beginning only, and never cuts a character in two', () => {
  expect(oneLine('x'.repeat(1_199) + '😀'.repeat(10))).toBe(`${'x'.repeat(1_199)}…`)
  expect(oneLine('x'.repeat(1_200))).toBe('x'.repeat(1_200))
  const wide = Array.from({ length: 100_000 }, (_, i) => ({ [`name ${i}`]: 'x'.repeat(100) }))
  expect(oneLine(wide, 20)).toBe('[{"name 0":"xxxxxxx…')
  expect(oneLine(wide).length).toBeLessThan(1_300)
})

it('does not ask a value for its own JSON form', () => {
  expect(oneLine({ toJSON: 'data', n: 1n })).toBe('{"toJSON":"data","n":1}')
})
