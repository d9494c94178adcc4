// Schedules belong to the snapshot after whose commit they are in force (D28, D35): exported, imported, forked, compared.

import { importSnapshot, type Context, createContext } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, readExport, refusal, textOf } from '../support/context.js'
import { contents, drawn, inDialect, sealedHashes } from '../support/editing.js'

/** First written in cycle 2: one that returns every 2 cycles at an offset of its own, and one with children every 3. */
function scheduled(dialect: '0.1' | '1.0' = '1.0'): Context {
  const ctx = createContext({ dialect, clock: clockOf() })
  ctx.user('turn')
  ctx.commit()
  ctx.post('ping', { key: 'k', cad: 2, ttl: 1, offset: 5, role: 'tool', tags: ['t'], data_x: { n: 1 } })
  ctx.add(undefined, {
    zone: 'pre',
    key: 'B',
    cad: 3,
    removable: true,
    children: [{ content: 'in', offset: 2, kind: 'note' }],
  })
  return ctx
}

describe.each(DIALECTS)('schedules, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)
  const block = name('block:').slice(0, -1)
  const cont = name('cont:').slice(0, -1)
  const both = [
    {
      key: 'B',
      cad: 3,
      first_cycle: 2,
      zone: 'pre',
      node: {
        nodeType: cont,
        ttl: null,
        priority: 0,
        removable: true,
        children: [{ nodeType: block, ttl: null, priority: 0, offset: 2, kind: 'note', content: 'in' }],
      },
    },
    {
      key: 'k',
      cad: 2,
      first_cycle: 2,
      zone: 'post',
      offset: 5,
      node: { nodeType: block, ttl: 1, priority: 0, role: 'tool', tags: ['t'], data_x: { n: 1 }, content: 'ping' },
    },
  ]

  test('show what is in force after a commit, by key, in snapshot.schedules, toJSON and the export (D28, D35)', () => {
    const ctx = scheduled(dialect)
    expect([ctx.snapshot().schedules, ctx.snapshot('working').schedules]).toEqual([[], both])
    const snapshot = ctx.commit()
    expect(snapshot.schedules).toEqual(both)
    expect(snapshot.toJSON()['schedules']).toEqual(both)
    expect((readExport(ctx.export()) as unknown as { schedules: unknown }).schedules).toEqual(both)
    ctx.delete("[key='k']")
    expect([ctx.snapshot('working').schedules.length, ctx.preview().schedules.length]).toEqual([1, 1])
    ctx.commit()
    expect(['@t-2', '@t-1', '@t0'].map((lens) => ctx.snapshot(lens as '@t0').schedules.map(({ key }) => key))).toEqual([
      [],
      ['B', 'k'],
      ['B'],
    ])
  })

  test('survive export and import: the same bytes again, and the same cycles from there on (D28, D35)', () => {
    const ctx = scheduled(dialect)
    ctx.commit()
    ctx.commit()
    const bytes = ctx.export()
    const copy = importSnapshot(bytes, { clock: clockOf(1n, 2_000_000_000_000_000_000n) })
    expect(textOf(copy.export())).toBe(textOf(bytes))
    // Cycle 4 is open on both sides, and k is due in it.
    expect([copy.cycle, drawn(copy, '^ah')]).toEqual([4, drawn(ctx, '^ah')])
    expect(drawn(copy, '^ah')).toEqual([name('block:4-0@5')])
    expect(copy.undo()).toBe(false)
    for (let i = 0; i < 12; i++) {
      expect(contents(copy)).toEqual(contents(ctx))
      for (const each of [ctx, copy]) each.commit()
      expect(copy.nodes('@working ^ah > *').map(({ id, key }) => [id, key])).toEqual(
        ctx.nodes('@working ^ah > *').map(({ id, key }) => [id, key]),
      )
      expect(copy.snapshot().schedules).toEqual(ctx.snapshot().schedules)
    }
  })

  test('are taken by a fork, of a snapshot or of the working state, and then go their own way (D6, D28)', () => {
    const ctx = scheduled(dialect)
    ctx.commit()
    ctx.commit()
    const hashes = sealedHashes(ctx)
    // The snapshot of cycle 3 opens cycle 4 in the fork as it did here, with the fork's own id.
    const fork = ctx.fork('@t0')
    expect(drawn(fork, '^ah')).toEqual([name('block:f1:4-0@5')])
    const early = ctx.fork('@t-1')
    expect([early.cycle, drawn(early, '^ah'), early.snapshot('working').schedules]).toEqual([3, [], both])
    const before = ctx.fork('@t-2')
    expect(before.snapshot('working').schedules).toEqual([])
    // The working state holds the instance already.
    const working = ctx.fork('working')
    expect(drawn(working, '^ah')).toEqual([name('block:4-0@5')])
    ctx.delete("[key='k']")
    fork.put('k', 'only here', { cad: 5 })
    const due = (context: Context): string[] => {
      context.commit()
      context.commit()
      return context.nodes("@working ^ah > [key='k']").map(({ id }) => id)
    }
    expect([due(ctx), due(fork), due(working)]).toEqual([[], [], [name('block:f4:6-0')]])
    expect(fork.snapshot().schedules.map(({ key, cad, first_cycle }) => [key, cad, first_cycle])).toEqual([
      ['B', 3, 2],
      ['k', 5, 4],
    ])
    expect(sealedHashes(ctx).slice(2)).toEqual(hashes)
  })

  test('are listed by diffDetailed: added, removed, changed, and not at all where they are alike (D28, D38)', () => {
    const ctx = scheduled(dialect)
    ctx.commit()
    expect(ctx.diffDetailed('@t-1', '@t0').schedules).toEqual({ added: both, removed: [], changed: [] })
    expect(ctx.diffDetailed('@t0', '@t-1').schedules).toEqual({ added: [], removed: both, changed: [] })
    ctx.commit()
    expect(ctx.diffDetailed('@t-1', '@t0')).not.toHaveProperty('schedules')
    ctx.put('k', 'pong')
    ctx.delete("[key='B']")
    const changed = [
      { key: 'k', from: both[1], to: { ...both[1], first_cycle: 4, node: { ...both[1]!.node, content: 'pong' } } },
    ]
    expect(ctx.diffDetailed('@t0', 'working').schedules).toEqual({ added: [], removed: [both[0]], changed })
    ctx.undo()
    ctx.undo()
    expect(ctx.diffDetailed('@t0', 'working')).not.toHaveProperty('schedules')
  })
})

describe('bad schedules in a file', () => {
  const node = { nodeType: 'block', content: 'x' }
  const good = { key: 'k', cad: 2, first_cycle: 1, zone: 'post', node }

  test.each<[schedules: unknown, path: string]>([
    ['none', 'schedules'],
    [{ k: good }, 'schedules'],
    [[null], 'schedules[0]'],
    [['k'], 'schedules[0]'],
    [[good, { ...good, key: undefined }], 'schedules[1].key'],
    [[{ ...good, key: 7 }], 'schedules[0].key'],
    [[good, good], 'schedules[1].key'],
    [[{ ...good, cad: 0 }], 'schedules[0].cad'],
    [[{ ...good, cad: 1.5 }], 'schedules[0].cad'],
    [[{ ...good, cad: '2' }], 'schedules[0].cad'],
    [[{ ...good, first_cycle: 4 }], 'schedules[0].first_cycle'],
    [[{ ...good, first_cycle: 'one' }], 'schedules[0].first_cycle'],
    [[{ ...good, zone: undefined }], 'schedules[0].zone'],
    [[{ ...good, zone: 'sys' }], 'schedules[0].zone'],
    [[{ ...good, offset: -1 }], 'schedules[0].offset'],
    [[{ ...good, offset: 0.5 }], 'schedules[0].offset'],
    [[{ ...good, zone: 'pre', offset: 1 }], 'schedules[0].offset'],
    [[{ ...good, node: undefined }], 'schedules[0].node'],
    [[{ ...good, node: [] }], 'schedules[0].node'],
    [[{ ...good, node: { ...node, ttl: -1 } }], 'schedules[0].node.ttl'],
    [[{ ...good, node: { ...node, tags: 't' } }], 'schedules[0].node.tags'],
    [[{ ...good, node: { ...node, nodeType: 'seg' } }], 'schedules[0].node.nodeType'],
    [[{ ...good, node: { ...node, nodeType: '^ah' } }], 'schedules[0].node.nodeType'],
    [[{ ...good, node: { ...node, children: [{}] } }], 'schedules[0].node.children'],
    [[{ ...good, node: { children: [node, 7] } }], 'schedules[0].node.children[1]'],
    [[{ ...good, node: { children: [{ ...node, priority: 'high' }] } }], 'schedules[0].node.children[0].priority'],
  ])('%j is E_SNAPSHOT_INVALID at %s', (schedules, path) => {
    const error = refusal(() =>
      importSnapshot({ spec_version: 'PACT/1.0.0', cycle: 3, root: { children: [] }, schedules }),
    )
    expect([error.code, error.details['path']]).toEqual(['E_SNAPSHOT_INVALID', path])
  })

  test('good ones are taken, and absent ones mean none', () => {
    const tree = { spec_version: 'PACT/1.0.0', cycle: 3, root: { children: [] } }
    for (const none of [{}, { schedules: [] }])
      expect(importSnapshot({ ...tree, ...none }).snapshot().schedules).toEqual([])
    const ctx = importSnapshot({ ...tree, schedules: [{ ...good, offset: 3 }] })
    expect(drawn(ctx, '^ah')).toEqual([])
    ctx.commit()
    expect(drawn(ctx, '^ah')).toEqual(['block:5-0@3'])
  })
})
