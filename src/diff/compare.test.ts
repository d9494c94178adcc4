// Diffs of two trees (D38), by hand: the lists and their order, the fields of each entry, the refusals. The
// general laws are in test/laws/diff-laws.test.ts.

import { describe, expect, it, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { createContext, importSnapshot, type Context, type ContextOptions, type Lens } from '../index.js'

const EMPTY = { added: [], removed: [], changed: [] }

describe('a diff', () => {
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
      expect(refusal(call)).toMatchObject({ code: 'E_SELECTOR_INVALID', details: { pos, token } })
    }
  })

  test.each(['@t-1', '@c0', '@c9', '@t1'] as Lens[])('refuses %s, which names no snapshot (D5)', (lens) => {
    const ctx = newContext()
    ctx.commit()
    for (const call of [
      () => ctx.diff(lens, '@t0'),
      () => ctx.diff('@t0', lens),
      () => ctx.diffDetailed('working', lens, '.block'),
    ]) {
      expect(refusal(call)).toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND', details: { lens, oldest: 1, newest: 1 } })
    }
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

describe('a comparison', () => {
  it('sees root and regions, whose ttls run and end nothing, near and far (D24, N10)', () => {
    const ctx = openHead({
      cycle: 1,
      head: [],
      root: { id: 'root', nodeType: '^root', ttl: 300 },
      ah: { ttl: 200 },
    })
    for (let i = 0; i < 60; i++) {
      ctx.user(`gone soon ${i}`, { ttl: 1 })
      ctx.commit()
    }
    const ids = ['root', 'ah']
    // From one snapshot to the next by their logs, from the first to the last by their trees, which are smaller.
    for (const [a, b] of [
      ['@t-1', '@t0'],
      ['@c1', '@t0'],
    ] as const) {
      const { changed } = ctx.diffDetailed(a, b)
      expect(changed.filter(({ id }) => ids.includes(id)).map(({ id, fields }) => [id, fields])).toEqual([
        ['root', ['ttl']],
        ['ah', ['ttl']],
      ])
    }
    expect(ctx.diffDetailed('@c1', '@t0').changed[0]!.delta).toEqual({ ttl: { from: 300, to: 240 } })
  })

  test.each([
    ['.block[ttl>=5] @limit=1000', 'removed'],
    ['.block[ttl<5] @limit=1000', 'added'],
    ['.block[ttl>=5]', 'removed'],
    ['.block[ttl<5]', 'added'],
  ] as const)('takes a node that both sides hold and %j selects on one as %s only (D38)', (selector, list) => {
    const ctx = newContext()
    for (let i = 0; i < 60; i++) ctx.user(`${i}`, { ttl: i % 2 === 0 ? 5 : 9 })
    ctx.commit()
    ctx.commit()
    const found = ctx.diff('@t-1', '@t0', selector)
    const stay = list === 'removed' ? 30 : 0
    expect([found.added.length, found.removed.length, found.changed.length]).toEqual(
      list === 'removed' ? [0, 30, stay] : [30, 0, stay],
    )
  })

  it('counts the items of root and regions in the thread (D36)', () => {
    const ctx = openHead({
      cycle: 1,
      head: [block('a', { offset: 1, ttl: 9 })],
      root: { id: 'root', nodeType: '^root', content: 'about all' },
      ah: { content: 'about the head', ttl: 9 },
    })
    ctx.system.add('rule')
    ctx.commit()
    expect(ctx.thread('@t0').map(idOf)).toEqual(['root', 'block:2-0', 'a', 'ah'])
    const { added, changed } = ctx.diffDetailed('@c1', '@c2')
    expect(added.find(({ id }) => id === 'block:2-0')?.thread_index).toBe(1)
    expect(changed.map(({ id, thread_index }) => [id, thread_index])).toEqual([
      ['a', { from: 2, to: 2 }],
      ['ah', { from: 1, to: 3 }],
    ])
    expect(ctx.threadPlace('root', '@t0')).toMatchObject({ index: 0, start: 1 })
    expect(ctx.threadPlace('ah', '@t0')).toMatchObject({ index: 3 })
  })
})

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
      { content: 'x', key: 'k', priority: 1, 'app:a': 1, 'app:\u{10000}': 1, 'app:\uffff': 1 },
      {
        content: 'y',
        ttl: 9,
        offset: 3,
        nodeType: 'block:note',
        role: 'user',
        kind: 'text',
        tags: ['t'],
        refs: ['root'],
        pinned: true,
        provenance: 'here',
        data_n: [2n ** 64n],
        content_mime: 'text/plain',
        'Zoo:z': 1,
      },
    ).changed
    // Ten first, then by code point: capitals before small letters, U+FFFF before U+10000.
    const first = 'ttl priority parent offset nodeType role kind key tags content_hash'
    const rest =
      'Zoo:z app:a app:\uffff app:\u{10000} content_mime created_at_iso created_at_ns creation_index cycle data_n pinned provenance refs'
    expect(change!.fields).toEqual(`${first} ${rest}`.split(' '))
    expect(change!.delta).toMatchObject({
      priority: { from: 1, to: 0 },
      role: { from: null, to: 'user' },
      key: { from: 'k', to: null },
      tags: { from: null, to: ['t'] },
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
    // The node was there all the time, so no parent gained it.
    expect(ctx.diffDetailed('@c1', '@c3', '.block[ttl<=2]').parents).toEqual([])
    expect(ctx.diffDetailed('@c1', '@c3', '.block[ttl>2]').parents).toEqual([])
  })

  test("tells nothing of names that a commit drops, which are the engine's own notes (N10)", () => {
    const ctx = createContext()
    ctx.user('first')
    ctx.commit()
    ctx.replace('^seq .block', { content: 'second' })
    ctx.commit()
    const [third] = ctx.replace('^seq .block', { content: 'third' })
    expect(third!.toJSON()).toHaveProperty(['pact:stands_for'])
    expect(ctx.preview().node(third!.id)!.toJSON()).not.toHaveProperty(['pact:stands_for'])
    expect(ctx.diff('working', 'preview').changed).toEqual([])
  })
})

function newContext(options: ContextOptions = {}): Context {
  let now = 1_700_000_000_000_000_000n - 1n
  return createContext({ clock: () => (now += 1n), ...options })
}

function block(id: string, header: object): object {
  return { id, nodeType: 'block', content: id, ...header }
}

type OpenHead = Readonly<{ cycle: number; head: readonly object[]; root?: object; ah?: object }>

/** An imported snapshot with an active head that is not sealed yet. */
function openHead({ cycle, head, root, ah }: OpenHead): Context {
  const tree = { ...root, children: [{ id: 'ah', nodeType: '^ah', children: head, ...ah }] }
  let now = 0n
  return importSnapshot({ spec_version: 'PACT/1.0.0', cycle, root: tree }, { clock: () => (now += 1n) })
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

function refusal(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (PactError.is(error)) return { code: error.code, details: error.details }
    throw error
  }
}

function idOf({ id }: Readonly<{ id: string }>): string {
  return id
}
