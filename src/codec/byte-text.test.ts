import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { ByteText } from './byte-text.js'
import { quoteJson } from './canonical-json.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 33) }

test('writes texts and numbers as they stand in canonical JSON', () => {
  const text = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 100 }))
  const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 9, 10, 99, 100, 999_999_999, 1e9))
  fc.assert(
    fc.property(fc.array(fc.oneof(text, number)), (values) => {
      const write = (out: ByteText): void =>
        out.items(values, (value) => (typeof value === 'string' ? out.quoted(value) : out.whole(value)))
      const written = `[${values.map((value) => (typeof value === 'string' ? quoteJson(value) : `${value}`)).join(',')}]`
      expect(ByteText.textOf(write)).toBe(written)
    }),
    SEED,
  )
})

test.each([0x1f, 0x20, 0x22, 0x5c, 0x7e, 0x7f, 0x80, 0xd800])(
  'escapes the unit %i as quoteJson does, in short and long texts',
  (unit) => {
    for (const around of ['', 'x'.repeat(100)]) {
      const text = `${around}${String.fromCharCode(unit)}`
      expect(ByteText.textOf((out) => out.quoted(text))).toBe(quoteJson(text))
    }
  },
)

test('names of fields and lists, of which the empty ones are left out', () => {
  const text = ByteText.textOf((out) => {
    out.ascii('{')
    out.list('a', [], () => undefined)
    out.list('b', [1, 2], (n) => out.whole(n))
    out.name('c')
    out.ascii('true}')
  })
  expect(text).toBe('{"b":[1,2],"c":true}')
})

test('grows with what is written, and one may write while another does', () => {
  const long = 'x'.repeat(3_000_000)
  const bytes = ByteText.bytesOf((out) => {
    out.ascii('a')
    out.bytes(ByteText.bytesOf((other) => other.ascii(long)))
    out.ascii('b')
  })
  expect(Buffer.from(bytes).toString()).toBe(`a${long}b`)
  const first = ByteText.bytesOf((out) => out.ascii('first'))
  expect(ByteText.textOf((out) => out.ascii('second'))).toBe('second')
  expect(Buffer.from(first).toString()).toBe('first')
})

test('what was written in vain is not in the next text', () => {
  const fail = (out: ByteText): void => {
    out.ascii('half')
    throw new Error('no')
  }
  expect(() => ByteText.bytesOf(fail)).toThrow('no')
  expect(ByteText.textOf((out) => out.ascii('whole'))).toBe('whole')
})
