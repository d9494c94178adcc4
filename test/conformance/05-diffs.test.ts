// Diffs of two trees: 05 §4–6, with 02 §9.3, 06 §4–7 and the documents 003 and 004, as D24, D36 and D38 read them. The
// expectations are written out, or computed from the exports.

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  type Context,
  type DetailedChange,
  type DetailedDiff,
  type Diff,
  type Lens,
  type PlacedNode,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { naiveContentHash } from '../oracle/diff.js'
import {
  clockOf,
  DIALECTS,
  idsOf,
  programsFor,
  readExport,
  readGolden,
  refusal,
  runProgram,
  START_NS,
  textOf,
  type ExportedNode,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'
import { expectExactly, expectFrozen, grown, hashOf, named, OPEN_HEAD, twice } from '../support/histories.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261115)

/** The headers that a node gets when it is made, in the order of D38. */
const MADE_ANEW = ['created_at_iso', 'created_at_ns', 'creation_index', 'cycle']

describe.each(DIALECTS)('plain diffs, %s', (dialect) => {
  const [seg, cont] = dialect === '0.1' ? ['mt', 'mc'] : ['seg', 'cont']

  test('knows a node by its id alone: added, removed, or changed (05 §4.1, 02 §9.3, 06 §4.1)', () => {
    const ctx = grown(dialect)
    const diffs: readonly (readonly [Lens, Lens, Diff])[] = [
      ['@c1', '@c2', diffOf(`${seg}/2 ${cont}/2 u2 o2`, '', { p: 'ttl' })],
      ['@c2', '@c3', diffOf(`${seg}/3 ${cont}/3 u3`, 'p o2')],
      ['@c3', '@c4', diffOf(`${seg}/4 ${cont}/4 u4`, '')],
      ['@c1', '@c4', diffOf(`${seg}/2 ${cont}/2 u2 ${seg}/3 ${cont}/3 u3 ${seg}/4 ${cont}/4 u4`, 'p')],
      ['@t-1', '@t-3', diffOf('p', `${seg}/2 ${cont}/2 u2 ${seg}/3 ${cont}/3 u3`)],
    ]
    for (const [a, b, expected] of diffs) expect(ctx.diff(a, b), `${a} ${b}`).toEqual(expected)
    // The same content under another id is another node; another content under the same id is the same node.
    const other = named(dialect, 'a b')
    other.system.add('same', { ttl: 1 })
    other.commit()
    other.system.add('same', { ttl: 1 })
    other.commit()
    expect(other.diff('@t-1', '@t0')).toEqual(diffOf('b', 'a'))
    const same = twice(dialect, ['old'], ['new'])
    expect(same.diff('@c1', '@c3')).toEqual(diffOf('', '', { x: ['content_hash', ...MADE_ANEW].join(' ') }))
    expect([same.diff('@c1', '@c2'), same.diff('@c2', '@c3')]).toEqual([diffOf('', 'x'), diffOf('x', '')])
    // So is a node that supersedes another one.
    const replaced = createContext({ dialect })
    const { id } = replaced.user('old')
    replaced.commit()
    const [node] = replaced.replace(`[id='${id}']`, { content: 'new' })
    replaced.commit()
    expect(replaced.diff('@t-1', '@t0')).toEqual(diffOf(node!.id, id))
  })

  test('goes from the first to the second, be they snapshots, the working state or a preview (05 §4, D38)', () => {
    const ctx = grown(dialect)
    expect(ctx.diff('@t0', 'working'), 'nothing is written yet').toEqual(diffOf('', ''))
    ctx.pre('u5', { ttl: 0 })
    ctx.user('u6')
    expect(ctx.diff('@t0', 'working')).toEqual(diffOf(`u5 ${cont}/5 u6`, ''))
    expect(ctx.diff('working', '@t0')).toEqual(diffOf('', `u5 ${cont}/5 u6`))
    expect(ctx.diff('@t-3', 'working', '.cb')).toEqual(diffOf('u2 u3 u4 u5 u6', 'p'))
    // A commit would seal the head and drop what has no cycle left; the new turn has no id of its own yet (N7).
    const { added, ...rest } = ctx.diff('working', 'preview')
    expect(added).toHaveLength(1)
    expect(rest).toEqual({ removed: ['u5'], changed: [{ id: `${cont}/5`, fields: ['parent'] }] })
    expect(ctx.diff('@t0', 'preview', '.cb')).toEqual(diffOf('u6', ''))
    const before = ctx.diff('@t0', 'preview', '.cb, .mc')
    ctx.commit()
    expect(ctx.diff('@t-1', '@t0', '.cb, .mc')).toEqual(before)
    for (const lens of ['@t0', '@t-4', '@c2', 'working', 'preview'] as const)
      expect(ctx.diff(lens, lens), lens).toEqual(diffOf('', ''))
    for (const [a, b] of [
      ['@t-9', '@t0'],
      ['@t0', '@c9'],
      ['preview', '@t+1'],
    ] as const)
      expect(refusal(() => ctx.diff(a as Lens, b as Lens)).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  test('reports content and structure: content_hash, parent and offset among the fields (02 §9.3)', () => {
    const ctx = importSnapshot(OPEN_HEAD, { dialect, clock: clockOf(), ids: ({ nodeType }) => `the ${nodeType}` })
    ctx.commit()
    expect(ctx.diff('@t-1', '@t0')).toEqual(
      diffOf([`the ${seg}`, `the ${cont}`], '', { pre: 'ttl parent', loose: 'parent', box: 'parent' }),
    )
    const moved = twice(dialect, ['old', { offset: 3 }], ['new', { offset: -1 }])
    expect(moved.diff('@c1', '@c3').changed).toEqual([{ id: 'x', fields: ['offset', 'content_hash', ...MADE_ANEW] }])
    // In another region it has another parent; what is written there of its content is the same.
    const across = named(dialect, 'x x')
    across.system.add('text', { ttl: 1, offset: -1 })
    across.commit()
    across.commit()
    across.pre('text', { ttl: 1, offset: -1 })
    across.commit()
    expect(across.diff('@c1', '@c3', '.cb').changed).toEqual([{ id: 'x', fields: ['parent', ...MADE_ANEW] }])
  })

  test('names every header that differs: ten in their order, the rest by code point (05 §4.2, D38)', () => {
    const all = {
      ttl: 2,
      priority: 2,
      offset: 1,
      nodeType: 'app:note',
      role: 'user',
      kind: 'text',
      key: 'k',
      tags: ['t'],
      refs: ['sys'],
      pinned: true,
      provenance: 'p',
      content_mime: 'text/plain',
      data_n: 1,
      'Z:z': 1,
      'é:é': 1,
    }
    const ctx = named(dialect, 'x x')
    ctx.system.add('old', { ttl: 1 })
    ctx.commit()
    ctx.commit()
    ctx.post('new', all)
    ctx.commit()
    const fields = 'ttl priority parent offset nodeType role kind key tags content_hash Z:z content_mime created_at_iso'
      .concat(' created_at_ns creation_index cycle data_n pinned provenance refs é:é')
      .split(' ')
    expect(ctx.diff('@c1', '@c3').changed).toEqual([{ id: 'x', fields }])
    expect(ctx.diff('@c3', '@c1').changed).toEqual([{ id: 'x', fields }])
    // Each of them alone, in either direction; kind, role and data_* are part of the content hash as well (08 §2.1).
    const inHash = ['role', 'kind', 'content_mime', 'data_n']
    for (const [name, value] of Object.entries(all)) {
      const names = [name, ...(inHash.includes(name) ? ['content_hash'] : []), ...MADE_ANEW]
      const [without, given] = [['text'], ['text', { [name]: value }]] as const
      const histories = [twice(dialect, without, given)]
      // A ttl of 2 needs one cycle more to leave, so it can only be the newer one.
      if (name !== 'ttl') histories.push(twice(dialect, given, without))
      for (const each of histories)
        expect(each.diff('@c1', '@c3').changed[0]?.fields.toSorted(), name).toEqual(names.toSorted())
    }
    // Equal values are not listed, nor is equal content written in another order.
    const alike = { tags: ['a', 'b'], data_n: { b: [1], a: null } } as const
    const again = { tags: ['a', 'b'], data_n: { a: null, b: [1] } } as const
    const equal = twice(dialect, [{ x: 1, y: 2 }, alike], [{ y: 2, x: 1 }, again])
    expect(equal.diff('@c1', '@c3').changed).toEqual([{ id: 'x', fields: MADE_ANEW }])
    expect(twice(dialect, ['t', { tags: ['a', 'b'] }], ['t', { tags: ['b', 'a'] }]).diff('@c1', '@c3').changed).toEqual(
      [{ id: 'x', fields: ['tags', ...MADE_ANEW] }],
    )
  })

  test('reports a running ttl as a change at every commit, and nothing of a node that stays (05 §4.2, 02 §9.3, D24)', () => {
    const ctx = named(dialect, 'three one stays')
    ctx.system.add('three', { ttl: 3 })
    ctx.system.add('one', { ttl: 1 })
    ctx.system.add('stays')
    ctx.commit()
    const ttl = { three: 'ttl' }
    const expected = [diffOf('', 'one', ttl), diffOf('', '', ttl), diffOf('', 'three'), diffOf('', '')]
    for (const diff of expected) {
      ctx.commit()
      expect(ctx.diff('@t-1', '@t0')).toEqual(diff)
    }
    expect(ctx.diff('@c1', '@c3')).toEqual(diffOf('', 'one', ttl))
    expect(ctx.diff('@c3', '@c1')).toEqual(diffOf('one', '', ttl))
    expect(ctx.diffDetailed('@c1', '@c3').changed[0]?.delta).toEqual({ ttl: { from: 3, to: 1 } })
  })

  test('shows in a preview that a ttl runs on, though nothing else is written (05 §4.2, D5, D24)', () => {
    const ctx = named(dialect, 'two u')
    ctx.system.add('two', { ttl: 2 })
    expect(ctx.diff('working', 'preview'), 'new and given a ttl in this cycle').toEqual(diffOf('', ''))
    ctx.commit()
    // The open cycle shows the ttl that the latest snapshot shows; the commit lets it run.
    expect([ctx.node('two', 'working')?.ttl, ctx.node('two', 'preview')?.ttl]).toEqual([2, 1])
    expect(ctx.diff('@t0', 'working')).toEqual(diffOf('', ''))
    expect(ctx.diff('@t0', 'preview')).toEqual(diffOf('', '', { two: 'ttl' }))
    expect(ctx.diff('working', 'preview')).toEqual(diffOf('', '', { two: 'ttl' }))
    expect(ctx.diffDetailed('preview', 'working').changed[0]?.delta).toEqual({ ttl: { from: 1, to: 2 } })
    ctx.user('u')
    expect(ctx.diff('working', 'preview', '.cb')).toEqual(diffOf('', '', { two: 'ttl' }))
  })

  test('gives exactly added, removed and changed, each change exactly id and fields (05 §4.3, 06 §4.3)', () => {
    const ctx = grown(dialect)
    expectExactly(ctx.diff('@c1', '@c2', '.cb'), {
      added: ['u2', 'o2'],
      removed: [],
      changed: [{ id: 'p', fields: ['ttl'] }],
    })
    expectExactly(ctx.diff('@t0', '@t0'), { added: [], removed: [], changed: [] })
    expectExactly(ctx.diff('@c1', '@c4', "[role='none']"), { added: [], removed: [], changed: [] })
    const lenses = ['@c1', '@c2', '@c3', '@c4', 'working', 'preview'] as const
    for (const a of lenses) {
      for (const b of lenses) {
        for (const selector of [undefined, '*', '.cb', '.cb @limit=1']) {
          const diff = ctx.diff(a, b, selector)
          expect(Reflect.ownKeys(diff)).toEqual(['added', 'removed', 'changed'])
          for (const each of diff.changed) expect(Reflect.ownKeys(each)).toEqual(['id', 'fields'])
          expect(JSON.parse(JSON.stringify(diff))).toEqual(diff)
          expectFrozen(diff)
        }
      }
    }
  })

  test('orders by the newer tree, and what has left by the older, whichever is named first (05 §4.4, 06 §4.4, D38)', () => {
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
    expect(ctx.diff('@t-1', '@t0')).toEqual(diffOf(`t ${seg}/2 q ${cont}/2 v y`, 's p u z'))
    expect(ctx.diff('@t0', '@t-1')).toEqual(diffOf('s p u z', `t ${seg}/2 q ${cont}/2 v y`))
    for (const selector of ['.cb', '.cb @order=post', '.cb @order=bfs', '^ah .cb, ^seq .cb, ^sys .cb'])
      expect(ctx.diff('@t-1', '@t0', selector), selector).toEqual(diffOf('t q v y', 's p u z'))
    // Ten nodes of both trees, in the newer one the other way round.
    const names = 'a b c d e f g h i j'
    const reversed = names.split(' ').toReversed()
    const turned = named(dialect, `${names} ${reversed.join(' ')}`)
    for (const ttl of [1, null]) {
      for (const name of reversed) turned.system.add(name, { ttl })
      turned.commit()
      turned.commit()
    }
    expect(turned.select('@c1 ^sys .cb')).toEqual(names.split(' '))
    expect(idsOf(turned.diff('@c1', '@c3').changed)).toEqual(reversed)
    expect(idsOf(turned.diff('@c3', '@c1').changed)).toEqual(reversed)
    expect(idsOf(turned.diffDetailed('@c3', '@c1').changed)).toEqual(reversed)
  })

  test('compares what a selector selects on each side; only one side selects means added or removed (06 §4.1, D38)', () => {
    const ctx = grown(dialect)
    const cases: readonly (readonly [Lens, Lens, string, Diff])[] = [
      ['@c1', '@c2', '.cb', diffOf('u2 o2', '', { p: 'ttl' })],
      ['@c1', '@c2', '.mt', diffOf(`${seg}/2`, '')],
      ['@c1', '@c2', '.mt:pre', diffOf('', '')],
      // p has a ttl of 2 in the first snapshot and of 1 in the second, where it is a change only if both are asked for.
      ['@c1', '@c2', '[ttl=1]', diffOf('p o2', '')],
      ['@c1', '@c2', '[ttl=2]', diffOf('', 'p')],
      ['@c1', '@c2', '[ttl>=1]', diffOf('o2', '', { p: 'ttl' })],
      ['@c1', '@c2', '^sys *', diffOf('', '')],
      // The newest turn is another one each time.
      ['@c1', '@c2', '.mt:depth(1) .cb', diffOf('u2 o2', 'p u1')],
      ['@c3', '@c1', '.mt:depth(1) .cb', diffOf('p u1', 'u3')],
      ['@c2', '@c3', '.cb @limit=1', diffOf('u1', 'p')],
      ['@c2', '@c3', '.cb @skip=3', diffOf('', 'o2')],
    ]
    for (const [a, b, selector, expected] of cases) {
      expect(ctx.diff(a, b, selector), `${a} ${b} ${selector}`).toEqual(expected)
      const { added, removed, changed } = ctx.diffDetailed(a, b, selector)
      const plain = {
        added: idsOf(added),
        removed: idsOf(removed),
        changed: changed.map(({ id, fields }) => ({ id, fields })),
      }
      expect(plain, `detailed, ${a} ${b} ${selector}`).toEqual(expected)
    }
    expect(ctx.diff('@c1', '@c3', '*')).toEqual(ctx.diff('@c1', '@c3'))
    // The two trees are named by the call; facets and @mode need a time, which a selector here cannot have.
    for (const selector of ['@t0 .cb', '@c1 .cb', '@* .cb', '@working .cb', '@t-1..@t0 .cb', '@history .cb', '.cb['])
      expect(refusal(() => ctx.diff('@t-1', '@t0', selector)).code, selector).toBe('E_SELECTOR_INVALID')
    for (const selector of ['.cb[age=0]', '.cb @mode=latest', '.cb?', ''])
      expect(refusal(() => ctx.diffDetailed('@t-1', '@t0', selector)).code, selector).toBe('E_SELECTOR_INVALID')
  })

  test('shows what left and came anew in the open turn as removed and added (05 §6)', () => {
    const ctx = named(dialect, 'n1 u1 n2 n3')
    ctx.pre('remember', { ttl: 1 })
    ctx.user('hello')
    ctx.commit()
    ctx.pre('remember')
    ctx.pre('remember', { ttl: 0 })
    expect(ctx.diff('@t0', 'working', '.cb'), 'n1 is still there').toEqual(diffOf('n2 n3', ''))
    expect(ctx.diff('@t0', 'preview', '.cb')).toEqual(diffOf('n2', 'n1'))
    expect(ctx.diff('working', 'preview', '.cb').removed).toEqual(['n1', 'n3'])
    ctx.commit()
    expect(ctx.diff('@t-1', '@t0', '.cb')).toEqual(diffOf('n2', 'n1'))
  })

  test('gives the same diff for the same trees: again, later, and in every other context (06 §7, 02 §9.3)', () => {
    const build = (): Context => {
      const ctx = grown(dialect)
      ctx.system.add({ b: 1, a: [2] }, { key: 'k', data_n: 1, tags: ['y', 'x'] })
      return ctx
    }
    const pairs = [
      ['@c1', '@c2'],
      ['@c4', '@c1'],
      ['@c2', '@c4'],
    ] as const
    const bytes = (ctx: Context): string[] =>
      pairs.flatMap(([a, b]) =>
        [undefined, '.cb', '.cb @skip=1'].flatMap((selector) => [
          JSON.stringify(ctx.diff(a, b, selector)),
          JSON.stringify(ctx.diffDetailed(a, b, selector)),
        ]),
      )
    const ctx = build()
    const before = textOf(ctx.export('working'))
    const first = bytes(ctx)
    expect(bytes(ctx), 'again').toEqual(first)
    expect(bytes(build()), 'in another context').toEqual(first)
    expect(bytes(ctx.fork('@t0')), 'in a fork').toEqual(first)
    expect(textOf(ctx.export('working')), 'a diff changes nothing').toBe(before)
    ctx.commit()
    ctx.user('later')
    expect(bytes(ctx), 'later').toEqual(first)
    expectFrozen(ctx.diffDetailed('@c1', '@c4'))
  })

  test('has the form of the example, with the fields in its order (05 §5.2)', () => {
    const { diff } = readGolden('05-diff-example.json') as { diff: Diff }
    const [added, removed, changed] = ['cb:9a2f', 'cb:7c14', 'cb:5d8b']
    const ctx = named(dialect, `${removed} ${changed} ${added}`)
    ctx.post('goes', { ttl: 1 })
    ctx.post('stays', { ttl: 5 })
    ctx.commit()
    ctx.update(`[id='${changed}']`, { priority: 5 })
    ctx.post('comes')
    ctx.commit()
    const found = ctx.diff('@c1', '@c2', '.cb')
    expect(Object.keys(found)).toEqual(Object.keys(diff))
    expectExactly(found, diff)
  })
})

describe.each(DIALECTS)('detailed diffs, %s', (dialect) => {
  const [seg, cont, block] = dialect === '0.1' ? ['mt', 'mc', 'cb'] : ['seg', 'cont', 'block']

  test('says of every node its place, headers, values before and after, cause and cycle (02 §9.3, D38)', () => {
    const ctx = grown(dialect)
    const { added, removed, changed, ...rest } = JSON.parse(
      JSON.stringify(ctx.diffDetailed('@c1', '@t-2')),
    ) as DetailedDiff
    expect({ ...rest, parents: byId(rest.parents) }).toStrictEqual({
      from: { lens: '@c1', cycle: 1 },
      to: { lens: '@t-2', cycle: 2 },
      parents: [
        { id: `${cont}/2`, children_added: ['u2'], children_removed: [] },
        { id: `${seg}/2`, children_added: [`${cont}/2`, 'o2'], children_removed: [] },
        { id: 'seq', children_added: [`${seg}/2`], children_removed: [] },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
      moves: [],
    })
    const common = { ttl: null, priority: 0, cycle: 2 }
    const times = (at: number): object => ({
      created_at_ns: Number(START_NS),
      created_at_iso: `2023-11-14T22:13:20.00000000${at}Z`,
    })
    const expected = [
      { cause: 'sealed', parent: 'seq', is_container: true, thread_index: null },
      { cause: 'created', parent: `${seg}/2`, is_container: true, thread_index: null },
      { cause: 'created', parent: `${cont}/2`, is_container: false, thread_index: 2 },
      { cause: 'created', parent: `${seg}/2`, is_container: false, thread_index: 3 },
    ]
    const nodes = [
      { id: `${seg}/2`, nodeType: seg, offset: 2 * 1_048_576, ...common, ...times(7), creation_index: 3 },
      { id: `${cont}/2`, nodeType: cont, offset: 0, ...common, ...times(4), creation_index: 0 },
      { id: 'u2', nodeType: block, offset: 0, ...common, ...times(5), creation_index: 1, role: 'user', content: 'u2' },
      { id: 'o2', nodeType: block, offset: 1, ...common, ttl: 1, ...times(6), creation_index: 2, content: 'o2' },
    ]
    expect(added).toStrictEqual(nodes.map((node, i) => ({ id: node.id, ...expected[i], cycle: 2, node })))
    expect(removed).toStrictEqual([])
    expect(changed).toStrictEqual([
      {
        id: 'p',
        fields: ['ttl'],
        delta: { ttl: { from: 2, to: 1 } },
        parent_changed: false,
        offset_changed: false,
        cause: 'aged',
        cycle: 2,
        thread_index: { from: 0, to: 0 },
      },
    ])
    // The other way round the sides change places, and why a node came is still the same.
    const back = ctx.diffDetailed('@t-2', '@c1')
    expect([back.from, back.to]).toEqual([
      { lens: '@t-2', cycle: 2 },
      { lens: '@c1', cycle: 1 },
    ])
    expect(back.removed).toEqual(ctx.diffDetailed('@c1', '@t-2').added)
    expect(back.added).toEqual([])
    expect(back.changed[0]).toMatchObject({ id: 'p', delta: { ttl: { from: 1, to: 2 } } })
  })

  test('lists field by field what changed in a node, with the contents themselves (02 §9.3)', () => {
    const ctx = twice(dialect, ['old', { offset: 3, priority: 1 }], [{ new: true }, { role: 'tool' }])
    const [change] = ctx.diffDetailed('@c1', '@c3').changed as [DetailedChange]
    expect(change).toMatchObject({ id: 'x', parent_changed: false, offset_changed: true })
    expect(change.content).toEqual({ from: 'old', to: { new: true } })
    expect(change.delta).toEqual({
      priority: { from: 1, to: 0 },
      offset: { from: 3, to: 0 },
      role: { from: null, to: 'tool' },
      content_hash: { from: hashOf('old'), to: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      created_at_iso: { from: '2023-11-14T22:13:20.000000000Z', to: '2023-11-14T22:13:20.000000001Z' },
      created_at_ns: { from: START_NS, to: START_NS + 1n },
      creation_index: { from: 4, to: 0 },
      cycle: { from: 1, to: 3 },
    })
    expect(Object.keys(change.delta)).toEqual(change.fields)
    const back = ctx.diffDetailed('@c3', '@c1').changed[0]!
    expect(back.content).toEqual({ from: { new: true }, to: 'old' })
    expect(back.delta['offset']).toEqual({ from: 0, to: 3 })
    // The hash alone can change: role, kind and data_* are part of it.
    expect(twice(dialect, ['a'], ['a', { kind: 'k' }]).diffDetailed('@c1', '@c3').changed[0]).not.toHaveProperty(
      'content',
    )
  })

  test('tracks re-parenting on the node and on both parents (02 §9.3, 003 Diff)', () => {
    const ctx = importSnapshot(OPEN_HEAD, { dialect, clock: clockOf(), ids: ({ nodeType }) => `the ${nodeType}` })
    ctx.commit()
    const [turn, core] = [`the ${seg}`, `the ${cont}`]
    const forth = ctx.diffDetailed('@t-1', '@t0')
    expect(
      forth.changed.map(({ id, delta, parent_changed, cause }) => [id, delta['parent'], parent_changed, cause]),
    ).toEqual([
      ['pre', { from: 'ah', to: turn }, true, 'sealed'],
      ['loose', { from: 'ah', to: core }, true, 'sealed'],
      ['box', { from: 'ah', to: turn }, true, 'sealed'],
    ])
    expect(forth.changed.every(({ offset_changed }) => !offset_changed)).toBe(true)
    const parents = new Map(forth.parents.map((each) => [each.id, each]))
    expect([...parents.keys()].sort()).toEqual(['ah', 'seq', core, turn].sort())
    expect(parents.get('ah')).toEqual({ id: 'ah', children_added: [], children_removed: ['pre', 'loose', 'box'] })
    expect(parents.get('seq')).toEqual({ id: 'seq', children_added: [turn], children_removed: [] })
    expect(parents.get(core)).toEqual({ id: core, children_added: ['loose'], children_removed: [] })
    expect(parents.get(turn)!.children_added.toSorted()).toEqual(['box', 'pre', core].sort())
    expect(parents.get(turn)!.children_removed).toEqual([])
    // Backwards they return.
    const back = new Map(ctx.diffDetailed('@t0', '@t-1').parents.map((each) => [each.id, each]))
    expect(back.get('ah')).toEqual({ id: 'ah', children_added: ['pre', 'loose', 'box'], children_removed: [] })
    expect(back.get(core)).toEqual({ id: core, children_added: [], children_removed: ['loose'] })
    // Nodes that left for good leave their parents, too.
    const left = grown(dialect).diffDetailed('@c2', '@c3').parents
    expect(left.filter(({ children_removed }) => children_removed.length > 0)).toEqual([
      { id: `${seg}/1`, children_added: [], children_removed: ['p'] },
      { id: `${seg}/2`, children_added: [], children_removed: ['o2'] },
    ])
  })

  test('infers a move where content left and came under another id with the same hash (05 §4.5)', () => {
    const ctx = named(dialect, 'a b c d e f g A B2 C D E F G')
    const header = { ttl: 1 }
    const write = (role: string | undefined, kind: string | undefined): void => {
      ctx.pre('moves', header)
      ctx.post('changes role', { ...header, ...(role === undefined ? {} : { role }) })
      ctx.post('twin', { ...header, ...(kind === undefined ? {} : { kind }) })
      ctx.post('', header)
      ctx.post('says the same', { ...header, role: 'user', kind: 'text' })
      ctx.post('says the same', { ...header, role: 'user', kind: 'text' })
      ctx.post(kind === undefined ? 'old' : 'new', header)
    }
    write('user', undefined)
    ctx.commit()
    write('tool', 'text')
    ctx.commit()
    const moves = [
      { from: 'a', to: 'A', content_hash: hashOf('moves') },
      { from: 'e', to: 'E', content_hash: hashOf('says the same', 'user', 'text') },
      { from: 'f', to: 'F', content_hash: hashOf('says the same', 'user', 'text') },
    ]
    expectExactly(ctx.diffDetailed('@t-1', '@t0').moves, moves)
    expectExactly(
      ctx.diffDetailed('@t0', '@t-1').moves,
      moves.map(({ from, to, content_hash }) => ({ from: to, to: from, content_hash })),
    )
    // It is a hint next to the lists, where both nodes stay, and names only nodes that were asked for.
    expect(ctx.diff('@t-1', '@t0', '.cb')).toEqual(diffOf('A B2 C D E F G', 'a b c d e f g'))
    expect(ctx.diffDetailed('@t-1', '@t0', '.cb:pre').moves).toEqual(moves.slice(0, 1))
    expect(ctx.diffDetailed('@t-1', '@t0', ".cb[role='tool']").moves).toEqual([])
    // One went and two came: one of them is the one that moved. A node that stayed did not move.
    const more = named(dialect, 'old one two')
    more.pre('x', { ttl: 1 })
    more.commit()
    more.pre('x')
    more.post('x')
    more.commit()
    expect(more.diffDetailed('@t-1', '@t0').moves).toEqual([{ from: 'old', to: 'one', content_hash: hashOf('x') }])
    expect(grown(dialect).diffDetailed('@c1', '@c2').moves).toEqual([])
    expect(twice(dialect, ['same'], ['same']).diffDetailed('@c1', '@c3').moves).toEqual([])
  })

  test('finds every change in the provider thread of its side (06 §4.4)', () => {
    const ctx = grown(dialect)
    const at = (nodes: readonly PlacedNode[]): object =>
      Object.fromEntries(nodes.map((each) => [each.id, each.thread_index]))
    // c1: p u1, c2: p u1 u2 o2, c3: u1 u2 u3.
    const one = ctx.diffDetailed('@c1', '@c2')
    expect(at(one.added)).toEqual({ [`${seg}/2`]: null, [`${cont}/2`]: null, u2: 2, o2: 3 })
    expect(one.changed.map(({ id, thread_index }) => [id, thread_index])).toEqual([['p', { from: 0, to: 0 }]])
    const two = ctx.diffDetailed('@c2', '@c3')
    expect([at(two.removed), at(two.added)]).toEqual([
      { p: 0, o2: 3 },
      { [`${seg}/3`]: null, [`${cont}/3`]: null, u3: 2 },
    ])
    // A change in front moves the nodes behind it.
    const moved = named(dialect, 'u s')
    moved.user('u', { ttl: 5 })
    moved.commit()
    moved.system.add('s')
    moved.commit()
    expect(moved.diffDetailed('@t-1', '@t0', '.cb').changed[0]).toMatchObject({
      id: 'u',
      thread_index: { from: 0, to: 1 },
    })
    // From there to the bytes that were sent.
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const each = createContext({ dialect, clock: clockOf() })
        runProgram(each, program)
        for (let cycle = 2; cycle < each.cycle; cycle++) checkThread(each, `@c${cycle - 1}`, `@c${cycle}`)
        checkThread(each, '@t0', '@c1')
        checkThread(each, '@t0', 'working')
        checkThread(each, 'working', 'preview')
      }),
      { numRuns: 20, seed: SEED },
    )
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const { ctx: each, lens } of snapshotsOf(playEdited(program))) checkThread(each, lens, '@t0')
      }),
      editedRuns(6),
    )
  })

  test('names the cause of every change: made, sealed, aged, expired or pruned, and in which cycle (06 §6)', () => {
    const ctx = named(dialect, 'p box in u1 u2 u3 u4', { prune: { maxDepth: 2 } })
    ctx.pre('p', { ttl: 3 })
    ctx.add(undefined, { zone: 'post', nodeType: 'app:box', removable: true, children: [{ content: 'in', ttl: 2 }] })
    for (const text of ['u1', 'u2', 'u3', 'u4']) {
      ctx.user(text)
      ctx.commit()
    }
    // p would be in three snapshots and the box in two, but the third commit drops the first turn with all in it.
    expect(causes(ctx.diffDetailed('@c1', '@c2'))).toEqual({
      added: { [`${seg}/2`]: 'sealed 2', [`${cont}/2`]: 'created 2', u2: 'created 2' },
      removed: {},
      changed: { p: 'aged 2', in: 'aged 2' },
    })
    expect(causes(ctx.diffDetailed('@c2', '@c3'))).toEqual({
      added: { [`${seg}/3`]: 'sealed 3', [`${cont}/3`]: 'created 3', u3: 'created 3' },
      // The box went with the last node in it, before pruning took the rest.
      removed: {
        [`${seg}/1`]: 'pruned 3',
        p: 'pruned 3',
        [`${cont}/1`]: 'pruned 3',
        u1: 'pruned 3',
        box: 'expired 3',
        in: 'expired 3',
      },
      changed: {},
    })
    // Over several commits each node keeps the cycle in which it happened.
    expect(causes(ctx.diffDetailed('@c1', '@c4', '.cb'))).toEqual({
      added: { u3: 'created 3', u4: 'created 4' },
      removed: { p: 'pruned 3', u1: 'pruned 3', in: 'expired 3' },
      changed: {},
    })
    expect(causes(grown(dialect).diffDetailed('@c1', '@c4', '.cb'))).toEqual({
      added: { u2: 'created 2', u3: 'created 3', u4: 'created 4' },
      removed: { p: 'expired 3' },
      changed: {},
    })
    // The same in the open cycle, and at the commit that a preview tries.
    const open = grown(dialect)
    open.pre('u5', { ttl: 0 })
    open.user('u6')
    const made = { u5: 'created 5', [`${cont}/5`]: 'created 5', u6: 'created 5' }
    expect(causes(open.diffDetailed('@t0', 'working'))).toEqual({ added: made, removed: {}, changed: {} })
    expect(causes(open.diffDetailed('working', 'preview', '.cb, .mc'))).toEqual({
      added: {},
      removed: { u5: 'expired 5' },
      changed: { [`${cont}/5`]: 'sealed 5' },
    })
  })

  test('misses no change between two snapshots, and gives each a cause (06 §6)', () => {
    fc.assert(
      fc.property(programsFor(dialect), fc.option(fc.integer({ min: 8, max: 30 })), (program, maxNodes) => {
        const prune = maxNodes === null ? {} : { prune: { maxNodes, protectSegments: 0 } }
        const ctx = createContext({ dialect, clock: clockOf(), ...prune })
        runProgram(ctx, program, ({ cycle, receipt }) => {
          if (cycle > 1) checkComplete(ctx, `@c${cycle - 1}`, `@c${cycle}`, new Set(idsOf(receipt.removed)))
        })
        const all = ctx.snapshots().flatMap(({ cycle }) => idsOf(ctx.snapshot(`@c${cycle}`).receipt.removed))
        checkComplete(ctx, '@c1', '@t0', new Set(all))
      }),
      { numRuns: 40, seed: SEED },
    )
    // Edited: from every snapshot to the next and to the latest, whatever happened in between.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const ctx of playEdited(program).contexts) {
          const lenses = ctx.snapshots().map(({ cycle }) => `@c${cycle}` as const)
          for (const [i, newer] of lenses.entries()) {
            const older = lenses[i + 1]
            if (older !== undefined) checkComplete(ctx, older, newer)
            if (i > 0) checkComplete(ctx, newer, '@t0')
          }
        }
      }),
      editedRuns(12),
    )
  })
})

/** Lists are written with spaces between their ids, or as they are; changes with the names of their fields. */
function diffOf(added: string | string[], removed: string | string[], changed: Record<string, string> = {}): Diff {
  const list = (ids: string | string[]): string[] =>
    typeof ids === 'string' ? ids.split(' ').filter((id) => id !== '') : ids
  return {
    added: list(added),
    removed: list(removed),
    changed: Object.entries(changed).map(([id, fields]) => ({ id, fields: fields.split(' ') })),
  }
}

function byId<T extends Readonly<{ id: string }>>(entries: readonly T[]): readonly T[] {
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function causes({ added, removed, changed }: DetailedDiff): object {
  const of = (entries: readonly Readonly<{ id: string; cause: string; cycle: number }>[]): object =>
    Object.fromEntries(entries.map(({ id, cause, cycle }) => [id, `${cause} ${cycle}`]))
  return { added: of(added), removed: of(removed), changed: of(changed) }
}

/** Places in threads lead to the items and bytes of the nodes, and only nodes without an item have none. */
function checkThread(ctx: Context, a: Lens, b: Lens): void {
  const expectAt = (lens: Lens, id: string, index: number | null): void => {
    const place = ctx.threadPlace(id, lens)
    const items = idsOf(ctx.thread(lens))
    expect(index, `${id} in ${lens}`).toBe(items.includes(id) ? items.indexOf(id) : null)
    expect(place?.index ?? null).toBe(index)
    if (place === undefined) return
    const bytes = ctx.threadBytes(lens).subarray(place.start, place.end)
    expect(JSON.parse(textOf(bytes))).toMatchObject({ id })
  }
  const { added, removed, changed } = ctx.diffDetailed(a, b)
  for (const { id, thread_index } of added) expectAt(b, id, thread_index)
  for (const { id, thread_index } of removed) expectAt(a, id, thread_index)
  for (const { id, thread_index } of changed) {
    expectAt(a, id, thread_index.from)
    expectAt(b, id, thread_index.to)
  }
}

type Flat = Map<string, Readonly<Record<string, unknown>>>

/** Every node of an export by its id, with its parent's id in place of its children. */
function flatten(
  { children = [], ...header }: ExportedNode,
  parent: string | null = null,
  into: Flat = new Map(),
): Flat {
  into.set(header.id, { ...header, parent })
  for (const child of children) flatten(child, header.id, into)
  return into
}

/** Causes of arriving, leaving and changing nodes, in programs of edits. */
const CAUSES = {
  added: ['created', 'sealed', 'cadence', 'superseded', 'redacted', 'moved', 'compacted', 'expanded'],
  removed: ['expired', 'pruned', 'edited', 'superseded', 'redacted', 'moved', 'compacted', 'expanded'],
  changed: ['aged', 'sealed', 'edited', 'moved', 'demoted', 'superseded', 'redacted', 'expanded'],
}

/**
 * Compares a diff with the exports of both sides. Where nothing was edited, `pruned` tells the causes; elsewhere each change
 * has one that the documentation knows.
 */
function checkComplete(ctx: Context, a: Lens, b: Lens, pruned?: ReadonlySet<string>): void {
  const [older, newer] = [a, b].map((lens) => flatten(readExport(ctx.export(lens)).root)) as [Flat, Flat]
  const detailed = ctx.diffDetailed(a, b)
  const { added, removed, changed } = detailed
  expect(idsOf(added)).toEqual([...newer.keys()].filter((id) => !older.has(id)))
  expect(idsOf(removed)).toEqual([...older.keys()].filter((id) => !newer.has(id)))
  const differing = [...newer.keys()].flatMap((id) => {
    const [before, after] = [older.get(id), newer.get(id)!]
    if (before === undefined) return []
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    const fields = [...names].filter(
      (name) => JSON.stringify(before[name], spell) !== JSON.stringify(after[name], spell),
    )
    // Nodes are compared by their hash (D38); names with `pact:` are notes of the engine.
    const hashes = [before, after].map((header) => naiveContentHash(header as ExportedNode))
    const own = fields.filter((name) => name !== 'content' && !name.startsWith('pact:'))
    const told = own.concat(hashes[0] === hashes[1] ? [] : ['content_hash'])
    return told.length === 0 ? [] : [{ id, fields: told.sort() }]
  })
  expect(changed.map(({ id, fields }) => ({ id, fields: fields.toSorted() }))).toEqual(differing)
  expect(ctx.diff(a, b)).toEqual({
    added: idsOf(added),
    removed: idsOf(removed),
    changed: changed.map(({ id, fields }) => ({ id, fields })),
  })
  for (const { id, node, parent } of added) expect({ ...node, parent }).toEqual(withoutOriginals(newer.get(id)!))
  for (const { id, node, parent } of removed) expect({ ...node, parent }).toEqual(withoutOriginals(older.get(id)!))
  if (pruned === undefined) {
    for (const { id, cause } of added) expect(CAUSES.added, id).toContain(cause)
    for (const { id, cause } of removed) expect(CAUSES.removed, id).toContain(cause)
    for (const { id, cause } of changed) expect(CAUSES.changed, id).toContain(cause)
    return
  }
  for (const { id, cause } of added) expect(['created', 'sealed'], id).toContain(cause)
  for (const { id, cause } of removed) expect(cause, id).toBe(pruned.has(id) ? 'pruned' : 'expired')
  for (const { id, cause, fields } of changed) expect(cause, id).toBe(fields.includes('ttl') ? 'aged' : 'sealed')
}

/** A node of an export as diffs show it: the nodes that travel with a summary are listed, and their texts and places are not shown (D63). */
function withoutOriginals(header: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const list = header['pact:compacted'] as { nodes: readonly Readonly<Record<string, unknown>>[] } | undefined
  if (list === undefined) return header
  const nodes = list.nodes.map(({ node: _node, at: _at, held: _held, ...entry }) => entry)
  return { ...header, 'pact:compacted': { ...list, nodes } }
}

function spell(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
