// Lists in tests (`in […]`, `=[…]`, `!=[…]`): sets of literals, exactly as one `=` after another compares (D21). The naive
// evaluator, which shares no code with the engine, goes through each list.

import fc from 'fast-check'
import { createContext, type Context, type Dialect } from 'pact-context'
import { describe, expect, test } from 'vitest'

import type { NodeRecord } from '../../src/core/index.js'
import type { FieldTest, Literal } from '../../src/selector/ast.js'
import { compileSelector } from '../../src/query/plan/compile.js'
import { readSelector } from '../../src/selector/parse/selector.js'
import { compileField } from '../../src/query/plan/field-test.js'
import type { View } from '../../src/timeline/index.js'
import { readDocument } from '../oracle/diff.js'
import { oracleSelect, type OracleWorld } from '../oracle/selector.js'
import { clockOf, DIALECTS, textOf } from '../support/context.js'
import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)
const RUNS = runs(1000)

const VALUES = [
  5,
  5.5,
  0.1,
  0,
  -5,
  1,
  2 ** 53,
  2 ** 60,
  1e300,
  9_007_199_254_740_993n,
  2n ** 70n,
  '5',
  '5.0',
  '0.1',
  'true',
  'null',
  '',
  'x',
  '9007199254740993',
  true,
  false,
  null,
  [],
  ['x', 5],
  { x: 5 },
]

/** Members of a list, as they are written: one number in several forms, numbers next to it, texts that look like others. */
const LITERALS = [
  '5',
  '5.0',
  "'5'",
  "'5.0'",
  '-5',
  '5.5',
  '5.50',
  "'5.5'",
  '0.1',
  '0.10',
  '0.10000000000000000001',
  '0',
  '-0',
  '1.00000000000000000001',
  '1',
  '9007199254740992',
  '9007199254740993',
  "'9007199254740993'",
  '1152921504606846976',
  '1180591620717411303424',
  '1700000000000000003',
  '2',
  '3',
  '4',
  'true',
  "'true'",
  'false',
  'null',
  'None',
  "'null'",
  "''",
  'x',
  "'x'",
  "'y'",
  'user',
  'assistant',
  'text',
  'block',
  'cb',
  "'block:note'",
  "'cb:note'",
  'note',
  'log',
  "'log.entry'",
  'entry',
  'seg',
  'mt',
  'cont',
  "'^ah'",
]

const NAMES = [
  'data_v',
  'data_v',
  'data_v',
  'data_v',
  'content',
  'content',
  'nodeType',
  'nodeType',
  'type',
  'tag',
  'tags',
  'key',
  'role',
  'kind',
  'priority',
  'offset',
  'cycle',
  'created_at_ns',
  'creation_index',
  'ttl',
  'cad',
  'pinned',
  'id',
]

describe.each(DIALECTS)('a list of mixed literals, %s', (dialect) => {
  test('means what one test after another means, for every attribute (D21)', () => {
    const ctx = mixed(dialect)
    const world = worldOf(ctx)
    const ids = ctx.snapshot('@t0').select('*')
    const literals = fc.constantFrom(...LITERALS, ...ids.slice(0, 6).map((id) => `'${id}'`))
    const lists = fc.array(literals, { minLength: 1, maxLength: 7 }).map((items) => `[${items.join(', ')}]`)
    const tests = fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom(' in ', '=', '!='), lists)
      .map((parts) => parts.join(''))
    const counts = { some: 0, none: 0 }
    fc.assert(
      fc.property(tests, (each) => {
        const text = `@t0 [${each}]`
        const expected = oracleSelect(world, text)
        expect(ctx.select(text), text).toEqual(expected)
        if (expected.length > 0) counts.some++
        else counts.none++
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: process.env['PACT_SHRINK'] === undefined },
    )
    expect(counts.some).toBeGreaterThan(RUNS / 4)
    expect(counts.none).toBeGreaterThan(RUNS / 20)
  })
})

describe('a list of a thousand items', () => {
  const items = (texts: readonly string[]): Literal => {
    const span = { start: 0, end: 0 }
    return { kind: 'list', items: texts.map((text) => ({ kind: 'string', text, span })), span }
  }
  const many = Array.from({ length: 1000 }, (_, i) => `item${i}`)

  test.each([
    ['data_v', 'in', { attributes: new Map([['data_v', 'no']]) }],
    ['data_v', '!=', { attributes: new Map([['data_v', 'no']]) }],
    ['key', '=', { key: 'no' }],
    ['id', '!=', undefined],
    ['role', 'in', undefined],
  ] as const)('reads [%s %s …] of a node once', (name, op, rare) => {
    const probe = probeOf({ id: 'no', role: 'no', rare })
    const holds = compileField({ name, op, value: items(many), span: { start: 0, end: 0 } } satisfies FieldTest)
    expect(holds(probe.record, {} as View, undefined)).toBe(op === '!=')
    expect(probe.reads()).toBeLessThanOrEqual(2)
  })

  test.each(['tag', 'tags'])('looks at each %s once', (name) => {
    let looks = 0
    const tags = new Proxy(['a', 'b', 'c'], {
      get: (list, property, receiver): unknown => {
        if (typeof property === 'string' && /^\d+$/.test(property)) looks++
        return Reflect.get(list, property, receiver)
      },
    })
    const holds = compileField({ name, op: 'in', value: items(many), span: { start: 0, end: 0 } })
    expect(holds(probeOf({ tags }).record, {} as View, undefined)).toBe(false)
    expect(looks).toBe(3)
  })

  test.each(['in', '=', '!='])('reads [nodeType %s …] of a node a few times', (op) => {
    const list = many.map((name, i) => (i % 2 === 0 ? name : `'x:${name}'`)).join(', ')
    const plan = compileSelector(readSelector(`[nodeType ${op} [${list}]]`, { dialect: '1.0', bound: false }))
    const [only] = plan.choices[0]!.groups[0]!.steps[0]!.tests
    const probe = probeOf({ nodeType: 'block:no', nodeClass: 'block' })
    expect(only!.test(probe.record, {} as View, undefined)).toBe(op === '!=')
    expect(probe.reads()).toBeLessThanOrEqual(4)
  })
})

/** A record that counts how often it is read. */
function probeOf(fields: object): Readonly<{ record: NodeRecord; reads: () => number }> {
  let reads = 0
  const record = new Proxy(fields, {
    get: (target, property, receiver): unknown => {
      reads++
      return Reflect.get(target, property, receiver)
    },
  })
  return { record: record as NodeRecord, reads: () => reads }
}

/** A node for each value, as an attribute and as content, with different headers. */
function mixed(dialect: Dialect): Context {
  const ctx = createContext({ dialect, clock: clockOf() })
  for (const [i, value] of VALUES.entries()) {
    const header = {
      data_v: value,
      ...(i % 2 === 0 ? { key: ['x', '5', 'y'][i % 3] } : {}),
      ...(i % 3 === 0 ? { tags: [['x'], ['5', 'y'], ['true']][i % 9 === 0 ? 0 : i % 2 === 0 ? 1 : 2] } : {}),
      ...(i % 4 === 1 ? { type: ['note', 'log.entry'][i % 8 === 1 ? 0 : 1] } : {}),
      ...(i % 5 === 0 ? { nodeType: ['block:note', 'cb:note', 'block:log.entry'][i % 3] } : {}),
      ...(i % 6 === 0 ? { kind: 'text', ttl: 5 } : {}),
      ...(i % 7 === 0 ? { pinned: i % 2 === 0 } : {}),
      priority: [0, 5, -5, 1][i % 4],
    }
    ctx.add({ content: value, ...header })
    if (i % 8 === 7) ctx.commit()
  }
  ctx.commit()
  return ctx
}

function worldOf(ctx: Context): OracleWorld {
  const snapshots = ctx.snapshots().map(({ cycle }) => {
    return { cycle, tree: readDocument(textOf(ctx.export(`@c${cycle}`))).root }
  })
  return { dialect: ctx.dialect, snapshots, working: snapshots.at(-1)!.tree }
}
