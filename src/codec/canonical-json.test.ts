// Canonical JSON by rows and laws; that its bytes are Python's is shown in python-vectors.test.ts.

import vm from 'node:vm'

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { LIMITS } from '../core/index.js'
import { canonicalJson, copyJson, quoteJson } from './canonical-json.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 33) }

const nest = (levels: number): unknown => {
  let value: unknown = []
  for (let i = 1; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const circular: Record<string, unknown> = {}
circular['self'] = circular

const revoked = Proxy.revocable({}, {})
revoked.revoke()

describe('canonicalJson', () => {
  const rows: [text: string, value: unknown][] = [
    ['null', null],
    ['true', true],
    ['0', -0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992.0', 2 ** 53],
    ['-9007199254740992.0', -(2 ** 53)],
    ['9007199254740992', 2n ** 53n],
    ['5', 5n],
    ['1e+16', 1e16],
    ['9999999999999998.0', 9999999999999998],
    ['1.2345678901234568e+17', 123456789012345680],
    ['0.0001', 0.0001],
    ['1e-05', 0.00001],
    ['9.999999999999999e-05', 0.00009999999999999999],
    ['1.5e+300', 1.5e300],
    ['-1.5e-300', -1.5e-300],
    ['5e-324', Number.MIN_VALUE],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
    ['0.1', 0.1],
    ['"\\u007f\\u00e9\\u2028\\ud83d\\ude00\\ud800"', '\u007fé\u2028😀\ud800'],
    ['"\\b\\f\\n\\r\\t\\"\\\\/\\u0000\\u001f"', '\b\f\n\r\t"\\/\0\u001f'],
    ['[]', []],
    ['{}', {}],
    ['[null,[],{"a":[1]}]', [null, [], { a: [1] }]],
    ['{"":3,"A":2,"a":1}', { a: 1, A: 2, '': 3 }],
    ['{"1":3,"10":1,"9":2}', { 10: 1, 9: 2, 1: 3 }],
    ['{"\\uffff":2,"\\ud800\\udc00":1}', { '\u{10000}': 1, '\uffff': 2 }],
    ['{"a":1}', { b: undefined, a: 1, c: undefined }],
    ['{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
    ['{"a":1}', Object.assign(Object.create(null) as object, { a: 1 })],
    ['{"a":[1]}', vm.runInNewContext('({ a: [1] })')],
    ['{"a":1}', { a: 1, [Symbol('s')]: 2 }],
    ['{"a":1}', Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })],
  ]

  test.each(rows)('writes %s (D33)', (text, value) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('agrees with JSON.stringify where the two have the same rules (D33)', () => {
    const ascii = fc.string({ unit: 'grapheme-ascii' })
    const value = fc.oneof(ascii, fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.array(ascii)))
    fc.assert(
      fc.property(value, (each) => {
        expect(canonicalJson(each)).toBe(JSON.stringify(each))
      }),
      SEED,
    )
  })

  it('does not depend on the order of keys (D33)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed())
        expect(canonicalJson(reversed)).toBe(canonicalJson(object))
      }),
      SEED,
    )
  })

  it('writes ASCII only, and the same again after JSON.parse (D33)', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = canonicalJson(value)
        expect(text).toMatch(/^[ -~]*$/)
        const floats = /\d\.0\b|e\+/.test(text) // 1e+16 is a float here, an integer of the same text does not exist
        if (!floats) expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
      SEED,
    )
  })

  it('reads every property once, so that no getter can change its mind (D33)', () => {
    let reads = 0
    const value = {
      get a(): unknown {
        return reads++ === 0 ? 'good' : Number.NaN
      },
    }
    expect(canonicalJson(value)).toBe('{"a":"good"}')
    expect(reads).toBe(1)
  })
})

describe('what is no content', () => {
  const rows: [name: string, value: unknown, path: string, message: RegExp][] = [
    ['undefined', undefined, '', /^The value is undefined/],
    ['undefined in an array', [1, undefined], '[1]', /undefined/],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tested
    ['an array hole', { a: [1, , 3] }, 'a[1]', /hole/],
    ['an array much longer than what it holds', Object.assign([1], { length: 4e9 }), '[1]', /hole/],
    ['NaN', { a: { b: [0, 0, Number.NaN] } }, 'a.b[2]', /^The value at a\.b\[2\] is NaN/],
    ['Infinity', [Number.POSITIVE_INFINITY], '[0]', /Infinity/],
    ['-Infinity', { x: Number.NEGATIVE_INFINITY }, 'x', /-Infinity/],
    ['a function', { 'two words': { f: () => 1 } }, '["two words"].f', /function/],
    ['a symbol', [Symbol('x')], '[0]', /symbol/],
    ['a Date', { at: new Date(0) }, 'at', /instance of Date/],
    ['a Map', new Map(), '', /instance of Map/],
    ['a typed array', new Uint8Array(2), '', /instance of Uint8Array/],
    ['a boxed string', Object('x'), '', /instance of String/],
    [
      'a class instance',
      new (class Thing {
        x = 1
      })(),
      '',
      /instance of Thing/,
    ],
    ['a Date of another realm', vm.runInNewContext('new Date(0)'), '', /instance of Date/],
    ['an object made from an object', Object.create({ a: 1 }), '', /plain object/],
    ['an object made from one without a prototype', Object.create(Object.create(null) as object), '', /own prototype/],
    [
      'an impostor of Object',
      Object.create(
        Object.create(null, {
          constructor: {
            value: class Object {
              x = 1
            },
          },
        }),
      ),
      '',
      /plain/,
    ],
    ['129 levels', nest(129), '[0].a'.repeat(64), /nested deeper than 128 levels, or circular/],
    ['a circle', circular, Array.from({ length: 128 }, () => 'self').join('.'), /circular/],
    ['4,301 digits', { n: 10n ** 4300n }, 'n', /4300 digits/],
    ['-4,301 digits', -(10n ** 4300n), '', /4300 digits/],
    ['a revoked proxy', [revoked.proxy], '[0]', /cannot be read/],
    ['an empty name', { '': [Number.NaN] }, '[""][0]', /NaN/],
  ]

  test.each(rows)('refuses %s with its path (D33)', (_, value, path, message) => {
    for (const act of [canonicalJson, copyJson]) {
      const error = refusal(() => act(value))
      expect(error.details['path']).toBe(path)
      expect(error.message).toMatch(message)
      expect(error.message).toMatch(/; .*\.$/) // says what to do
    }
  })

  it('refuses a throwing getter and keeps its error as the cause', () => {
    const cause = new TypeError('mine')
    const value = {
      list: [
        {
          get x(): unknown {
            throw cause
          },
        },
      ],
    }
    const error = refusal(() => canonicalJson(value))
    expect([error.details['path'], error.cause]).toEqual(['list[0].x', cause])
  })

  it('takes 128 levels, and 4,300 digits with or without a sign (D33)', () => {
    expect(() => [canonicalJson(nest(128)), copyJson(nest(128))]).not.toThrow()
    expect(canonicalJson(-(10n ** 4300n - 1n))).toBe(`-${'9'.repeat(4300)}`)
  })

  it('refuses shared objects that spell out too many values, however few they are (D33)', () => {
    let value: unknown = 0
    for (let i = 0; i < 40; i++) value = [value, value]
    expect(refusal(() => canonicalJson(value)).message).toContain(`more than ${LIMITS.values} values`)
    expect(refusal(() => copyJson(value)).message).toContain(`more than ${LIMITS.values} values`)
  })

  it('takes exactly as many values as the limit says (D33)', () => {
    const list: unknown[] = Array.from({ length: LIMITS.values - 1 }, () => 0)
    expect(canonicalJson(list)).toHaveLength(2 * list.length + 1)
    list.push(undefined)
    expect(refusal(() => canonicalJson(list)).message).toContain('values in all')
  })

  it('refuses text beyond the limit, in one string, in a key, or in many together (D33)', () => {
    const long = 'x'.repeat(LIMITS.text)
    expect(copyJson(long)).toBe(long)
    for (const value of [`${long}x`, [`${long}x`], { [`${long}x`]: 1 }, [long, 'x']]) {
      const error = refusal(() => canonicalJson(value))
      expect(error.message).toContain(`more than ${LIMITS.text} characters`)
      expect(error.message.length).toBeLessThan(400)
      expect(refusal(() => copyJson(value)).message).toBe(error.message)
    }
  })
})

describe('quoteJson', () => {
  it('writes every UTF-16 unit as Python does, alone and among others (D33)', () => {
    const short: Record<string, string> = {
      '"': '\\"',
      '\\': '\\\\',
      '\b': '\\b',
      '\f': '\\f',
      '\n': '\\n',
      '\r': '\\r',
      '\t': '\\t',
    }
    const wrong: number[] = []
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = String.fromCharCode(unit)
      const plain = unit >= 0x20 && unit < 0x7f
      const expected = short[text] ?? (plain ? text : `\\u${unit.toString(16).padStart(4, '0')}`)
      if (quoteJson(text) !== `"${expected}"` || quoteJson(`é${text}`) !== `"\\u00e9${expected}"`) wrong.push(unit)
    }
    expect(wrong).toEqual([])
  })

  it('reads back as the same text, whatever its length (D33)', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 3000, size: 'max' })
    fc.assert(
      fc.property(units, (list) => {
        const text = String.fromCharCode(...list)
        expect(JSON.parse(quoteJson(text))).toBe(text)
      }),
      SEED,
    )
  })
})

describe('copyJson', () => {
  it('gives an equal value that is frozen all the way down, and leaves the original alone', () => {
    const value = { b: [1, { c: 'x' }], a: 2n, n: null }
    const copied = copyJson(value) as typeof value
    expect(copied).toEqual(value)
    expect([copied, copied.b, copied.b[1]].every(Object.isFrozen)).toBe(true)
    expect([value, value.b, value.b[1]].some(Object.isFrozen)).toBe(false)
  })

  it('has the same canonical form as the original (D33)', () => {
    const value = fc.object({ withBigInt: true, withNullPrototype: true, withSparseArray: false })
    fc.assert(
      fc.property(value, (each) => {
        const outcome = attempt(() => canonicalJson(each))
        expect(attempt(() => canonicalJson(copyJson(each)))).toBe(outcome)
      }),
      SEED,
    )
  })

  it('keeps an own __proto__ as data and drops undefined properties', () => {
    const copied = copyJson({ ...JSON.parse('{"__proto__":{"x":1}}'), u: undefined }) as object
    const own = JSON.parse('{"__proto__":{"x":1}}') as object
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype)
    expect(Object.keys(copyJson(own) as object)).toEqual(['__proto__'])
    expect(Object.keys(copied)).not.toContain('u')
  })
})

function refusal(act: () => unknown): PactError {
  try {
    act()
  } catch (error) {
    if (!PactError.is(error)) throw error
    expect(error.code).toBe('E_CONTENT_INVALID')
    return error
  }
  return expect.fail('nothing was refused')
}

function attempt(act: () => string): string {
  try {
    return act()
  } catch (error) {
    return PactError.is(error) ? error.code : String(error)
  }
}
