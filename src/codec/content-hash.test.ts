// The parts of the content hash, and what is left out; its bytes are checked in python-vectors.test.ts.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { canonicalJson } from './canonical-json.js'
import { contentHashOf, hashContent } from './content-hash.js'
import { sha256Hex } from './sha256.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 33) }

describe('contentHashOf', () => {
  it('hashes the canonical JSON of content, kind, role and custom attributes (08 §2.1)', () => {
    const name = fc
      .tuple(fc.constantFrom('data_', 'content_'), fc.string({ unit: 'binary' }))
      .map((pair) => pair.join(''))
    const custom = fc.dictionary(name, fc.jsonValue())
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), custom, (content, kind, role, attributes) => {
        const { content_hash: _, ...rest } = attributes
        const expected = sha256Hex(canonicalJson({ content, kind, role, ...rest }))
        expect(contentHashOf({ content, kind, role, ...attributes })).toBe(expected)
        expect(hashContent({ content, kind, role, custom: attributes })).toBe(expected)
      }),
      SEED,
    )
  })

  it('takes a missing field as empty, and keeps a null (08 §2.1)', () => {
    const empty = contentHashOf({ content: '', kind: '', role: '' })
    expect(contentHashOf({})).toBe(empty)
    expect(contentHashOf({ content: undefined, kind: undefined, role: undefined, data_a: undefined })).toBe(empty)
    expect(hashContent({ content: undefined, kind: undefined, role: undefined })).toBe(empty)
    expect(contentHashOf({ content: null })).toBe(sha256Hex('{"content":null,"kind":"","role":""}'))
    expect(contentHashOf({ data_a: null })).not.toBe(empty)
  })

  it('does not see lifecycle, structure or content_hash (08 §2.2, D34)', () => {
    const block = { content: 'Hi', kind: 'text', role: 'user', data_a: 1 }
    const other = {
      id: 'cb:1',
      ttl: 3,
      priority: 1,
      cycle: 2,
      created_at_ns: 5n,
      offset: 1,
      children: [],
      content_hash: 'x',
    }
    expect(contentHashOf({ ...other, ...block, data: 1, contents: 2 })).toBe(contentHashOf(block))
  })

  it('takes own fields only', () => {
    expect(contentHashOf(Object.create({ content: 'inherited', data_a: 1 }) as object as Record<string, unknown>)).toBe(
      contentHashOf({}),
    )
  })

  it('takes what is not JSON as empty, value by value, and warns once for each (08 §8.2, D34)', () => {
    const warnings: string[] = []
    const circular: unknown[] = []
    circular.push(circular)
    const block = { content: circular, kind: Number.NaN, role: 'user', data_a: { b: [new Date(0)] }, data_c: 1 }
    const hash = contentHashOf(block, ({ message }) => warnings.push(message))
    expect(hash).toBe(contentHashOf({ role: 'user', data_a: '', data_c: 1 }))
    expect(warnings).toEqual([
      expect.stringMatching(/^content is not JSON .*circular/),
      expect.stringMatching(/^data_a is not JSON .*b\[0\] is an instance of Date/),
      expect.stringMatching(/^kind is not JSON .*NaN/),
    ])
    expect(contentHashOf(block)).toBe(hash)
  })
})
