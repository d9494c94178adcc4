// Overlap demotion (004 §6.1 and §6.3, D29): all older live instances of a key are strictly deeper than the newest.

import { createContext, importSnapshot, type Context, type ContextOptions, type Position } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf } from '../support/context.js'
import {
  byId,
  contents,
  D1,
  D2,
  D3,
  drawn,
  expectNoTrace,
  GAP,
  inDialect,
  sealedHashes,
  stateOf,
  story,
} from '../support/editing.js'

/** The details of every refusal. */
const NAMED = { name: 'OverlapWouldViolateODI', key: 'k' }

describe.each(DIALECTS)('demotion, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)
  const d2 = name(dialect === '0.1' ? D2.replace('block:2-2@1', 'block:2-2@0') : D2)
  const [d3, d1] = [name(D3), name(D1)]
  const with1 = (nodes: string): string => d1.replace(/]$/, name(` ${nodes}]`))

  test('leaves an older instance alone where it is deeper already (004 §6.1, D29)', () => {
    const ctx = story(dialect)
    ctx.post('one', { key: 'k' })
    ctx.commit()
    const before = drawn(ctx, '^seq')
    ctx.post('two', { key: 'k' })
    ctx.commit()
    ctx.user('three', { key: 'k' })
    expect(drawn(ctx, '^seq').slice(0, 4)).toEqual(before)
    expect(ctx.nodes("@working [key='k']").map(({ content }) => content)).toEqual(['one', 'two', 'three'])
  })

  test('appends an older instance of the head to the post-context of d1, with its id, age and ttl (004 §6.1, D29)', () => {
    const ctx = story(dialect)
    const hashes = sealedHashes(ctx)
    const older = ctx.pre('one', { key: 'k', ttl: 2, tags: ['t'] })
    ctx.user('two', { key: 'k' })
    expect(drawn(ctx, '^seq')).toEqual([d3, d2, with1('block:4-0@1')])
    expect(drawn(ctx, '^ah')).toEqual([name('cont:4-1@0[block:4-2@0]')])
    expect(ctx.node(older.id)!.toJSON()).toEqual({ ...older.toJSON(), offset: 1 })
    ctx.post('three', { key: 'k' })
    // The one at d1 is deeper than the newest already, so it stays.
    expect(drawn(ctx, '^seq')[2]).toBe(with1('block:4-0@1 block:4-2@2'))
    ctx.commit()
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
    // In cycle 4 for 2 cycles: in the snapshots of 4 and 5.
    expect([ctx.node(older.id, '@t0')?.ttl, ctx.commit().node(older.id)?.ttl, ctx.commit().node(older.id)]).toEqual([
      2,
      1,
      undefined,
    ])
  })

  test('puts what is in the way of an insert at depth k into the segment at k+1 (004 §6.1)', () => {
    const ctx = story(dialect)
    ctx.insert({ content: 'd2', key: 'k' }, '(d2, end)')
    ctx.move("[key='k']", '(d3, end)')
    ctx.insert({ content: 'd2 again', key: 'k' }, '(d2,)')
    expect(drawn(ctx, '^seq')[0]).toBe(name(D3.replace(/]$/, ' block:4-0@2]')))
    ctx.move(byId(name('block:4-1')), '(d1,)')
    // Newest at d2: the one at d1 goes to the end of d3; the one there already is deep enough.
    ctx.insert({ content: 'newest', key: 'k' }, '(d2, end)')
    expect(drawn(ctx, '^seq')).toEqual([
      name(D3.replace(/]$/, ' block:4-0@2 block:4-1@3]')),
      d2.replace(/]$/, name(' block:4-2@1]')),
      d1,
    ])
  })

  test('demotes several at once in canonical order, deeper segments first (004 §6.1, D20, D29)', () => {
    const ctx = story(dialect)
    ctx.post('a', { key: 'k' })
    ctx.post('b', { key: 'k' })
    ctx.user('c', { key: 'k' })
    expect(ctx.coordinate(name('block:4-0'))).toBe('(d1, 1)')
    // 4-0 and 4-1 are at d1, 4-3 in the head; the newest goes to d2.
    ctx.insert({ content: 'd', key: 'k' }, '(d2, 7)')
    expect(drawn(ctx, '^seq')[0]).toBe(name(D3.replace(/]$/, ' block:4-0@2 block:4-1@3 block:4-3@4]')))
    expect(drawn(ctx, '^ah')).toEqual([name('cont:4-2@0[]')])
  })

  test('judges after the operation: a splice at k has made what stood at k deeper (D29)', () => {
    const ctx = story(dialect)
    ctx.insert({ content: 'old', key: 'k' }, '(d1, end)')
    ctx.insert({ content: 'new', key: 'k' }, { depth: 1 })
    expect(drawn(ctx, '^seq')).toEqual([
      d3,
      d2,
      with1('block:4-0@1'),
      name(`seg:4-1@${4 * GAP}[cont:4-2@0[block:4-3@0]]`),
    ])
    // At depth 2 the one at d1 is in the way: it goes below the new segment, which is d2 now.
    const other = story(dialect)
    other.insert({ content: 'old', key: 'k' }, '(d1, end)')
    other.insert({ content: 'new', key: 'k' }, { depth: 2 })
    expect(drawn(other, '^seq')).toEqual([
      d3,
      d2.replace(/]$/, name(' block:4-0@1]')),
      name(`seg:4-1@${2.5 * GAP}[cont:4-2@0[block:4-3@0]]`),
      d1,
    ])
  })

  test('adjusts when the newest moves deeper, and takes it back with one undo (004 §6.3, D30)', () => {
    const ctx = story(dialect)
    ctx.insert({ content: 'old', key: 'k' }, '(d1, end)')
    ctx.post('new', { key: 'k' })
    const before = stateOf(ctx)
    ctx.move(byId(name('block:4-1')), '(d2, end)')
    expect(drawn(ctx, '^seq')).toEqual([
      name(D3.replace(/]$/, ' block:4-0@2]')),
      d2.replace(/]$/, name(' block:4-1@1]')),
      d1,
    ])
    ctx.undo()
    expect(stateOf(ctx)).toBe(before)
  })
})

describe('who counts as an instance (D29)', () => {
  test('a superseding node has the age of its target, so replacing an older instance moves nobody', () => {
    const ctx = story()
    ctx.post('old', { key: 'k' })
    ctx.commit()
    ctx.post('new', { key: 'k' })
    ctx.commit()
    const [replaced] = ctx.replace('{ id="block:4-0" }', { content: 'old corrected' })
    expect(ctx.nodes('#k').map(({ content }) => content)).toEqual(['old corrected', 'new'])
    expectNoTrace(ctx, () => ctx.move(byId(replaced!.id), '(d1,)'), 'E_ODI_VIOLATION', {
      ...NAMED,
      id: replaced!.id,
      other: 'block:5-0',
    })
  })

  test('markers and expired or deleted nodes are none', () => {
    const ctx = story('1.0', { odi: 'reject' })
    ctx.post('old', { key: 'k' })
    ctx.delete('#k')
    ctx.post('older', { key: 'k' })
    ctx.commit()
    ctx.delete('#k')
    ctx.insert({ content: 'new', key: 'k' }, '(d1, end)')
    expect(ctx.nodes('#k').map(({ content }) => content)).toEqual(['new'])
    ctx.delete('#k')
    ctx.post('short', { key: 'k', ttl: 0 })
    ctx.commit()
    ctx.insert({ content: 'last', key: 'k' }, { depth: 1 })
    expect(ctx.nodes('#k').map(({ content }) => content)).toEqual(['last'])
  })

  test('deletion judges nothing: what was older stays where it is (004 §6.4)', () => {
    const ctx = story()
    for (const content of ['a', 'b', 'c']) ctx.post(content, { key: 'k' })
    const before = drawn(ctx, '^seq')
    expect(before[2]).toBe(D1.replace(/]$/, ' block:4-0@1 block:4-1@2]'))
    ctx.delete(byId('block:4-2'))
    expect(drawn(ctx, '^seq')).toEqual(before)
    // The next one finds them deeper.
    ctx.post('d', { key: 'k' })
    expect(drawn(ctx, '^seq')).toEqual(before)

    // The same of instances that snapshots hold: only the newest leaves, as a marker where it is sealed.
    const kept = story()
    for (const content of ['a', 'b', 'c', 'd']) {
      kept.post(content, { key: 'k' })
      kept.commit()
    }
    const older = drawn(kept, '^seq').slice(0, -1)
    expect(older.join(' ').match(/block:[456]-\d+@1/g), 'one in each turn').toHaveLength(3)
    const newest = kept.select('d1 #k')
    expect(kept.delete(byId(newest[0]!)).map(({ supersedes }) => supersedes)).toEqual(newest)
    expect(drawn(kept, '^seq').slice(0, -1)).toEqual(older)
    kept.commit()
    expect(drawn(kept, '^seq', '@t0').slice(0, older.length)).toEqual(older)
    expect(new Set(kept.nodes('@t0 #k').map(({ content }) => content))).toEqual(new Set(['a', 'b', 'c']))

    // And where the newest is in the open cycle: it is dropped, and the sealed ones stay.
    const history = drawn(kept, '^seq')
    const [dropped] = kept.delete(byId(kept.post('e', { key: 'k' }).id))
    expect([dropped?.content, drawn(kept, '^seq')]).toEqual(['e', history])
    kept.commit()
    expect(drawn(kept, '^seq', '@t0').slice(0, history.length)).toEqual(history)
  })

  test('an import is not checked, the next edit is', () => {
    const at = (id: string, offset: number, ns: number): object => ({
      id,
      offset,
      nodeType: 'block',
      key: 'k',
      content: id,
      created_at_ns: ns,
    })
    const segment = {
      id: 's1',
      nodeType: 'seg',
      children: [{ id: 'c1', nodeType: 'cont', children: [] }, at('x', 1, 5), at('y', 2, 6)],
    }
    const ctx = importSnapshot({
      spec_version: 'PACT/1.0.0',
      cycle: 1,
      root: { children: [{ id: 'seq', nodeType: '^seq', children: [segment] }] },
    })
    expect([ctx.warnings, idsOf(ctx.nodes('#k'))]).toEqual([[], ['y', 'x']])
    const before = stateOf(ctx)
    expect(() => ctx.move('{ id="x" }', '(d1,)')).toThrow(expect.objectContaining({ code: 'E_ODI_VIOLATION' }))
    expect(stateOf(ctx)).toBe(before)
    ctx.post('new', { key: 'k' })
    expect(drawn(ctx, '^seq')).toEqual(['s1@0[c1@0[] x@1 y@2]'])
  })

  test('put changes the newest of several that an import brought into the head', () => {
    const at = (id: string, ns: number): object => ({ id, offset: -1, key: 'k', content: id, created_at_ns: ns })
    const ah = { id: 'ah', nodeType: '^ah', children: [at('x', 6), at('y', 7), at('z', 5)] }
    const ctx = importSnapshot({ spec_version: 'PACT/1.0.0', cycle: 1, root: { children: [ah] } })
    expect(ctx.put('k', 'changed')).toMatchObject({ id: 'y', content: 'changed' })
    expect(contents(ctx)).toEqual(['z', 'x', 'changed'])
  })

  test('a node that gets another key is a new instance of that key; one that keeps its key is none', () => {
    const ctx = story()
    ctx.post('old', { key: 'k' })
    ctx.post('other', { key: 'j' })
    ctx.replace('#j', { key: 'k' })
    // block:4-1 is the younger, so block:4-0 has to go.
    expect(drawn(ctx, '^seq')[2]).toBe(D1.replace(/]$/, ' block:4-0@1]'))
    ctx.undo()
    expectNoTrace(ctx, () => ctx.replace('#k', { key: 'j' }), 'E_ODI_VIOLATION', {
      name: 'OverlapWouldViolateODI',
      key: 'j',
    })
  })

  test('whatever text the key is, and however long (D29)', () => {
    const odd = [
      ' ',
      '"',
      "'",
      '\\',
      '\\"',
      '}',
      '?',
      '*',
      'null',
      '5',
      '__proto__',
      '\0',
      '\n',
      '\u2028',
      '\ud800',
      'é',
      'x'.repeat(70_000),
    ]
    for (const key of odd) {
      const ctx = story()
      ctx.insert({ content: 'old', key }, '(d1, end)')
      ctx.insert({ content: 'new', key }, '(d1, end)')
      expect(drawn(ctx, '^seq').slice(1), JSON.stringify(key.slice(0, 9))).toEqual([
        D2.replace(/]$/, ' block:4-0@1]'),
        D1.replace(/]$/, ' block:4-1@2]'),
      ])
      expect(ctx.put(key, 'in the head')).toMatchObject({ id: 'block:4-3', key })
      expect(ctx.put(key, 'again').id).toBe('block:4-3')
    }
  })

  test('a container takes its keyed children along, which are judged where they arrive', () => {
    const ctx = story()
    ctx.insert({ content: 'old', key: 'j' }, '(d1, end)')
    ctx.add(undefined, { zone: 'post', key: 'k', children: [{ content: 'newest', key: 'j' }] })
    ctx.post('new', { key: 'k' })
    // The box went to d1; there its child is the newest j, so the older j goes one deeper.
    expect(drawn(ctx, '^seq')).toEqual([
      D3,
      D2.replace(/]$/, ' block:4-0@1]'),
      D1.replace(/]$/, ' cont:4-1@2[block:4-2@0]]'),
    ])
  })
})

describe('what overlap refuses (004 §6.1, D29)', () => {
  const rejecting = (): Context => story('1.0', { odi: 'reject' })
  const sealed = (options: ContextOptions = {}): Context => {
    const ctx = story('1.0', options)
    ctx.user('in the core', { key: 'k' })
    ctx.commit()
    return ctx
  }

  test.each<[what: string, make: () => Context, prepare: (ctx: Context) => unknown, run: (ctx: Context) => unknown]>([
    [
      'a second instance in the head, with odi: "reject"',
      rejecting,
      (ctx) => ctx.post('a', { key: 'k' }),
      (ctx) => ctx.post('b', { key: 'k' }),
    ],
    [
      'an insert above one, with odi: "reject"',
      rejecting,
      (ctx) => ctx.insert({ content: 'a', key: 'k' }, '(d1, end)'),
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, '(d1, end)'),
    ],
    [
      'a splice below one, with odi: "reject"',
      rejecting,
      (ctx) => ctx.post('a', { key: 'k' }),
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, { depth: 1 }),
    ],
    [
      'a second instance without history',
      () => createContext({ clock: clockOf() }),
      (ctx) => ctx.post('a', { key: 'k' }),
      (ctx) => ctx.post('b', { key: 'k' }),
    ],
    [
      'an insert at the oldest depth',
      story,
      (ctx) => ctx.insert({ content: 'a', key: 'k' }, '(d3, end)'),
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, '(d3, end)'),
    ],
    [
      'a splice below the oldest',
      story,
      (ctx) => ctx.insert({ content: 'a', key: 'k' }, '(d3, end)'),
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, { depth: 4 }),
    ],
    [
      'an insert below one in a sealed core',
      sealed,
      () => {},
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, '(d2, end)'),
    ],
    [
      'an insert beside one in a sealed core',
      sealed,
      () => {},
      (ctx) => ctx.insert({ content: 'b', key: 'k' }, '(d1, end)'),
    ],
    [
      'a block while ^sys has one',
      story,
      (ctx) => ctx.system.add('a', { key: 'k' }),
      (ctx) => ctx.post('b', { key: 'k' }),
    ],
    [
      'a second one in ^sys',
      story,
      (ctx) => ctx.system.add('a', { key: 'k' }),
      (ctx) => ctx.system.add('b', { key: 'k' }),
    ],
    [
      'system.insert beside one',
      story,
      (ctx) => ctx.system.add('a', { key: 'k' }),
      (ctx) => ctx.system.insert({ content: 'b', key: 'k' }, '(d-1,)'),
    ],
    [
      'one key on two nodes at one depth in one call',
      story,
      () => {},
      (ctx) =>
        ctx.add(undefined, {
          zone: 'post',
          children: [
            { content: 'a', key: 'k' },
            { content: 'b', key: 'k' },
          ],
        }),
    ],
    [
      'one key on a container and its child',
      story,
      () => {},
      (ctx) => ctx.insert({ key: 'k', children: [{ content: 'b', key: 'k' }] }, { depth: 2 }),
    ],
    [
      'put of a child with its own key',
      story,
      (ctx) => ctx.put('k', 'a'),
      (ctx) => ctx.put('k', 'b', { children: [{ content: 'c', key: 'k' }] }),
    ],
  ])('refuses %s under the name that 004 gives it, and nothing changes (D29)', (_what, make, prepare, run) => {
    const ctx = make()
    prepare(ctx)
    expectNoTrace(ctx, () => run(ctx), 'E_ODI_VIOLATION', NAMED)
  })

  test.each<[position: Position]>([['(d1, end)'], ['(d1,)'], ['(d0, end)'], [{ depth: 1 }], ['(d0, 0, end)']])(
    'an older instance may not move to the depth of the newest or above: %j (004 §6.3)',
    (position) => {
      const ctx = story()
      ctx.insert({ content: 'older', key: 'k' }, '(d3, end)')
      ctx.insert({ content: 'newest', key: 'k' }, '(d1, end)')
      expectNoTrace(ctx, () => ctx.move(byId('block:4-0'), position), 'E_ODI_VIOLATION', {
        ...NAMED,
        id: 'block:4-0',
        other: 'block:4-1',
      })
      ctx.move(byId('block:4-0'), '(d2, end)')
      expect(ctx.coordinate('block:4-0')).toBe('(d2, 1)')
    },
  )

  test('refuses two older instances at one depth in one call, also below the newest (D29)', () => {
    const ctx = story()
    ctx.insert({ content: 'oldest', key: 'k' }, '(d3, end)')
    ctx.insert({ content: 'older', key: 'k' }, '(d2, end)')
    ctx.post('newest', { key: 'k' })
    const both = `${byId('block:4-0')}, ${byId('block:4-1')}`
    expectNoTrace(ctx, () => ctx.move(both, '(d3, end)'), 'E_ODI_VIOLATION', NAMED)
    // One after the other they may.
    ctx.move(byId('block:4-1'), '(d3, end)')
    expect(ctx.coordinate('block:4-1')).toBe('(d3, 3)')
  })

  test('offers replace and put where they help: an instance in the head, or in a sealed core (D29)', () => {
    const inHead = rejecting()
    inHead.post('a', { key: 'k' })
    const inCore = sealed()
    for (const [ctx, position] of [
      [inHead, '(d0, end)'],
      [inCore, '(d1, end)'],
    ] as const) {
      const message = expectNoTrace(
        ctx,
        () => ctx.insert({ content: 'b', key: 'k' }, position),
        'E_ODI_VIOLATION',
        NAMED,
      )
      expect(message).toMatch(/"k".*replace\(\).*put\(\)/)
    }
  })

  test('with odi: "reject", what needs no demotion is welcome, and put changes what is there', () => {
    const ctx = rejecting()
    ctx.post('a', { key: 'k' })
    expect(ctx.put('k', 'b').id).toBe('block:4-0')
    ctx.commit()
    ctx.post('c', { key: 'k' })
    ctx.insert({ content: 'd', key: 'j' }, { depth: 2 })
    expect(ctx.nodes('#k').map(({ content }) => content)).toEqual(['b', 'c'])
    expect(() => createContext({ odi: 'allow' as never })).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'odi' } }),
    )
  })
})
