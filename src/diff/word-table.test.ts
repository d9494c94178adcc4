// The fixed table of word characters, against Unicode itself and against a golden list.

import { createHash } from 'node:crypto'

import { expect, test } from 'vitest'

import { UNICODE_WORDS } from './token-diff.js'
import { isWordPoint } from './word-table.js'

const GOLDEN: readonly (readonly [point: number, isWord: boolean, what: string])[] = [
  [0x2f, false, 'solidus'],
  [0x30, true, 'digit'],
  [0x41, true, 'Latin letter'],
  [0x5f, true, 'low line'],
  [0x60, false, 'grave accent'],
  [0xb5, true, 'micro sign'],
  [0xb7, false, 'middle dot'],
  [0xdf, true, 'sharp s'],
  [0x301, true, 'combining acute'],
  [0x3b1, true, 'Greek letter'],
  [0x60c, false, 'Arabic comma'],
  [0x663, true, 'Arabic-Indic digit'],
  [0x964, false, 'Devanagari danda'],
  [0xe44, false, 'Thai letter'],
  [0x1c89, true, 'Cyrillic letter of Unicode 16'],
  [0x2019, false, 'right quotation mark'],
  [0x3042, false, 'Hiragana letter'],
  [0x4e2d, false, 'Han character'],
  [0xa7cb, true, 'Latin letter of Unicode 16'],
  [0xa7ce, true, 'Latin letter of Unicode 17'],
  [0xa7d2, true, 'Latin letter of Unicode 17'],
  [0xa7dd, false, 'unassigned in Unicode 17'],
  [0xac00, true, 'Hangul syllable'],
  [0xd800, false, 'half of a pair'],
  [0xe000, false, 'private use'],
  [0xffff, false, 'noncharacter'],
  [0x10400, true, 'Deseret letter'],
  [0x10d4a, true, 'Garay letter of Unicode 16'],
  [0x10940, true, 'Sidetic letter of Unicode 17'],
  [0x1f600, false, 'emoji'],
  [0x20000, false, 'Han character of plane 2'],
  [0x323b0, false, 'Han character of Unicode 17'],
  [0xe0100, true, 'variation selector'],
  [0x10ffff, false, 'the last code point'],
]

test.each(GOLDEN)('U+%X is a word character: %s (%s)', (point, isWord) => {
  expect(isWordPoint(point)).toBe(isWord)
})

test('all code points are as they were: a new table is a changed answer', () => {
  const all = new Uint8Array(0x110000).map((_, point) => Number(isWordPoint(point)))
  expect(all.reduce((sum, each) => sum + each)).toBe(COUNT)
  expect(createHash('sha256').update(all).digest('hex')).toBe(DIGEST)
})

test('a host with Unicode 17.0 says the same of every code point', (context) => {
  context.skip(process.versions.unicode !== '17.0', 'this host has another Unicode version')
  const word = /^[\p{L}\p{M}\p{N}_]$/u
  const unspaced =
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u
  const wrong: number[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    const char = String.fromCodePoint(point)
    if (isWordPoint(point) !== (word.test(char) && !unspaced.test(char))) wrong.push(point)
  }
  expect(wrong).toEqual([])
})

test('white space is what a pattern takes for it', () => {
  for (let point = 0; point <= 0xffff; point++) {
    const char = String.fromCharCode(point)
    expect(UNICODE_WORDS.split(`${char}\t`).length === 1, point.toString(16)).toBe(/\s/.test(char))
  }
})

test('letters of Unicode 16 and 17 make words on every host (F10)', () => {
  const text = 'a\uA7CBb \u1C89c \u{10D4A}\u{10D4B} \uA7CEz \uA7D2q \u{323B0}\u{323B1}'
  const words = 'a\uA7CBb| |\u1C89c| |\u{10D4A}\u{10D4B}| |\uA7CEz| |\uA7D2q| |\u{323B0}|\u{323B1}'
  expect(UNICODE_WORDS.split(text)).toEqual(words.split('|'))
})

const COUNT = 46_048
const DIGEST = '444dec463a9ce5fe66ad4a6db76f904b412e59049e1bd50fb9d62d1f98f77533'
