// Import (D4) by rows, as text, as bytes and as an object: what is refused and where in the file, and what odd but good
// documents become. Whatever is taken comes back from its export byte for byte (D35).

import fs from 'node:fs'

import { describe, expect, it, test } from 'vitest'

import { importSnapshot, PactError, type Context, type Dialect, type Node } from '../index.js'

type Source = Readonly<{ why: string; snapshot?: object; text?: string }>
type BadRow = Source & Readonly<{ path?: string; at?: Readonly<{ pos: number; line: number; column: number }> }>
type GoodRow = Source &
  Readonly<{
    cycle?: number
    dialect?: Dialect
    /** The ids of all nodes, in document order. */
    order?: readonly string[]
    nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    lacks?: Readonly<Record<string, readonly string[]>>
    exports?: readonly string[]
    warnings?: readonly object[]
    warned?: number
  }>

const cases = JSON.parse(fs.readFileSync(new URL('decode.cases.json', import.meta.url), 'utf8')) as Readonly<{
  bad: readonly BadRow[]
  good: readonly GoodRow[]
}>

describe('a document that is refused', () => {
  test.each(cases.bad.map((row) => [row.path ?? row.at, sourceText(row), row.why, row] as const))(
    'at %j: %s (%s)',
    (_place, text, _why, row) => {
      const details = row.at ?? { path: row.path }
      const inputs: unknown[] = row.snapshot === undefined ? [text] : [text, row.snapshot]
      for (const input of inputs) checkRefused(input, details)
      // A byte order mark is refused by byte, before there is a text with lines.
      checkRefused(new TextEncoder().encode(text), text.startsWith('\ufeff') ? { pos: 0 } : details)
    },
  )

  const bytes: readonly (readonly [why: string, bytes: readonly number[], pos: number])[] = [
    ['a byte that no UTF-8 has', [0x7b, 0xff], 1],
    ['a surrogate as three bytes', [0x22, 0xed, 0xa0, 0x80, 0x22], 2],
    ['an overlong slash', [0x22, 0xc0, 0xaf], 1],
    ['a character cut off', [0x22, 0xe2, 0x82], 3],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 0],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00], 0],
  ]
  test.each(bytes)('for its bytes: %s', (_why, list, pos) => {
    checkRefused(Uint8Array.from(list), { pos })
    checkRefused(Buffer.from(list), { pos })
  })

  it('where the tree is deeper than 128 nodes, as text and as an object (D33)', () => {
    // Root, region and segment are above; in the head, the segment and core to come count as well (N9).
    expect(refusalOf(underSegment(125))).toBeUndefined()
    const path = `root.children[0].children[0]${'.children[0]'.repeat(126)}`
    checkRefused(underSegment(126), { path })
    checkRefused(JSON.stringify(underSegment(126)), { path })
    checkRefused(underSegment(1000), { path })
    // Too many brackets are refused before their content is read.
    expect(refusalOf(JSON.stringify(underSegment(1000)))?.details).toHaveProperty('pos')
    expect(refusalOf('{"root":'.repeat(1_000_000))?.details).toMatchObject({ line: 1 })
  })

  it('where content is deeper than 128 levels (D33)', () => {
    const path = `root.children[0].children[0].content${'[0]'.repeat(128)}`
    checkRefused(inHead({ id: 'b', content: levels(129) }), { path })
    checkRefused(JSON.stringify(inHead({ id: 'b', content: levels(129) })), { path })
    expect(refusalOf(inHead({ id: 'b', content: levels(128) }))).toBeUndefined()
  })

  it('where an object holds itself', () => {
    const node: Record<string, unknown> = { id: 'c' }
    node['children'] = [node]
    checkRefused(inHead(node), { path: 'root.children[0].children[0].children[0].id' })
    const content: Record<string, unknown> = {}
    content['a'] = { b: content }
    checkRefused(inHead({ id: 'b', content }), { path: `root.children[0].children[0].content${'.a.b'.repeat(64)}` })
    const root: Record<string, unknown> = { id: 'r', nodeType: '^ah' }
    root['children'] = [root]
    checkRefused({ root }, { path: 'root.nodeType' })
  })

  const values: readonly (readonly [what: string, node: object, path: string])[] = [
    ['a function', { data_x: () => 1 }, '.data_x'],
    ['a Date', { content: { when: new Date(0) } }, '.content.when'],
    ['NaN', { provenance: [Number.NaN] }, '.provenance[0]'],
    ['undefined in a list', { content: [undefined] }, '.content[0]'],
    ['a bigint as an offset', { offset: 1n }, '.offset'],
    ['a text that is an object', { role: Object('user') }, '.role'],
    ['children that are no list', { children: new Set() }, '.children'],
    [
      'a getter that throws',
      {
        get role() {
          throw new Error('no')
        },
      },
      '.role',
    ],
    ['a hole among the children', { children: Array(1) }, '.children[0]'],
    ['a hole among the tags', { tags: Array(1) }, '.tags[0]'],
  ]
  test.each(values)('for what only an object can hold: %s', (_what, node, path) => {
    checkRefused(inHead(Object.defineProperties({ id: 'x' }, Object.getOwnPropertyDescriptors(node))), {
      path: `root.children[0].children[0]${path}`,
    })
  })
})

describe('an odd document that is taken', () => {
  test.each(cases.good.map((row) => [row.why, row] as const))('%s', (_why, row) => {
    const ctx = importSnapshot(sourceText(row))
    const snapshot = ctx.snapshot()
    if (row.cycle !== undefined) expect([snapshot.cycle, ctx.cycle]).toEqual([row.cycle, row.cycle + 1])
    if (row.dialect !== undefined) expect(ctx.dialect).toBe(row.dialect)
    if (row.order !== undefined) expect(idsIn(snapshot.root)).toEqual(row.order)
    if (row.warnings !== undefined) expect(ctx.warnings.map((warning) => warning.details)).toEqual(row.warnings)
    if (row.warned !== undefined) expect(ctx.warnings).toHaveLength(row.warned)
    for (const [id, shows] of Object.entries(row.nodes ?? {})) {
      const node = snapshot.node(id)!.toJSON()
      expect(Object.fromEntries(Object.keys(shows).map((name) => [name, node[name]]))).toEqual(shows)
    }
    for (const [id, names] of Object.entries(row.lacks ?? {})) {
      expect(Object.keys(snapshot.node(id)!.toJSON()).filter((name) => names.includes(name))).toEqual([])
    }
    const exported = textIn(ctx)
    for (const part of row.exports ?? []) expect(exported).toContain(part)
    expect(textIn(importSnapshot(exported))).toBe(exported)
    expect(textIn(importSnapshot(new TextEncoder().encode(sourceText(row))))).toBe(exported)
    if (row.snapshot !== undefined) expect(textIn(importSnapshot(deepFrozen(row.snapshot)))).toBe(exported)
  })

  it('gives its unknown names back with its own snapshot only (N10)', () => {
    const ctx = importSnapshot({ cycle: 4, note: 1, root: {} })
    ctx.commit()
    expect(textIn(ctx, '@c4')).toContain('"note":1')
    expect(textIn(ctx, '@t0')).not.toContain('note')
  })

  it('warns through onWarning what ctx.warnings lists (D4)', () => {
    const told: object[] = []
    const two = [1, 2].map((n) => ({ id: `c${n}`, nodeType: 'mc', children: [] }))
    const ctx = importSnapshot(inHead(...two), { onWarning: (warning) => told.push(warning) })
    expect(told).toHaveLength(1)
    expect(ctx.warnings).toEqual(told)
  })

  it('speaks the dialect it is told to, and says so in its export (D1)', () => {
    const ctx = importSnapshot({ spec_version: 'PACT/0.1.7', ...inHead({ id: 'b' }) }, { dialect: '1.0' })
    expect([ctx.dialect, ctx.node('b')?.nodeType]).toEqual(['1.0', 'block'])
    expect(textIn(ctx)).toContain('"spec_version":"PACT/1.0.0"')
    const same = importSnapshot({ spec_version: 'PACT/0.1.7', root: {} }, { dialect: '0.1' })
    expect(textIn(same)).toContain('"spec_version":"PACT/0.1.7"')
  })

  it('may be an object of any make: getters are read, what is inherited is not', () => {
    class Block {
      readonly id = 'b'
      readonly ttl: number
      constructor(ttl: number) {
        this.ttl = ttl
      }
      get role(): string {
        return 'inherited'
      }
    }
    const region = Object.assign(Object.create(null) as object, {
      id: 'ah',
      nodeType: '^ah',
      get children() {
        return [new Block(2), Object.create({ ttl: -1, id: 'no' }, { id: { value: 'own' } })]
      },
    })
    const ctx = importSnapshot({ root: { children: [region] } })
    expect(idsIn(ctx.snapshot().root)).toEqual(['root', 'sys', 'seq', 'ah', 'b', 'own'])
    expect([ctx.node('b')?.ttl, ctx.node('b')?.role, ctx.node('own')?.ttl]).toEqual([2, undefined, null])
  })

  it('has each of its headers read once: a getter cannot show a check one value and the record another', () => {
    const headers = { id: 'c', nodeType: 'cont', offset: 0, removable: undefined, key: 'k', data_x: 1, children: [] }
    const reads = new Map<string, number>()
    const core = {}
    for (const [name, value] of Object.entries(headers)) {
      const get = (): unknown => {
        reads.set(name, (reads.get(name) ?? 0) + 1)
        // A core cannot be removable, however late it says so.
        return name === 'removable' && reads.get(name)! > 1 ? true : value
      }
      Object.defineProperty(core, name, { get, enumerable: true })
    }
    const ctx = importSnapshot(inHead(core))
    expect(ctx.node('c')?.attributes).toEqual({ data_x: 1 })
    expect([...reads]).toEqual(Object.keys(headers).map((name) => [name, 1]))
  })

  it('is copied: what the caller does with its objects later changes nothing', () => {
    const node = { id: 'b', content: { list: [1] }, tags: ['a'], data_x: [{}] }
    const document = inHead(node)
    const ctx = importSnapshot(document)
    const before = textIn(ctx)
    node.content.list.push(2)
    node.tags.push('b')
    node.data_x.push({})
    expect(textIn(ctx)).toBe(before)
  })

  it('takes bigints where text would carry the digits (D33)', () => {
    const ctx = importSnapshot(inHead({ id: 'b', created_at_ns: 2n ** 70n, content: [2n ** 70n] }))
    expect(ctx.node('b')?.createdAtNs).toBe(2n ** 70n)
    expect(ctx.user('later').createdAtNs > 2n ** 70n).toBe(true)
    expect(textIn(ctx)).toContain(`"content":[${2n ** 70n}]`)
  })

  it('can be committed on and exported again, whatever offset its newest segment has (D30, D35)', () => {
    const segment = { id: 's', nodeType: 'seg', offset: Number.MAX_SAFE_INTEGER, children: [] }
    const ctx = importSnapshot({ root: { children: [{ id: 'seq', nodeType: '^seq', children: [segment] }] } })
    ctx.user('next')
    ctx.commit()
    expect(textIn(importSnapshot(ctx.export()))).toBe(textIn(ctx))
  })
})

function checkRefused(input: unknown, details: object): void {
  const error = refusalOf(input)
  expect(error && { code: error.code, details: error.details }).toEqual({ code: 'E_SNAPSHOT_INVALID', details })
}

function refusalOf(input: unknown): PactError | undefined {
  try {
    importSnapshot(input as object)
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  return undefined
}

function sourceText({ text, snapshot }: Source): string {
  return text ?? JSON.stringify(snapshot)
}

function textIn(ctx: Context, lens: '@t0' | '@c4' = '@t0'): string {
  return new TextDecoder().decode(ctx.export(lens))
}

function idsIn(node: Node): readonly string[] {
  return [node.id, ...node.children.flatMap(idsIn)]
}

function inHead(...children: object[]): object {
  return { root: { children: [{ id: 'ah', nodeType: '^ah', children }] } }
}

/** A segment with a chain of this many nodes below it. */
function underSegment(count: number): object {
  let node: object = { id: 'n0' }
  for (let n = 1; n < count; n++) node = { id: `n${n}`, children: [node] }
  const segment = { id: 's', children: [node] }
  return { root: { children: [{ id: 'seq', nodeType: '^seq', children: [segment] }] } }
}

function levels(count: number): unknown {
  return count === 0 ? 0 : [levels(count - 1)]
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) deepFrozen(each)
  return Object.freeze(value)
}
