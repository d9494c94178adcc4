// JSON patches, applied by two appliers: fast-json-patch, which others use, and a strict one here for what it cannot do:
// it assigns to __proto__, which sets a prototype, and it clones through JSON.stringify, which refuses bigints.

import fastJsonPatch from 'fast-json-patch'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import type { JsonObject, JsonValue } from '../core/index.js'
import { canonicalJson } from '../codec/index.js'
import { diffJson, type PatchOperation } from './json-patch.js'
import { Search } from './text-diff.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 39) }

/** Any code point, lone surrogates too. fast-check's own 'binary' takes seconds to set up. */
const anyUnit = fc.oneof(
  fc.constantFrom(...'ab \n"\\/'),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)

const NAMES = ['a', 'b', '', '0', '1', '-', '/', '~', '~0', '~1', 'a/b', 'm~n', 'constructor', 'prototype', 'toString']
const HOSTILE = [...NAMES, '__proto__', '\ud800', '\udc00', '\u{10000}', '\uffff', 'é']

const big = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
const { value } = fc.letrec<{ value: JsonValue; array: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>('', 'a', 0, -0, 1, 1n, 0.5, true, false, null, '\ud800'),
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), big, fc.string({ unit: anyUnit })),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 8 }),
  object: fc.array(fc.tuple(fc.constantFrom(...HOSTILE), tie('value')), { maxLength: 6 }).map(Object.fromEntries),
}))

/** A value and what a few edits somewhere inside make of it. */
const versions = fc
  .tuple(value, fc.array(fc.tuple(fc.array(fc.nat(9), { maxLength: 4 }), value), { maxLength: 4 }))
  .map(([older, edits]) => [older, edits.reduce((each, [way, fresh]) => editAt(each, way, fresh), older)] as const)

describe('diffJson', () => {
  const rows: [name: string, older: JsonValue, newer: JsonValue, patch: PatchOperation[]][] = [
    ['nothing', { a: [1] }, { a: [1] }, []],
    ['nothing for another order of names', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ['nothing for an integer held in another way', [5, 0], [5n, -0], []],
    ['a scalar', 1, 'a', [{ op: 'replace', path: '', value: 'a' }]],
    [
      'a value for the string that spells it',
      ['1', 'true', '[]', '{}'],
      [1, true, [], {}],
      [
        { op: 'replace', path: '/0', value: 1 },
        { op: 'replace', path: '/1', value: true },
        { op: 'replace', path: '/2', value: [] },
        { op: 'replace', path: '/3', value: {} },
      ],
    ],
    [
      'an element before one with another order of names',
      [{ a: 1, b: 2 }],
      [0, { b: 2, a: 1 }],
      [{ op: 'add', path: '/0', value: 0 }],
    ],
    ['a string as a whole', 'a b', 'a c', [{ op: 'replace', path: '', value: 'a c' }]],
    ['another kind of container', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    ['null for an object', { a: {} }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['a float for the integer it rounds to', [2n ** 53n], [2 ** 53], [{ op: 'replace', path: '/0', value: 2 ** 53 }]],
    [
      'a digit of a large integer',
      [2n ** 70n],
      [2n ** 70n + 1n],
      [{ op: 'replace', path: '/0', value: 2n ** 70n + 1n }],
    ],
    [
      'names by code point',
      { '\uffff': 1, z: 1, b: 1 },
      { '\u{10000}': 1, z: 2, a: 1 },
      [
        { op: 'add', path: '/a', value: 1 },
        { op: 'remove', path: '/b' },
        { op: 'replace', path: '/z', value: 2 },
        { op: 'remove', path: '/\uffff' },
        { op: 'add', path: '/\u{10000}', value: 1 },
      ],
    ],
    [
      'names with escapes',
      { '': 1, '/': { '~1': 1 }, 'a~/b': 1 },
      { '': 2, '/': { '~1': 2 } },
      [
        { op: 'replace', path: '/', value: 2 },
        { op: 'replace', path: '/~1/~01', value: 2 },
        { op: 'remove', path: '/a~0~1b' },
      ],
    ],
    ['an element in front', [1, 2], [0, 1, 2], [{ op: 'add', path: '/0', value: 0 }]],
    ['an element at the end, by its index', [1, 2], [1, 2, 3], [{ op: 'add', path: '/2', value: 3 }]],
    [
      'elements that go, each at the place where the last one stood',
      [1, 2, 3, 4],
      [1, 4],
      [
        { op: 'remove', path: '/1' },
        { op: 'remove', path: '/1' },
      ],
    ],
    [
      'the inside of an element that went while another came',
      [1, { id: 1, text: 'a' }, 2],
      [1, { id: 1, text: 'b' }, 2],
      [{ op: 'replace', path: '/1/text', value: 'b' }],
    ],
    [
      'later places as they are after earlier operations',
      ['x', 'a', 'b', { k: 1 }],
      ['a', 'n', 'm', 'b', { k: 2 }],
      [
        { op: 'remove', path: '/0' },
        { op: 'add', path: '/1', value: 'n' },
        { op: 'add', path: '/2', value: 'm' },
        { op: 'replace', path: '/4/k', value: 2 },
      ],
    ],
  ]

  test.each(rows)('writes %s (RFC 6902)', (_, older, newer, patch) => {
    expect(diffJson(older, newer, new Search())).toEqual(patch)
    checkPatch(older, newer)
  })

  const hostile = HOSTILE.map((name) => [JSON.stringify(name), name] as const)

  test.each(hostile)('adds, changes and removes the name %s, and touches no prototype (RFC 6901)', (_, name) => {
    const own = (inner: JsonValue): JsonObject => Object.fromEntries([[name, inner]])
    for (const [older, newer] of [
      [{}, own(1)],
      [own(1), own([2])],
      [own({ a: 1 }), own({ a: 2 })],
      [own(own(1)), own(own(2))],
      [own(1), {}],
    ] as const) {
      expect(diffJson(older, newer, new Search())).toHaveLength(1)
      checkPatch(older, newer)
      checkPatch([older], [newer])
    }
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  it('gives operations that turn the older value into the newer, in order (RFC 6902)', () => {
    fc.assert(
      fc.property(fc.oneof(versions, fc.tuple(value, value)), fc.nat(10), ([older, newer], maxEdits) => {
        checkPatch(older, newer)
        checkPatch(older, newer, new Search(maxEdits))
        checkPatch(older, newer, new Search(maxEdits, maxEdits))
      }),
      { ...SEED, numRuns: 500 },
    )
  })

  it('is empty for equal values only', () => {
    fc.assert(
      fc.property(fc.oneof(versions, fc.tuple(value, value)), ([older, newer]) => {
        const isEqual = canonicalJson(older) === canonicalJson(newer)
        expect(diffJson(older, newer, new Search()).length === 0).toBe(isEqual)
      }),
      { ...SEED, numRuns: 200 },
    )
  })

  it('does not depend on the order in which names stand', () => {
    fc.assert(
      fc.property(versions, ([older, newer]) => {
        const patch = diffJson(older, newer, new Search())
        expect(diffJson(turnRound(older), turnRound(newer), new Search())).toEqual(patch)
        expect(diffJson(turnRound(older), newer, new Search())).toEqual(patch)
      }),
      SEED,
    )
  })

  it('gives deep-frozen operations and leaves the contents as they were', () => {
    const [older, newer] = [[{ a: 1 }], [{ a: { b: [1] } }, { c: [2] }]]
    const patch = diffJson(older, newer, new Search())
    expect(isDeepFrozen(patch)).toBe(true)
    expect(Object.isFrozen(newer[0]!.a)).toBe(false)
  })
})

describe('large values', () => {
  const rows = Array.from({ length: 10_000 }, (_, i): JsonObject => ({ id: i, text: `row ${i}`, tags: [i % 7, 'x'] }))
  const at = (index: number, fresh: JsonValue): JsonValue[] => rows.with(index, fresh as JsonObject)

  const edits: [name: string, newer: JsonValue, operations: number][] = [
    ['an insertion in the middle', rows.toSpliced(5000, 0, { id: -1 }), 1],
    ['an insertion in front', rows.toSpliced(0, 0, { id: -1 }), 1],
    ['an insertion at the end', [...rows, { id: -1 }], 1],
    ['a removal', rows.toSpliced(1234, 1), 1],
    ['a change deep inside', at(42, { id: 42, text: 'row 42', tags: [0, 'y'] }), 1],
    ['a hundred removals', rows.filter((_, i) => i % 100 !== 50), 100],
    ['a hundred changes', rows.map((row, i) => (i % 100 === 50 ? { ...row, text: 'new' } : row)), 100],
    [
      'insertions, removals and changes',
      rows.flatMap((row, i) => {
        const kinds = [[row, { id: -i }], [], [{ ...row, text: 'new' }]]
        return i % 500 === 250 ? kinds[(i / 250) % 3]! : [row]
      }),
      20,
    ],
    ['equal elements', Array.from({ length: 10_000 }, () => rows[0]!), 10_000],
    ['another order', rows.toReversed(), 19_000],
  ]

  test.each(edits)(
    'describes %s among ten thousand elements in few operations and steps (D39)',
    (_, newer, operations) => {
      const search = new Search()
      const patch = diffJson(rows, newer, search)
      expect(patch.length).toBeLessThanOrEqual(operations * 3)
      if (operations <= 100) expect(patch).toHaveLength(operations)
      expect(search.steps).toBeLessThan(2 ** 23)
      checkPatch(rows, newer)
    },
  )

  it('takes no more steps for many arrays than for one (D39)', () => {
    const arrays = Array.from({ length: 20 }, (_, i) => Array.from({ length: 500 }, (_, j) => (j * (2 * i + 7)) % 499))
    const search = new Search(undefined, 2 ** 17)
    const newer = arrays.map((each) => each.toReversed())
    checkPatch(arrays, newer, search)
    expect(search.truncated).toBe(true)
    expect(search.steps).toBeLessThan(2 ** 17 + 501)
  })

  it('reads every part a few times, however deep it lies', () => {
    let reads = 0
    const deep = (leaf: number): JsonValue => {
      let inner: JsonValue = leaf
      for (let i = 0; i < 100; i++) {
        const held = inner
        const outer = { pad: i }
        Object.defineProperty(outer, 'inner', { enumerable: true, get: () => (reads++, held) })
        inner = outer
      }
      return inner
    }
    expect(diffJson(deep(1), deep(2), new Search())).toHaveLength(1)
    // Once to number a part and once to go down into it, on both sides.
    expect(reads).toBe(400)
  })

  it('replaces the whole value where the paths alone would fill memory, and says so', () => {
    const name = 'n'.repeat(1000)
    const older = { [name]: Array.from({ length: 500 }, (_, i) => i) }
    const newer = { [name]: Array.from({ length: 500 }, (_, i) => -i) }
    const search = new Search()
    expect(diffJson(older, newer, search, 100_000)).toEqual([{ op: 'replace', path: '', value: newer }])
    expect(search.truncated).toBe(true)
    expect(diffJson(older, newer, new Search(), 600_000)).toHaveLength(499)
  })
})

function checkPatch(older: JsonValue, newer: JsonValue, search: Search = new Search()): readonly PatchOperation[] {
  const patch = diffJson(older, newer, search)
  const expected = canonicalJson(newer)
  expect(canonicalJson(applyStrictly(patch, older))).toBe(expected)
  const text = canonicalJson([older, newer])
  if (text.includes('"__proto__"') || canonicalJson(JSON.parse(text)) !== text) return patch
  const validate = patch.length < 100 // it then copies the document for each operation
  const applied = fastJsonPatch.applyPatch(structuredClone(older), structuredClone(patch), validate).newDocument
  expect(canonicalJson(applied)).toBe(expected)
  return patch
}

/** RFC 6902 to the letter: what is removed or replaced is there, and an index has no sign, leading zero or gap. */
function applyStrictly(patch: readonly PatchOperation[], document: JsonValue): unknown {
  const root: { value: unknown } = { value: toBare(document) }
  for (const operation of patch) {
    check(/^(\/([^~/]|~[01])*)*$/.test(operation.path), operation.path)
    const steps = ['value', ...operation.path.split('/').slice(1).map(unescapeName)]
    const last = steps.pop()!
    let target: unknown = root
    for (const step of steps) {
      checkStep(target, step)
      target = (target as Record<string, unknown>)[step]
    }
    if (operation.op !== 'add') checkStep(target, last)
    if (Array.isArray(target)) {
      check(INDEX.test(last) && Number(last) <= target.length, operation.path)
      const fresh = operation.op === 'remove' ? [] : [toBare(operation.value)]
      target.splice(Number(last), operation.op === 'add' ? 0 : 1, ...fresh)
    } else if (operation.op === 'remove') delete (target as Record<string, unknown>)[last]
    else (target as Record<string, unknown>)[last] = toBare(operation.value)
  }
  return root.value
}

const INDEX = /^(0|[1-9]\d*)$/

function checkStep(target: unknown, step: string): void {
  check(typeof target === 'object' && target !== null && Object.hasOwn(target, step), step)
  check(!Array.isArray(target) || INDEX.test(step), step)
}

/** Without expect, which is slow where a patch has ten thousands of operations. */
function check(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`The patch does not apply: ${what}`)
}

function unescapeName(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A copy whose objects have no prototype, so that __proto__ is a name like any other. */
function toBare(each: JsonValue): unknown {
  if (typeof each !== 'object' || each === null) return each
  if (Array.isArray(each)) return each.map(toBare)
  const bare: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of Object.entries(each)) bare[name] = toBare(inner)
  return bare
}

/** Follows the numbers down into a value as far as there is one, and changes what is there. */
function editAt(each: JsonValue, way: readonly number[], fresh: JsonValue): JsonValue {
  const [step = 0, ...rest] = way
  if (Array.isArray(each)) {
    const items: readonly JsonValue[] = each
    const index = step % (items.length + 1)
    if (rest.length === 0 || index === items.length) return items.toSpliced(index, step % 2, fresh)
    if (step === 9) return items.toSpliced(index, 1)
    return items.with(index, editAt(items[index]!, rest, fresh))
  }
  if (typeof each !== 'object' || each === null) return fresh
  const entries = Object.entries(each)
  const index = step % (entries.length + 1)
  const [name, inner] = entries[index] ?? [HOSTILE[step]!, null]
  if (step === 9) return Object.fromEntries(entries.toSpliced(index, 1))
  return Object.fromEntries([...entries.toSpliced(index, 1), [name, editAt(inner, rest, fresh)]])
}

function turnRound(each: JsonValue): JsonValue {
  if (typeof each !== 'object' || each === null) return each
  if (Array.isArray(each)) return each.map(turnRound)
  return Object.fromEntries(
    Object.entries(each)
      .map(([name, inner]) => [name, turnRound(inner)] as const)
      .toReversed(),
  )
}

function isDeepFrozen(each: unknown): boolean {
  return typeof each !== 'object' || each === null || (Object.isFrozen(each) && Object.values(each).every(isDeepFrozen))
}
