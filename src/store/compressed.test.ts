import { deflateRawSync, inflateRawSync } from 'node:zlib'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { compressed, decompressed } from './compressed.js'

const ALIKE = Buffer.from('{"role":"user","content":"What is much alike takes little room."}'.repeat(50))

test('bytes come out as they went in', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      expect(Buffer.compare(decompressed(compressed(bytes)), bytes)).toBe(0)
    }),
  )
  expect(decompressed(compressed(ALIKE)).equals(ALIKE)).toBe(true)
  expect(compressed(ALIKE).length).toBeLessThan(ALIKE.length / 20)
})

test('what older versions have deflated is read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.constantFrom(0, 1, 6, 9), (bytes, level) => {
      expect(Buffer.compare(decompressed(deflateRawSync(bytes, { level })), bytes)).toBe(0)
    }),
  )
})

test('no older version takes it for its own', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => inflateRawSync(compressed(bytes))).toThrow('invalid block type')
    }),
  )
})

test('what is cut, is longer than it may be, or was never compressed is refused', () => {
  const whole = compressed(ALIKE)
  for (let length = 0; length < whole.length; length++) expect(() => decompressed(whole.subarray(0, length))).toThrow()
  expect(() => decompressed(whole, ALIKE.length - 1)).toThrow()
  expect(decompressed(whole, ALIKE.length)).toHaveLength(ALIKE.length)
  expect(() => decompressed(ALIKE)).toThrow()
})
