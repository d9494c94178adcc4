// JSON over lines against JSON.stringify, which indents alike but has other rules for numbers and letters.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { canonicalJson } from '../codec/index.js'
import { indentJson } from './json-lines.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Any code point, lone surrogates too. fast-check's own 'binary' takes seconds to set up. */
const anyUnit = fc.oneof(
  fc.constantFrom(...'ab \n"\\/'),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)

describe('indentJson', () => {
  const rows: [canonical: string, text: string][] = [
    ['1', '1\n'],
    ['"a"', '"a"\n'],
    ['[]', '[]\n'],
    ['{}', '{}\n'],
    ['[[],{}]', '[\n  [],\n  {}\n]\n'],
    ['{"a":{"b":[1,2]},"c":"]"}', '{\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  },\n  "c": "]"\n}\n'],
    ['["{\\"a\\":[1,2]}","\\\\",""]', '[\n  "{\\"a\\":[1,2]}",\n  "\\\\",\n  ""\n]\n'],
    ['{"a:,[":12345678901234567890}', '{\n  "a:,[": 12345678901234567890\n}\n'],
  ]

  test.each(rows)('lays out %s (D33)', (canonical, text) => {
    expect(indentJson(canonical, 1000)).toBe(text)
  })

  it('indents as JSON.stringify does, and only adds white space (D33)', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyUnit }), (value) => {
        const canonical = canonicalJson(value)
        const text = indentJson(canonical, Number.POSITIVE_INFINITY)!
        expect(canonicalJson(JSON.parse(text))).toBe(canonicalJson(JSON.parse(canonical)))
        const plain = /^[ -~]*$/.test(JSON.stringify(value)) && !/[.e]/.test(canonical)
        if (plain) expect(text).toBe(`${JSON.stringify(JSON.parse(canonical), null, 2)}\n`)
      }),
      { ...SEED, numRuns: 300 },
    )
  })

  it('gives nothing where indenting makes a text too long', () => {
    const text = indentJson('[[[1,2,3]]]', 1000)!
    expect(indentJson('[[[1,2,3]]]', text.length)).toBe(text)
    expect(indentJson('[[[1,2,3]]]', text.length - 1)).toBeUndefined()
    // Written out to its end, this would be longer than any string can be.
    const deep = `${'['.repeat(120)}${'0,'.repeat(2_500_000)}0${']'.repeat(120)}`
    expect(indentJson(deep, 1_000_000)).toBeUndefined()
  })
})
