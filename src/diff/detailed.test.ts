// The detailed diff (D38) by hand: what an entry says, why things changed, where they stand in the thread, what moved. The
// general laws stand in test/diff-laws.test.ts.

import { describe, expect, it, test } from 'vitest'

import { NodeRecord, type Cause } from '../core/index.js'
import { createContext, importSnapshot, type Context, type ContextOptions, type Lens } from '../index.js'
import { inferMoves } from './detailed.js'

const EMPTY = { added: [], removed: [], changed: [] }

describe('a detailed diff', () => {
  it('says of every node what it was, why it changed and where it stands (D38, 06 §4.4)', () => {
    const ctx = newContext()
    ctx.pre('hint', { ttl: 2 })
    ctx.user('first')
    ctx.commit()
    ctx.user({ big: 9_007_199_254_740_993n }, { key: 'k', tags: ['t'] })
    ctx.commit()
    ctx.commit()
    const found = ctx.diffDetailed('@c1', '@t0')
    expect(found.from).toEqual({ lens: '@c1', cycle: 1 })
    expect(found.to).toEqual({ lens: '@t0', cycle: 3 })
    expect(
      found.added.map(({ id, cause, cycle, parent, is_container, thread_index }) => {
        return { id, cause, cycle, parent, is_container, thread_index }
      }),
    ).toEqual([
      { id: 'seg:2-2', cause: 'sealed', cycle: 2, parent: 'seq', is_container: true, thread_index: null },
      { id: 'cont:2-0', cause: 'created', cycle: 2, parent: 'seg:2-2', is_container: true, thread_index: null },
      { id: 'block:2-1', cause: 'created', cycle: 2, parent: 'cont:2-0', is_container: false, thread_index: 1 },
    ])
    expect(found.added[2]!.node).toEqual({
      id: 'block:2-1',
      nodeType: 'block',
      offset: 0,
      ttl: null,
      priority: 0,
      cycle: 2,
      created_at_ns: 1_700_000_000_000_000_005n,
      created_at_iso: '2023-11-14T22:13:20.000000005Z',
      creation_index: 1,
      role: 'user',
      content: { big: 9_007_199_254_740_993n },
      key: 'k',
      tags: ['t'],
    })
    expect(found.removed).toEqual([
      {
        id: 'block:1-0',
        cause: 'expired',
        cycle: 3,
        parent: 'seg:1-3',
        is_container: false,
        node: {
          id: 'block:1-0',
          nodeType: 'block',
          offset: -1,
          ttl: 2,
          priority: 0,
          cycle: 1,
          created_at_ns: 1_700_000_000_000_000_000n,
          created_at_iso: '2023-11-14T22:13:20.000000000Z',
          creation_index: 4,
          content: 'hint',
        },
        thread_index: 0,
      },
    ])
    expect(found.changed).toEqual([])
    expect(found.parents).toEqual([
      { id: 'seq', children_added: ['seg:2-2'], children_removed: [] },
      { id: 'seg:2-2', children_added: ['cont:2-0'], children_removed: [] },
      { id: 'cont:2-0', children_added: ['block:2-1'], children_removed: [] },
      { id: 'seg:1-3', children_added: [], children_removed: ['block:1-0'] },
    ])
    expect(found.moves).toEqual([])
    expect(found).not.toHaveProperty('warnings')
    expect(Object.keys(found)).toEqual(['from', 'to', 'added', 'removed', 'changed', 'parents', 'moves'])
  })

  it('says of a change the values on both sides, and both places in the thread (D38)', () => {
    const ctx = openHead({ cycle: 4, head: [block('a', { offset: 1, ttl: 5 }), block('b', { offset: 2 })] })
    ctx.system.add('rule')
    ctx.commit()
    const change = {
      id: 'a',
      fields: ['ttl', 'parent'],
      delta: { ttl: { from: 5, to: 4 }, parent: { from: 'ah', to: 'seg:5-2' } },
      parent_changed: true,
      offset_changed: false,
      cause: 'sealed',
      cycle: 5,
      thread_index: { from: 0, to: 1 },
    }
    expect(ctx.diffDetailed('@c4', '@c5').changed[0]).toEqual(change)
    expect(ctx.diffDetailed('@c5', '@c4').changed[0]).toEqual({
      ...change,
      delta: { ttl: { from: 4, to: 5 }, parent: { from: 'seg:5-2', to: 'ah' } },
      thread_index: { from: 1, to: 0 },
    })
    // First those that changed hands, then those that came, each in the order of the diff.
    expect(ctx.diffDetailed('@c4', '@c5').parents).toEqual([
      { id: 'ah', children_added: [], children_removed: ['a', 'b'] },
      { id: 'seg:5-2', children_added: ['a', 'b', 'cont:5-1'], children_removed: [] },
      { id: 'sys', children_added: ['block:5-0'], children_removed: [] },
      { id: 'seq', children_added: ['seg:5-2'], children_removed: [] },
    ])
  })

  it('shows contents where they differ, and a side without any has none (D38)', () => {
    const contents = (before: object, after: object): unknown => sameId(before, after).changed[0]?.content
    expect(contents({ content: 'old' }, { content: 'new' })).toEqual({ from: 'old', to: 'new' })
    expect(contents({ content: { a: 1 } }, { content: { a: 1 } })).toBeUndefined()
    expect(contents({ content: 1 }, { content: '1' })).toEqual({ from: 1, to: '1' })
    expect(contents({ content: 'old' }, { children: [] })).toEqual({ from: 'old' })
    expect(contents({ children: [] }, { content: '' })).toEqual({ to: '' })
  })

  it('says null for a header that is not there, and lists all that differ in the order of D38', () => {
    const [change] = sameId(
      { content: 'x', key: 'k', priority: 1 },
      { content: 'y', role: 'user', data_n: [2n ** 64n] },
    ).changed
    expect(change!.fields).toEqual(
      'priority parent role key content_hash created_at_iso created_at_ns creation_index cycle data_n'.split(' '),
    )
    expect(change!.delta).toMatchObject({
      priority: { from: 1, to: 0 },
      role: { from: null, to: 'user' },
      key: { from: 'k', to: null },
      data_n: { from: null, to: [2n ** 64n] },
    })
    expect(change!.delta).not.toHaveProperty('content')
  })

  it('marks an added container that has been emptied, as its export does (N10)', () => {
    const ctx = newContext()
    ctx.user('other')
    ctx.commit()
    const box = ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'brief', ttl: 0 }] })
    ctx.user('needs it', { refs: [box.id] })
    ctx.commit()
    const { added } = ctx.diffDetailed('@t-1', '@t0')
    expect(added.find(({ id }) => id === box.id)).toMatchObject({ is_container: true, node: { 'pact:emptied': true } })
    expect(added.filter(({ node }) => 'pact:emptied' in node)).toHaveLength(1)
  })

  it('takes the sets that a selector selects; what only one side selects came or went (D38)', () => {
    const ctx = newContext()
    ctx.user('a', { ttl: 4 })
    ctx.user('b')
    for (let i = 0; i < 3; i++) ctx.commit()
    const { added, removed, changed } = ctx.diffDetailed('@c1', '@c3', '.block[ttl<=2]')
    expect([added.map(idOf), removed, changed]).toEqual([['block:1-1'], [], []])
    expect(ctx.diffDetailed('@c1', '@c3', '.block[ttl>2]').removed.map(idOf)).toEqual(['block:1-1'])
    expect(ctx.diffDetailed('@c1', '@c3', '.block').changed.map(idOf)).toEqual(['block:1-1'])
    expect(ctx.diff('@c1', '@c3', '.block[ttl=null]')).toEqual(EMPTY)
  })

  test.each([
    ['@t0 .block', 0, '@t0'],
    ['  @t0..@t-1 .block', 2, '@t0..@t-1'],
    ['@working .block', 0, '@working'],
    ['@* .block', 0, '@*'],
    ['@history .block', 0, '@history'],
  ])('refuses the time prefix of %j (D38)', (selector, pos, token) => {
    const ctx = newContext()
    ctx.commit()
    for (const call of [() => ctx.diff('@t0', '@t0', selector), () => ctx.diffDetailed('@t0', 'working', selector)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'E_SELECTOR_INVALID', details: { pos, token } }) as Error)
    }
  })

  test.each(['@t-1', '@c0', '@c9', '@t1'] as Lens[])('refuses %s, which names no snapshot (D5)', (lens) => {
    const ctx = newContext()
    ctx.commit()
    const missing = expect.objectContaining({ code: 'E_SNAPSHOT_NOT_FOUND' }) as Error
    expect(() => ctx.diff(lens, '@t0')).toThrow(missing)
    expect(() => ctx.diff('@t0', lens)).toThrow(missing)
    expect(() => ctx.diffDetailed('working', lens, '.block')).toThrow(missing)
  })

  it('takes the order of the newer side for changes; of one cycle, the side asked for second (D38)', () => {
    // Sealing puts the core between pre- and post-context, wherever its nodes stood in the document before.
    const ctx = openHead({ cycle: 1, head: [block('x', { offset: 0, ttl: 9 }), block('p', { offset: -1, ttl: 9 })] })
    ctx.commit()
    for (const [a, b] of [
      ['@c1', '@c2'],
      ['@c2', '@c1'],
    ] as const) {
      expect(ctx.diff(a, b).changed.map(idOf)).toEqual(['p', 'x'])
    }
  })
})

type Row = Readonly<{
  name: string
  make: () => Context
  from: Lens
  to: Lens
  list: 'added' | 'removed' | 'changed'
  /** Id, cause and cycle. */
  expected: readonly (readonly [string, Cause, number])[]
}>

describe('the cause of a change', () => {
  const rows: readonly Row[] = [
    {
      name: 'a turn: its segment is sealed, what is in it created (03 §7)',
      make: () =>
        commits(
          with_(newContext(), (ctx) => ctx.user('a')),
          1,
        ),
      from: 'working',
      to: '@t0',
      list: 'added',
      expected: [],
    },
    {
      name: 'a turn is sealed, what is in it created (06 §6)',
      make: twoTurns,
      from: '@t-1',
      to: '@t0',
      list: 'added',
      expected: [
        ['seg:2-2', 'sealed', 2],
        ['cont:2-0', 'created', 2],
        ['block:2-1', 'created', 2],
      ],
    },
    {
      name: 'what brought a node stays its cause, however it aged since (06 §6)',
      make: () =>
        commits(
          with_(twoTurns(), (ctx) => ctx.user('c', { ttl: 9 })),
          4,
        ),
      from: '@c2',
      to: '@c6',
      list: 'added',
      expected: [
        ['seg:3-2', 'sealed', 3],
        ['cont:3-0', 'created', 3],
        ['block:3-1', 'created', 3],
      ],
    },
    {
      name: 'a ttl that ran out (D24)',
      make: () =>
        commits(
          with_(newContext(), (ctx) => ctx.post('brief', { ttl: 2 })),
          3,
        ),
      from: '@c2',
      to: '@c3',
      list: 'removed',
      expected: [['block:1-0', 'expired', 3]],
    },
    {
      name: 'a ttl that ran out long ago (D24)',
      make: () =>
        commits(
          with_(newContext(), (ctx) => ctx.post('brief', { ttl: 2 })),
          7,
        ),
      from: '@c1',
      to: '@c7',
      list: 'removed',
      expected: [['block:1-0', 'expired', 3]],
    },
    {
      name: 'an expired container takes its children along (D26)',
      make: () => commits(with_(newContext(), boxed({ ttl: 1 })), 2),
      from: '@c1',
      to: '@c2',
      list: 'removed',
      expected: [
        ['cont:1-0', 'expired', 2],
        ['block:1-1', 'expired', 2],
      ],
    },
    {
      name: 'a removable container leaves with its last expired child (02 §5.3)',
      make: () => commits(with_(newContext(), boxed({ removable: true }, { ttl: 1 })), 2),
      from: '@c1',
      to: '@c2',
      list: 'removed',
      expected: [
        ['cont:1-0', 'expired', 2],
        ['block:1-1', 'expired', 2],
      ],
    },
    {
      name: 'a turn too many is pruned whole (D27)',
      make: () =>
        commits(
          with_(twoTurns({ prune: { maxDepth: 2 } }), (ctx) => ctx.user('c')),
          3,
        ),
      from: '@c2',
      to: '@c5',
      list: 'removed',
      expected: [
        ['seg:1-2', 'pruned', 3],
        ['cont:1-0', 'pruned', 3],
        ['block:1-1', 'pruned', 3],
      ],
    },
    {
      name: 'a removable container leaves with its last pruned child (02 §5.3, D27)',
      make: () => {
        const ctx = newContext({ prune: { maxNodes: 11, protectSegments: 1 } })
        ctx.user('stays', { priority: 5 })
        boxed({ removable: true, priority: 9 }, { priority: -1 })(ctx)
        return commits(
          with_(commits(ctx, 1), (each) => each.user('more')),
          1,
        )
      },
      from: '@c1',
      to: '@c2',
      list: 'removed',
      expected: [
        ['cont:1-2', 'pruned', 2],
        ['block:1-3', 'pruned', 2],
      ],
    },
    {
      name: 'a running ttl, at the newest of the cycles (D24)',
      make: () =>
        commits(
          with_(newContext(), (ctx) => ctx.post('long', { ttl: 9 })),
          5,
        ),
      from: '@c1',
      to: '@c4',
      list: 'changed',
      expected: [['block:1-0', 'aged', 4]],
    },
    {
      name: 'an imported head is sealed once, whatever follows (02 §6.2)',
      make: () => commits(openHead({ cycle: 1, head: [block('a', { offset: 1 })] }), 4),
      from: '@c1',
      to: '@c5',
      list: 'changed',
      expected: [['a', 'sealed', 2]],
    },
    {
      name: 'sealed first, then older: the last counts (06 §6)',
      make: () => commits(openHead({ cycle: 1, head: [block('a', { offset: 1, ttl: 9 })] }), 4),
      from: '@c1',
      to: '@c5',
      list: 'changed',
      expected: [['a', 'aged', 5]],
    },
    {
      name: 'sealed and older at once: sealed (06 §6)',
      make: () => commits(openHead({ cycle: 1, head: [block('a', { offset: 1, ttl: 9 })] }), 4),
      from: '@c1',
      to: '@c2',
      list: 'changed',
      expected: [['a', 'sealed', 2]],
    },
    {
      name: 'a bare core is sealed into a container (D12)',
      make: () => commits(openHead({ cycle: 1, head: [block('a', { offset: 0 })] }), 1),
      from: '@c1',
      to: '@c2',
      list: 'changed',
      expected: [['a', 'sealed', 2]],
    },
    {
      name: 'an id that came again is another node (N6)',
      make: () => reused({ content: 'x', ttl: 1 }, { content: 'y', ttl: 9 }),
      from: '@c1',
      to: '@c4',
      list: 'changed',
      expected: [['again', 'aged', 4]],
    },
    {
      name: 'an id that came again was created (N6)',
      make: () => reused({ content: 'x', ttl: 1 }, { content: 'y' }),
      from: '@c1',
      to: '@c4',
      list: 'changed',
      expected: [['again', 'created', 3]],
    },
    {
      name: 'an open edit is created in the open cycle (D5)',
      make: () => with_(twoTurns(), (ctx) => ctx.user('open')),
      from: '@t0',
      to: 'working',
      list: 'added',
      expected: [
        ['cont:3-0', 'created', 3],
        ['block:3-1', 'created', 3],
      ],
    },
    {
      name: 'a preview expires (D5)',
      make: () =>
        commits(
          with_(newContext(), (ctx) => ctx.post('brief', { ttl: 1 })),
          1,
        ),
      from: '@t0',
      to: 'preview',
      list: 'removed',
      expected: [['block:1-0', 'expired', 2]],
    },
    {
      name: 'a preview prunes (D5)',
      make: () => with_(twoTurns({ prune: { maxDepth: 2 } }), (ctx) => ctx.user('c')),
      from: '@t0',
      to: 'preview',
      list: 'removed',
      expected: [
        ['seg:1-2', 'pruned', 3],
        ['cont:1-0', 'pruned', 3],
        ['block:1-1', 'pruned', 3],
      ],
    },
    {
      name: 'a preview ages and seals (D5)',
      make: () => openHead({ cycle: 1, head: [block('a', { offset: 1, ttl: 9 })] }),
      from: '@t0',
      to: 'preview',
      list: 'changed',
      expected: [['a', 'sealed', 2]],
    },
    {
      name: 'a fork tells what happened before it (D6)',
      make: () =>
        commits(
          commits(
            with_(twoTurns(), (ctx) => ctx.post('brief', { ttl: 1 })),
            2,
          ).fork(),
          2,
        ),
      from: '@c3',
      to: '@c6',
      list: 'removed',
      expected: [['block:3-0', 'expired', 4]],
    },
  ]

  test.each(rows)('$name', ({ make, from, to, list, expected }) => {
    const ctx = make()
    expect(reasons(ctx.diffDetailed(from, to)[list])).toEqual(expected)
    // Backwards the same things happened; they only count the other way round.
    const other = { added: 'removed', removed: 'added', changed: 'changed' } as const
    expect(reasons(ctx.diffDetailed(to, from)[other[list]])).toEqual(expected)
  })
})

describe('moves', () => {
  it('pairs what went with what came, by equal content, role, kind and data, in order (05 §4.5)', () => {
    const ctx = newContext()
    for (const id of [1, 2, 3]) ctx.post('same', { ttl: id < 3 ? 1 : null })
    ctx.post('same', { ttl: 1, kind: 'text' })
    ctx.post('same', { ttl: 1, data_n: 1 })
    ctx.post('', { ttl: 1 })
    ctx.add(undefined, { zone: 'post', ttl: 1, children: [] })
    ctx.commit()
    ctx.post('same')
    ctx.post('')
    ctx.post('same', { data_n: 1, ttl: 5 })
    ctx.post('same', { data_n: 2 })
    ctx.add(undefined, { zone: 'post', children: [] })
    ctx.post('same')
    ctx.post('same')
    ctx.commit()
    const { moves, warnings } = ctx.diffDetailed('@t-1', '@t0')
    expect(moves.map(({ from, to }) => [from, to])).toEqual([
      ['block:1-0', 'block:2-0'],
      ['block:1-4', 'block:2-2'],
      ['block:1-1', 'block:2-5'],
    ])
    expect(moves[0]!.content_hash).toBe(ctx.node('block:2-0')!.contentHash)
    expect(warnings).toBeUndefined()
    expect(ctx.diffDetailed('@t0', '@t-1').moves.map(({ from, to }) => [from, to])).toEqual([
      ['block:2-0', 'block:1-0'],
      ['block:2-5', 'block:1-1'],
      ['block:2-2', 'block:1-4'],
    ])
  })

  it('takes equal hashes of unequal contents for no move, and warns (08 §8.2)', () => {
    const [lost, gained, twin] = [record('a', 'one'), record('b', 'two'), record('c', 'two')]
    for (const each of [lost, gained, twin]) each.hash = 'f00d'
    expect(inferMoves([lost], [gained])).toEqual({
      moves: [],
      warnings: ['a and b have the content hash f00d, but not the same content.'],
    })
    expect(inferMoves([gained], [twin])).toEqual({
      moves: [{ from: 'b', to: 'c', content_hash: 'f00d' }],
      warnings: [],
    })
  })

  it('compares contents as they are written, not by identity (D33)', () => {
    const [lost, gained] = [record('a', { x: 1, y: [2n] }), record('b', { y: [2], x: 1 })]
    expect(inferMoves([lost], [gained]).moves.map(({ from, to }) => [from, to])).toEqual([['a', 'b']])
  })

  it('pairs each node once, and nothing without content (05 §4.5)', () => {
    const lost = [record('a', 'x'), record('b', ''), record('c', undefined), record('d', null)]
    const gained = [record('e', undefined), record('f', ''), record('g', 'x'), record('h', 'x'), record('i', null)]
    const { moves, warnings } = inferMoves(lost, gained)
    expect(moves.map(({ from, to }) => [from, to])).toEqual([
      ['a', 'g'],
      ['d', 'i'],
    ])
    expect(warnings).toEqual([])
    expect(inferMoves([], gained).moves).toEqual([])
    expect(inferMoves(lost, []).moves).toEqual([])
  })
})

// What the engine should say and does not yet; each turns red when it is mended, and is then a plain test.
describe('faults', () => {
  test.fails('FAULT 1: working and preview of one tree differ in the ttl they show (D5, D24)', () => {
    const ctx = commits(
      with_(newContext(), (each) => each.post('long', { ttl: 4 })),
      1,
    )
    expect([ctx.node('block:1-0', 'working')?.ttl, ctx.node('block:1-0', 'preview')?.ttl]).toEqual([4, 3])
    expect(ctx.diff('working', 'preview').changed).toEqual([{ id: 'block:1-0', fields: ['ttl'] }])
  })

  test.fails('FAULT 2: a ttl that the working state shows ran at the last commit, not in the open cycle (D24)', () => {
    const ctx = commits(
      with_(newContext(), (each) => each.post('long', { ttl: 4 })),
      2,
    )
    expect(reasons(ctx.diffDetailed('@c1', 'working').changed)).toEqual([['block:1-0', 'aged', 2]])
  })

  test.fails('FAULT 3: with nothing written, working has the causes that @t0 has (D5)', () => {
    const ctx = commits(openHead({ cycle: 1, head: [block('a', { offset: 1, ttl: 4 })] }), 1)
    expect(reasons(ctx.diffDetailed('@c1', 'working').changed)).toEqual(reasons(ctx.diffDetailed('@c1', '@t0').changed))
  })

  test.fails('FAULT 4: a ttl that has reached 0 on a node that is needed runs no more (D24, D26)', () => {
    const ctx = newContext()
    ctx.hold(ctx.post('kept', { ttl: 2 }).id)
    commits(ctx, 6)
    expect(ctx.diff('@c3', '@c6').changed).toEqual([])
    expect(reasons(ctx.diffDetailed('@c1', '@c6').changed)).toEqual([['block:1-0', 'aged', 3]])
  })

  test.fails('FAULT 5: from working to preview a node of ttl 0 expires (D24)', () => {
    const ctx = newContext()
    ctx.user('seen only here', { ttl: 0 })
    expect(reasons(ctx.diffDetailed('working', 'preview').removed)).toContainEqual(['block:1-1', 'expired', 1])
  })

  test.fails('FAULT 6: from working to preview the core of the head is sealed, not created (02 §6.2)', () => {
    const ctx = with_(newContext(), (each) => each.user('a'))
    expect(reasons(ctx.diffDetailed('working', 'preview').changed)).toEqual([['cont:1-0', 'sealed', 1]])
  })

  test.fails('FAULT 7: a node that a selector finds only now was there before, and was not created since (D38)', () => {
    const ctx = commits(
      with_(newContext(), (each) => each.post('long', { ttl: 4 })),
      3,
    )
    expect(reasons(ctx.diffDetailed('@c2', '@c3', '.block[ttl<=2]').added)).toEqual([['block:1-0', 'aged', 3]])
  })

  test.fails('FAULT 8: seventeen forks on, what once expired did not turn into an edit (D6)', () => {
    let ctx = commits(
      with_(newContext(), (each) => each.post('brief', { ttl: 2 })),
      3,
    )
    for (let i = 0; i < 17; i++) ctx = commits(ctx.fork(), 1)
    expect(reasons(ctx.diffDetailed('@c1', '@t0').removed)).toEqual([['block:1-0', 'expired', 3]])
  })
})

function newContext(options: ContextOptions = {}): Context {
  let now = 1_700_000_000_000_000_000n - 1n
  return createContext({ clock: () => (now += 1n), ...options })
}

function with_(ctx: Context, write: (ctx: Context) => unknown): Context {
  write(ctx)
  return ctx
}

function commits(ctx: Context, count: number): Context {
  for (let i = 0; i < count; i++) ctx.commit()
  return ctx
}

function twoTurns(options: ContextOptions = {}): Context {
  const ctx = newContext(options)
  for (const content of ['a', 'b'])
    commits(
      with_(ctx, () => ctx.user(content)),
      1,
    )
  return ctx
}

/** A container with one block in the post-context. */
function boxed(header: object, child: object = {}): (ctx: Context) => unknown {
  return (ctx) => ctx.add(undefined, { zone: 'post', ...header, children: [{ content: 'inside', ...child }] })
}

function block(id: string, header: object): object {
  return { id, nodeType: 'block', content: id, ...header }
}

/** An imported snapshot with an active head that is not sealed yet. */
function openHead({ cycle, head }: Readonly<{ cycle: number; head: readonly object[] }>): Context {
  const root = { children: [{ id: 'ah', nodeType: '^ah', children: head }] }
  let now = 0n
  return importSnapshot({ spec_version: 'PACT/1.0.0', cycle, root }, { clock: () => (now += 1n) })
}

/** One id for two nodes: the first is in cycle 1 only, the second from cycle 3 on; four commits. */
function reused(first: object, second: object): Context {
  const ids: string[] = []
  const ctx = newContext({ ids: ({ nodeType, cycle }) => ids.shift() ?? `${nodeType}:${cycle}` })
  for (const spec of [first, undefined, second, undefined]) {
    if (spec !== undefined) {
      ids.push('again')
      const { content, ...header } = spec as { content?: string }
      ctx.add(content, { zone: 'post', ...header })
    }
    ctx.commit()
  }
  return ctx
}

function sameId(before: object, after: object): ReturnType<Context['diffDetailed']> {
  return reused({ ttl: 1, ...before }, { ttl: 1, ...after }).diffDetailed('@c1', '@c3')
}

function record(id: string, content: NodeRecord['content']): NodeRecord {
  return new NodeRecord({
    id,
    parentId: 'ah',
    nodeClass: 'block',
    nodeType: 'block',
    offset: 1,
    createdAtNs: 1n,
    creationIndex: 0,
    cycle: 1,
    priority: 0,
    ttl: null,
    ttlFrom: 1,
    role: undefined,
    kind: undefined,
    content,
    rare: undefined,
    born: 1,
  })
}

function idOf({ id }: Readonly<{ id: string }>): string {
  return id
}

function reasons(entries: readonly Readonly<{ id: string; cause: Cause; cycle: number }>[]): unknown {
  return entries.map(({ id, cause, cycle }) => [id, cause, cycle])
}
