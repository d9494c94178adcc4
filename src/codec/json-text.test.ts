// The parser against JSON.parse, which knows RFC 8259, and by rows wherever the two differ on purpose (D33).

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { LIMITS } from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { decodeUtf8, parseJson } from './json-text.js'
import { runs } from '../../test/support/runs.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 33) }

describe('parseJson', () => {
  const rows: [text: string, value: unknown][] = [
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['9007199254740992', 2n ** 53n],
    ['9007199254740993', 2n ** 53n + 1n],
    ['-9007199254740992', -(2n ** 53n)],
    ['1700000000123456789', 1700000000123456789n],
    ['9007199254740993.0', 2 ** 53],
    ['1e-400', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['1.0', 1],
    ['1E+2', 100],
    ['12.5e-1', 1.25],
    ['"\\ud800"', '\ud800'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\u0041\\/\\"\\\\\\b\\f\\n\\r\\t"', 'A/"\\\b\f\n\r\t'],
    ['"\u007f\u2028\ufeff"', '\u007f\u2028\ufeff'],
    [' \t\r\n[ 1 , { "a" : [ ] } ] \n', [1, { a: [] }]],
    ['{"a":1,"b":2,"a":3}', { a: 3, b: 2 }],
  ]

  test.each(rows)('reads %j (D33)', (text, value) => {
    expect(parseJson(text, LIMITS.depth)).toStrictEqual(value)
  })

  it('keeps __proto__ as a property of its own, the last one where it comes twice (D33)', () => {
    const value = parseJson('{"__proto__":{"x":1},"__proto__":[2]}', LIMITS.depth) as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.entries(value)).toEqual([['__proto__', [2]]])
  })

  it('reads what JSON.parse reads, to the same value (RFC 8259)', () => {
    const spaced = fc.tuple(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom('', ' ', '\t', '   '))
    fc.assert(
      fc.property(spaced, ([value, indent]) => {
        const text = JSON.stringify(value, (_, each: unknown) => (isUnsafe(each) ? 0 : each), indent)
        expect(parseJson(text, 10_000)).toEqual(JSON.parse(text))
      }),
      SEED,
    )
  })

  it('accepts and refuses exactly what JSON.parse does, for texts near JSON (RFC 8259)', () => {
    const token = fc.constantFrom(
      ...'{}[],:"\\-+.eE0123456789 \n\tabutrfnl/',
      '\u0000',
      '\u00a0',
      'true',
      'null',
      '"a"',
      'é',
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('')
        expect(
          outcome(() => parseJson(text, 100)),
          text,
        ).toEqual(outcome(() => JSON.parse(text)))
      }),
      { ...SEED, numRuns: runs(6_000) },
    )
  })

  it('reads its own canonical JSON back to the same bytes (D33)', () => {
    const value = fc.object({
      withBigInt: true,
      withObjectString: true,
      values: [fc.string({ unit: 'binary' }), fc.bigInt()],
    })
    fc.assert(
      fc.property(value, (each) => {
        const text = canonicalJson(each)
        expect(canonicalJson(parseJson(text, LIMITS.depth))).toBe(text)
      }),
      SEED,
    )
  })

  it('takes as many levels as it is told, and not one more', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(() => parseJson(nested(3), 3)).not.toThrow()
    expect(failure(() => parseJson(nested(4), 3)).details).toEqual({ pos: 3, line: 1, column: 4 })
    expect(() => parseJson('1', 0)).not.toThrow()
    expect(() => parseJson('{"a":'.repeat(400) + '1' + '}'.repeat(400), 400)).not.toThrow()
  })

  it('refuses millions of brackets at once, without following them', () => {
    const error = failure(() => parseJson('['.repeat(5_000_000), LIMITS.depth))
    expect(error.details['pos']).toBe(LIMITS.depth)
  })

  it('takes integers of 4,300 digits and refuses longer ones before converting them (D33)', () => {
    const digits = '9'.repeat(LIMITS.digits)
    expect(parseJson(`-${digits}`, 0)).toBe(-BigInt(digits))
    expect(failure(() => parseJson(`[1,${digits}0]`, 1)).details).toEqual({ pos: 3, line: 1, column: 4 })
    expect(failure(() => parseJson('1'.repeat(10_000_000), 0)).message).toContain('4300 digits')
  })

  it('takes time in proportion to the text, also for strings full of escapes', () => {
    const text = `["${'\\n\\u0041\\"'.repeat(500_000)}",${'"\\\\",'.repeat(500_000)}0]`
    expect((parseJson(text, 1) as string[])[0]).toHaveLength(1_500_000)
  })
})

describe('texts that are no JSON', () => {
  const rows: [text: string, line: number, column: number, message: RegExp][] = [
    ['', 1, 1, /^Expected a value, but found the end \(line 1, column 1\)\.$/],
    [' \n ', 2, 2, /found the end/],
    ['\ufeff{}', 1, 1, /byte order mark/],
    [' \ufeff1', 1, 2, /U\+FEFF/],
    ['nul', 1, 1, /Expected a value, but found "n"/],
    ['NaN', 1, 1, /Expected a value, but found "N"/],
    ['Infinity', 1, 1, /found "I"/],
    ['-Infinity', 1, 2, /Expected a digit/],
    ["'a'", 1, 1, /found "'"/],
    ['1 2', 1, 3, /Expected the end of the text, but found "2"/],
    ['[1,\n 2,\n]', 3, 1, /Expected a value, but found "]"/],
    ['[1\r\n2]', 2, 1, /Expected "," or "]", but found "2"/],
    ['[1', 1, 3, /Expected "," or "]", but found the end/],
    ['{"a" 1}', 1, 6, /Expected ":" after the name/],
    ['{a:1}', 1, 2, /Expected a quoted name, but found "a"/],
    ['{"a":1,}', 1, 8, /Expected a quoted name, but found "}"/],
    ['{"a":1 "b":2}', 1, 8, /Expected "," or "}"/],
    ['{"a":1', 1, 7, /Expected "," or "}", but found the end/],
    ['"abc', 1, 5, /Expected a closing quote, but found the end/],
    ['"a\nb"', 1, 3, /control characters to be escaped.*U\+000A/],
    ['"\\x41"', 1, 3, /after a backslash, but found "x"/],
    ['"\\', 1, 3, /after a backslash, but found the end/],
    ['"\\u12g4"', 1, 4, /four hex digits/],
    ['"\\u12"', 1, 4, /four hex digits/],
    ['01', 1, 1, /must not start with 0/],
    ['-01', 1, 1, /must not start with 0/],
    ['+1', 1, 1, /Expected a value, but found "\+"/],
    ['.5', 1, 1, /Expected a value/],
    ['1.', 1, 3, /a digit after the decimal point/],
    ['1e', 1, 3, /a digit in the exponent/],
    ['1e+', 1, 4, /a digit in the exponent/],
    ['[1e400]', 1, 2, /too large for a float/],
    ['-1e400', 1, 1, /too large for a float/],
    ['[1]\u00a0', 1, 4, /U\+00A0/],
    ['// no\n1', 1, 1, /found "\/"/],
  ]

  test.each(rows)('refuses %j with its place (RFC 8259, D33)', (text, line, column, message) => {
    const error = failure(() => parseJson(text, 10))
    expect(error.message).toMatch(message)
    const before = text.split('\n').slice(0, line - 1)
    const pos = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
    expect(error.details).toEqual({ pos, line, column })
  })
})

describe('decodeUtf8', () => {
  it('gives the text of the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.startsWith('\ufeff'))
        expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text)
      }),
      SEED,
    )
  })

  const rows: [name: string, bytes: number[], pos: number][] = [
    ['a stray continuation byte', [0x61, 0x80, 0x62], 1],
    ['a cut off character', [0x61, 0xe2, 0x82], 3],
    ['a broken character', [0x61, 0xe2, 0x82, 0x41], 3],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    ['an overlong zero', [0xc0, 0x80], 0],
    ['a code point beyond Unicode', [0x61, 0x62, 0xf4, 0x90, 0x80, 0x80], 3],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00], 0],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 0],
  ]

  test.each(rows)('refuses %s and says where', (_, bytes, pos) => {
    expect(failure(() => decodeUtf8(new Uint8Array(bytes))).details).toEqual({ pos })
  })
})

function isUnsafe(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** The value, or that there is none; integers beyond 2^53 as JSON.parse would round them. */
function outcome(act: () => unknown): unknown {
  try {
    const value = act()
    return {
      value: JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each))),
    }
  } catch {
    return 'refused'
  }
}

function failure(act: () => unknown): PactError {
  try {
    act()
  } catch (error) {
    if (!PactError.is(error)) throw error
    expect(error.code).toBe('E_SNAPSHOT_INVALID')
    expect(error.message).toMatch(/\.$/)
    return error
  }
  return expect.fail('nothing was refused')
}
