// Our bytes against Python: the vectors that scripts/make-vectors.py recorded from the documents' own code, then random values, for which
// scripts/reference_rules.py has the rules a second time.

import fs from 'node:fs'

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { askPython, NO_PYTHON } from '../../test/support/python.js'
import { LIMITS } from '../core/index.js'
import { canonicalJson } from './canonical-json.js'
import { contentHashOf } from './content-hash.js'
import { isoTime } from './iso-time.js'
import { parseJson } from './json-text.js'

type Vectors = Readonly<{
  canonical: readonly Readonly<{ name: string; input: string; canonical: string }>[]
  knownLoss: readonly Readonly<{ name: string; input: string; python: string; ours: string }>[]
  contentHashes: readonly Readonly<{ name: string; input: string; contentHash: string }>[]
  isoTimes: readonly Readonly<{ ns: string; iso: string }>[]
}>

const root = new URL('../../', import.meta.url)
const vectors = JSON.parse(fs.readFileSync(new URL('test/golden/python-vectors.json', root), 'utf8')) as Vectors

describe('stored vectors', () => {
  test.each(vectors.canonical)('writes what json.dumps writes: $name (D33)', ({ input, canonical }) => {
    expect(canonicalJson(parseJson(input, LIMITS.depth))).toBe(canonical)
  })

  test.each(vectors.knownLoss)('writes a float that is a safe integer as the integer: $name (D33)', (row) => {
    expect(canonicalJson(parseJson(row.input, LIMITS.depth))).toBe(row.ours)
    expect(row.ours).not.toBe(row.python)
  })

  test.each(vectors.contentHashes)('hashes as calculate_content_hash does: $name (08 §2.1, D34)', (row) => {
    const block = parseJson(row.input, LIMITS.depth + 1) as Record<string, unknown>
    expect(contentHashOf(block)).toBe(row.contentHash)
  })

  test.each(vectors.isoTimes)('writes $ns ns as the calendar has it (D37)', ({ ns, iso }) => {
    expect(isoTime(BigInt(ns))).toBe(iso)
  })
})

describe('random values', () => {
  const seed = Number(process.env['PACT_SEED'] ?? 33)

  it('gives the bytes and the hashes that Python gives for 2,000 random values (D33, D34)', ({ skip }) => {
    skip(NO_PYTHON !== undefined, NO_PYTHON)
    const samples = fc.sample(fc.tuple(anyValue(), anyBlock()), { seed, numRuns: 2000 })
    console.log(`random values: seed ${seed} (PACT_SEED sets another)`)

    const answers = askPython(
      samples.flatMap(([value, block]) => [`["value",${plainJson(value)}]`, `["block",${plainJson(block)}]`]),
    )
    for (const [i, [value, block]] of samples.entries()) {
      const text = plainJson(value)
      expect(canonicalJson(value), `value ${i} of seed ${seed}`).toBe(answers[2 * i])
      expect(canonicalJson(parseJson(text, LIMITS.depth)), `text ${i} of seed ${seed}`).toBe(answers[2 * i])
      expect(contentHashOf(block), `block ${i} of seed ${seed}`).toBe(answers[2 * i + 1])
    }
  })
})

function anyValue(): fc.Arbitrary<unknown> {
  const finite = { noNaN: true, noDefaultInfinity: true }
  const wide = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n })
  const number = fc.oneof(fc.double(finite), fc.float(finite), fc.integer(), fc.maxSafeInteger(), wide)
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      anyText(),
      number,
      fc.constantFrom(null, true, false),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 6 }),
    map: fc.dictionary(anyText(), tie('value'), { maxKeys: 8, noNullPrototype: true }),
  }))
  return value
}

/** Blocks with any of the fields, and custom names of which some take part in the hash and some do not. */
function anyBlock(): fc.Arbitrary<Record<string, unknown>> {
  const prefix = fc.constantFrom('data_', 'content_', 'content_hash', 'kind_', '')
  const custom = fc.dictionary(
    fc.tuple(prefix, anyText()).map(([a, b]) => a + b),
    anyValue(),
    { maxKeys: 3 },
  )
  const fields = fc.record({ content: anyValue(), kind: anyValue(), role: anyValue() }, { requiredKeys: [] })
  return fc.tuple(custom, fields).map(([a, b]) => ({ ...a, ...b }))
}

/** Characters of every kind, and any UTF-16 units, so that lone surrogates occur too. */
function anyText(): fc.Arbitrary<string> {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  const edges = fc.constantFrom('\u007f', '\ud7ff', '\ud800', '\udfff', '\ue000', '\uffff', '\u{10000}', '"', '\\', 'a')
  return fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    units.map((list) => String.fromCharCode(...list)),
    fc.array(edges, { maxLength: 4 }).map((list) => list.join('')),
    fc.constantFrom('', '__proto__', 'constructor', 'toString'),
  )
}

/** JSON text that owes nothing to our writer. A whole number that is not safe is a float (D33), so it needs an `e`. */
function plainJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isSafeInteger(value) ? JSON.stringify(value) : value.toExponential()
  if (Array.isArray(value)) return `[${value.map(plainJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${plainJson(item)}`)
  return `{${members.join(',')}}`
}
