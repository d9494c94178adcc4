// Ranges of snapshots: chapter 04 (§3.7, §4, §6.2, §7), with what 05 §5.3, 06 §7, the annexes of 10 and the documents 001,
// 003 and 004 say of them, as D5, D7–D9, D23 and D39 read it. The expectations are written out.
// Where contents must differ, the two ends of a range are compared (`@mode=latest`): see histories.ts.

import {
  createContext,
  importSnapshot,
  parseSelector,
  type BlockChange,
  type ContentInput,
  type Context,
  type DiffBlock,
  type Header,
  type RangeDiffLatestResult,
  type SelectOptions,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, listOf, readGolden, refusal, START_NS } from '../support/context.js'
import {
  expectExactly,
  expectFrozen,
  grown,
  hashOf,
  named,
  OPEN_HEAD,
  twice,
  type Dialect,
} from '../support/histories.js'

/** The content of a block of a range, as `from>to +added -removed ~changed`. */
type Written = readonly string[]

describe.each(DIALECTS)('which snapshots, %s', (dialect) => {
  test('includes both ends, in either order, written with .. or : and with one prefix or two (04 §3.7, 05 §2.3, D7)', () => {
    const ctx = grown(dialect)
    const between = ['@t-1>@t-2 +u3 -p,o2', '@t-2>@t-3 +u2,o2 ~p']
    for (const time of ['@t-3..@t-1', '@t-3..-1', '@t-1..@t-3', '@t-1..-3', '@t-3:@t-1', '@t-3:-1', '@t-1:@t-3']) {
      expect(written(range(ctx, `${time} .cb`)), time).toEqual(between)
      expect(labels(range(ctx, `${time} .cb`)), time).toEqual(['@t-1', '@t-2', '@t-3'])
    }
    const cycles = ['@c3>@c2 +u3 -p,o2', '@c2>@c1 +u2,o2 ~p']
    for (const time of ['@c1..@c3', '@c1..3', '@c3..@c1', '@c3..1', '@c1:@c3', '@c1:3', '@c3:@c1', '@c3:1']) {
      expect(written(range(ctx, `${time} .cb`)), time).toEqual(cycles)
      expect(labels(range(ctx, `${time} .cb`)), time).toEqual(['@c3', '@c2', '@c1'])
    }
    // The two operators differ in nothing but the text that was asked.
    for (const [dots, colon] of [
      ['@t-3..@t0 .cb', '@t-3:@t0 .cb'],
      ['@t0..-2 *', '@t0:-2 *'],
      ['@c2..4 .mt:depth(1)', '@c2:4 .mt:depth(1)'],
    ] as const) {
      expect(range(ctx, colon)).toEqual({ ...range(ctx, dots), query: colon })
    }
    // One snapshot is a range too, with nothing to compare.
    expect(range(ctx, '@t-1..@t-1 .cb')).toMatchObject({ snapshots: [{ label: '@t-1' }], diffs: [] })
  })

  test('covers @t0..@t-3 with both ends, the newest and the oldest (004 §2.4)', () => {
    const ctx = grown(dialect)
    const all = ['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -p,o2', '@t-2>@t-3 +u2,o2 ~p']
    for (const time of ['@t0..@t-3', '@t0:@t-3', '@t-3..@t0']) {
      expect(labels(range(ctx, `${time} .cb`)), time).toEqual(['@t0', '@t-1', '@t-2', '@t-3'])
      expect(written(range(ctx, `${time} .cb`)), time).toEqual(all)
    }
    ctx.user('u5')
    ctx.commit()
    expect(labels(range(ctx, '@t0..@t-3 .cb')), 'relative to the latest commit').toEqual([
      '@t0',
      '@t-1',
      '@t-2',
      '@t-3',
    ])
    expect(written(range(ctx, '@t0..@t-3 .cb'))).toEqual(['@t0>@t-1 +u5', '@t-1>@t-2 +u4', '@t-2>@t-3 +u3 -p,o2'])
  })

  test('selects from @t-5 through @t-1 what stood in the active head, the same with .. and : (05 §5.3, 004 §5.3)', () => {
    const file = dialect === '0.1' ? 'selectors-002.json' : 'selectors-001.json'
    const { fixtures } = readGolden(file) as { fixtures: Record<'6.2', object> }
    const ctx = importSnapshot(fixtures['6.2'])
    expect(ctx.dialect).toBe(dialect)
    for (let turn = 1; turn <= 5; turn++) {
      ctx.user(`turn ${turn}`)
      ctx.commit()
    }
    // The head of the fixture was sealed by the first commit; after that a snapshot's head is empty.
    const [examples, inHead] = {
      '0.1': [['@t-5..-1 ^ah .cb', '@t-5:-1 ^ah .cb'], 'cb:u2'],
      '1.0': [['@t-5:@t-1 ^ah .block', '@t-5..@t-1 ^ah .block', '@t-5:-1 ^ah .block'], 'block:u3'],
    }[dialect] as [string[], string]
    for (const selector of examples) {
      const found = range(ctx, selector)
      expect(labels(found), selector).toEqual(['@t-1', '@t-2', '@t-3', '@t-4', '@t-5'])
      expect(written(found), selector).toEqual(['@t-1>@t-2', '@t-2>@t-3', '@t-3>@t-4', `@t-4>@t-5 -${inHead}`])
      expect(found, selector).toEqual({ ...range(ctx, examples[0]!), query: selector })
    }
  })

  test('clips a range at both ends to what exists and says so; beyond them there is nothing (05 §2.3, D7)', () => {
    const ctx = grown(dialect)
    const cases: Record<string, readonly [labels: string, warnings: number]> = {
      '@t-3..@t0': ['@t0 @t-1 @t-2 @t-3', 0],
      '@t-4..@t-2': ['@t-2 @t-3', 1],
      '@t-99..@t0': ['@t0 @t-1 @t-2 @t-3', 1],
      '@t-1..@t+2': ['@t0 @t-1', 1],
      '@t+1..@t-9': ['@t0 @t-1 @t-2 @t-3', 2],
      '@c0..@c2': ['@c2 @c1', 1],
      '@c3..@c9': ['@c4 @c3', 1],
      '@c4..@c4': ['@c4', 0],
    }
    for (const [time, [expected, warnings]] of Object.entries(cases)) {
      const found = range(ctx, `${time} .cb`)
      expect(labels(found).join(' '), time).toBe(expected)
      expect(found.warnings?.length ?? 0, time).toBe(warnings)
      expect(found, 'a clipped range is no fault').not.toHaveProperty('errors')
      expect('warnings' in found, time).toBe(warnings > 0)
    }
    for (const time of ['@t-4..@t-9', '@t+1..@t+2', '@c5..@c9', '@c0..@c0'])
      expect(refusal(() => ctx.select(`${time} .cb`)).code, time).toBe('E_SNAPSHOT_NOT_FOUND')
    expect(refusal(() => createContext({ dialect }).select('@t-1..@t0 .cb')).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  test('takes @history for @t0..@t-*, from the newest snapshot to the oldest (001 §3.7.1, D7)', () => {
    const ctx = grown(dialect)
    for (let round = 0; round < 3; round++) {
      const found = range(ctx, '@history .cb')
      expect(labels(found)).toEqual(Array.from({ length: 4 + round }, (_, i) => (i === 0 ? '@t0' : `@t-${i}`)))
      for (const time of ['@t0..@t-*', '@t-*..@t0', '@t0:@t-*', `@t0..@t-${3 + round}`, `@t-${3 + round}:0`])
        expect({ ...range(ctx, `${time} .cb`), query: '' }, time).toEqual({ ...found, query: '' })
      expect(written(found).slice(-2)).toEqual([
        `@t-${1 + round}>@t-${2 + round} +u3 -p,o2`,
        `@t-${2 + round}>@t-${3 + round} +u2,o2 ~p`,
      ])
      ctx.user(`u${5 + round}`)
      ctx.commit()
    }
    expect(parseSelector('@history .cb', { dialect }).time).toMatchObject({ kind: 'range' })
    expect(refusal(() => createContext({ dialect }).select('@history .cb')).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  test('refuses a range from @t to @c with its own code (04 §4, 06 §7, D7)', () => {
    expectRefused(dialect, 'E_SNAPSHOT_RANGE_KIND_MISMATCH', [
      '@t-1..@c2 .cb',
      '@c1..@t0 .cb',
      '@t0:@c1 .cb',
      '@c4:@t-3 .cb',
    ])
  })

  test('refuses @* as an end of a range with its own code (04 §4, 06 §7, D7)', () => {
    expectRefused(dialect, 'E_SNAPSHOT_RANGE_WILDCARD', [
      '@*..@t0 .cb',
      '@t-1..@* .cb',
      '@*:@c2 .cb',
      '@c1:@* .cb',
      '@*..@* .cb',
    ])
  })

  test('needs snapshots for ranges, @mode and facets: the working state has none (004 §2.4, 001 §3.7, D9, D23)', () => {
    const ctx = grown(dialect)
    const open = ctx.user('u5').id
    for (const selector of ['@working..@t0 .cb', '@t0..@working .cb', '@preview..@t-1 .cb', '.cb @mode=latest'])
      expect(refusal(() => ctx.select(selector)).code, selector).toBe('E_SELECTOR_INVALID')
    for (const selector of ['@t0 .cb @mode=pairwise', '@* .cb @mode=union', '@working .cb @mode=latest'])
      expect(refusal(() => ctx.select(selector)).code, selector).toBe('E_SELECTOR_INVALID')
    for (const facet of ['[age=0]', '[born_turn=1]', '[depth=1]']) {
      for (const selector of [`.cb${facet}`, `@working .cb${facet}`, `@preview .cb${facet}`])
        expect(refusal(() => ctx.select(selector)).code, selector).toBe('E_SELECTOR_INVALID')
    }
    // Calls that give nodes of one tree take no range, and neither do those of a snapshot.
    for (const call of ['nodes', 'count', 'first'] as const)
      expect(refusal(() => ctx[call]('@t-1..@t0 .cb')).code, call).toBe('E_SELECTOR_INVALID')
    expect(refusal(() => ctx.snapshot().select('@t-1..@t0 .cb')).code).toBe('E_SELECTOR_INVALID')
    // With snapshots all three hold, facets as each of them sees its nodes; the open edit is in none.
    expect(JSON.stringify(range(ctx, '@history *'))).not.toContain(`"${open}"`)
    const facets: Record<string, Written> = {
      '[age=0]': ['@t0>@t-1 +u4 -u3', '@t-1>@t-2 +u3 -u2,o2', '@t-2>@t-3 +u2,o2 -p,u1'],
      '[depth=1]': ['@t0>@t-1 +u4 -u3', '@t-1>@t-2 +u3 -u2,o2', '@t-2>@t-3 +u2,o2 -p,u1'],
      '[born_turn=1]': ['@t0>@t-1', '@t-1>@t-2 -p', '@t-2>@t-3 ~p'],
    }
    for (const [facet, expected] of Object.entries(facets))
      expect(written(range(ctx, `@history .cb${facet}`)), facet).toEqual(expected)
    expect(written(range(ctx, '@history .cb[age=0] @mode=latest'))).toEqual(['@t0>@t-3 +u4 -p,u1'])
  })
})

describe.each(DIALECTS)('results, %s', (dialect) => {
  test('gives a range result for a range, a list of ids for everything else (04 §2.2, §3.7, 001 §3.7.1)', () => {
    const ctx = grown(dialect)
    for (const time of ['', '@t0 ', '@t-3 ', '@c2 ', '@* ', '@t-* ', '@working ', '@preview ']) {
      for (const rest of ['.cb', '*', "[role='@t0..@t-1']", "[role='@history']", '.mt:depth(1..3)', '.cb @limit=1']) {
        const found: unknown = ctx.select(time + rest)
        expect(Array.isArray(found), time + rest).toBe(true)
      }
    }
    for (const time of ['@t-3..@t0', '@t0:-1', '@c1..2', '@history', '@t-*..@t-1', '@t0..@t0', ' @t-1..@t0']) {
      for (const rest of ['.cb', '*', "[role='none']", '.mt:depth(1)', '.cb @limit=1', '.cb @mode=pairwise']) {
        const selector = `${time} ${rest}`
        const found = ctx.select(selector)
        expect('diffs' in found && Array.isArray(found.diffs) && Array.isArray(found.snapshots), selector).toBe(true)
        expect(found, selector).toMatchObject({ query: selector, mode: 'pairwise' })
      }
    }
    // The compiler knows as much.
    const ids: readonly string[] = ctx.select('@t0 .cb')
    const diffs: readonly DiffBlock[] = ctx.select('@t-3..@t0 .cb').diffs
    expect([ids.join(' '), diffs.length]).toEqual(['u1 u2 u3 u4', 3])
  })

  test('sorts snapshots newest first and compares each with the next older one (04 §6.2, 001 §6.2)', () => {
    const ctx = importSnapshot({ cycle: 41, root: {} }, { dialect, clock: clockOf() })
    for (let cycle = 42; cycle <= 47; cycle++) {
      ctx.user(`turn ${cycle}`)
      ctx.commit()
    }
    for (const [selector, newest, oldest] of [
      ['@t-6..@t0 .cb', 47, 41],
      ['@t0..@t-6 .cb', 47, 41],
      ['@history .cb', 47, 41],
      ['@t-2..@t-5 *', 45, 42],
      ['@c43..@c46 .mt', 46, 43],
      ['@c46:43 .mt', 46, 43],
    ] as const) {
      const found = range(ctx, selector)
      const cycles = found.snapshots.map((ref) => ref.cycle)
      expect(cycles, selector).toEqual(Array.from({ length: newest - oldest + 1 }, (_, i) => newest - i))
      expect(found.diffs, selector).toHaveLength(cycles.length - 1)
      for (const [i, { from, to, stats }] of found.diffs.entries()) {
        expect([from, to], selector).toEqual([found.snapshots[i], found.snapshots[i + 1]])
        expect(stats.added, 'each turn was added once').toBeGreaterThan(0)
      }
    }
  })

  test('has the shape of RangeDiffLatestResult, SnapshotRef and DiffBlock, the newer side first (04 §4, 003, D39)', () => {
    const ctx = grown(dialect)
    const t = (value: number): object => ({
      kind: 't',
      value,
      label: value === 0 ? '@t0' : `@t${value}`,
      cycle: 4 + value,
    })
    expectExactly(ctx.select('@t-3..@t0 .cb'), {
      query: '@t-3..@t0 .cb',
      snapshots: [t(0), t(-1), t(-2), t(-3)],
      diffs: [
        {
          from: t(0),
          to: t(-1),
          added_ids: ['u4'],
          removed_ids: [],
          changed: [],
          stats: { added: 1, removed: 0, changed: 0 },
        },
        {
          from: t(-1),
          to: t(-2),
          added_ids: ['u3'],
          removed_ids: ['p', 'o2'],
          changed: [],
          stats: { added: 1, removed: 2, changed: 0 },
        },
        {
          from: t(-2),
          to: t(-3),
          added_ids: ['u2', 'o2'],
          removed_ids: [],
          changed: [{ id: 'p', fields: ['ttl'], delta: { ttl: { from: 1, to: 2 } } }],
          stats: { added: 2, removed: 0, changed: 1 },
        },
      ],
      mode: 'pairwise',
    })
    const c = (cycle: number): object => ({ kind: 'c', value: cycle, label: `@c${cycle}`, cycle })
    expectExactly(ctx.select('@c1..@c2 .mt @mode=latest'), {
      query: '@c1..@c2 .mt @mode=latest',
      snapshots: [c(2), c(1)],
      diffs: [
        {
          from: c(2),
          to: c(1),
          added_ids: [dialect === '0.1' ? 'mt/2' : 'seg/2'],
          removed_ids: [],
          changed: [],
          stats: { added: 1, removed: 0, changed: 0 },
        },
      ],
      mode: 'latest',
    })
    // Warnings, limits and errors are there when there is something to say.
    const { warnings, limits, errors } = ctx.select('@t-9..@t0 .cb', { maxSnapshots: 2 })
    expectExactly(limits, { maxSnapshots: 2, truncated: true })
    expect([warnings, errors]).toEqual([
      [expect.any(String)],
      [{ code: 'E_SNAPSHOT_RANGE_LIMIT', message: expect.any(String), fatal: false }],
    ])
    expectExactly(ctx.rangeDiffLatest('@t-3..@t0 .cb'), JSON.parse(JSON.stringify(ctx.select('@t-3..@t0 .cb'))))
  })

  test('calls changed what both sides select under one id with any header not alike (04 §4, D38, D39)', () => {
    // Sealing the head that came with the import gives its nodes a new parent, and the loose block a core.
    const ctx = importSnapshot(OPEN_HEAD, { dialect, clock: clockOf(), ids: ({ nodeType }) => `the ${nodeType}` })
    ctx.commit()
    const [turn, core] = dialect === '0.1' ? ['the mt', 'the mc'] : ['the seg', 'the cont']
    expect(ctx.node('loose')?.parentId).toBe(core)
    const [block] = ctx.select('@t-1..@t0 *').diffs
    expect(block).toMatchObject({ added_ids: [turn, core], removed_ids: [] })
    expect(block!.changed).toEqual([
      { id: 'pre', fields: ['ttl', 'parent'], delta: { ttl: { from: 2, to: 3 }, parent: { from: turn, to: 'ah' } } },
      { id: 'loose', fields: ['parent'], delta: { parent: { from: core, to: 'ah' } } },
      { id: 'box', fields: ['parent'], delta: { parent: { from: turn, to: 'ah' } } },
    ])
    // A node that only one side selects is no change of it, whatever else changed.
    expect(written(range(ctx, '@t-1..@t0 ^ah *'))).toEqual(['@t0>@t-1 -pre,loose,box,in'])
    expect(written(range(ctx, '@t-1..@t0 [ttl=2]'))).toEqual(['@t0>@t-1 +pre'])
    expect(written(range(ctx, '@t-1..@t0 [ttl>=2]'))).toEqual(['@t0>@t-1 ~pre'])
    expect(written(range(ctx, '@t-1..@t0 [priority=4]'))).toEqual(['@t0>@t-1'])

    // Every tracked header counts: the ten named by D38 first, the rest by code point; the older value is `to`.
    const { changed } = ends(
      twice(
        dialect,
        ['old', { ttl: 1, priority: 1, offset: 1 }],
        ['new', { ttl: 2, role: 'user', kind: 'text', ...MORE }],
      ),
    )
    expect(changed).toEqual([
      {
        id: 'x',
        fields: 'ttl priority offset nodeType role kind key tags content_hash app:z created_at_iso created_at_ns'
          .concat(' creation_index cycle data_n pinned provenance refs')
          .split(' '),
        delta: {
          ttl: { from: 2, to: 1 },
          priority: { from: 0, to: 1 },
          offset: { from: 0, to: 1 },
          nodeType: { from: 'app:note', to: dialect === '0.1' ? 'cb' : 'block' },
          role: { from: 'user', to: null },
          kind: { from: 'text', to: null },
          key: { from: 'k', to: null },
          tags: { from: ['t'], to: null },
          content_hash: { from: expect.stringMatching(HEX), to: expect.stringMatching(HEX) },
          'app:z': { from: [1], to: null },
          created_at_iso: { from: '2023-11-14T22:13:20.000000001Z', to: '2023-11-14T22:13:20.000000000Z' },
          created_at_ns: { from: START_NS + 1n, to: START_NS },
          // The four below 4 are root and regions (N5).
          creation_index: { from: 0, to: 4 },
          cycle: { from: 3, to: 1 },
          data_n: { from: 5, to: null },
          pinned: { from: true, to: null },
          provenance: { from: { by: 'me' }, to: null },
          refs: { from: ['seq'], to: null },
        },
      },
    ])
    expect(Object.keys(changed[0]!.delta)).toEqual(changed[0]!.fields)
    const { from, to } = changed[0]!.delta['content_hash']!
    expect(from).not.toBe(to)
  })

  test('keeps ids in the order of their own side, whatever order they were made or selected in (04 §4, D39)', () => {
    // Made from the back to the front; all but the last turn leave again.
    const ctx = named(dialect, 'z u p s y v q t')
    ctx.post('z', { ttl: 1 })
    ctx.user('u', { ttl: 1 })
    ctx.pre('p', { ttl: 1 })
    ctx.system.add('s', { ttl: 1 })
    ctx.commit()
    ctx.post('y')
    ctx.user('v')
    ctx.pre('q')
    ctx.system.add('t')
    ctx.commit()
    const expected = ['@t0>@t-1 +t,q,v,y -s,p,u,z']
    for (const selector of ['.cb', '.cb @order=post', '.cb @order=turn:desc', '^ah .cb, ^seq .cb, ^sys .cb'])
      expect(written(range(ctx, `@t-1..@t0 ${selector}`)), selector).toEqual(expected)
    // Changed nodes have the order of the newer snapshot, though the older had them the other way round.
    const turned = named(dialect, 'a b b a')
    for (const [first, second, ttl] of [
      ['a', 'b', 1],
      ['b', 'a', null],
    ] as const) {
      turned.system.add(first, { ttl })
      turned.system.add(second, { ttl })
      turned.commit()
      turned.commit()
    }
    expect([turned.select('@c1 ^sys .cb'), turned.select('@c3 ^sys .cb')]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ])
    expect(written(range(turned, '@c1..@c3 .cb @mode=latest'))).toEqual(['@c3>@c1 ~b,a'])
    expect(written(range(turned, '@c3..@c1 .cb @mode=latest'))).toEqual(['@c3>@c1 ~b,a'])
  })

  test('takes windows and @mode for each snapshot before comparing (04 §4, D23)', () => {
    const ctx = grown(dialect)
    const cases: Record<string, Written> = {
      '.cb @limit=1': ['@t0>@t-1', '@t-1>@t-2 +u1 -p', '@t-2>@t-3 ~p'],
      '.cb @skip=2': ['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -u2,o2', '@t-2>@t-3 +u2,o2'],
      '.cb @skip=1 @limit=1': ['@t0>@t-1', '@t-1>@t-2 +u2 -u1', '@t-2>@t-3'],
      '.cb @mode=pairwise': ['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -p,o2', '@t-2>@t-3 +u2,o2 ~p'],
      '.cb @mode=latest': ['@t0>@t-3 +u2,u3,u4 -p'],
      '.cb @mode=latest @limit=2': ['@t0>@t-3 +u2 -p'],
    }
    for (const [selector, expected] of Object.entries(cases))
      expect(written(range(ctx, `@history ${selector}`)), selector).toEqual(expected)
    expect(written(range(ctx, '@history .cb @skip=1', { skip: 1, limit: 1 }))).toEqual([
      '@t0>@t-1',
      '@t-1>@t-2 +u3 -u2',
      '@t-2>@t-3 +u2',
    ])
    expect(ctx.select('@t-3..@t0 .cb @mode=latest').mode).toBe('latest')
    expect(ctx.select('@t-3..@t0 .cb @mode=latest').snapshots).toHaveLength(4)
    expect(refusal(() => ctx.select('@t-3..@t0 .cb @mode=other')).code).toBe('E_SELECTOR_INVALID')
  })

  test('judges depth in every snapshot of a range for itself (04 §6.3)', () => {
    const { fixtures } = readGolden(dialect === '0.1' ? 'selectors-002.json' : 'selectors-001.json') as {
      fixtures: Record<'6.3', object>
    }
    const ctx = importSnapshot(fixtures['6.3'], { ids: ({ nodeType, cycle }) => `${nodeType}/${cycle}` })
    ctx.pre('P4')
    ctx.commit()
    const [name, user] = dialect === '0.1' ? ['cb', '.mt:depth(1-3) .cb'] : ['block', '.seg:depth(1-3) .block']
    const one = user.replace('1-3', '1')
    expect(listOf(ctx.select(`@t-1 ${user}`))).toEqual([`${name}:u1`, `${name}:u2`, `${name}:u3`])
    expect(written(range(ctx, `@t-1..@t0 ${user}`))).toEqual([`@t0>@t-1 +${name}/2 -${name}:u1`])
    expect(written(range(ctx, `@t-1..@t0 ${one}`))).toEqual([`@t0>@t-1 +${name}/2 -${name}:u3`])
  })

  test('gives identical bytes for identical inputs, again, later, elsewhere, and frozen (04 §4, §7)', () => {
    const [ctx, other] = [grown(dialect), grown(dialect)]
    const selectors = ['@c1..@c4 .cb', '@c4:1 *', '@c2..3 .mt:depth(1) .cb', '@c1..@c4 .cb[age=0] @mode=latest']
    const options: SelectOptions = { includeContent: true, materialize: ['content'], maxSnapshots: 3 }
    const bytes = (each: Context): string[] =>
      selectors.flatMap((selector) => [
        JSON.stringify(range(each, selector)),
        JSON.stringify(range(each, selector, options)),
      ])
    const first = bytes(ctx)
    expect(new Set(first).size).toBe(first.length)
    expect(bytes(ctx), 'again').toEqual(first)
    expect(bytes(other), 'in another context').toEqual(first)
    expect(bytes(ctx.fork('@t0')), 'in a fork').toEqual(first)
    ctx.user('open')
    expect(bytes(ctx), 'with an edit open').toEqual(first)
    ctx.commit()
    expect(bytes(ctx), 'after one more commit').toEqual(first)
    for (const selector of selectors) expectFrozen(range(ctx, selector, options))
    // Times beyond 2^53 are numbers there, as in the JSON form of a node.
    const [from, to] = [START_NS + 1n, START_NS]
    const text = JSON.stringify(range(twice(dialect, ['a'], ['a']), '@history ^sys .cb @mode=latest'))
    expect(JSON.parse(text)).toMatchObject({
      diffs: [{ changed: [{ delta: { created_at_ns: { from: Number(from), to: Number(to) } } }] }],
    })
  })
})

describe.each(DIALECTS)('options, %s', (dialect) => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n'
  const after = 'a\nb\nc\nd\nE\nf\ng\nh\n'

  test('brings a content_diff with includeContent where the content hash changed, and only then (04 §4)', () => {
    const ctx = twice(dialect, [before, { ttl: 1 }], [after, { ttl: 1 }])
    for (const options of [
      undefined,
      {},
      { includeContent: false },
      { contentMode: 'tokens', contextLines: 1 } as const,
    ])
      expect(ends(ctx, options).changed[0]).not.toHaveProperty('content_diff')
    const [shown] = ends(ctx, { includeContent: true }).changed
    expect(shown!.fields).toContain('content_hash')
    expectExactly(shown!.content_diff, {
      mode: 'unified',
      mime: 'text/plain',
      summary: { bytesNewer: 16, bytesOlder: 16, identical: false, truncated: false },
      diff: '--- older(@t-2)/x\n+++ newer(@t0)/x\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n',
    })
    // Role, kind and data_* are part of the hash too: it can change while the content does not.
    const [role] = ends(twice(dialect, ['same', { role: 'user' }], ['same', { role: 'tool' }]), {
      includeContent: true,
    }).changed
    expect(role!.fields).toEqual(expect.arrayContaining(['role', 'content_hash']))
    expect(role!.content_diff).toMatchObject({ summary: { identical: true, bytesNewer: 4, bytesOlder: 4 }, diff: '' })
    // The hash is the same: other headers bring no content_diff.
    const [priority] = ends(twice(dialect, ['same'], ['same', { priority: 7 }]), { includeContent: true }).changed
    expect(priority!.fields).toContain('priority')
    expect(priority!.fields).not.toContain('content_hash')
    expect(priority).not.toHaveProperty('content_diff')
    for (const { changed } of range(grown(dialect), '@history .cb', { includeContent: true }).diffs)
      for (const each of changed) expect(each).not.toHaveProperty('content_diff')
  })

  test('writes a content_diff as unified text, JSON patch or tokens, with as much context as asked (04 §4, D39)', () => {
    const contentDiff = (
      older: ContentInput,
      newer: ContentInput,
      options: SelectOptions,
      header: Header = {},
    ): BlockChange['content_diff'] =>
      ends(twice(dialect, [older, header], [newer, header]), { includeContent: true, ...options }).changed[0]
        ?.content_diff
    const head = '--- older(@t-2)/x\n+++ newer(@t0)/x\n'
    for (const [contextLines, hunk] of [
      [0, '@@ -5 +5 @@\n-e\n+E\n'],
      [1, '@@ -4,3 +4,3 @@\n d\n-e\n+E\n f\n'],
      [3, '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n'],
      [undefined, '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n'],
      [99, '@@ -1,8 +1,8 @@\n a\n b\n c\n d\n-e\n+E\n f\n g\n h\n'],
    ] as const) {
      expect(contentDiff(before, after, { contextLines })?.diff).toBe(head + hunk)
      expect(contentDiff(before, after, { contextLines, contentMode: 'unified' })?.diff).toBe(head + hunk)
    }
    // Values that are no strings are compared as canonical JSON, one value per line.
    expectExactly(contentDiff({ plan: 'free', seats: 1 }, { seats: 1, plan: 'pro' }, { contextLines: 0 }), {
      mode: 'unified',
      mime: 'application/json',
      summary: { bytesNewer: 24, bytesOlder: 25, identical: false, truncated: false },
      diff: `${head}@@ -2 +2 @@\n-  "plan": "free",\n+  "plan": "pro",\n`,
    })
    // RFC 6902, from older to newer.
    expectExactly(contentDiff({ plan: 'free', seats: 1 }, { seats: 1, plan: 'pro' }, { contentMode: 'jsonpatch' }), {
      mode: 'jsonpatch',
      mime: 'application/json',
      summary: { bytesNewer: 24, bytesOlder: 25, identical: false, truncated: false },
      patch: [{ op: 'replace', path: '/plan', value: 'pro' }],
    })
    expectExactly(contentDiff('the cat sat', 'the dog sat', { contentMode: 'tokens', contextLines: 1 }), {
      mode: 'tokens',
      mime: 'text/plain',
      summary: {
        bytesNewer: 11,
        bytesOlder: 11,
        identical: false,
        truncated: false,
        tokenizer: 'unicode-words',
        tokensNewer: 5,
        tokensOlder: 5,
      },
      hunks: [
        {
          olderStart: 1,
          olderCount: 3,
          newerStart: 1,
          newerCount: 3,
          ops: [
            { op: 'keep', text: ' ' },
            { op: 'rep', from: 'cat', to: 'dog' },
            { op: 'keep', text: ' ' },
          ],
        },
      ],
    })
    // Sizes are UTF-8 bytes; the node itself says what its text is.
    expect(contentDiff('é', '😀!', {}, { content_mime: 'text/markdown' })).toMatchObject({
      mime: 'text/markdown',
      summary: { bytesNewer: 5, bytesOlder: 2 },
    })
  })

  test('inlines of both sides what materialize names (04 §4)', () => {
    const header = { content_mime: 'text/markdown', content_encoding: 'utf-8' }
    const ctx = twice(dialect, ['old', header], ['new', { role: 'user' }])
    expect(ends(ctx).changed[0]).not.toHaveProperty('materialized')
    const names = ['content', 'mime', 'encoding', 'content_hash'] as const
    expectExactly(ends(ctx, { materialize: names }).changed[0]!.materialized, {
      from: { content: 'new', mime: null, encoding: null, content_hash: hashOf('new', 'user') },
      to: { content: 'old', mime: 'text/markdown', encoding: 'utf-8', content_hash: expect.stringMatching(HEX) },
    })
    expectExactly(ends(ctx, { materialize: ['content'] }).changed[0]!.materialized, {
      from: { content: 'new' },
      to: { content: 'old' },
    })
  })

  test('caps snapshots with maxSnapshots, keeps the newest and says so without failing (04 §4, §7, 06 §7, D7)', () => {
    const ctx = grown(dialect)
    expect(ctx.select('@t-3..@t0 .cb')).not.toHaveProperty('limits')
    const fault = { code: 'E_SNAPSHOT_RANGE_LIMIT', message: expect.stringMatching(/\w/) as string, fatal: false }
    for (const [maxSnapshots, kept] of [
      [0, ''],
      [1, '@t0'],
      [2, '@t0 @t-1'],
      [3, '@t0 @t-1 @t-2'],
    ] as const) {
      for (const time of ['@t-3..@t0', '@t0..@t-3', '@history']) {
        const found = range(ctx, `${time} .cb`, { maxSnapshots })
        expect(labels(found).join(' ')).toBe(kept)
        expect(found.diffs).toHaveLength(Math.max(0, maxSnapshots - 1))
        expect(found).toMatchObject({ limits: { maxSnapshots, truncated: true }, errors: [fault] })
      }
    }
    for (const maxSnapshots of [4, 5, 1000]) {
      const found = range(ctx, '@history .cb', { maxSnapshots })
      expect(found.snapshots).toHaveLength(4)
      expectExactly(found.limits, { maxSnapshots, truncated: false })
      expect(found).not.toHaveProperty('errors')
    }
    // The cap holds before the ends are compared.
    expect(written(range(ctx, '@history .cb @mode=latest', { maxSnapshots: 2 }))).toEqual(['@t0>@t-1 +u4'])
  })

  test('caps every block with maxChangesPerSnapshot, counts all in stats and sets truncated (04 §4, §7)', () => {
    const ctx = grown(dialect)
    const cases: readonly (readonly [number, Written, boolean])[] = [
      [0, ['@t0>@t-1', '@t-1>@t-2', '@t-2>@t-3'], true],
      [1, ['@t0>@t-1 +u4', '@t-1>@t-2 +u3', '@t-2>@t-3 +u2'], true],
      [2, ['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -p', '@t-2>@t-3 +u2,o2'], true],
      [3, ['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -p,o2', '@t-2>@t-3 +u2,o2 ~p'], false],
    ]
    for (const [maxChangesPerSnapshot, expected, truncated] of cases) {
      const found = range(ctx, '@history .cb', { maxChangesPerSnapshot })
      expect(written(found)).toEqual(expected)
      expectExactly(found.limits, { maxChangesPerSnapshot, truncated })
      expect(found).not.toHaveProperty('errors')
      expect(found.diffs.map(({ stats }) => Object.values(stats))).toEqual([
        [1, 0, 0],
        [1, 2, 0],
        [2, 0, 1],
      ])
    }
    const both = range(ctx, '@history .cb', { maxSnapshots: 2, maxChangesPerSnapshot: 9 })
    expectExactly(both.limits, { maxSnapshots: 2, maxChangesPerSnapshot: 9, truncated: true })
  })

  test('gives flat lists for ranges by setting or by @mode=union, and diffs by rangeDiffLatest still (10 Annex, D23)', () => {
    const flat = {
      '@t-3..@t0 .cb': 'u1 u2 u3 u4 p o2',
      '@t0:-3 .cb': 'u1 u2 u3 u4 p o2',
      '@t-1..@t-2 .cb': 'u1 u2 u3 p o2',
      '@history .cb @skip=3 @limit=2': 'u4 p',
    }
    const legacy = grown(dialect, { selectRangeReturnsDiff: false })
    const usual = grown(dialect)
    for (const [selector, ids] of Object.entries(flat)) {
      expect(listOf(legacy.select(selector)).join(' '), selector).toBe(ids)
      expect(listOf(usual.select(`${selector} @mode=union`)).join(' '), selector).toBe(ids)
      expect(legacy.rangeDiffLatest(selector), selector).toEqual(usual.select(selector))
    }
    const diffs: RangeDiffLatestResult = legacy.rangeDiffLatest('@t-3..@t0 .cb')
    expect(written(diffs)).toEqual(['@t0>@t-1 +u4', '@t-1>@t-2 +u3 -p,o2', '@t-2>@t-3 +u2,o2 ~p'])
    // Diffs are the default, and rangeDiffLatest is for ranges only.
    expect('diffs' in grown(dialect, { selectRangeReturnsDiff: true }).select('@history .cb')).toBe(true)
    for (const selector of ['.cb', '@t0 .cb', '@* .cb', '@history .cb @mode=union'])
      expect(refusal(() => usual.rangeDiffLatest(selector)).code, selector).toBe('E_SELECTOR_INVALID')
  })
})

describe('the documents', () => {
  type Example = Readonly<{
    chapter: string
    dialect: Dialect
    selector: string
    summary: Header
    disputed?: string
    result: Readonly<{ query: string; snapshots: object[]; diffs: object[] }>
  }>

  const { examples } = readGolden('04-range-examples.json') as { examples: readonly Example[] }

  test('gives for the examples with a range what they print, the query as it was asked (04 §3.7, 001 §3.7.1)', () => {
    expect(examples.map(({ chapter }) => chapter)).toEqual(['04 §3.7', '001 §3.7.1'])
    for (const { dialect, selector, summary, disputed, result } of examples) {
      const name = dialect === '0.1' ? 'cb' : 'block'
      // One summary in the first turn, one in the third; the fourth is one turn too many for the first to stay.
      const ctx = named(dialect, `${name}:sum:c101 two ${name}:sum:c102 four`, { prune: { maxDepth: 3 } })
      for (const turn of [1, 2, 3, 4]) {
        ctx.add(`turn ${turn}`, { zone: 'core', ...(turn % 2 === 1 ? summary : {}) })
        ctx.commit()
      }
      expect(result.query === selector, 'only a disputed query is not the selector').toBe(disputed === undefined)
      const found = range(ctx, selector)
      expect(found).toMatchObject({ ...result, query: selector })
      expect(found.snapshots).toEqual(
        [0, -1, -2, -3].map((value) => ({
          kind: 't',
          value,
          label: value === 0 ? '@t0' : `@t${value}`,
          cycle: 4 + value,
        })),
      )
    }
  })

  test('gives ids for the example without a range (001 §3.7.1)', () => {
    const ctx = createContext({ clock: clockOf() })
    const good = ctx.user('a1', { 'app:x': 1, data_status: 'ok' })
    ctx.user('a2', { data_status: 'bad' })
    ctx.post('a7', { data_status: 'ok' })
    ctx.commit()
    expect(ctx.select("@t0 ( .seg .cont > .block ) { data_status='ok' }")).toEqual([good.id])
    expect(ctx.select("@t0 ( .seg .cont > .block ) { status='ok' }")).toEqual([])
  })
})

const HEX = /^[0-9a-f]{64}$/

/** Headers of every kind, and those that the calls here give themselves. */
const MORE = {
  nodeType: 'app:note',
  key: 'k',
  tags: ['t'],
  pinned: true,
  refs: ['seq'],
  provenance: { by: 'me' },
  data_n: 5,
  'app:z': [1],
} as const

/** The one block between the two ends of such a history. */
function ends(ctx: Context, options?: SelectOptions): DiffBlock {
  const { diffs } = range(ctx, '@t-2..@t0 ^sys .cb @mode=latest', options)
  expect(diffs).toHaveLength(1)
  expect(diffs[0]).toMatchObject({ added_ids: [], removed_ids: [], changed: [{ id: 'x' }] })
  return diffs[0]!
}

function range(ctx: Context, selector: string, options?: SelectOptions): RangeDiffLatestResult {
  const found = ctx.select(selector, options)
  if (!('diffs' in found)) throw new Error(`${selector} gave a list.`)
  return found
}

function labels({ snapshots }: RangeDiffLatestResult): readonly string[] {
  return snapshots.map(({ label }) => label)
}

function written({ diffs }: RangeDiffLatestResult): Written {
  const part = (mark: string, ids: readonly string[]): string[] => (ids.length === 0 ? [] : [mark + ids.join()])
  return diffs.map(({ from, to, added_ids, removed_ids, changed }) => {
    const ids = changed.map(({ id }) => id)
    const parts = [...part('+', added_ids), ...part('-', removed_ids), ...part('~', ids)]
    return [`${from.label}>${to.label}`, ...parts].join(' ')
  })
}

/** Refused when read, with place and token, over any tree and by every call. */
function expectRefused(dialect: Dialect, code: string, selectors: readonly string[]): void {
  const contexts = [createContext({ dialect }), grown(dialect), grown(dialect, { selectRangeReturnsDiff: false })]
  for (const selector of selectors) {
    const calls = contexts.flatMap((ctx) => [() => ctx.select(selector), () => ctx.rangeDiffLatest(selector)])
    for (const call of [...calls, () => contexts[1]!.nodes(selector), () => parseSelector(selector, { dialect })]) {
      const error = refusal(call)
      expect(error.code, selector).toBe(code)
      const { pos, token } = error.details as { pos: number; token: string }
      expect(token.length, selector).toBeGreaterThan(0)
      expect(selector.slice(pos, pos + token.length), selector).toBe(token)
    }
  }
}
