// The system region (D31; 004 §6.1, §6.3 and §6.4, 02 §2.3): who may write there, and what crosses its border.

import fc from 'fast-check'
import { createContext, type Context } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf, START_NS, textOf, walk } from '../support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../support/edited.js'
import { byId, contents, D1, D2, D3, drawn, expectNoTrace, inDialect, sealedHashes, story } from '../support/editing.js'

describe.each(DIALECTS)('ctx.system, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)
  const second = dialect === '0.1' ? 0 : 1

  test('inserts into ^sys and containers in it, at any place of D19 (004 §6.1, D31)', () => {
    const ctx = story(dialect)
    expect(ctx.system.insert({ content: 'next' }, { depth: -1 })).toMatchObject({
      id: name('block:4-0'),
      parentId: 'sys',
    })
    ctx.system.insert({ content: 'first' }, '(d-1,)')
    ctx.system.insert({ children: [{ content: 'in' }] }, '(d-1, end)')
    ctx.system.insert({ content: 'at 40' }, '(d-1, 40)')
    const last = dialect === '0.1' ? 1 : 2
    expect(drawn(ctx, '^sys')).toEqual(
      ['block:4-1@-1', 'block:1-0@0', `block:4-0@${second}`, `cont:4-2@${last}[block:4-3@0]`, 'block:4-4@40'].map(name),
    )
    ctx.system.insert({ content: 'more' }, { parent: name('cont:4-2') })
    expect(drawn(ctx, '^sys')[3]).toBe(name(`cont:4-2@${last}[block:4-3@0 block:4-5@${second}]`))
    expect(ctx.cycle).toBe(4)
    ctx.commit()
    expect(contents(ctx, '@t0').slice(0, 6)).toEqual(['first', 'rules', 'next', 'in', 'more', 'at 40'])
  })

  test('replaces in place what stands there, and supersedes where role, kind or type change (004 §6.2, D30)', () => {
    const ctx = story(dialect)
    const [same] = ctx.system.replace(byId(name('block:1-0')), { content: 'other rules' })
    expect(same).toMatchObject({ id: name('block:1-0'), cycle: 1, createdAtNs: START_NS, content: 'other rules' })
    expect(same!.supersedes).toBeUndefined()
    const [other] = ctx.system.replace(byId(name('block:1-0')), { role: 'developer' })
    expect(other).toMatchObject({
      id: name('block:4-0'),
      cycle: 4,
      createdAtNs: START_NS,
      supersedes: name('block:1-0'),
    })
    ctx.commit()
    expect([contents(ctx, '@t0')[0], contents(ctx, '@t-1')[0]]).toEqual(['other rules', 'rules'])
  })

  test('deletes without a marker, moves and updates there (004 §6.4, D30)', () => {
    const ctx = story(dialect)
    const hashes = sealedHashes(ctx)
    ctx.system.add('more')
    expect(idsOf(ctx.system.move(byId(name('block:1-0')), '(d-1, end)'))).toEqual([name('block:1-0')])
    expect(drawn(ctx, '^sys')).toEqual([`block:4-0@${second}`, `block:1-0@${second + 1}`].map(name))
    expect(ctx.system.update('*.cb', { ttl: 2 }).map(({ ttl }) => ttl)).toEqual([2, 2])
    expect(idsOf(ctx.system.delete(byId(name('block:1-0'))))).toEqual([name('block:1-0')])
    expect(drawn(ctx, '^sys')).toEqual([name(`block:4-0@${second}`)])
    ctx.commit()
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
    expect(contents(ctx, '@t0')[0]).toBe('more')
  })

  test('makes a node that leaves ^sys a new one where a snapshot holds it, and keeps a new one (02 §2.3, D30)', () => {
    const ctx = story(dialect)
    const fresh = ctx.system.add('fresh', { ttl: 3 })
    const box = ctx.system.add(undefined, { children: [{ content: 'in' }], key: 'box' })
    const moved = ctx.system.move('*.cb', '(d0, end)')
    // 1-0 is in the snapshots; the child of the box is moved as a match of its own.
    expect(idsOf(moved)).toEqual(['block:4-3', 'block:4-0', 'block:4-2'].map(name))
    expect(drawn(ctx, '^ah')).toEqual(['block:4-3@1', 'block:4-0@2', 'block:4-2@3'].map(name))
    expect(drawn(ctx, '^sys')).toEqual([name(`cont:4-1@${dialect === '0.1' ? 0 : 2}[]`)])
    expect(moved[0]).toMatchObject({ content: 'rules', cycle: 4, createdAtNs: START_NS + 16n, creationIndex: 3 })
    expect(moved[0]!.supersedes).toBeUndefined()
    expect(moved[1]!.toJSON()).toEqual({ ...fresh.toJSON(), offset: 2 })
    expect(box.id).toBe(name('cont:4-1'))
    expect(ctx.node(name('block:1-0'))).toBeUndefined()
  })

  test('renews of a subtree exactly what a snapshot holds (02 §2.3, D30)', () => {
    const ctx = story(dialect)
    ctx.system.add(undefined, { key: 'box', ttl: 5, children: [{ content: 'old', offset: 1 }] })
    ctx.commit()
    ctx.system.insert({ content: 'new' }, { parent: name('cont:4-0'), offset: 2 })
    const [box] = ctx.system.move("[key='box']", '(d0,)')
    expect(drawn(ctx, '^ah')).toEqual([name('cont:5-1@-1[block:5-2@1 block:5-0@2]')])
    expect(box).toMatchObject({ key: 'box', cycle: 5 })
    expect(ctx.node(name('block:5-0'))?.parentId).toBe(name('cont:5-1'))
    // The ttl runs on: given in cycle 4, so in the snapshots of 4 to 8.
    expect([1, 2, 3, 4, 5].map(() => ctx.commit().first("[key='box']")?.ttl)).toEqual([4, 3, 2, 1, undefined])
  })

  test('makes a node that stands in for nobody, also of one that superseded another in ^sys (02 §2.3, D30)', () => {
    const ctx = story(dialect)
    ctx.system.replace(byId(name('block:1-0')), { role: 'developer' })
    ctx.commit()
    const [moved] = ctx.system.move('*.cb', '(d0,)')
    expect(moved).toMatchObject({ id: name('block:5-0'), role: 'developer', content: 'rules', supersedes: undefined })
  })

  test('shows no node in two regions from snapshot to snapshot (02 §2.3, 10 A)', () => {
    const ctx = story(dialect)
    ctx.system.move('*.cb', { depth: 2 })
    ctx.system.add('new rules')
    ctx.commit()
    ctx.system.move('*.cb', '(d0,)')
    ctx.move(byId(name('block:1-4')), '(d0, end)')
    ctx.commit()
    const regions = new Map<string, Set<string>>()
    for (const { cycle } of ctx.snapshots()) {
      for (const region of ctx.snapshot(`@c${cycle}`).root.children) {
        for (const id of ctx.snapshot(`@c${cycle}`).select(`${region.nodeType} *`)) {
          regions.set(id, (regions.get(id) ?? new Set()).add(region.nodeType))
        }
      }
    }
    expect([...regions].filter(([, seen]) => seen.size > 1)).toEqual([])
    expect(regions.size).toBeGreaterThan(15)
    // Whatever is edited: what a snapshot holds in ^sys is never outside it under the same id, and the other way round.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const each of playEdited(program).contexts) {
          const inSystem = new Map<string, boolean>()
          for (const { cycle } of each.snapshots()) {
            const [sys, seq, head] = each.snapshot(`@c${cycle}`).root.children.map(walk)
            for (const [nodes, isIn] of [[sys!, true] as const, [[...seq!, ...head!], false] as const]) {
              for (const { id } of nodes) expect([id, inSystem.get(id) ?? isIn]).toEqual([id, isIn])
              for (const { id } of nodes) inSystem.set(id, isIn)
            }
          }
        }
      }),
      editedRuns(8),
    )
  })

  test('moves between regions as remove plus add does, to the same provider bytes (02 §2.3, 10 A)', () => {
    const [moved, made] = [story(dialect), story(dialect)]
    moved.system.move(byId(name('block:1-0')), '(d0,)')
    made.system.delete(byId(name('block:1-0')))
    made.insert({ content: 'rules' }, '(d0,)')
    for (const ctx of [moved, made]) ctx.commit()
    expect(textOf(moved.threadBytes('@t0'))).toBe(textOf(made.threadBytes('@t0')))
    expect(moved.export('@t0')).toEqual(made.export('@t0'))
    expect(moved.diff('@t-1', '@t0')).toMatchObject({
      removed: [name('block:1-0')],
      added: expect.arrayContaining([name('block:4-0')]) as string[],
    })
  })
})

describe('the border of ^sys (D31)', () => {
  test('lets the selectors of ctx.system see ^sys only', () => {
    const ctx = story()
    expect(idsOf(ctx.system.update('.block', { priority: 5 }))).toEqual(['block:1-0'])
    expect(idsOf(ctx.system.replace('*.block', { content: 'x' }))).toEqual(['block:1-0'])
    expect(ctx.system.delete('^seq .block?')).toEqual([])
    expect(ctx.system.delete('d1 .block?')).toEqual([])
    expect(ctx.system.move('{ id="block:1-4" }?', '(d-1, end)')).toEqual([])
    ctx.user('u4')
    expect(ctx.system.delete('^ah .block?')).toEqual([])
    expect(idsOf(ctx.system.delete('.block'))).toEqual(['block:1-0'])
    expect([drawn(ctx, '^sys'), drawn(ctx, '^seq')]).toEqual([[], [D3, D2, D1]])
  })

  test.each<[what: string, run: (ctx: Context) => unknown, code: string, details: object]>([
    [
      'an ordinary replace',
      (ctx) => ctx.replace(byId('block:1-0'), { content: 'x' }),
      'E_NOT_AUTHORIZED',
      { id: 'block:1-0' },
    ],
    ['an ordinary delete', (ctx) => ctx.delete('^sys .block'), 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['an ordinary move', (ctx) => ctx.move('^sys .block', '(d0, end)'), 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['an ordinary update', (ctx) => ctx.update('^sys .block', { ttl: 1 }), 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['an ordinary insert', (ctx) => ctx.insert({ content: 'x' }, '(d-1, end)'), 'E_NOT_AUTHORIZED', { id: 'sys' }],
    ['a delete that also matches there', (ctx) => ctx.delete('.block'), 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['a replace that also matches there', (ctx) => ctx.replace('.block', { content: 'x' }), 'E_NOT_AUTHORIZED', {}],
    ['a move that also matches there', (ctx) => ctx.move('.block:pre, ^sys .block', '(d0,)'), 'E_NOT_AUTHORIZED', {}],
    ['system.delete of ^sys itself', (ctx) => ctx.system.delete('^sys'), 'E_NODE_NOT_FOUND', { selector: '^sys' }],
    [
      'system.replace of ^sys itself',
      (ctx) => ctx.system.replace('d-1', { content: 'x' }),
      'E_NODE_NOT_FOUND',
      { selector: 'd-1' },
    ],
    [
      'system.move of ^sys itself',
      (ctx) => ctx.system.move('^sys', '(d0, end)'),
      'E_NODE_NOT_FOUND',
      { selector: '^sys' },
    ],
    [
      'system.update of the root',
      (ctx) => ctx.system.update('^root', { ttl: 1 }),
      'E_NODE_NOT_FOUND',
      { selector: '^root' },
    ],
    [
      'system.insert into the head',
      (ctx) => ctx.system.insert({ content: 'x' }, { depth: 0 }),
      'E_PLACEMENT_INVALID',
      { id: 'ah' },
    ],
    [
      'system.insert by id',
      (ctx) => ctx.system.insert({ content: 'x' }, { parent: 'seg:1-5' }),
      'E_PLACEMENT_INVALID',
      { id: 'seg:1-5' },
    ],
    [
      'system.insert into history',
      (ctx) => ctx.system.insert({ content: 'x' }, { depth: 1 }),
      'E_PLACEMENT_INVALID',
      { depth: 1 },
    ],
    [
      'system.insert with a cadence',
      (ctx) => ctx.system.insert({ content: 'x', key: 'k', cad: 1 }, { depth: -1 }),
      'E_CADENCE_INVALID',
      { name: 'cad' },
    ],
    [
      'system.replace with a cadence',
      (ctx) => ctx.system.replace('.block', { key: 'k', cad: 1 }),
      'E_CADENCE_INVALID',
      { name: 'cad' },
    ],
    [
      'system.move into a sealed core',
      (ctx) => ctx.system.move('.block', '(d1, 0, end)'),
      'E_SEALED_CORE',
      { id: 'cont:3-0' },
    ],
    ['system.move too deep', (ctx) => ctx.system.move('.block', { depth: 5 }), 'E_DEPTH_INVALID', { depth: 5 }],
    [
      'system.delete of what stands elsewhere',
      (ctx) => ctx.system.delete(byId('block:1-4')),
      'E_NODE_NOT_FOUND',
      { selector: byId('block:1-4') },
    ],
    [
      'system.move into ^sys from elsewhere',
      (ctx) => ctx.system.move(byId('block:1-4'), '(d-1, end)'),
      'E_NODE_NOT_FOUND',
      {},
    ],
    [
      'system.insert at a bad position',
      (ctx) => ctx.system.insert({ content: 'x' }, 'sys'),
      'E_PLACEMENT_INVALID',
      { token: 'sys' },
    ],
  ])('refuses %s, whole and without a trace (D31)', (_what, run, code, details) => {
    const ctx = story()
    expectNoTrace(ctx, () => run(ctx), code, { ...details })
  })

  test('says in the message who may write there (D31)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.system.add('rules')
    expect(expectNoTrace(ctx, () => ctx.delete('.block'), 'E_NOT_AUTHORIZED')).toBe(
      'block:1-0 is in ^sys, which only ctx.system may change.',
    )
  })
})
