// Is the oracle of diffs and ranges itself to be trusted? It is run on the documents' own examples, on Python's hashes and
// on cases worked out by hand from the decisions. No engine takes part.

import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  canonicalJson,
  naiveContentHash,
  naiveDiff,
  type NaiveDiff,
  readDocument,
  readJson,
  type SnapshotDocument,
} from './diff.js'
import {
  naiveRange,
  naiveRangeSelect,
  naiveUnion,
  type RangeOptions,
  type RangeResult,
  withoutWording,
} from './range.js'
import { OracleError, oracleSelect, type OracleTree, type OracleWorld } from './selector.js'
import { selectorArbitrary, worldArbitrary } from './selector-arbitrary.js'
import { fillFixture, type PrintedSnapshot } from './selector-fixture.js'

type Regions = { sys?: OracleTree[]; seq?: OracleTree[]; ah?: OracleTree[]; root?: object }

function node(id: string, nodeType: string, more: object = {}): OracleTree {
  return {
    id,
    nodeType,
    offset: 0,
    ttl: null,
    priority: 0,
    cycle: 1,
    created_at_ns: 0,
    created_at_iso: '1970-01-01T00:00:00.000000000Z',
    creation_index: 0,
    ...more,
  }
}

/** A block; siblings of one offset have the order of their ids. */
const block = (id: string, more: object = {}): OracleTree => node(id, 'cb', more)
const box = (id: string, nodeType: string, children: OracleTree[], more: object = {}): OracleTree =>
  node(id, nodeType, { ...more, children })

function snapshot(cycle: number, { sys = [], seq = [], ah = [], root = {} }: Regions): SnapshotDocument {
  const regions = [box('sys', '^sys', sys), box('seq', '^seq', seq), box('ah', '^ah', ah)]
  return { spec_version: 'PACT/0.1.0', cycle, root: box('root', '^root', regions, root) }
}

/** One snapshot per list of ids in the active head, oldest first, from cycle 1 on. */
function heads(...lists: string[]): SnapshotDocument[] {
  return lists.map((list, index) =>
    snapshot(index + 1, { ah: list.split(' ').flatMap((id) => (id === '' ? [] : [block(id)])) }),
  )
}

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof OracleError) return error.code
    throw error
  }
  return 'no error'
}

describe('bytes', () => {
  const url = new URL('../golden/python-vectors.json', import.meta.url)
  const { canonical, contentHashes } = JSON.parse(readFileSync(url, 'utf8')) as {
    canonical: { name: string; input: string; canonical: string }[]
    contentHashes: { name: string; input: string; contentHash: string }[]
  }

  test('canonical JSON is what Python wrote (D33)', () => {
    const wrong = canonical.filter((row) => canonicalJson(readJson(row.input)) !== row.canonical)
    expect(wrong.map((row) => row.name)).toEqual([])
  })

  test('content hashes are what Python computed (08 §2.1)', () => {
    const rows = contentHashes.filter((row) => !row.input.includes('"content_hash"')) // reserved: D34
    const wrong = rows.filter((row) => naiveContentHash(readJson(row.input) as OracleTree) !== row.contentHash)
    expect(wrong.map((row) => row.name)).toEqual([])
    expect(rows.length).toBeGreaterThan(200)
  })

  test('a content_hash in the document takes no part in the hash (D34)', () => {
    expect(naiveContentHash({ content: 'x', content_hash: 'y' })).toBe(naiveContentHash({ content: 'x' }))
  })

  test('reads integers beyond 2^53 to the digit, and leaves strings alone (D33)', () => {
    const read = readDocument(
      '{"cycle":1,"root":{"created_at_ns":1700000000123456789,"id":"9007199254740993 \\" 1e400"}}',
    )
    expect(read.root).toEqual({ created_at_ns: 1_700_000_000_123_456_789n, id: '9007199254740993 " 1e400' })
  })
})

describe('diff', () => {
  test('gives the documents’ example (05 §5.2)', () => {
    const older = snapshot(1, { ah: [block('cb:5d8b', { ttl: 3, priority: 0 }), block('cb:7c14')] })
    const newer = snapshot(2, { ah: [block('cb:5d8b', { ttl: 2, priority: 5 }), block('cb:9a2f')] })
    const printed: NaiveDiff = {
      added: ['cb:9a2f'],
      removed: ['cb:7c14'],
      changed: [{ id: 'cb:5d8b', fields: ['ttl', 'priority'] }],
    }
    expect(naiveDiff(older, newer)).toEqual(printed)
    expect(naiveDiff(older, newer, '^ah .cb')).toEqual(printed)
  })

  test('knows nodes by id: the same content under another id is removed and added (06 §4.1)', () => {
    const older = snapshot(1, { ah: [block('cb:a', { content: 'same' })] })
    const newer = snapshot(2, { ah: [block('cb:b', { content: 'same' })] })
    expect(naiveDiff(older, newer)).toEqual({ added: ['cb:b'], removed: ['cb:a'], changed: [] })
  })

  test('reports a running ttl as a change (06 §4.2, D24)', () => {
    const older = snapshot(4, { ah: [block('a', { ttl: 2 }), block('b', { ttl: null })] })
    const newer = snapshot(5, { ah: [block('a', { ttl: 1 }), block('b', { ttl: null })] })
    expect(naiveDiff(older, newer).changed).toEqual([{ id: 'a', fields: ['ttl'] }])
  })

  test('has exactly three keys, and nothing in them between equal trees (05 §4.3)', () => {
    const same = snapshot(1, { ah: [block('a', { data_x: [1, { y: null }], tags: ['t'] })] })
    expect(naiveDiff(same, { ...structuredClone(same), cycle: 2 })).toEqual({ added: [], removed: [], changed: [] })
  })

  test('names every header that differs, ten first and the rest by code point (D38)', () => {
    const older = snapshot(1, { ah: [box('box', 'mc', [], { offset: 1 }), block('a', { 'Z:z': 1, provenance: 'p' })] })
    const newer = snapshot(2, {
      ah: [
        box(
          'box',
          'mc',
          [
            node('a', 'cb:x', {
              ttl: 1,
              priority: 2,
              offset: 3,
              role: 'user',
              kind: 'text',
              key: 'k',
              tags: ['t'],
              cycle: 9,
              created_at_ns: 5n,
              created_at_iso: '1970-01-01T00:00:00.000000005Z',
              creation_index: 7,
              cad: 2,
              refs: ['box'],
              removable: true,
              pinned: true,
              supersedes: 'old',
              data_x: 1,
              content_y: 2,
              type: 'x',
            }),
          ],
          { offset: 1 },
        ),
      ],
    })
    const first = 'ttl priority parent offset nodeType role kind key tags content_hash'
    const rest =
      'Z:z cad content_y created_at_iso created_at_ns creation_index cycle data_x pinned provenance refs removable supersedes type'
    expect(naiveDiff(older, newer).changed).toEqual([{ id: 'a', fields: `${first} ${rest}`.split(' ') }])
  })

  test('shows content through its hash only, where kind, role and custom attributes take part (08 §2)', () => {
    const of = (before: object, after: object): string[] | undefined =>
      naiveDiff(snapshot(1, { ah: [block('a', before)] }), snapshot(2, { ah: [block('a', after)] })).changed[0]?.fields
    expect(of({ content: 'x' }, { content: 'y' })).toEqual(['content_hash'])
    expect(of({ content: { a: 1, b: 2 } }, { content: { b: 2, a: 1 } })).toBeUndefined()
    expect(of({}, { content: '' })).toEqual(['content']) // one hash, but only one of them is an item of a thread
    expect(of({}, { content: null })).toEqual(['content_hash'])
    expect(of({ role: 'user' }, { role: 'tool' })).toEqual(['role', 'content_hash'])
    expect(of({ data_x: 1 }, { data_x: '1' })).toEqual(['content_hash', 'data_x'])
    expect(of({ content_hash: 'as printed' }, {})).toBeUndefined()
  })

  test('compares headers as printed: lists in their order, an empty list is not none, null is none (D35)', () => {
    const of = (before: object, after: object): string[] | undefined =>
      naiveDiff(snapshot(1, { ah: [block('a', before)] }), snapshot(2, { ah: [block('a', after)] })).changed[0]?.fields
    expect(of({ tags: ['x', 'y'] }, { tags: ['y', 'x'] })).toEqual(['tags'])
    expect(of({ tags: [] }, {})).toEqual(['tags'])
    expect(of({ pinned: false }, {})).toEqual(['pinned'])
    expect(of({ key: null }, {})).toBeUndefined()
    expect(of({ created_at_ns: 5 }, { created_at_ns: 5n })).toBeUndefined()
    expect(of({ 'pact:emptied': true }, {})).toBeUndefined()
  })

  test('does not count children as a header, and sees a move as a new parent (D38)', () => {
    const inner = block('inner')
    const of = (cycle: number, first: OracleTree[], second: OracleTree[]): SnapshotDocument =>
      snapshot(cycle, { ah: [box('p', 'mc', first, { offset: 1 }), box('q', 'mc', second, { offset: 2 })] })
    expect(naiveDiff(of(1, [inner], []), of(2, [], [inner]))).toEqual({
      added: [],
      removed: [],
      changed: [{ id: 'inner', fields: ['parent'] }],
    })
  })

  test('takes what a selector selects on each side, root and regions too (D38)', () => {
    const older = snapshot(1, { root: { priority: 1 }, ah: [block('a', { role: 'user' }), block('b', { ttl: 1 })] })
    const newer = snapshot(2, { ah: [block('a', { role: 'tool' }), block('b', { ttl: 2 })] })
    expect(naiveDiff(older, newer, "*[role='user']")).toEqual({ added: [], removed: ['a'], changed: [] })
    expect(naiveDiff(older, newer, '*[ttl<2]')).toEqual({ added: [], removed: ['b'], changed: [] })
    expect(naiveDiff(older, newer, '*').changed.map(({ id }) => id)).toEqual(['root', 'a', 'b'])
    expect(naiveDiff(older, newer)).toEqual(naiveDiff(older, newer, '*'))
  })

  test('orders by the documents, not by the selection; windows count (D23, D38)', () => {
    const older = snapshot(1, { seq: [], ah: [block('x'), block('y')] })
    const newer = snapshot(2, {
      sys: [block('s')],
      seq: [box('g1', 'mt', [block('m')], { offset: 1 }), box('g2', 'mt', [block('l')], { offset: 2 })],
      ah: [block('h')],
    })
    expect(naiveDiff(older, newer, '.cb @order=turn:desc').added).toEqual(['s', 'm', 'l', 'h'])
    expect(naiveDiff(older, newer, '^ah .cb, ^sys .cb', { dialect: '1.0' }).added).toEqual(['s', 'h'])
    expect(naiveDiff(older, newer, '.cb @limit=1')).toEqual({ added: ['s'], removed: ['x'], changed: [] })
  })

  test('takes the order of the newer side for changes, and of its own side for what one side lacks (05 §4.4)', () => {
    const older = snapshot(1, {
      ah: [
        block('a', { offset: 1 }),
        block('b', { offset: 2 }),
        block('o1', { offset: 4 }),
        block('o0', { offset: 5 }),
      ],
    })
    const newer = snapshot(2, {
      ah: [
        block('a', { offset: 2 }),
        block('b', { offset: 1 }),
        block('n1', { offset: 4 }),
        block('n0', { offset: 5 }),
      ],
    })
    const changed = ['b', 'a'].map((id) => ({ id, fields: ['offset'] }))
    expect(naiveDiff(older, newer)).toEqual({ added: ['n1', 'n0'], removed: ['o1', 'o0'], changed })
    expect(naiveDiff(newer, older)).toEqual({ added: ['o1', 'o0'], removed: ['n1', 'n0'], changed })
    expect(naiveDiff({ ...older, cycle: 2 }, newer).changed).toEqual(changed)
    expect(naiveDiff(newer, { ...older, cycle: 2 }).changed).toEqual(changed.toReversed())
  })

  test.each([
    ['@t0 .cb', 'E_SELECTOR_INVALID'],
    ['@t0..@t-1 .cb', 'E_SELECTOR_INVALID'],
    ['@working .cb', 'E_SELECTOR_INVALID'],
    ['.cb @mode=latest', 'E_SELECTOR_INVALID'],
    ['.cb[age<2]', 'E_SELECTOR_INVALID'],
    ['.seg:depth(3-1)', 'E_DEPTH_INVALID'],
  ])('refuses %s with %s', (selector, code) => {
    const [only] = heads('a')
    expect(codeOf(() => naiveDiff(only!, only!, selector))).toBe(code)
  })
})

describe('range', () => {
  test('gives the example of edition 0.1 (04 §3.7)', () => {
    const turn = (cycle: number, ...ids: string[]): SnapshotDocument =>
      snapshot(cycle, {
        seq: [
          box('mt:1', 'mt', [
            box(
              'mc:1',
              'mc',
              ids.map((id) => node(id, 'cb:summary')),
            ),
          ]),
        ],
      })
    const documents = [
      turn(100, 'cb:sum:c101'),
      turn(101, 'cb:sum:c101'),
      turn(102, 'cb:sum:c101', 'cb:sum:c102'),
      turn(103, 'cb:sum:c102'),
    ]
    const query = "@t-3..@t0 ^seq .mt .cb[nodeType='cb:summary']"
    const ref = (value: number): object => ({ kind: 't', value, label: `@t${value}`, cycle: 103 + value })
    expect(naiveRange(documents, query)).toEqual({
      query,
      snapshots: [ref(0), ref(-1), ref(-2), ref(-3)],
      diffs: [
        {
          from: ref(0),
          to: ref(-1),
          added_ids: [],
          removed_ids: ['cb:sum:c101'],
          changed: [],
          stats: { added: 0, removed: 1, changed: 0 },
        },
        {
          from: ref(-1),
          to: ref(-2),
          added_ids: ['cb:sum:c102'],
          removed_ids: [],
          changed: [],
          stats: { added: 1, removed: 0, changed: 0 },
        },
        {
          from: ref(-2),
          to: ref(-3),
          added_ids: [],
          removed_ids: [],
          changed: [],
          stats: { added: 0, removed: 0, changed: 0 },
        },
      ],
      mode: 'pairwise',
    })
  })

  test('gives the example of edition 1.0 (001 §3.7.1)', () => {
    const turn = (cycle: number, ...ids: string[]): SnapshotDocument => {
      const blocks = ids.map((id) => node(id, 'block', { kind: 'summary' }))
      const { root } = snapshot(cycle, { seq: [box('seg:1', 'seg', [box('cont:1', 'cont', blocks)])] })
      return { spec_version: 'PACT/1.0.0', cycle, root }
    }
    const documents = [
      turn(3, 'block:sum:c102'),
      turn(2, 'block:sum:c101', 'block:sum:c102'),
      turn(1, 'block:sum:c101'),
    ]
    const { diffs } = naiveRange(documents, "@t-3..@t0 ^seq .seg .block[kind='summary']")
    expect(diffs.map((each) => [each.added_ids, each.removed_ids, each.changed])).toEqual([
      [[], ['block:sum:c101'], []],
      [['block:sum:c102'], [], []],
    ])
  })

  test('means the same by `..` and `:`, in either order, with or without the second prefix (05 §5.3, D7)', () => {
    const documents = heads('a', 'a b', 'b', 'b c', 'c d', 'd')
    const of = (prefix: string): unknown => ({ ...naiveRange(documents, `${prefix} ^ah .cb`), query: '' })
    const labels = naiveRange(documents, '@t-5..-1 ^ah .cb').snapshots.map(({ label }) => label)
    expect(labels).toEqual(['@t-1', '@t-2', '@t-3', '@t-4', '@t-5'])
    for (const prefix of ['@t-5:-1', '@t-5:@t-1', '@t-5..@t-1', '@t-1..@t-5', '@t-1:-5', '@t-*..-1', ' @t-1:@t-*']) {
      expect(of(prefix), prefix).toEqual(of('@t-5..-1'))
    }
    expect(of('@history')).toEqual(of('@t0..@t-*'))
    expect(of('@c3:5')).toEqual(of('@c5..@c3'))
    expect(naiveRange(documents, '@c3:5 .cb').snapshots).toEqual([
      { kind: 'c', value: 5, label: '@c5', cycle: 5 },
      { kind: 'c', value: 4, label: '@c4', cycle: 4 },
      { kind: 'c', value: 3, label: '@c3', cycle: 3 },
    ])
  })

  test.each<[string, number[], number]>([
    ['@t0..@t-2', [9, 6, 5], 0],
    ['@t0..@t-3', [9, 6, 5, 4], 0],
    ['@t0..@t-4', [9, 6, 5, 4], 1],
    ['@t+1..@t-1', [9, 6], 1],
    ['@t2..@t-8', [9, 6, 5, 4], 2],
    ['@t-9..@t-*', [4], 1],
    ['@history', [9, 6, 5, 4], 0],
    ['@c4..@c6', [6, 5, 4], 0],
    ['@c1..@c6', [6, 5, 4], 1],
    ['@c5..@c99999999999999999999', [9, 6, 5], 2],
    ['@c5..@c9', [9, 6, 5], 1],
    ['@c7..@c9', [9], 1],
    ['@c0..@c10', [9, 6, 5, 4], 3],
    ['@c6..@c6', [6], 0],
  ])('%s of the cycles 4, 5, 6 and 9 is %j with %i warnings (D7)', (prefix, cycles, warnings) => {
    const documents = [4, 5, 6, 9].map((cycle) => snapshot(cycle, {}))
    const result = naiveRange(documents, `${prefix} .cb`)
    expect(result.snapshots.map(({ cycle }) => cycle)).toEqual(cycles)
    expect(result.warnings?.length ?? 0).toBe(warnings)
    expect(result.diffs).toHaveLength(cycles.length - 1)
    expect(result.snapshots.every(({ value }) => !Object.is(value, -0))).toBe(true)
  })

  test.each([
    ['@t0..@c3 .cb', 'E_SNAPSHOT_RANGE_KIND_MISMATCH'],
    ['@c3:@t0 .cb', 'E_SNAPSHOT_RANGE_KIND_MISMATCH'],
    ['@*..@t0 .cb', 'E_SNAPSHOT_RANGE_WILDCARD'],
    ['@t0..@* .cb', 'E_SNAPSHOT_RANGE_WILDCARD'],
    ['@c7..@c8 .cb', 'E_SNAPSHOT_NOT_FOUND'],
    ['@c1..@c3 .cb', 'E_SNAPSHOT_NOT_FOUND'],
    ['@t-4..@t-7 .cb', 'E_SNAPSHOT_NOT_FOUND'],
    ['@t1..@t2 .cb', 'E_SNAPSHOT_NOT_FOUND'],
    ['@t0..@t-1', 'E_SELECTOR_INVALID'],
    ['@working..@t0 .cb', 'E_SELECTOR_INVALID'],
    ['@t0..@t-1 .cb @mode=both', 'E_SELECTOR_INVALID'],
    ['@t0..@t-1 .cb @mode=union', 'E_SELECTOR_INVALID'],
    ['@t0 .cb', 'E_SELECTOR_INVALID'],
    ['.cb', 'E_SELECTOR_INVALID'],
    ['@* .cb', 'E_SELECTOR_INVALID'],
  ])('refuses %s with %s (06, D7)', (selector, code) => {
    const documents = [4, 5, 6, 9].map((cycle) => snapshot(cycle, {}))
    expect(codeOf(() => naiveRange(documents, selector))).toBe(code)
  })

  test('finds nothing before the first commit (D7)', () => {
    expect(codeOf(() => naiveRange([], '@history .block'))).toBe('E_SNAPSHOT_NOT_FOUND')
    expect(codeOf(() => naiveUnion([], '@history .block'))).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  test('runs from newer to older: delta.from is the newer value (D39)', () => {
    const documents = [
      snapshot(1, { ah: [block('a', { ttl: 2, tags: ['x'], content: 'old' })] }),
      snapshot(2, { ah: [block('a', { ttl: 1, content: 'new' })] }),
    ]
    const [{ changed }] = naiveRange(documents, '@t-1..@t0 .cb').diffs as [RangeResult['diffs'][number]]
    expect(changed).toEqual([
      {
        id: 'a',
        fields: ['ttl', 'tags', 'content_hash'],
        delta: {
          ttl: { from: 1, to: 2 },
          tags: { from: null, to: ['x'] },
          content_hash: {
            from: naiveContentHash({ content: 'new' }),
            to: naiveContentHash({ content: 'old' }),
          },
        },
      },
    ])
    expect(Object.keys(changed[0]!.delta)).toEqual(changed[0]!.fields)
  })

  test('latest is one block between the two ends, or none for one snapshot (D23)', () => {
    const documents = heads('a b', 'c', 'b d')
    const result = naiveRange(documents, '@history .cb @mode=latest')
    expect(result.mode).toBe('latest')
    expect(result.snapshots).toHaveLength(3)
    expect(result.diffs.map((each) => [each.from.label, each.to.label, each.added_ids, each.removed_ids])).toEqual([
      ['@t0', '@t-2', ['d'], ['a']],
    ])
    expect(naiveRange(documents, '@t0..@t0 .cb @mode=latest').diffs).toEqual([])
    expect(naiveRange(documents, '@history .cb @mode=pairwise').diffs).toHaveLength(2)
  })

  test('applies windows to each snapshot before comparing, the options after the controls (D23)', () => {
    const documents = heads('a b c', 'b c d')
    const of = (tail: string, options: RangeOptions = {}): string[][] => {
      const [each] = naiveRange(documents, `@t0..@t-1 .cb${tail}`, options).diffs
      return [each!.added_ids, each!.removed_ids]
    }
    expect(of('')).toEqual([['d'], ['a']])
    expect(of(' @limit=2')).toEqual([['c'], ['a']])
    expect(of(' @skip=1')).toEqual([['d'], ['b']])
    expect(of(' @skip=1', { skip: 1, limit: 1 })).toEqual([['d'], ['c']])
  })

  test('judges facets by the snapshot they are asked of (D9)', () => {
    const documents = [2, 3, 4].map((cycle) => snapshot(cycle, { ah: [block('a', { cycle: 2 })] }))
    const { diffs } = naiveRange(documents, '@history .cb[age=1]')
    expect(diffs.map((each) => [each.added_ids, each.removed_ids])).toEqual([
      [[], ['a']],
      [['a'], []],
    ])
  })

  test('a cap on snapshots keeps the newest and says so (D7)', () => {
    const documents = heads('a', 'b', 'c')
    const capped = naiveRange(documents, '@c0..@c3 .cb', { maxSnapshots: 2 })
    expect(capped.snapshots.map(({ label }) => label)).toEqual(['@c3', '@c2'])
    expect(withoutWording(capped)).toMatchObject({
      limits: { maxSnapshots: 2, truncated: true },
      warnings: 1,
      errors: [{ code: 'E_SNAPSHOT_RANGE_LIMIT', fatal: false }],
    })
    const uncapped = naiveRange(documents, '@history .cb', { maxSnapshots: 3 })
    expect(uncapped.limits).toEqual({ maxSnapshots: 3, truncated: false })
    expect(uncapped).not.toHaveProperty('errors')
    expect(uncapped).not.toHaveProperty('warnings')
    expect(naiveRange(documents, '@history .cb')).not.toHaveProperty('limits')
    const latest = naiveRange(documents, '@history .cb @mode=latest', { maxSnapshots: 2 })
    expect(latest.diffs.map(({ to }) => to.label)).toEqual(['@t-1'])
    expect(naiveRange(documents, '@history .cb', { maxSnapshots: 0 })).toMatchObject({ snapshots: [], diffs: [] })
    expect(codeOf(() => naiveRange(documents, '@history .cb', { maxSnapshots: 1.5 }))).toBe('E_CONTENT_INVALID')
  })

  test('a cap on changes cuts each block, added before removed before changed; stats count all (04)', () => {
    const documents = [
      snapshot(1, { ah: [block('a'), block('b'), block('x', { ttl: 1 })] }),
      snapshot(2, { ah: [block('c'), block('d'), block('x', { ttl: 2 })] }),
    ]
    const of = (most: number): unknown[] => {
      const { diffs, limits } = naiveRange(documents, '@history .cb', { maxChangesPerSnapshot: most })
      const [each] = diffs
      expect(each!.stats).toEqual({ added: 2, removed: 2, changed: 1 })
      return [each!.added_ids, each!.removed_ids, each!.changed.map(({ id }) => id), limits!.truncated]
    }
    expect(of(5)).toEqual([['c', 'd'], ['a', 'b'], ['x'], false])
    expect(of(4)).toEqual([['c', 'd'], ['a', 'b'], [], true])
    expect(of(3)).toEqual([['c', 'd'], ['a'], [], true])
    expect(of(1)).toEqual([['c'], [], [], true])
    expect(of(0)).toEqual([[], [], [], true])
  })

  test('keeps the query as it was written, and leaves its input alone (04, 06 §3.1)', () => {
    const documents = heads('a', 'b')
    const before = structuredClone(documents)
    expect(naiveRange(documents, ' @t0..-1  .cb  @unique').query).toBe(' @t0..-1  .cb  @unique')
    expect(documents).toEqual(before)
  })
})

describe('flat union', () => {
  test('is newest first, each id where first seen, windows on the joined list (D8)', () => {
    const documents = heads('a b', 'b c', 'c d')
    expect(naiveUnion(documents, '@history .cb')).toEqual(['c', 'd', 'b', 'a'])
    expect(naiveUnion(documents, '@t-1..@t-2 .cb')).toEqual(['b', 'c', 'a'])
    expect(naiveUnion(documents, '@history .cb @skip=1 @limit=2')).toEqual(['d', 'b'])
    expect(naiveUnion(documents, '@history .cb', { skip: 3, limit: 5 })).toEqual(['a'])
    expect(naiveUnion(documents, '@history .cb', { maxSnapshots: 2 })).toEqual(['c', 'd', 'b'])
    expect(naiveUnion(documents, '@history .cb', { maxSnapshots: 0 })).toEqual([])
  })

  test('is what select gives for @mode=union, and where ranges give no diff (D23, annex of 002)', () => {
    const documents = heads('a', 'b')
    expect(naiveRangeSelect(documents, '@history .cb @mode=union')).toEqual(['b', 'a'])
    expect(naiveRangeSelect(documents, '@history .cb', { selectRangeReturnsDiff: false })).toEqual(['b', 'a'])
    expect(naiveRangeSelect(documents, '@history .cb @mode=latest', { selectRangeReturnsDiff: false })).toHaveLength(2)
    expect(naiveRangeSelect(documents, '@history .cb')).toEqual(naiveRange(documents, '@history .cb'))
  })
})

describe('the documents’ fixtures', () => {
  const printed = JSON.parse(readFileSync(new URL('../golden/selectors-000.json', import.meta.url), 'utf8')) as {
    fixtures: Record<string, PrintedSnapshot>
    rows: { fixture?: string; selector: string; expect: unknown }[]
  }
  const rows = printed.rows.filter((row) => row.selector.startsWith('@t0 ') && Array.isArray(row.expect))

  test.each(rows)('a range of one snapshot sees what the snapshot shows: $selector (04 §6.2, §6.3)', (row) => {
    const { cycle, tree } = fillFixture(printed.fixtures[row.fixture!]!)
    const selector = row.selector.replace('@t0', '@t0..@t0')
    expect(naiveUnion([{ cycle, root: tree }], selector)).toEqual(row.expect)
    expect(naiveRange([{ cycle, root: tree }], selector).diffs).toEqual([])
  })

  test('a depth is judged in each snapshot of its own (04 §6.3)', () => {
    const turns = [1, 2, 3].map((n) => box(`mt:${n}`, 'mt', [block(`cb:u${n}`, { role: 'user' })], { offset: n }))
    const documents = [1, 2, 3].map((cycle) => snapshot(cycle, { seq: turns.slice(0, cycle) }))
    const added = (depth: string): string[][] =>
      naiveRange(documents, `@t-2..@t0 ^seq .mt:depth(${depth}) .cb[role='user']`).diffs.map((each) => each.added_ids)
    expect(added('1-3')).toEqual([['cb:u3'], ['cb:u2']])
    expect(added('1')).toEqual([['cb:u3'], ['cb:u2']])
    expect(added('2')).toEqual([['cb:u2'], ['cb:u1']])
    expect(naiveUnion(documents, "@t-2..@t0 ^seq .mt:depth(1-3) .cb[role='user']")).toEqual(['cb:u1', 'cb:u2', 'cb:u3'])
  })
})

describe('laws on generated worlds', () => {
  const spec = { '1.0': 'PACT/1.0.0', '0.1': 'PACT/0.1.0' } as const
  const documentsOf = (world: OracleWorld): SnapshotDocument[] =>
    world.snapshots.map(({ cycle, tree }) => ({ spec_version: spec[world.dialect], cycle, root: tree }))
  const cases = worldArbitrary.chain((world) =>
    fc.tuple(fc.constant(world), fc.array(selectorArbitrary(world, world.dialect, { ranges: true }), { maxLength: 6 })),
  )
  const settings = { numRuns: 80, seed: 5, endOnFailure: true }

  test('a diff with itself is empty, and backwards it swaps added and removed (05 §4)', () => {
    fc.assert(
      fc.property(worldArbitrary, (world) => {
        const documents = documentsOf(world)
        for (const a of documents) {
          expect(naiveDiff(a, a)).toEqual({ added: [], removed: [], changed: [] })
          for (const b of documents.filter((other) => other.cycle !== a.cycle)) {
            const forth = naiveDiff(a, b)
            expect(naiveDiff(b, a)).toEqual({ ...forth, added: forth.removed, removed: forth.added })
          }
        }
      }),
      settings,
    )
  })

  test('a range without windows repeats the diffs between its snapshots (D38, D39)', () => {
    fc.assert(
      fc.property(worldArbitrary, (world) => {
        const documents = documentsOf(world).toSorted((a, b) => b.cycle - a.cycle)
        fc.pre(documents.length > 0)
        const { diffs } = naiveRange(documents, '@history *')
        const plain = diffs.map(({ added_ids, removed_ids, changed }) => ({
          added: added_ids,
          removed: removed_ids,
          changed: changed.map(({ id, fields }) => ({ id, fields })),
        }))
        expect(plain).toEqual(documents.slice(1).map((older, index) => naiveDiff(older, documents[index]!)))
      }),
      settings,
    )
  })

  test('the union is that of the selector oracle, and both refuse alike (D8)', () => {
    let ranges = 0
    fc.assert(
      fc.property(cases, ([world, selectors]) => {
        for (const selector of selectors.filter((text) => codeOf(() => oracleSelect(world, text)) === 'RANGE')) {
          ranges += 1
          const documents = documentsOf(world)
          expect(
            answer(() => naiveUnion(documents, selector, { dialect: world.dialect })),
            selector,
          ).toEqual(answer(() => oracleSelect(world, selector, { flat: true })))
        }
      }),
      settings,
    )
    expect(ranges).toBeGreaterThan(20)
  })

  function answer(run: () => string[]): string[] | string {
    try {
      return run()
    } catch (error) {
      if (error instanceof OracleError) return error.code
      throw error
    }
  }
})
