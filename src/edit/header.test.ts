// The headers that adding calls take and refuse. A refusal names its header and leaves no trace: the working state keeps its
// bytes, and no id, index or clock reading is used up (D37).

import fs from 'node:fs'

import { describe, expect, it, test } from 'vitest'

import {
  createContext,
  importSnapshot,
  PactError,
  type AddHeader,
  type Context,
  type Dialect,
  type Node,
  type NodeSpec,
  type RoleHeader,
} from '../index.js'

type Call = 'user' | 'assistant' | 'tool' | 'add' | 'pre' | 'post' | 'system'
type Input = Readonly<{ call: Call; content?: unknown; header?: unknown; dialect?: Dialect; why: string }>
type BadRow = Input & Readonly<{ code: string; name: string; path?: string }>
type GoodRow = Input & Readonly<{ shows: Readonly<Record<string, unknown>>; lacks?: readonly string[] }>

const cases = JSON.parse(fs.readFileSync(new URL('header.cases.json', import.meta.url), 'utf8')) as Readonly<{
  bad: readonly BadRow[]
  good: readonly GoodRow[]
}>

describe('a header that is refused', () => {
  test.each(cases.bad.map((row) => [row.call, row.header, row.code, row.why, row] as const))(
    '%s with %j is %s: %s',
    (_call, _header, _code, _why, row) => checkRefused(row),
  )

  const sparse = Array<string>(2).fill('b', 1)
  const unusual: readonly BadRow[] = [
    ...[-Infinity, Number.NaN, 5n, () => 1].flatMap((value): BadRow[] => [
      { call: 'add', header: { offset: value }, code: 'E_PLACEMENT_INVALID', name: 'offset', why: 'an integer' },
      { call: 'user', header: { ttl: value }, code: 'E_TTL_INVALID', name: 'ttl', why: 'an integer (D24)' },
      { call: 'user', header: { priority: value }, code: 'E_CONTENT_INVALID', name: 'priority', why: 'an integer' },
    ]),
    { call: 'pre', header: { offset: -0 }, code: 'E_PLACEMENT_INVALID', name: 'offset', why: '-0 is 0 (D19)' },
    { call: 'user', header: { key: Symbol('k') }, code: 'E_CONTENT_INVALID', name: 'key', why: 'text' },
    { call: 'user', header: { key: Object('k') }, code: 'E_CONTENT_INVALID', name: 'key', why: 'text, not a box' },
    { call: 'user', header: { tags: new Set(['a']) }, code: 'E_CONTENT_INVALID', name: 'tags', why: 'a list' },
    { call: 'user', header: { tags: sparse }, code: 'E_CONTENT_INVALID', name: 'tags', why: 'without holes (N9)' },
    { call: 'user', header: { refs: sparse }, code: 'E_CONTENT_INVALID', name: 'refs', why: 'without holes (N9)' },
    { call: 'add', header: { children: Array(1) }, code: 'E_CONTENT_INVALID', name: 'header', why: 'without holes' },
    { call: 'add', header: nested(125), code: 'E_PLACEMENT_INVALID', name: 'children', why: 'too deep sealed (N9)' },
    { call: 'system', header: nested(127), code: 'E_PLACEMENT_INVALID', name: 'children', why: 'too deep (D33)' },
  ]
  test.each(unusual.map((row) => [row.call, row.name, row.code, row.why, row] as const))(
    '%s: a %s that no JSON could give is %s: %s',
    (_call, _name, _code, _why, row) => checkRefused({ content: 'x', ...row }),
  )

  const circular: Record<string, unknown> = {}
  circular['a'] = circular
  const values: readonly (readonly [what: string, value: unknown, path: string])[] = [
    ['a function', () => 1, ''],
    ['a symbol', Symbol('s'), ''],
    ['NaN', Number.NaN, ''],
    ['an infinity inside', { a: [1, { b: -Infinity }] }, 'a[1].b'],
    ['a Date', new Date(0), ''],
    ['a Map inside', [0, { when: new Map() }], '[1].when'],
    ['an instance of a class', { it: new URL('pact:x') }, 'it'],
    ['undefined in a list', ['a', undefined], '[1]'],
    ['a hole in a list', { list: sparse }, 'list[0]'],
    ['a circle', circular, Array.from({ length: 128 }, () => 'a').join('.')],
    ['129 levels', levels(129), '[0]'.repeat(128)],
    ['4,301 digits', { n: 10n ** 4300n }, 'n'],
    ['an odd name', { 'a b': Number.NaN }, '["a b"]'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no')
        },
      },
      'a',
    ],
  ]
  test.each(values)('content that is no JSON is E_CONTENT_INVALID with its path: %s (N8)', (_what, value, path) => {
    const refused = { code: 'E_CONTENT_INVALID', path, why: 'no JSON' }
    checkRefused({ call: 'user', content: value, ...refused, name: 'content' })
    checkRefused({ call: 'system', content: 'x', header: { data_x: value }, ...refused, name: 'data_x' })
    checkRefused({ call: 'post', content: 'x', header: { provenance: value }, ...refused, name: 'provenance' })
    const children = [{ content: 'ok' }, { children: [{ content: value }] }]
    checkRefused({ call: 'add', header: { children }, ...refused, name: 'content' })
  })

  const filled: readonly (readonly [call: Call, header: object])[] = [
    ['post', { offset: Number.MAX_SAFE_INTEGER }],
    ['user', { offset: Number.MAX_SAFE_INTEGER }],
    ['system', { offset: Number.MAX_SAFE_INTEGER }],
  ]
  test.each(filled)('%s has no default offset after %j, the last one there is (D17, D19)', (call, header) => {
    const ctx = newContext('1.0')
    run(ctx, { call, content: 'last', header })
    const before = exportText(ctx)
    expect(refusalOf(() => run(ctx, { call, content: 'one more' }))?.code).toBe('E_PLACEMENT_INVALID')
    expect(exportText(ctx)).toBe(before)
  })
})

describe('a header that is taken', () => {
  test.each(cases.good.map((row) => [row.call, row.header, row.why, row] as const))(
    '%s with %j: %s',
    (_call, _header, _why, row) => {
      const ctx = newContext(row.dialect)
      const { id } = run(ctx, row)
      for (const node of [ctx.node(id)!, JSON.parse(exportText(ctx)).root as object]) {
        const shown = 'toJSON' in node ? (node as Node).toJSON() : findJson(node, id)!
        expect(Object.fromEntries(Object.keys(row.shows).map((name) => [name, shown[name]]))).toEqual(row.shows)
        expect((row.lacks ?? []).filter((name) => Object.hasOwn(shown, name))).toEqual([])
      }
    },
  )

  it('holds -0 as 0', () => {
    const node = newContext('1.0').add('x', { offset: -0, ttl: -0, priority: -0 })
    expect([node.offset, node.ttl, node.priority]).toEqual([0, 0, 0])
  })

  it('holds integers beyond 2^53 as they are, in content and attributes (D33)', () => {
    const ctx = newContext('1.0')
    const node = ctx.user({ n: 2n ** 64n }, { data_n: -(2n ** 64n) })
    expect([node.content, node.attributes['data_n']]).toEqual([{ n: 2n ** 64n }, -(2n ** 64n)])
    expect(exportText(ctx)).toContain('"content":{"n":18446744073709551616}')
  })

  it('gives __proto__ in content no power (RELIABILITY)', () => {
    const ctx = newContext('1.0')
    const content = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object
    const node = ctx.user(content, { 'ex:__proto__': content })
    expect(JSON.stringify(node.content)).toBe(JSON.stringify(content))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(node.content)).toBe(Object.prototype)
  })

  it('is copied: what the caller does with its objects later changes nothing', () => {
    const ctx = newContext('1.0')
    const [content, tags, data] = [{ list: [1] }, ['a'], { deep: ['b'] }]
    const node = ctx.user(content, { tags, data_x: data })
    const before = exportText(ctx)
    content.list.push(2)
    tags.push('c')
    data.deep.push('d')
    expect(exportText(ctx)).toBe(before)
    expect([node.content, node.tags, node.attributes['data_x']].every((each) => Object.isFrozen(each))).toBe(true)
  })

  it('is read by its own names only; undefined is absent (N8)', () => {
    const ctx = newContext('1.0')
    const inherited = Object.create({ ttl: -1, colour: 'red' }) as RoleHeader
    expect(ctx.user('x', inherited).ttl).toBe(null)
    expect(ctx.user('x', { ttl: undefined, key: undefined, data_x: undefined, tags: undefined }).tags).toEqual([])
    expect(Object.keys(ctx.user('x', { data_x: undefined }).attributes)).toEqual([])
  })

  it('may nest as deep as the tree may once it is sealed, and comes back from an export (D33, N9)', () => {
    const ctx = newContext('1.0')
    ctx.add(undefined, nested(124))
    ctx.add(undefined, { zone: 'pre', ...nested(125) })
    ctx.system.add(undefined, nested(126))
    ctx.commit()
    const bytes = ctx.export()
    expect(text(importSnapshot(bytes).export())).toBe(text(bytes))
  })

  it('comes back from an export, whatever the call (N9)', () => {
    const ctx = newContext('1.0')
    for (const row of cases.good) if (row.dialect === undefined) run(ctx, row)
    ctx.commit()
    const bytes = ctx.export()
    expect(text(importSnapshot(bytes).export())).toBe(text(bytes))
  })
})

test.each([
  ['tll', '"tll" is no header; did you mean "ttl"?'],
  ['Priority', '"Priority" is no header; did you mean "priority"?'],
  ['tag', '"tag" is no header; did you mean "tags"?'],
  ['flavour', '"flavour" is no header; custom attributes are called data_…, content_… or namespace:name.'],
  ['zone', '"zone" is no header; pre(), post(), add(), set(), put() and insert() choose the zone.'],
])('a header called %s leads to the right name', (name, message) => {
  const error = refusalOf(() => newContext().user('x', { [name]: 2 }))
  expect(error?.message).toBe(message)
})

/** Refused with this code and these details, and as if it had never been asked. */
function checkRefused(row: BadRow): void {
  const [ctx, untouched] = [newContext(row.dialect), newContext(row.dialect)]
  const before = exportText(ctx)
  const error = refusalOf(() => run(ctx, row))
  expect(error && { code: error.code, details: error.details }).toEqual({
    code: row.code,
    details: row.path === undefined ? expect.objectContaining({ name: row.name }) : { name: row.name, path: row.path },
  })
  expect(exportText(ctx)).toBe(before)
  for (const each of [ctx, untouched]) {
    each.user('next')
    each.post('and on')
    each.commit()
  }
  expect(text(ctx.export())).toBe(text(untouched.export()))
}

/** With something in every zone, and a clock that shows if it was asked. */
function newContext(dialect: Dialect = '1.0'): Context {
  let now = 0n
  const ctx = createContext({ dialect, clock: () => (now += 10n) })
  ctx.pre('before')
  ctx.commit()
  return ctx
}

function run(ctx: Context, { call, content, header }: Omit<Input, 'why'>): Node {
  const [value, given] = [content as string, header as AddHeader | undefined]
  return call === 'system' ? ctx.system.add(value, given) : ctx[call](value, given)
}

function refusalOf(refused: () => unknown): PactError | undefined {
  try {
    refused()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  return undefined
}

/** A container with `count - 1` others inside, each in the one before. */
function nested(count: number): { children: NodeSpec[] } {
  return count === 1 ? { children: [] } : { children: [nested(count - 1)] }
}

function levels(count: number): unknown {
  return count === 0 ? 0 : [levels(count - 1)]
}

function findJson(node: object, id: string): Record<string, unknown> | undefined {
  const { id: own, children } = node as { id: string; children?: object[] }
  if (own === id) return node as Record<string, unknown>
  for (const child of children ?? []) {
    const found = findJson(child, id)
    if (found) return found
  }
  return undefined
}

function exportText(ctx: Context): string {
  return text(ctx.export('working'))
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
