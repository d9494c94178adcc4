// insert and its positions (004 §6.1, 001 §3.9, D19, D30): the place of a node, worked out by hand.

import { createContext, importSnapshot, type Context, type Position } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf, refusal, START_NS } from '../support/context.js'
import { contents, D1, D2, D3, drawn, expectNoTrace, GAP, inDialect, sealedHashes, story } from '../support/editing.js'

const MAX = Number.MAX_SAFE_INTEGER

/** A head with p@-1, a core of a@0 and b@1, and o@1: block:4-0, cont:4-1, block:4-2, block:4-3, block:4-4. */
function head(): Context {
  const ctx = story()
  ctx.pre('p')
  ctx.user('a')
  ctx.user('b')
  ctx.post('o')
  return ctx
}

const HEAD = 'block:4-0@-1 cont:4-1@0[block:4-2@0 block:4-3@1] block:4-4@1'

describe('positions in the active head (D19)', () => {
  test.each<[position: Position, drawn: string, why: string]>([
    ['(d0,)', HEAD.replace('block:4-0', 'block:4-5@-2 block:4-0'), 'the start is below min(0, first)'],
    ['(d0, end)', `${HEAD} block:4-5@2`, 'the end is above max(0, last)'],
    ['(d0, -1)', HEAD.replace('block:4-0', 'block:4-5@-2 block:4-0'), 'before child 1 is the start'],
    ['(d0, +3)', `${HEAD} block:4-5@2`, 'after the last child is the end'],
    ['(d0, +1)', HEAD.replace(' cont', ' block:4-5@-1 cont'), "no integer is free: the left one's, which is older"],
    ['(d0, -2)', HEAD.replace(' cont', ' block:4-5@-1 cont'), 'before child 2 is the same gap'],
    ['(d0, 7)', `${HEAD} block:4-5@7`, 'a plain number is the offset'],
    ['( d0 , 7 )', `${HEAD} block:4-5@7`, 'spaces mean nothing'],
    ['(d0, 0,)', HEAD.replace('[', '[block:4-5@-1 '), 'the start of the core'],
    ['(d0, 0, end)', HEAD.replace(']', ' block:4-5@2]'), 'the end of the core'],
    ['(d0, 0, +1)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'after child 1 of the core'],
    ['(d0, 0, -2)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'before child 2 of the core'],
    ['(d0, 0, -1)', HEAD.replace('[', '[block:4-5@-1 '), 'before child 1 of the core'],
    ['(d0, 0, 9)', HEAD.replace(']', ' block:4-5@9]'), 'an offset in the core'],
    ['(d0, 0, 0)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'the same offset, by age'],
    [{ depth: 0 }, HEAD.replace(']', ' block:4-5@2]'), 'the core is the default zone'],
    [{ depth: 0, zone: 'core' }, HEAD.replace(']', ' block:4-5@2]'), 'the core'],
    [{ depth: 0, zone: 'pre' }, HEAD.replace(' cont', ' block:4-5@-1 cont'), 'pre blocks all take -1 (D17)'],
    [{ depth: 0, zone: 'post' }, `${HEAD} block:4-5@2`, 'post blocks 1, 2, 3 (D17)'],
    [{ parent: 'ah' }, HEAD.replace(']', ' block:4-5@2]'), 'the head by its id'],
    [{ parent: 'ah', zone: 'pre' }, HEAD.replace(' cont', ' block:4-5@-1 cont'), 'a zone of it'],
    [{ parent: 'ah', offset: -4 }, HEAD.replace('block:4-0', 'block:4-5@-4 block:4-0'), 'an offset of it'],
    [{ parent: 'cont:4-1' }, HEAD.replace(']', ' block:4-5@2]'), 'the core by its id'],
    [{ parent: 'cont:4-1', offset: -3 }, HEAD.replace('[', '[block:4-5@-3 '), 'an offset in the core'],
  ])('%j puts a node where it says (001 §3.9)', (position, expected) => {
    const ctx = head()
    const node = ctx.insert({ content: 'new', role: 'user' }, position)
    expect(node).toMatchObject({
      id: 'block:4-5',
      cycle: 4,
      createdAtNs: START_NS + 18n,
      creationIndex: 5,
      content: 'new',
    })
    expect(drawn(ctx, '^ah').join(' ')).toBe(expected)
    expect(ctx.first(`{ id="block:4-5" }`)?.parentId).toBe(node.parentId)
    expect(drawn(ctx, '^seq')).toEqual([D3, D2, D1])
  })

  test('never gives offset 0 under the head, also where it is empty; in a core the first child takes 0 (D19)', () => {
    for (const [position, expected] of [
      ['(d0,)', ['block:4-0@-1']],
      ['(d0, end)', ['block:4-0@1']],
      ['(d0, 0,)', ['cont:4-0@0[block:4-1@0]']],
      ['(d0, 0, end)', ['cont:4-0@0[block:4-1@0]']],
      ['(d0, 0, 3)', ['cont:4-0@0[block:4-1@3]']],
    ] as const) {
      const ctx = story()
      ctx.insert({ content: 'new' }, position)
      expect(drawn(ctx, '^ah'), position).toEqual(expected)
    }
  })

  test('puts the end above 0 behind pre-context alone, and the start below 0 before post-context alone (D19)', () => {
    const early = story()
    early.pre('p', { offset: -5 })
    early.insert({ content: 'new' }, '(d0, end)')
    early.insert({ content: 'new' }, '(d0, +1)')
    expect(drawn(early, '^ah')).toEqual(['block:4-0@-5', 'block:4-2@-4', 'block:4-1@1'])
    const late = story()
    late.post('o', { offset: 5 })
    late.insert({ content: 'new' }, '(d0,)')
    late.insert({ content: 'new' }, '(d0, -2)')
    expect(drawn(late, '^ah')).toEqual(['block:4-1@-1', 'block:4-2@1', 'block:4-0@5'])
    // In a core there are no zones: the end is above the last, while D17's default counts from 0.
    for (const [position, offset] of [
      ['(d0, 0, end)', -4],
      [{ depth: 0 }, 0],
    ] as const) {
      const core = story()
      core.user('a', { offset: -5 })
      expect(core.insert({ content: 'new' }, position).offset).toBe(offset)
    }
  })

  test('takes the lowest free integer between neighbours and moves nobody; where nothing can do it, says why (D19)', () => {
    const ctx = story()
    ctx.post('a', { offset: 2 })
    ctx.post('b', { offset: 5 })
    ctx.insert({ content: 'between' }, '(d0, +1)')
    // Between 2 and 3 no integer is free, but a younger node with offset 2 comes behind the older one.
    ctx.insert({ content: 'by age' }, '(d0, +1)')
    const before = ['block:4-0@2', 'block:4-3@2', 'block:4-2@3', 'block:4-1@5']
    expect(drawn(ctx, '^ah')).toEqual(before)
    // The next one would be behind block:4-3, at any offset.
    const details = { left: 'block:4-0', right: 'block:4-3' }
    const message = expectNoTrace(ctx, () => ctx.insert({ content: 'no' }, '(d0, +1)'), 'E_PLACEMENT_INVALID', details)
    expect(message).toMatch(/Nothing fits between block:4-0 and block:4-3/)
    expect(drawn(ctx, '^ah').slice(1)).toEqual(before)
  })

  test('goes down by offsets of either sign to containers anywhere in the head (D19)', () => {
    const ctx = story()
    ctx.add(undefined, { zone: 'pre', children: [{ children: [{ content: 'deep' }], offset: 4 }] })
    ctx.insert({ content: 'new' }, '(d0, -1, 4, end)')
    ctx.insert({ content: 'new' }, '(d0, -1,)')
    const inner = 'cont:4-1@4[block:4-2@0 block:4-3@1]'
    expect(drawn(ctx, '^ah')).toEqual([`cont:4-0@-1[block:4-4@3 ${inner}]`])
    // Two of them at one offset: which one is meant, only an id can say.
    ctx.add(undefined, { zone: 'pre', children: [] })
    expectNoTrace(ctx, () => ctx.insert({ content: 'no' }, '(d0, -1, end)'), 'E_PLACEMENT_INVALID', { id: 'ah' })
  })

  test('takes offset and zone from the header where the position leaves them open (D19)', () => {
    const ctx = story()
    ctx.insert({ content: 'pre', offset: -7 }, { depth: 0 })
    ctx.insert({ content: 'post', offset: 7 }, { depth: 0 })
    ctx.insert({ content: 'core', offset: 0 }, { depth: 0 })
    ctx.insert({ content: 'core', offset: -2, zone: 'core' }, { depth: 0 })
    ctx.insert({ content: 'pre', zone: 'pre' }, { depth: 0 })
    ctx.insert({ content: 'pre', zone: 'pre' }, { parent: 'seg:1-5' })
    ctx.insert({ content: 'post', offset: 9 }, { parent: 'seg:1-5' })
    ctx.insert({ content: 'agreed', offset: 3, zone: 'post' }, { parent: 'ah', offset: 3, zone: 'post' })
    expect(drawn(ctx, '^ah')).toEqual([
      'block:4-0@-7',
      'block:4-5@-1',
      'cont:4-2@0[block:4-4@-2 block:4-3@0]',
      'block:4-8@3',
      'block:4-1@7',
    ])
    expect(drawn(ctx, '^seq')[0]).toBe(
      `seg:1-5@${GAP}[block:1-1@-1 block:4-6@-1 cont:1-2@0[block:1-3@0] block:1-4@1 block:4-7@9]`,
    )
  })
})

describe('positions in history (004 §6.1, D30)', () => {
  test.each<[position: Position, segment: string]>([
    ['(d3, end)', D3.replace(/]$/, ' block:4-0@2]')],
    ['(d3,)', D3.replace('[', '[block:4-0@-2 ')],
    ['(d3, -1)', D3.replace('[', '[block:4-0@-2 ')],
    ['(d3, +1)', D3.replace(' cont', ' block:4-0@-1 cont')],
    ['(d3, +3)', D3.replace(/]$/, ' block:4-0@2]')],
    ['(d3, 6)', D3.replace(/]$/, ' block:4-0@6]')],
    [{ parent: 'seg:1-5' }, D3.replace(/]$/, ' block:4-0@2]')],
    [{ parent: 'seg:1-5', zone: 'post' }, D3.replace(/]$/, ' block:4-0@2]')],
    [{ parent: 'seg:1-5', zone: 'pre' }, D3.replace(' cont', ' block:4-0@-1 cont')],
    [{ parent: 'seg:1-5', offset: -9 }, D3.replace('[', '[block:4-0@-9 ')],
  ])('%j adds context to a sealed segment as a new node (02 §6.4, D30)', (position, segment) => {
    const ctx = story()
    const hashes = sealedHashes(ctx)
    const node = ctx.insert({ content: 'later' }, position)
    expect(node).toMatchObject({ id: 'block:4-0', cycle: 4, createdAtNs: START_NS + 13n, parentId: 'seg:1-5' })
    expect(drawn(ctx, '^seq')).toEqual([segment, D2, D1])
    ctx.commit()
    expect(drawn(ctx, '^seq', '@t0')).toEqual([segment, D2, D1])
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
  })

  test.each<[depth: number, segments: readonly string[], texts: string]>([
    [1, [D3, D2, D1, `seg:4-0@${4 * GAP}[cont:4-1@0[block:4-2@0]]`], 'rules p1 u1 o1 u2 a2 u3 new'],
    [2, [D3, D2, `seg:4-0@${2.5 * GAP}[cont:4-1@0[block:4-2@0]]`, D1], 'rules p1 u1 o1 u2 a2 new u3'],
    [3, [D3, `seg:4-0@${1.5 * GAP}[cont:4-1@0[block:4-2@0]]`, D2, D1], 'rules p1 u1 o1 new u2 a2 u3'],
    [4, ['seg:4-0@0[cont:4-1@0[block:4-2@0]]', D3, D2, D1], 'rules new p1 u1 o1 u2 a2 u3'],
  ])('splices a segment in at depth %i and shifts the deeper ones, renumbering nothing (004 §6.1)', (...row) => {
    const [depth, segments, texts] = row
    const ctx = story()
    const hashes = sealedHashes(ctx)
    const node = ctx.insert({ content: 'new' }, { depth })
    expect(node).toMatchObject({ id: 'block:4-2', parentId: 'cont:4-1', offset: 0, createdAtNs: START_NS + 15n })
    expect(ctx.coordinate('block:4-2')).toBe(`(d${depth}, 0, 0)`)
    // [k..∞] → [k+1..∞]
    const shifted = ['seg:3-2', 'seg:2-3', 'seg:1-5'].map(
      (id, i) => ctx.coordinate(id) === `(d${i + (i + 1 < depth ? 1 : 2)})`,
    )
    expect(shifted).toEqual([true, true, true])
    expect(drawn(ctx, '^seq')).toEqual(segments)
    expect(contents(ctx).join(' ')).toBe(texts)
    ctx.commit()
    expect(drawn(ctx, '^seq', '@t0')).toEqual(segments)
    expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
  })

  test.each(DIALECTS)(
    'makes segment, core and node in this order, with the names of the edition, %s (D1, D30)',
    (dialect) => {
      const ctx = story(dialect)
      ctx.insert({ children: [{ content: 'a' }, { content: 'b' }], offset: 3 }, { depth: 1 })
      const blocks = dialect === '0.1' ? 'cb:4-3@0 cb:4-4@0' : 'block:4-3@0 block:4-4@1'
      expect(drawn(ctx, '^seq').at(-1)).toBe(
        inDialect(`seg:4-0@${4 * GAP}[cont:4-1@0[cont:4-2@3[${blocks}]]]`, dialect),
      )
      const ids = ['seg:4-0', 'cont:4-1', 'cont:4-2'].map((id) => inDialect(id, dialect))
      expect(ids.map((id) => ctx.node(id)!.creationIndex)).toEqual([0, 1, 2])
      expect(ids.map((id) => ctx.node(id)!.nodeType)).toEqual(ids.map((id) => id.split(':')[0]))
    },
  )

  test('starts a history where there is none, and seals behind a splice in the same cycle (D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.insert({ content: 'before all' }, { depth: 1 })
    ctx.user('first')
    ctx.commit()
    expect(drawn(ctx, '^seq')).toEqual([
      `seg:1-0@${GAP}[cont:1-1@0[block:1-2@0]]`,
      `seg:1-5@${2 * GAP}[cont:1-3@0[block:1-4@0]]`,
    ])
    ctx.user('second')
    ctx.commit()
    // The larger of cycle × 1,048,576 and the newest one's offset plus 1,048,576.
    expect(ctx.node('seg:2-2')?.offset).toBe(3 * GAP)
    ctx.commit()
    ctx.commit()
    ctx.user('fifth')
    ctx.commit()
    expect(ctx.node('seg:5-2')?.offset).toBe(5 * GAP)
  })

  test('splices into one gap until the integers run out, then by age, then says that nothing fits (D30)', () => {
    const ctx = story()
    const offsets: number[] = []
    // Always right above d3: the segment at 1,048,576 stays the older neighbour.
    for (let i = 0; i < 21; i++) {
      ctx.insert({ content: i }, { depth: 3 + i })
      offsets.push(ctx.node(`seg:4-${3 * i}`)!.offset)
    }
    const halves = Array.from({ length: 20 }, (_, i) => GAP + GAP / 2 ** (i + 1))
    expect(offsets).toEqual([...halves, GAP])
    expect(idsOf(ctx.nodes('^seq > .seg')).slice(0, 3)).toEqual(['seg:1-5', 'seg:4-60', 'seg:4-57'])
    const details = { left: 'seg:1-5', right: 'seg:4-60' }
    const message = expectNoTrace(
      ctx,
      () => ctx.insert({ content: 'no' }, { depth: 24 }),
      'E_PLACEMENT_INVALID',
      details,
    )
    expect(message).toMatch(/No segment fits between seg:1-5 and seg:4-60/)
    // On the other side of the gap the newest segment is always the younger one, so ages go on for ever.
    for (let i = 0; i < 30; i++) ctx.insert({ content: 'more' }, { depth: 2 })
    expect(ctx.first('d2 .block')?.content).toBe('more')
    expect(ctx.nodes('^seq > .seg').map(({ offset }) => offset)).toEqual(
      ctx
        .nodes('^seq > .seg')
        .map(({ offset }) => offset)
        .toSorted((a, b) => a - b),
    )
  })

  test('counts at the edges of the safe integers without leaving them (D30)', () => {
    const at = (id: string, offset: number): object => ({
      id,
      offset,
      nodeType: 'seg',
      children: [{ id: `${id}-c`, nodeType: 'cont', children: [] }],
    })
    const tree = (...segments: object[]): Context =>
      importSnapshot({
        spec_version: 'PACT/1.0.0',
        cycle: 1,
        root: { children: [{ nodeType: '^seq', id: 'seq', children: segments }] },
      })
    const wide = tree(at('s1', -MAX), at('s2', MAX))
    wide.insert({ content: 'middle' }, { depth: 2 })
    expect(wide.node('seg:2-0')?.offset).toBe(0)
    expect(refusal(() => wide.insert({ content: 'below' }, { depth: 4 }))).toMatchObject({
      code: 'E_PLACEMENT_INVALID',
      details: { offset: -MAX },
    })
    // Above the largest integer segments share it, and their times keep the order.
    wide.insert({ content: 'newest' }, { depth: 1 })
    wide.user('sealed')
    wide.commit()
    expect(wide.nodes('^seq > .seg').map(({ id, offset }) => [id, offset])).toEqual([
      ['s1', -MAX],
      ['seg:2-0', 0],
      ['s2', MAX],
      ['seg:2-3', MAX],
      ['seg:2-8', MAX],
    ])
    const close = tree(at('s1', MAX - 1), at('s2', MAX))
    close.insert({ content: 'by age' }, { depth: 2 })
    expect(close.nodes('^seq > .seg').map(({ id, offset }) => [id, offset])).toEqual([
      ['s1', MAX - 1],
      ['seg:2-0', MAX - 1],
      ['s2', MAX],
    ])
  })
})

describe('what insert refuses (D19, D30, D31)', () => {
  const block = { content: 'no' }

  test.each<[position: unknown, code: string, message: RegExp, details?: Record<string, unknown>]>([
    [null, 'E_PLACEMENT_INVALID', /A position is text such as '\(d2, end\)', or \{ depth \} or \{ parent \}, not null/],
    [7, 'E_PLACEMENT_INVALID', /A position is text .* not 7/],
    [['d0', 'end'], 'E_PLACEMENT_INVALID', /no "0"/],
    [{}, 'E_PLACEMENT_INVALID', /names a parent by its id/],
    [{ where: 'here' }, 'E_PLACEMENT_INVALID', /no "where"/, { name: 'where' }],
    [{ depth: 0.5 }, 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: 0.5 }],
    ['somewhere', 'E_PLACEMENT_INVALID', /"somewhere" is no position/, { token: 'somewhere' }],
    ['(d0, first)', 'E_PLACEMENT_INVALID', /"\(d0, first\)" is no position/, { token: '(d0, first)' }],
    ['(d0, 0)', 'E_DUPLICATE_CORE', /Offset 0 of ah/, { id: 'ah' }],
    ['(d3, 0)', 'E_DUPLICATE_CORE', /Offset 0 of seg:1-5/, { id: 'seg:1-5' }],
    [{ parent: 'ah', offset: 0 }, 'E_DUPLICATE_CORE', /Offset 0 of ah/],
    [{ parent: 'seg:2-3', offset: 0 }, 'E_DUPLICATE_CORE', /Offset 0 of seg:2-3/],
    ['(d1, 0, end)', 'E_SEALED_CORE', /cont:3-0 is sealed/, { id: 'cont:3-0' }],
    ['(d1, 0,)', 'E_SEALED_CORE', /cont:3-0 is sealed/],
    ['(d3, 0, +1)', 'E_SEALED_CORE', /cont:1-2 is sealed/],
    ['(d3, 0, 4)', 'E_SEALED_CORE', /cont:1-2 is sealed/],
    [{ parent: 'cont:2-0' }, 'E_SEALED_CORE', /cont:2-0 is sealed/],
    [{ parent: 'cont:2-0', offset: 9 }, 'E_SEALED_CORE', /cont:2-0 is sealed/],
    [{ parent: 'seg:2-3', zone: 'core' }, 'E_SEALED_CORE', /sealed/],
    ['(d3, +2)', 'E_PLACEMENT_INVALID', /Nothing fits between cont:1-2 and block:1-4/],
    ['(d3, +4)', 'E_PLACEMENT_INVALID', /3 children, so there is no child 4/, { id: 'seg:1-5' }],
    ['(d3, -4)', 'E_PLACEMENT_INVALID', /3 children, so there is no child 4/],
    ['(d0, +1)', 'E_PLACEMENT_INVALID', /0 children, so there is no child 1/],
    ['(d0, -3)', 'E_PLACEMENT_INVALID', /no child 3/],
    ['(d4, end)', 'E_PARENT_NOT_FOUND', /nothing at depth 4/, { position: 'd4' }],
    ['(d3, 5, end)', 'E_PARENT_NOT_FOUND', /seg:1-5 has no child at offset 5/],
    ['(d3, -1, end)', 'E_PARENT_NOT_CONTAINER', /block:1-1 is a block/, { id: 'block:1-1' }],
    [{ parent: 'block:1-4' }, 'E_PARENT_NOT_CONTAINER', /block:1-4 is a block/],
    [{ parent: 'nobody' }, 'E_PARENT_NOT_FOUND', /no node nobody/, { position: 'nobody' }],
    [{ parent: 'root' }, 'E_PLACEMENT_INVALID', /root holds nothing but the regions/],
    [{ parent: 'seq' }, 'E_PLACEMENT_INVALID', /seq holds nothing but segments/],
    [{ parent: 'sys' }, 'E_NOT_AUTHORIZED', /ctx\.system/, { id: 'sys' }],
    ['(d-1, end)', 'E_NOT_AUTHORIZED', /ctx\.system/],
    [{ depth: -1 }, 'E_NOT_AUTHORIZED', /ctx\.system/],
    [{ depth: -2 }, 'E_DEPTH_INVALID', /-1 for \^sys/, { depth: -2 }],
    [{ depth: 5 }, 'E_DEPTH_INVALID', /depth 4 at the deepest, not at 5/, { depth: 5, deepest: 4 }],
    [{ depth: 1e9 }, 'E_DEPTH_INVALID', /depth 4 at the deepest/],
    [{ depth: 1, zone: 'post' }, 'E_PLACEMENT_INVALID', /use '\(d1, end\)'/, { name: 'zone' }],
    [{ parent: 'ah', offset: 4, zone: 'pre' }, 'E_PLACEMENT_INVALID', /Zone 'pre' takes offsets below 0, not 4/],
    [{ parent: 'ah', offset: -4, zone: 'post' }, 'E_PLACEMENT_INVALID', /Zone 'post' takes offsets above 0, not -4/],
  ])('%j is refused with %s, its reason, and no trace (D19, D37)', (position, code, message, details = {}) => {
    const ctx = story()
    expect(expectNoTrace(ctx, () => ctx.insert(block, position as Position), code, details)).toMatch(message)
  })

  test.each<[spec: object, position: Position, code: string, name: string]>([
    [{ zone: 'pre', offset: 2 }, { depth: 0 }, 'E_PLACEMENT_INVALID', 'offset'],
    [{ zone: 'post', offset: -2 }, { depth: 0 }, 'E_PLACEMENT_INVALID', 'offset'],
    [{ zone: 'pre', offset: 0 }, { depth: 0 }, 'E_PLACEMENT_INVALID', 'offset'],
    [{ zone: 'pre' }, { depth: 0, zone: 'post' }, 'E_PLACEMENT_INVALID', 'zone'],
    [{ offset: 2 }, '(d0, 3)', 'E_PLACEMENT_INVALID', 'offset'],
    [{ offset: 2 }, '(d0, end)', 'E_PLACEMENT_INVALID', 'offset'],
    [{ zone: 'pre' }, '(d0, end)', 'E_PLACEMENT_INVALID', 'offset'],
    [{ zone: 'core' }, '(d0, end)', 'E_PLACEMENT_INVALID', 'zone'],
    [{ zone: 'pre' }, { depth: 1 }, 'E_PLACEMENT_INVALID', 'zone'],
    [{ offset: 1.5 }, { depth: 0 }, 'E_PLACEMENT_INVALID', 'offset'],
    [{ ttl: -1 }, { depth: 0 }, 'E_TTL_INVALID', 'ttl'],
    [{ content: undefined }, { depth: 0 }, 'E_CONTENT_INVALID', 'content'],
    [{ supersedes: 'block:1-3' }, { depth: 0 }, 'E_RESERVED_NAME', 'supersedes'],
    [{ cad: 2, key: 'k' }, '(d1, end)', 'E_CADENCE_INVALID', 'cad'],
  ])('a spec of %j at %j is refused and names what is wrong (D19)', (spec, position, code, name) => {
    const ctx = story()
    expectNoTrace(ctx, () => ctx.insert({ ...block, ...spec }, position), code, { name })
  })

  test('refuses an end above the largest integer and a start below the smallest, in the head and in history (D19)', () => {
    for (const [offset, position] of [
      [MAX, '(d0, end)'],
      [-MAX, '(d0,)'],
    ] as const) {
      const ctx = story()
      ctx.insert({ content: 'edge', offset }, { depth: 0 })
      expectNoTrace(ctx, () => ctx.insert(block, position), 'E_PLACEMENT_INVALID', { offset })
    }
    const ctx = story()
    ctx.insert(block, `(d1, ${MAX})`)
    expectNoTrace(ctx, () => ctx.insert(block, '(d1, end)'), 'E_PLACEMENT_INVALID', { offset: MAX })
    ctx.insert(block, `(d1, ${MAX - 1})`)
    ctx.insert(block, '(d1, +2)')
    const behind = `block:4-2@${MAX - 1} block:4-3@${MAX - 1} block:4-0@${MAX}`
    expect(drawn(ctx, '^seq').at(-1)).toBe(D1.replace(/]$/, ` ${behind}]`))
  })
})

describe('a head or a segment with a virtual core (D12)', () => {
  const bare = (id: string, offset = 0): object => ({ id, offset, nodeType: 'block', content: id })
  const imported = (): Context =>
    importSnapshot(
      {
        spec_version: 'PACT/1.0.0',
        cycle: 1,
        root: {
          id: 'root',
          children: [
            {
              id: 'seq',
              nodeType: '^seq',
              children: [{ id: 's1', nodeType: 'seg', children: [bare('x'), bare('y'), bare('z', 1)] }],
            },
            { id: 'ah', nodeType: '^ah', children: [bare('a'), bare('b'), bare('c', 1)] },
          ],
        },
      },
      { clock: clockOf() },
    )

  test('makes the core of a head explicit with the first insert into it, ids and order kept (D12, D19)', () => {
    for (const [position, core] of [
      ['(d0, 0, end)', 'cont:2-0@0[a@0 b@0 block:2-1@1]'],
      ['(d0, 0,)', 'cont:2-0@0[block:2-1@-1 a@0 b@0]'],
      ['(d0, 0, +2)', 'cont:2-0@0[a@0 b@0 block:2-1@1]'],
      [{ depth: 0 }, 'cont:2-0@0[a@0 b@0 block:2-1@1]'],
    ] as const) {
      const ctx = imported()
      ctx.insert({ content: 'new' }, position)
      expect(drawn(ctx, '^ah'), JSON.stringify(position)).toEqual([core, 'c@1'])
    }
    const beside = imported()
    beside.insert({ content: 'new' }, '(d0, end)')
    expect(drawn(beside, '^ah')).toEqual(['a@0', 'b@0', 'c@1', 'block:2-0@2'])
    beside.commit()
    expect(drawn(beside, '^seq').at(-1)).toBe(`seg:2-2@${2 * GAP}[cont:2-1@0[a@0 b@0] c@1 block:2-0@2]`)
  })

  test('holds the bare blocks of a segment as sealed: nothing enters, all else works (D12, D30)', () => {
    const ctx = imported()
    for (const [position, code] of [
      ['(d1, 0)', 'E_DUPLICATE_CORE'],
      ['(d1, +1)', 'E_PLACEMENT_INVALID'],
      [{ parent: 's1', zone: 'core' }, 'E_SEALED_CORE'],
    ] as const) {
      expect(refusal(() => ctx.insert({ content: 'no' }, position)).code, JSON.stringify(position)).toBe(code)
    }
    for (const id of ['x', 'y'])
      expect(refusal(() => ctx.move(`{ id="${id}" }`, '(d0, end)')).code).toBe('E_SEALED_CORE')
    ctx.replace('{ id="x" }', { content: 'x corrected' })
    ctx.delete('{ id="y" }')
    ctx.move('{ id="z" }', '(d0, end)')
    ctx.insert({ content: 'new' }, '(d1,)')
    expect(drawn(ctx, '^seq')).toEqual(['s1@0[block:2-2@-1 block:2-0@0 block:2-1@0]'])
    expect(contents(ctx)).toEqual(['new', 'x corrected', '', 'a', 'b', 'c', 'z'])
    expect([ctx.node('block:2-0')?.supersedes, ctx.node('block:2-1')?.supersedes]).toEqual(['x', 'y'])
  })
})
