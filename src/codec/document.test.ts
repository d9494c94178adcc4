// One node in the documents' form (D35): canonical text with every header, chapter 08's shorter one, and plain JSON.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import type { JsonValue, RecordFields } from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { contentHashOf } from './content-hash.js'
import { contentHashOfRecord, encodeNode, encodeReference, fieldsOf, nodeToJson, sortForReference } from './document.js'
import { nodeAt } from './raw.js'

const FULL = recordWith({
  role: 'user',
  kind: 'text',
  content: { b: 1, a: [2n ** 60n] },
  createdAtNs: 1_700_000_000_123_456_789n,
  rare: {
    key: 'k',
    tags: ['t'],
    refs: ['r'],
    supersedes: 's',
    removable: false,
    pinned: true,
    provenance: { from: 'é' },
    cad: 2,
    attributes: new Map<string, string | null>([
      ['data_x', null],
      ['\u{10000}', 'last by code point'],
      ['\uffff', 'before it'],
      ['Zeta', 'upper case comes first'],
    ]),
  },
})

describe('encodeNode', () => {
  it('writes every header and attribute, sorted by code point, in ASCII (D33, D35)', () => {
    expect(encodeNode(FULL, 3, true).after).toBe(
      '{"Zeta":"upper case comes first","cad":2,"content":{"a":[1152921504606846976],"b":1},' +
        '"created_at_iso":"2023-11-14T22:13:20.123456789Z","created_at_ns":1700000000123456789,"creation_index":0,' +
        '"cycle":1,"data_x":null,"id":"n","key":"k","kind":"text","nodeType":"block","offset":0,"pinned":true,' +
        '"priority":0,"provenance":{"from":"\\u00e9"},"refs":["r"],"removable":false,"role":"user","supersedes":"s",' +
        '"tags":["t"],"ttl":3,"\\uffff":"before it","\\ud800\\udc00":"last by code point"}',
    )
  })

  it('writes required headers always, optional ones only where the node has them (02 §3.2)', () => {
    const names = [...encodeNode(recordWith({}), null, true).after.matchAll(/"(\w+)":/g)].map(([, name]) => name)
    expect(names).toEqual([
      'created_at_iso',
      'created_at_ns',
      'creation_index',
      'cycle',
      'id',
      'nodeType',
      'offset',
      'priority',
      'ttl',
    ])
  })

  it('leaves the place of the children of a container open, where their name stands in the order (D35)', () => {
    const usual = encodeNode(recordWith({}), null, false)
    expect(usual.before).toBe('{"children":[')
    expect(usual.after).toMatch(/^\],"created_at_iso":.*"ttl":null\}$/)
    const { before, after } = encodeNode(FULL, 3, false)
    expect(before).toBe('{"Zeta":"upper case comes first","cad":2,"children":[')
    expect(JSON.parse(`${before}{"id":"c"}${after}`)).toMatchObject({ children: [{ id: 'c' }], key: 'k', ttl: 3 })
  })

  it('writes what canonicalJson writes of the same fields, whatever a node has (D33)', () => {
    const text = fc.string({ unit: 'binary' })
    const record = fc.record({
      id: text,
      nodeType: text,
      content: fc.option(fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>, { nil: undefined }),
      role: fc.option(text, { nil: undefined }),
      kind: fc.option(text, { nil: undefined }),
      createdAtNs: fc.bigInt(-(10n ** 30n), 10n ** 30n),
      offset: fc.integer(),
      rare: fc.option(
        fc.record(
          { key: text, tags: fc.array(text), cad: fc.nat(), attributes: fc.dictionary(text, fc.integer()) },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
    })
    fc.assert(
      fc.property(record, fc.option(fc.nat()), ({ rare, ...fields }, ttl) => {
        const attributes =
          rare?.attributes && new Map(Object.entries(rare.attributes).filter(([name]) => isAttribute(name)))
        const made = recordWith({ ...fields, rare: rare && { ...rare, attributes } } as Partial<RecordFields>)
        const json = Object.fromEntries(fieldsOf(made, ttl))
        expect(encodeNode(made, ttl, true).after).toBe(canonicalJson(json))
        const { before, after } = encodeNode(made, ttl, false)
        expect(before + after).toBe(canonicalJson({ ...json, children: [] }))
      }),
      { seed: Number(process.env['PACT_SEED'] ?? 33) },
    )
  })

  it('prefers the time text that a document gave (D4)', () => {
    expect(encodeNode(recordWith({ rare: { createdAtIso: 'noon' } }), null, true).after).toContain(
      '"created_at_iso":"noon"',
    )
  })
})

describe('encodeReference', () => {
  it("writes what chapter 08's serialize_snapshot writes, and no more (08 §6.1, D35)", () => {
    expect(encodeReference(FULL, null, [])).toBe(
      '{"children":[],"content":{"a":[1152921504606846976],"b":1},"created_at_iso":"2023-11-14T22:13:20.123456789Z",' +
        '"created_at_ns":1700000000123456789,"cycle":1,"id":"n","kind":"text","nodeType":"block","offset":0,' +
        '"priority":0,"role":"user","ttl":null}',
    )
  })

  it('alone sorts regions by their headers (D35)', () => {
    const regions = [
      recordWith({ id: 'sys', offset: 2 }),
      recordWith({ id: 'seq', offset: -1 }),
      recordWith({ id: 'ah' }),
    ]
    expect(sortForReference(regions).map(({ id }) => id)).toEqual(['seq', 'ah', 'sys'])
    expect(regions.map(({ id }) => id)).toEqual(['sys', 'seq', 'ah'])
  })
})

describe('nodeToJson', () => {
  it('gives plain numbers, so that JSON.stringify works, and children only where they are given (API)', () => {
    const json = nodeToJson(FULL, 3, [{ id: 'c' }])
    expect(json).toMatchObject({
      created_at_ns: 1_700_000_000_123_456_800,
      content: { a: [2 ** 60], b: 1 },
      children: [{ id: 'c' }],
    })
    expect(() => JSON.stringify(json)).not.toThrow()
    expect(nodeToJson(recordWith({}), null, undefined)).not.toHaveProperty('children')
  })

  it('keeps a hostile name as data (RELIABILITY)', () => {
    const json = nodeToJson(recordWith({ rare: { attributes: new Map([['__proto__', { ttl: 1 }]]) } }), null, undefined)
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(json, '__proto__')?.value).toEqual({ ttl: 1 })
  })
})

describe('contentHashOfRecord', () => {
  it("is chapter 08's hash of content, kind, role and custom content, and of nothing else (08 §2.1, D34)", () => {
    const attributes = new Map<string, string>([
      ['data_x', '1'],
      ['content_mime', 'text/plain'],
      ['colour', 'red'],
      ['ex:score', 'high'],
    ])
    const hashed = recordWith({
      content: 'hi',
      kind: 'text',
      role: 'user',
      rare: { attributes, key: 'k', tags: ['t'] },
    })
    const expected = { content: 'hi', kind: 'text', role: 'user', data_x: '1', content_mime: 'text/plain' }
    expect(contentHashOfRecord(hashed)).toBe(contentHashOf(expected))
    expect(contentHashOfRecord(recordWith({}))).toBe(contentHashOf({}))
  })

  it('lets no attribute stand in for content, kind or role', () => {
    const attributes = new Map([
      ['content', 'other'],
      ['kind', 'other'],
    ])
    expect(contentHashOfRecord(recordWith({ content: 'hi', rare: { attributes } }))).toBe(
      contentHashOf({ content: 'hi' }),
    )
  })

  it('does not change when a node moves', () => {
    const moved = recordWith({ content: 'hi' })
    const hash = contentHashOfRecord(moved)
    expect([contentHashOfRecord(moved), contentHashOfRecord(moved.movedTo('other', 2))]).toEqual([hash, hash])
  })
})

/** True if a file may have the name next to the headers. */
function isAttribute(name: string): boolean {
  return nodeAt(Object.fromEntries([[name, 0]]), '').rare?.others?.has(name) === true
}
