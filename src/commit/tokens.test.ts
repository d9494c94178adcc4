// The length of a text in bytes, without encoding it, against the encoder itself.

import { expect, test } from 'vitest'

import { utf8Length } from './tokens.js'

test.each([
  ['', 'nothing'],
  ['plain', 'one byte each'],
  ['\u007f\u0080', 'the last of one byte, the first of two'],
  ['\u07ff\u0800', 'the last of two, the first of three'],
  ['\ud7ff\ue000\uffff', 'around the surrogates'],
  ['\ud800\udc00', 'the first pair'],
  ['\udbff\udfff', 'the last pair'],
  ['\udbff\udbff', 'two leads'],
  ['\ud800', 'a lead at the end'],
  ['\udc00a', 'a trail alone'],
  ['\udfff\ud800', 'a pair the wrong way round'],
  ['a\ud83d\ude00b\ud83d', 'a pair among others'],
])('%j: %s', (text) => {
  expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
})
