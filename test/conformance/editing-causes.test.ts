// Why a node is there and why it went: causes in diffDetailed (06 §6, D38), explain, and holds (D26).

import { createContext, type Context, type Lens } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, refusal } from '../support/context.js'
import { byId, inDialect, story } from '../support/editing.js'

type Cause = readonly [id: string, cause: string, cycle: number]

function causes(ctx: Context, a: Lens, b: Lens): Readonly<Record<'added' | 'removed' | 'changed', readonly Cause[]>> {
  const { added, removed, changed } = ctx.diffDetailed(a, b)
  const of = (list: readonly Readonly<{ id: string; cause: string; cycle: number }>[]): readonly Cause[] =>
    list.map(({ id, cause, cycle }) => [id, cause, cycle])
  return { added: of(added), removed: of(removed), changed: of(changed) }
}

describe.each(DIALECTS)('causes, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)
  const named = (list: readonly Cause[]): readonly Cause[] => list.map(([id, cause, cycle]) => [name(id), cause, cycle])

  test.each<
    [
      what: string,
      edit: (ctx: Context, id: (text: string) => string) => unknown,
      diff: Partial<ReturnType<typeof causes>>,
    ]
  >([
    ['created', (ctx) => ctx.insert({ content: 'x' }, '(d3, end)'), { added: [['block:4-0', 'created', 4]] }],
    [
      'created in a new segment',
      (ctx) => ctx.insert({ content: 'x' }, { depth: 2 }),
      {
        added: [
          ['seg:4-0', 'created', 4],
          ['cont:4-1', 'created', 4],
          ['block:4-2', 'created', 4],
        ],
      },
    ],
    [
      'sealed',
      (ctx) => ctx.user('x'),
      {
        added: [
          ['seg:4-2', 'sealed', 4],
          ['cont:4-0', 'created', 4],
          ['block:4-1', 'created', 4],
        ],
      },
    ],
    [
      'superseded',
      (ctx, id) => ctx.replace(byId(id('block:1-3')), { content: 'x' }),
      { added: [['block:4-0', 'superseded', 4]], removed: [['block:1-3', 'superseded', 4]] },
    ],
    [
      'redacted',
      (ctx, id) => ctx.delete(byId(id('block:1-3'))),
      { added: [['block:4-0', 'redacted', 4]], removed: [['block:1-3', 'redacted', 4]] },
    ],
    ['moved', (ctx, id) => ctx.move(byId(id('block:1-4')), '(d1, end)'), { changed: [['block:1-4', 'moved', 4]] }],
    [
      'moved to another offset',
      (ctx, id) => ctx.move(byId(id('block:1-4')), '(d3, 7)'),
      { changed: [['block:1-4', 'moved', 4]] },
    ],
    [
      'moved out of ^sys',
      (ctx, id) => ctx.system.move(byId(id('block:1-0')), '(d3, end)'),
      { added: [['block:4-0', 'moved', 4]], removed: [['block:1-0', 'moved', 4]] },
    ],
    [
      'edited by update',
      (ctx, id) => ctx.update(byId(id('block:1-4')), { priority: 4 }),
      { changed: [['block:1-4', 'edited', 4]] },
    ],
    [
      'edited in place',
      (ctx, id) => ctx.system.replace(byId(id('block:1-0')), { content: 'x' }),
      { changed: [['block:1-0', 'edited', 4]] },
    ],
    ['edited away', (ctx, id) => ctx.system.delete(byId(id('block:1-0'))), { removed: [['block:1-0', 'edited', 4]] }],
    ['expired', (ctx, id) => ctx.update(byId(id('block:1-4')), { ttl: 0 }), { removed: [['block:1-4', 'expired', 4]] }],
  ])('names %s, with its cycle, before and after later commits (D38)', (_what, edit, diff) => {
    const ctx = story(dialect)
    edit(ctx, name)
    ctx.commit()
    const expected = {
      added: named(diff.added ?? []),
      removed: named(diff.removed ?? []),
      changed: named(diff.changed ?? []),
    }
    expect(causes(ctx, '@t-1', '@t0')).toEqual(expected)
    ctx.commit()
    ctx.commit()
    expect(causes(ctx, '@c3', '@t0')).toEqual(expected)
  })

  test('names demoted and cadence, with their cycles (D28, D29, D38)', () => {
    const ctx = story(dialect)
    ctx.post('old', { key: 'k' })
    ctx.post('ping', { key: 'j', cad: 2, ttl: 1 })
    ctx.commit()
    ctx.insert({ content: 'new', key: 'k' }, '(d1, end)')
    ctx.commit()
    expect(causes(ctx, '@t-1', '@t0')).toEqual({
      added: named([['block:5-0', 'created', 5]]),
      removed: named([['block:4-1', 'expired', 5]]),
      changed: named([['block:4-0', 'demoted', 5]]),
    })
    expect(causes(ctx, '@t0', 'working')).toEqual({
      added: named([['block:6-0', 'cadence', 6]]),
      removed: [],
      changed: [],
    })
    ctx.commit()
    expect(causes(ctx, '@t-1', '@t0').added).toEqual(
      named([
        ['seg:6-2', 'sealed', 6],
        ['cont:6-1', 'created', 6],
        ['block:6-0', 'cadence', 6],
      ]),
    )
  })

  test('tells what a marker and a superseding node stand for by the values, and pairs moves by content (D38)', () => {
    const ctx = story(dialect)
    ctx.delete(byId(name('block:1-3')), { reason: 'r' })
    ctx.system.move(byId(name('block:1-0')), '(d0, end)')
    ctx.commit()
    const { added, moves, parents } = ctx.diffDetailed('@t-1', '@t0')
    expect(added[0]).toMatchObject({
      parent: name('cont:1-2'),
      node: { nodeType: name('block:redaction'), supersedes: name('block:1-3'), data_reason: 'r', content: '' },
    })
    expect(moves.map(({ from, to }) => [from, to])).toEqual([[name('block:1-0'), name('block:4-1')]])
    expect(parents.find(({ id }) => id === name('cont:1-2'))).toEqual({
      id: name('cont:1-2'),
      children_added: [name('block:4-0')],
      children_removed: [name('block:1-3')],
    })
  })
})

describe('explain', () => {
  test('says where a node stands, since when and by which call, as data and in words', () => {
    const ctx = story()
    ctx.pre('p', { ttl: 3, pinned: true })
    ctx.user('u')
    const found = ctx.explain('block:4-0')
    expect(found).toMatchObject({
      id: 'block:4-0',
      lens: 'working',
      isThere: true,
      created: { cycle: 4, by: 'pre', at: '2023-11-14T22:13:20.000000013Z' },
      place: { region: '^ah', depth: 0, zone: 'pre', parent: 'ah', coordinate: '(d0, -1)' },
      // Given in cycle 4: in the snapshots of 4, 5 and 6.
      expires: { cycle: 7, ttl: 3 },
      keptBy: { pinned: true, held: false, refs: [] },
      prunable: false,
    })
    for (const missing of ['changed', 'returns', 'supersedes', 'supersededBy', 'left'] as const)
      expect(found[missing]).toBeUndefined()
    expect(String(found)).toBe(found.sentences.join(' '))
    for (const sentence of found.sentences) expect(sentence).toMatch(/^\S.*\.$/)
    expect(String(found)).toMatch(/block:4-0 .*pre\(\).* cycle 4.*\(d0, -1\).* ttl is 3.* cycle 7 .*pinned/)
    expect(ctx.explain('block:4-2').place).toEqual({
      region: '^ah',
      depth: 0,
      zone: 'core',
      parent: 'cont:4-1',
      coordinate: '(d0, 0, 0)',
    })
    expect(ctx.explain('cont:4-1').created).toMatchObject({ by: 'user' })
    expect(Object.isFrozen(found) && Object.isFrozen(found.sentences) && Object.isFrozen(found.keptBy)).toBe(true)
  })

  test('knows the region and the depth of every kind of node, and of root and regions', () => {
    const ctx = story()
    const places = [
      'block:1-0',
      'seg:1-5',
      'block:1-1',
      'cont:1-2',
      'block:1-3',
      'block:1-4',
      'root',
      'sys',
      'seq',
      'ah',
    ]
    expect(
      places
        .map((id) => ctx.explain(id).place)
        .map((place) => [place!.region, place!.depth, place!.zone, place!.parent]),
    ).toEqual([
      ['^sys', -1, undefined, 'sys'],
      ['^seq', 3, undefined, 'seq'],
      ['^seq', 3, 'pre', 'seg:1-5'],
      ['^seq', 3, 'core', 'seg:1-5'],
      ['^seq', 3, 'core', 'cont:1-2'],
      ['^seq', 3, 'post', 'seg:1-5'],
      ['^root', undefined, undefined, undefined],
      ['^sys', -1, undefined, 'root'],
      ['^seq', undefined, undefined, 'root'],
      ['^ah', 0, undefined, 'root'],
    ])
    const makers = [
      'system.add',
      'commit',
      'pre',
      'user',
      'user',
      'post',
      ...Array.from({ length: 4 }, () => 'createContext'),
    ]
    expect(places.map((id) => ctx.explain(id).created!.by)).toEqual(makers)
    for (const id of places) expect(ctx.explain(id).sentences.length, id).toBeGreaterThan(1)
    expect(String(ctx.explain('seg:1-5'))).toMatch(/commit.* cycle 1.*depth 3/)
    // As it was then: one segment, at depth 1.
    expect(ctx.explain('block:1-4', '@c1').place).toMatchObject({ depth: 1, coordinate: '(d1, 1)' })
  })

  test.each<[what: string, edit: (ctx: Context) => unknown, id: string, changed: object, words: RegExp]>([
    [
      'moved',
      (ctx) => ctx.move(byId('block:1-4'), '(d1, end)'),
      'block:1-4',
      { cycle: 4, by: 'move' },
      /move\(\) moved it in cycle 4/,
    ],
    [
      'updated',
      (ctx) => ctx.update(byId('block:1-3'), { priority: 2 }),
      'block:1-3',
      { cycle: 4, by: 'update' },
      /update\(\) changed it in cycle 4/,
    ],
    [
      'replaced in ^sys',
      (ctx) => ctx.system.replace('.block', { content: 'x' }),
      'block:1-0',
      { cycle: 4, by: 'system.replace' },
      /system\.replace\(\) changed it in cycle 4/,
    ],
  ])('says what changed a node later: %s', (_what, edit, id, changed, words) => {
    const ctx = story()
    edit(ctx)
    for (let i = 0; i < 2; i++) {
      expect(ctx.explain(id).changed).toEqual(changed)
      expect(String(ctx.explain(id))).toMatch(words)
      ctx.commit()
    }
    // Sealing and running ttls are no changes.
    expect(ctx.explain('block:3-1').changed).toBeUndefined()
  })

  test('says who was demoted, what came by its cadence, and when it returns', () => {
    const ctx = story()
    ctx.post('old', { key: 'k', cad: 3, ttl: 9 })
    ctx.commit()
    ctx.insert({ content: 'new', key: 'k' }, '(d1, end)')
    expect(ctx.explain('block:4-0')).toMatchObject({
      changed: { cycle: 5, by: 'demotion' },
      returns: { key: 'k', cad: 3, cycle: 7 },
    })
    expect(String(ctx.explain('block:4-0'))).toMatch(
      /demoted it in cycle 5.*"k" returns every 3 cycles, next in cycle 7/,
    )
    ctx.commit()
    ctx.commit()
    expect(ctx.explain('block:7-0')).toMatchObject({ created: { cycle: 7, by: 'cadence' }, returns: { cycle: 10 } })
    expect(String(ctx.explain('block:7-0'))).toMatch(/cadence.* cycle 7/)
    expect(ctx.explain('block:4-0', '@t-1').returns).toMatchObject({ cycle: 7 })
  })

  test('explains what is gone: since when, why, and what stands in its place', () => {
    const ctx = story()
    ctx.post('short', { ttl: 1 })
    ctx.replace(byId('block:1-3'), { content: 'corrected' })
    ctx.delete(byId('block:2-1'))
    ctx.system.delete('.block')
    ctx.commit()
    ctx.commit()
    for (const [id, left, supersededBy] of [
      ['block:1-3', { cycle: 4, cause: 'superseded' }, 'block:4-1'],
      ['block:2-1', { cycle: 4, cause: 'redacted' }, 'block:4-2'],
      ['block:1-0', { cycle: 4, cause: 'edited' }, undefined],
      ['block:4-0', { cycle: 5, cause: 'expired' }, undefined],
    ] as const) {
      const gone = ctx.explain(id)
      expect(gone, id).toMatchObject({ id, isThere: false, left, prunable: false })
      expect([gone.place, gone.expires, gone.supersededBy]).toEqual([undefined, undefined, supersededBy])
      expect(String(gone)).toContain(`in no snapshot from cycle ${left.cycle} on`)
      if (supersededBy !== undefined) expect(String(gone)).toContain(supersededBy)
      // A snapshot that holds it explains it as it was.
      const then = ctx.explain(id, `@c${left.cycle - 1}`)
      expect([then.isThere, then.left, then.created], id).toEqual([true, undefined, gone.created])
    }
    expect(ctx.explain('block:4-1')).toMatchObject({ supersedes: 'block:1-3', created: { cycle: 4, by: 'replace' } })
    expect(String(ctx.explain('block:4-1'))).toMatch(/block:1-3/)
    expect(ctx.explain('block:4-2')).toMatchObject({ supersedes: 'block:2-1', created: { by: 'delete' } })
  })

  test('says what keeps a node, and whether a budget can take it (D26, D27)', () => {
    const ctx = story('1.0', { prune: { maxNodes: 1000, protectSegments: 2 } })
    ctx.post('needs', { refs: ['block:1-1', 'block:1-4'] })
    const hold = ctx.hold('block:1-4')
    expect(ctx.explain('block:1-1')).toMatchObject({ keptBy: { refs: ['block:4-0'], held: false }, prunable: false })
    expect(ctx.explain('block:1-4')).toMatchObject({ keptBy: { refs: ['block:4-0'], held: true } })
    expect(String(ctx.explain('block:1-4'))).toMatch(/block:4-0 refers to it.*hold/)
    hold.release()
    expect(ctx.explain('block:1-4').keptBy.held).toBe(false)
    // Depth 3 is beyond the two protected segments, depth 2 is not.
    expect(['block:1-3', 'block:2-1', 'cont:1-2', 'block:1-0'].map((id) => ctx.explain(id).prunable)).toEqual([
      true,
      false,
      false,
      false,
    ])
    ctx.update(byId('block:1-3'), { pinned: true })
    expect(ctx.explain('block:1-3')).toMatchObject({ prunable: false, keptBy: { pinned: true } })
  })

  test('refuses an id that never was, and a lens that is not there', () => {
    const ctx = story()
    expect(refusal(() => ctx.explain('nobody'))).toMatchObject({
      code: 'E_NODE_NOT_FOUND',
      details: { id: 'nobody', lens: 'working' },
    })
    expect(refusal(() => ctx.explain('block:3-1', '@c1')).code).toBe('E_NODE_NOT_FOUND')
    expect(refusal(() => ctx.explain('block:3-1', '@t-9')).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })
})

describe('hold (D26)', () => {
  test('keeps a node through expiry until it is released; using releases it at the end of the block', () => {
    const ctx = createContext({ clock: clockOf() })
    const { id } = ctx.post('x', { ttl: 0 })
    {
      using hold = ctx.hold(id)
      expect(hold.id).toBe(id)
      expect(ctx.commit().node(id)?.ttl).toBe(0)
      expect(ctx.explain(id).keptBy.held).toBe(true)
    }
    expect(ctx.explain(id).keptBy.held).toBe(false)
    expect(ctx.commit().node(id)).toBeUndefined()
  })

  test('counts every hold, releases once each, and is no step to undo', () => {
    const ctx = createContext({ clock: clockOf() })
    const { id } = ctx.post('x', { ttl: 0 })
    const [one, two] = [ctx.hold(id), ctx.hold(id)]
    one.release()
    one.release()
    one[Symbol.dispose]()
    expect(ctx.commit().node(id)).toBeDefined()
    two.release()
    expect(ctx.commit().node(id)).toBeUndefined()
    expect(refusal(() => ctx.hold(id))).toMatchObject({ code: 'E_NODE_NOT_FOUND', details: { id } })
    ctx.post('y')
    ctx.hold(ctx.post('z').id)
    expect([ctx.undo(), ctx.undo(), ctx.undo()]).toEqual([true, true, false])
  })
})

test('a core that a move made in an empty head is sealed later, not moved (06 §6)', () => {
  const ctx = createContext({ clock: clockOf() })
  const note = ctx.post('note', { key: 'n' })
  ctx.user('u')
  ctx.commit()
  ctx.move('#n', { depth: 0, zone: 'core' })
  ctx.move('#n', '(d1, end)')
  ctx.commit()
  const core = ctx.select('@t0 ^ah > .cont')
  expect(core).toHaveLength(1)
  ctx.user('v')
  ctx.commit()
  const { changed } = ctx.diffDetailed('@t-1', '@t0')
  expect(changed.filter(({ id }) => core.includes(id))).toMatchObject([{ cause: 'sealed' }])
  expect(ctx.node(note.id)).toBeDefined()
})
