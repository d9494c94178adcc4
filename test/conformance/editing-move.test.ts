// move (004 §6.3, 02 §2.3 and §4.5, 003 Re-parenting, D30): what changes its place keeps its id, its age and its subtree.

import { createContext, importSnapshot, type Context, type Position } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf, START_NS } from '../support/context.js'
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
  story,
} from '../support/editing.js'

/** A head with p@-1, a core of a@0 and b@1, and o@1: block:4-0, cont:4-1, block:4-2, block:4-3, block:4-4. */
function head(): Context {
  const ctx = story()
  ctx.pre('p')
  ctx.user('a')
  ctx.user('b')
  ctx.post('o')
  return ctx
}

describe('within the active head (02 §4.5, D30)', () => {
  test('changes parent and offset, and nothing else (003 Re-parenting, D30)', () => {
    const ctx = story()
    ctx.user('hi')
    const before = ctx.post('box', { key: 'k', ttl: 4, tags: ['t'], role: 'tool', priority: 2 })
    ctx.post('later')
    const [after, ...more] = ctx.move('#k', '(d0, 0,)')
    expect(more).toEqual([])
    expect(after!.toJSON()).toEqual({ ...before.toJSON(), offset: -1 })
    expect(after).toMatchObject({ parentId: 'cont:4-0', createdAtNs: START_NS + 15n, creationIndex: 2, cycle: 4 })
    expect(drawn(ctx, '^ah')).toEqual(['cont:4-0@0[block:4-2@-1 block:4-1@0]', 'block:4-3@2'])
    // No id was needed.
    expect(ctx.post('next').id).toBe('block:4-4')
  })

  test.each<[selector: string, position: Position, head: readonly string[]]>([
    [byId('block:4-4'), '(d0,)', ['block:4-4@-2', 'block:4-0@-1', 'cont:4-1@0[block:4-2@0 block:4-3@1]']],
    [byId('block:4-4'), '(d0, end)', ['block:4-0@-1', 'cont:4-1@0[block:4-2@0 block:4-3@1]', 'block:4-4@1']],
    [byId('block:4-0'), '(d0, end)', ['cont:4-1@0[block:4-2@0 block:4-3@1]', 'block:4-4@1', 'block:4-0@2']],
    [byId('block:4-2'), '(d0, 0, end)', ['block:4-0@-1', 'cont:4-1@0[block:4-3@1 block:4-2@2]', 'block:4-4@1']],
    [byId('block:4-3'), '(d0, 0, -1)', ['block:4-0@-1', 'cont:4-1@0[block:4-3@-1 block:4-2@0]', 'block:4-4@1']],
    // Children are counted before the move: child 2 of the core is the one that moves, so the gap is its own.
    [byId('block:4-3'), '(d0, 0, -2)', ['block:4-0@-1', 'cont:4-1@0[block:4-2@0 block:4-3@1]', 'block:4-4@1']],
    [byId('block:4-2'), '(d0, 9)', ['block:4-0@-1', 'cont:4-1@0[block:4-3@1]', 'block:4-4@1', 'block:4-2@9']],
    [
      byId('block:4-2'),
      { depth: 0, zone: 'pre' },
      ['block:4-0@-1', 'block:4-2@-1', 'cont:4-1@0[block:4-3@1]', 'block:4-4@1'],
    ],
    [byId('block:4-0'), { depth: 0 }, ['cont:4-1@0[block:4-2@0 block:4-3@1 block:4-0@2]', 'block:4-4@1']],
    [
      byId('block:4-0'),
      { parent: 'cont:4-1', offset: -7 },
      ['cont:4-1@0[block:4-0@-7 block:4-2@0 block:4-3@1]', 'block:4-4@1'],
    ],
    // Several nodes go in canonical order, whatever the selector's.
    [
      `${byId('block:4-4')}, ${byId('block:4-0')}`,
      '(d0, 0, end)',
      ['cont:4-1@0[block:4-2@0 block:4-3@1 block:4-0@2 block:4-4@3]'],
    ],
    [
      `${byId('block:4-3')}, ${byId('block:4-0')}, ${byId('block:4-2')}`,
      '(d0,)',
      ['block:4-0@-3', 'block:4-2@-2', 'block:4-3@-1', 'cont:4-1@0[]', 'block:4-4@1'],
    ],
    [
      `${byId('block:4-4')}, ${byId('block:4-0')}`,
      '(d0, 0,)',
      ['cont:4-1@0[block:4-0@-2 block:4-4@-1 block:4-2@0 block:4-3@1]'],
    ],
  ])('moves %s to %j, and nobody else (D19, D30)', (selector, position, expected) => {
    const ctx = head()
    ctx.move(selector, position)
    expect(drawn(ctx, '^ah')).toEqual(expected)
    expect(drawn(ctx, '^seq')).toEqual([D3, D2, D1])
  })

  test('takes a subtree along, and a match inside a match with the outer one (D30)', () => {
    const ctx = story()
    ctx.add(undefined, {
      zone: 'post',
      tags: ['go'],
      children: [{ content: 'a', tags: ['go'] }, { children: [{ content: 'b' }] }],
    })
    ctx.post('c', { tags: ['go'] })
    expect(idsOf(ctx.move('+go', '(d0,)'))).toEqual(['cont:4-0', 'block:4-4'])
    expect(drawn(ctx, '^ah')).toEqual(['cont:4-0@-2[block:4-1@0 cont:4-2@1[block:4-3@0]]', 'block:4-4@-1'])
    ctx.move(byId('cont:4-2'), '(d0, end)')
    expect(drawn(ctx, '^ah')).toEqual(['cont:4-0@-2[block:4-1@0]', 'block:4-4@-1', 'cont:4-2@1[block:4-3@0]'])
  })

  test('fits moved nodes between neighbours by their ages where no integer is free (D19)', () => {
    const ctx = head()
    ctx.pre('young')
    ctx.pre('younger')
    // block:4-0, 4-5 and 4-6 share offset -1. Between 4-5 and 4-6 only their own offset is left.
    expect(drawn(ctx, '^ah').slice(0, 3)).toEqual(['block:4-0@-1', 'block:4-5@-1', 'block:4-6@-1'])
    // block:4-2 is older than block:4-5, so it cannot be behind it there.
    expectNoTrace(ctx, () => ctx.move(byId('block:4-2'), '(d0, +2)'), 'E_PLACEMENT_INVALID', {
      left: 'block:4-5',
      right: 'block:4-6',
    })
    ctx.undo()
    ctx.move(byId('block:4-2'), '(d0, +1)')
    expect(drawn(ctx, '^ah').slice(0, 4)).toEqual(['block:4-0@-1', 'block:4-2@-1', 'block:4-5@-1', 'block:4-6@-1'])
  })
})

describe.each(DIALECTS)('into history and back, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)
  // In 0.1 the children of a core all take offset 0.
  const d2 = name(dialect === '0.1' ? D2.replace('block:2-2@1', 'block:2-2@0') : D2)
  const [d3, d1] = [name(D3), name(D1)]

  test('seals nodes of the head early, in order, in the core of one new segment (004 §6.3)', () => {
    const ctx = story(dialect)
    const hashes = sealedHashes(ctx)
    ctx.pre('p')
    ctx.user('a')
    ctx.user('stays')
    ctx.post('o')
    const selector = `${byId(name('block:4-4'))}, ${byId(name('block:4-2'))}, ${byId(name('block:4-0'))}`
    expect(idsOf(ctx.move(selector, { depth: 1 }))).toEqual(['block:4-0', 'block:4-2', 'block:4-4'].map(name))
    const early = name(`seg:4-5@${4 * GAP}[cont:4-6@0[block:4-0@0 block:4-2@1 block:4-4@2]]`)
    expect(drawn(ctx, '^seq')).toEqual([d3, d2, d1, early])
    expect(contents(ctx)).toEqual(['rules', 'p1', 'u1', 'o1', 'u2', 'a2', 'u3', 'p', 'a', 'o', 'stays'])
    ctx.commit()
    const [a] = dialect === '0.1' ? [0] : [1]
    expect(drawn(ctx, '^seq')).toEqual([d3, d2, d1, early, name(`seg:4-7@${5 * GAP}[cont:4-1@0[block:4-3@${a}]]`)])
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
    // Sealed is sealed.
    expectNoTrace(ctx, () => ctx.move(byId(name('block:4-2')), '(d0, end)'), 'E_SEALED_CORE', { id: name('block:4-2') })
  })

  test('moves context from segment to segment, or into a new one: out here, in there (004 §6.3)', () => {
    const ctx = story(dialect)
    const hashes = sealedHashes(ctx)
    const [node] = ctx.move(byId(name('block:1-4')), '(d1, end)')
    expect(node).toMatchObject({
      id: name('block:1-4'),
      cycle: 1,
      createdAtNs: START_NS + 4n,
      parentId: name('seg:3-2'),
    })
    expect(drawn(ctx, '^seq')).toEqual([d3.replace(/ \w+:1-4@1/, ''), d2, d1.replace(/]$/, name(' block:1-4@1]'))])
    ctx.move(byId(name('block:1-1')), { depth: 3 })
    const spliced = name(`seg:4-0@${1.5 * GAP}[cont:4-1@0[block:1-1@0]]`)
    expect(drawn(ctx, '^seq').slice(0, 2)).toEqual([name(`seg:1-5@${GAP}[cont:1-2@0[block:1-3@0]]`), spliced])
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['rules', 'u1', 'p1', 'u2', 'a2', 'u3', 'o1'])
    expect(contents(ctx, '@t-1')).toEqual(['rules', 'p1', 'u1', 'o1', 'u2', 'a2', 'u3'])
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
  })

  test('brings sealed context back to the head, under its id, to be sealed again (D30)', () => {
    const ctx = story(dialect)
    ctx.move(`${byId(name('block:1-4'))}, ${byId(name('block:1-1'))}`, '(d0, 0, end)')
    const [a, b] = dialect === '0.1' ? [0, 1] : [0, 1]
    expect(drawn(ctx, '^ah')).toEqual([name(`cont:4-0@0[block:1-1@${a} block:1-4@${b}]`)])
    expect(ctx.replace(byId(name('block:1-4')), { content: 'changed' })[0]!.id).toBe(name('block:1-4'))
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['rules', 'u1', 'u2', 'a2', 'u3', 'p1', 'changed'])
    expect(contents(ctx, '@t-1')).toEqual(['rules', 'p1', 'u1', 'o1', 'u2', 'a2', 'u3'])
  })
})

describe('the bare blocks of an imported head (D12)', () => {
  test('can be replaced in place, moved and dropped, one by one, before anything makes their core explicit', () => {
    const bare = (id: string): object => ({ id, offset: 0, nodeType: 'block', content: id })
    const ah = { id: 'ah', nodeType: '^ah', children: [bare('a'), bare('b'), bare('c')] }
    const ctx = importSnapshot({ spec_version: 'PACT/1.0.0', cycle: 1, root: { id: 'root', children: [ah] } })
    const before = sealedHashes(ctx)
    expect(ctx.replace('{ id="a" }', { content: 'changed' })[0]!.id).toBe('a')
    ctx.move('{ id="b" }', '(d0, end)')
    expect(drawn(ctx, '^ah')).toEqual(['a@0', 'c@0', 'b@1'])
    ctx.delete('{ id="c" }')
    expect(drawn(ctx, '^ah')).toEqual(['a@0', 'b@1'])
    // Back into the core, which this makes; then everything into history.
    ctx.move('{ id="b" }', '(d0, 0, end)')
    expect(drawn(ctx, '^ah')).toEqual(['cont:2-0@0[a@0 b@1]'])
    ctx.undo()
    ctx.move('.block', { depth: 1 })
    expect([drawn(ctx, '^ah'), drawn(ctx, '^seq')]).toEqual([[], [`seg:2-1@${2 * GAP}[cont:2-2@0[a@0 b@1]]`]])
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['changed', 'b'])
    expect(sealedHashes(ctx).slice(1)).toEqual(before)
  })
})

describe('time goes on for what moves', () => {
  test('keeps a running ttl (D24, D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('u')
    ctx.post('x', { key: 'k', ttl: 3 })
    const ttls: unknown[] = []
    for (const position of ['(d1,)', '(d0, end)', { depth: 1 }] as const) {
      ttls.push(ctx.commit().first('{ key="k" }')?.ttl)
      ctx.move('#k', position)
    }
    ttls.push(ctx.commit().first('{ key="k" }')?.ttl)
    expect(ttls).toEqual([3, 2, 1, undefined])
  })
})

describe('what move refuses (02 §2.3, D30, D31)', () => {
  test.each<[what: string, selector: string, position: unknown, code: string, details: object]>([
    ['a segment', byId('seg:2-3'), '(d0, end)', 'E_SEGMENT_MOVE', { id: 'seg:2-3' }],
    ['a segment in history', byId('seg:2-3'), { depth: 1 }, 'E_SEGMENT_MOVE', { id: 'seg:2-3' }],
    ['the region ^sys', '^sys', '(d0, end)', 'E_PLACEMENT_INVALID', { id: 'sys' }],
    ['the region ^seq', '^seq', '(d0, end)', 'E_PLACEMENT_INVALID', { id: 'seq' }],
    ['the region ^ah', '^ah', { depth: 1 }, 'E_PLACEMENT_INVALID', { id: 'ah' }],
    ['the root', '^root', '(d0, end)', 'E_PLACEMENT_INVALID', { id: 'root' }],
    ['out of a sealed core', byId('block:2-1'), '(d0, end)', 'E_SEALED_CORE', { id: 'block:2-1' }],
    ['within a sealed core', byId('block:2-1'), '(d2, 0, end)', 'E_SEALED_CORE', { id: 'block:2-1' }],
    ['a sealed core', byId('cont:2-0'), '(d0, end)', 'E_SEALED_CORE', { id: 'cont:2-0' }],
    ['into a sealed core', byId('block:1-4'), '(d1, 0, end)', 'E_SEALED_CORE', { id: 'cont:3-0' }],
    ['into a sealed core by id', byId('block:1-4'), { parent: 'cont:3-0' }, 'E_SEALED_CORE', { id: 'cont:3-0' }],
    [
      'one of two out of a sealed core',
      '.block[content="o1"], .block[content="u1"]',
      '(d0, end)',
      'E_SEALED_CORE',
      { id: 'block:1-3' },
    ],
    ['out of ^sys', byId('block:1-0'), '(d0, end)', 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['into ^sys', byId('block:1-4'), '(d-1, end)', 'E_NOT_AUTHORIZED', { id: 'sys' }],
    ['into ^sys by depth', byId('block:1-4'), { depth: -1 }, 'E_NOT_AUTHORIZED', { id: 'sys' }],
    ['too deep', byId('block:1-4'), { depth: 5 }, 'E_DEPTH_INVALID', { depth: 5, deepest: 4 }],
    ['to the place of a core', byId('block:1-4'), '(d0, 0)', 'E_DUPLICATE_CORE', { id: 'ah' }],
    ['into a block', byId('block:1-4'), { parent: 'block:1-1' }, 'E_PARENT_NOT_CONTAINER', { id: 'block:1-1' }],
    ['to nowhere', byId('block:1-4'), { parent: 'nobody' }, 'E_PARENT_NOT_FOUND', { position: 'nobody' }],
    ['under the root', byId('block:1-4'), { parent: 'root' }, 'E_PLACEMENT_INVALID', { id: 'root' }],
    ['among the segments', byId('block:1-4'), { parent: 'seq' }, 'E_PLACEMENT_INVALID', { id: 'seq' }],
    ['a gap that is not there', byId('block:1-4'), '(d3, +9)', 'E_PLACEMENT_INVALID', { id: 'seg:1-5' }],
    ['to a bad position', byId('block:1-4'), 'end', 'E_PLACEMENT_INVALID', { token: 'end' }],
  ])('refuses to move %s, with its reason and no trace (02 §2.3, D30)', (_what, selector, position, code, details) => {
    const ctx = story()
    expectNoTrace(ctx, () => ctx.move(selector, position as Position), code, { ...details })
  })

  test('below itself, directly or further down, also in history (D30)', () => {
    for (const commits of [0, 1]) {
      const ctx = story()
      ctx.add(undefined, { zone: 'post', key: 'outer', children: [{ children: [], key: 'inner' }] })
      for (let i = 0; i < commits; i++) ctx.commit()
      for (const parent of ['cont:4-0', 'cont:4-1']) {
        expectNoTrace(ctx, () => ctx.move('#outer', { parent }), 'E_CYCLE_DETECTED', { id: parent })
      }
    }
  })

  test('the core of the active head, and a tree of more than 128 nodes in depth (D25, N9)', () => {
    const ctx = story()
    ctx.user('a')
    expectNoTrace(ctx, () => ctx.move('d0 > .cont', '(d0, end)'), 'E_PLACEMENT_INVALID', { id: 'cont:4-0' })
    let spec: object = { content: 'deep' }
    for (let i = 0; i < 120; i++) spec = { children: [spec] }
    const tall = ctx.add(undefined, { zone: 'post', ...spec })
    let nest: object = { children: [], key: 'nest' }
    for (let i = 0; i < 9; i++) nest = { children: [nest] }
    ctx.add(undefined, { zone: 'post', ...nest })
    const { id } = ctx.first('#nest')!
    expectNoTrace(ctx, () => ctx.move(byId(tall.id), { parent: id }), 'E_PLACEMENT_INVALID', { name: 'children' })
  })
})
