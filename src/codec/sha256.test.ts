// Every implementation that may be picked gives the same digest.

import { createHash } from 'node:crypto'

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { pickSha256, sha256Hex } from './sha256.js'

describe('sha256Hex', () => {
  const rows: [text: string, hex: string][] = [
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['é', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
  ]

  test.each(rows)('hashes %j to the published digest (FIPS 180-4)', (text, hex) => {
    expect(sha256Hex(text)).toBe(hex)
  })

  it('gives the same in Node, in an older Node and in a browser', () => {
    const node = pickSha256(process)
    const older = pickSha256({ getBuiltinModule: () => ({ createHash }) })
    const browser = pickSha256(undefined)
    const shim = pickSha256({}) // a bundler's process has no getBuiltinModule
    const long = fc.string({ unit: 'binary', minLength: 100, maxLength: 5000, size: 'max' })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), long, fc.constant('\ud800')), (text) => {
        const bytes = new TextEncoder().encode(text)
        const hex = createHash('sha256').update(bytes).digest('hex')
        const hashes = [sha256Hex, node, older, browser, shim]
        expect(hashes.map((hash) => hash(text))).toEqual([hex, hex, hex, hex, hex])
        expect(hashes.map((hash) => hash(bytes))).toEqual([hex, hex, hex, hex, hex])
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 33) },
    )
  })
})
