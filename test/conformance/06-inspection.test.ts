// Chapter 06, inspection: what every node shows of itself, and that nothing it shows moves it but the four order keys.

import fc from 'fast-check'
import { compareSiblings, createContext, importSnapshot, type Context, type Node } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, byCodePoint, DIALECTS, idsOf, isContainer, START_NS, textOf, walk } from '../support/context.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261115)

describe.each(DIALECTS)('metadata, %s', (dialect) => {
  test('shows every mandatory field on a node and in its JSON form (06 §2.1)', () => {
    const ctx = createContext({ dialect, clock: clockOf(1_000_000_007n) })
    ctx.system.add('S')
    ctx.commit()
    ctx.pre('before', { ttl: 4, priority: 7 })
    const user = ctx.user('hello', { ttl: 2, priority: -3 })
    ctx.add(undefined, { zone: 'post', children: [{ content: { in: 'a box' }, offset: 12 }] })
    ctx.commit()
    ctx.user('open', { ttl: 0 })

    expect(user).toMatchObject({ offset: 0, ttl: 2, priority: -3, cycle: 2, content: 'hello', role: 'user' })
    let seen = 0
    for (const lens of ['working', 'preview', '@t0', '@t-1'] as const) {
      const snapshot = ctx.snapshot(lens)
      const json = JSON.parse(JSON.stringify(snapshot)) as { root: Record<string, unknown> }
      const forms = walkJson(json.root)
      const nodes = walk(snapshot.root)
      expect(forms.map((form) => form['id'])).toEqual(idsOf(nodes))
      for (const [at, node] of nodes.entries()) {
        checkFields(node)
        const alone = JSON.parse(JSON.stringify(node)) as Record<string, unknown>
        for (const form of [forms[at]!, alone]) {
          expect(Object.fromEntries(MANDATORY.map((name) => [name, form[name]]))).toEqual({
            id: node.id,
            nodeType: node.nodeType,
            offset: node.offset,
            ttl: node.ttl,
            priority: node.priority,
            cycle: node.cycle,
            created_at_ns: Number(node.createdAtNs),
            created_at_iso: node.createdAtIso,
            creation_index: node.creationIndex,
          })
        }
        seen++
      }
    }
    expect(seen).toBeGreaterThan(20)

    const sys = ctx.snapshot('working').root.children[0]!.children[0]!
    expect([sys.createdAtNs, sys.createdAtIso]).toEqual([START_NS, '2023-11-14T22:13:20.000000000Z'])
    const [last] = ctx.snapshot('working').root.children[2]!.children[0]!.children
    expect(last!.createdAtNs % 1_000_000_007n, 'a reading of the clock').toBe(START_NS % 1_000_000_007n)
    expect(last!.createdAtIso).toMatch(/^2023-11-14T22:13:\d\d\.\d{9}Z$/)
    const fraction = String(last!.createdAtNs % 1_000_000_000n).padStart(9, '0')
    expect(last!.createdAtIso.slice(20, 29)).toBe(fraction)
  })

  test('lets no header beyond offset, time, index and id move a sibling, unknown ones included (06 §2.4)', () => {
    fc.assert(
      fc.property(fc.array(keys, { minLength: 2, maxLength: 12 }), fc.gen(), (order, gen) => {
        const siblings = order.map((key, at) => ({ ...key, id: `${key.id}/${at % 3}/${at}` }))
        const expected = idsOf(siblings.toSorted(bySiblingOrder))
        // The same keys with other headers each time, printed in another order: always the same siblings.
        for (let round = 0; round < 3; round++) {
          const printed = gen(fc.shuffledSubarray, siblings, { minLength: siblings.length })
          const children = printed.map((key) => ({ ...gen(headersFor, dialect), ...key }))
          const ctx = importBox(children, dialect)
          const box = ctx.node('box')!
          expect(idsOf(box.children)).toEqual(expected)
          expect(idsOf(box.children.toSorted(compareSiblings))).toEqual(expected)
          expect(idsOf((JSON.parse(textOf(ctx.export())) as Tree).root.children[2]!.children[0]!.children)).toEqual(
            expected,
          )
          const rendered = box.children.filter((child) => !isContainer(child) || child.content !== undefined)
          expect(idsOf(ctx.thread())).toEqual(idsOf(rendered))
          // Ageing, sealing and a second import change ttl and place, and no order.
          ctx.commit()
          expect(idsOf(ctx.node('box')!.children)).toEqual(expected)
        }
      }),
      { numRuns: 60, seed: SEED },
    )

    // The same for nodes that a context makes itself: headers that would sort the other way round.
    const ctx = createContext({ dialect, clock: clockOf() })
    const made = Array.from({ length: 8 }, (_, at) =>
      ctx.pre(String.fromCharCode(122 - at), {
        priority: -at,
        ttl: at === 0 ? null : 20 - at,
        role: `role ${9 - at}`,
        kind: `kind ${9 - at}`,
        key: `key ${9 - at}`,
        tags: [`tag ${9 - at}`],
        nodeType: `cb:${String.fromCharCode(122 - at)}`,
        pinned: at % 2 === 0,
        data_rank: 9 - at,
        'acme:offset': -at,
      }),
    )
    expect(made.map((node) => node.offset)).toEqual(made.map(() => -1))
    for (let cycle = 1; cycle <= 3; cycle++) {
      expect(ctx.thread().map((item) => item.id)).toEqual(idsOf(made))
      ctx.commit()
    }
  })
})

const MANDATORY = [
  'id',
  'nodeType',
  'offset',
  'ttl',
  'priority',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
] as const

function checkFields(node: Node): void {
  expect(node.id).toMatch(/./)
  expect(node.nodeType).toMatch(/./)
  expect(Number.isSafeInteger(node.offset)).toBe(true)
  expect(node.ttl === null || (Number.isSafeInteger(node.ttl) && node.ttl >= 0)).toBe(true)
  expect(Number.isSafeInteger(node.priority)).toBe(true)
  expect(Number.isSafeInteger(node.cycle)).toBe(true)
  expect(typeof node.createdAtNs).toBe('bigint')
  expect(node.createdAtIso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  expect(Number.isSafeInteger(node.creationIndex)).toBe(true)
}

function walkJson(form: Record<string, unknown>): Record<string, unknown>[] {
  const children = (form['children'] ?? []) as Record<string, unknown>[]
  return [form, ...children.flatMap(walkJson)]
}

// ---- Siblings that tie often

type Key = Readonly<{ id: string; offset: number; created_at_ns: number; creation_index: number }>
type Tree = Readonly<{ root: { children: { children: { children: { id: string }[] }[] }[] } }>

const keys: fc.Arbitrary<Key> = fc.record({
  id: fc.constantFrom('a', 'B', 'b', '\u00e9', '\uffff', '\ud83d\ude00', '10', '9'),
  offset: fc.integer({ min: -2, max: 2 }),
  created_at_ns: fc.constantFrom(0, 5, 1000),
  creation_index: fc.integer({ min: 0, max: 2 }),
})

/** The order of 02 §4.3, written a second time. */
function bySiblingOrder(a: Key, b: Key): number {
  return (
    a.offset - b.offset ||
    a.created_at_ns - b.created_at_ns ||
    a.creation_index - b.creation_index ||
    byCodePoint(a.id, b.id)
  )
}

/** Every header that has no say in the order. */
function headersFor(dialect: string): fc.Arbitrary<Record<string, unknown>> {
  const word = fc.constantFrom('', 'a', 'b', 'zz', '0', '-1')
  const types = [
    'cb',
    'block',
    'cb:z',
    'block:a',
    'custom:note',
    'mc',
    'cont:x',
    ...(dialect === '1.0' ? ['note'] : []),
  ]
  return fc.record(
    {
      nodeType: fc.constantFrom(...types),
      ttl: fc.constantFrom(null, 2, 5, 9),
      priority: fc.integer({ min: -9, max: 9 }),
      cycle: fc.integer({ min: 0, max: 9 }),
      created_at_iso: fc.constantFrom('1999-01-01T00:00:00.000000000Z', '2040-01-01T00:00:00.000000000Z'),
      role: word,
      kind: word,
      key: word,
      tags: fc.array(word, { maxLength: 2 }),
      content: fc.oneof(word, fc.integer()),
      content_hash: fc.constantFrom('0'.repeat(64), 'f'.repeat(64)),
      refs: fc.array(word, { maxLength: 1 }),
      pinned: fc.boolean(),
      provenance: word,
      data_rank: fc.integer(),
      content_rank: fc.integer(),
      'acme:offset': fc.integer(),
      offset_hint: fc.integer(),
      order: fc.integer(),
      index: fc.integer(),
      position: fc.integer(),
      createdAtNs: fc.integer(),
      depth: fc.integer(),
    },
    { requiredKeys: [] },
  )
}

function importBox(children: readonly object[], dialect: '0.1' | '1.0'): Context {
  return importSnapshot(
    {
      root: {
        children: [
          { id: 'sys', nodeType: '^sys', children: [] },
          { id: 'seq', nodeType: '^seq', children: [] },
          { id: 'ah', nodeType: '^ah', children: [{ id: 'box', offset: -1, children }] },
        ],
      },
    },
    { dialect, clock: clockOf() },
  )
}
