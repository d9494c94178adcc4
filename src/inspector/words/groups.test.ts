// The words and shares behind the pictures: groups and shades, the icicle, the family of forks, predicted against billed.

import { describe, expect, test } from 'vitest'

import { compareBilled, isShort } from './billed.js'
import { commonCycle, graphOf, nearestOf } from './forks.js'
import { groupWords, legendOf, limitHeight, shadingOf, slicesOf, type Group } from './groups.js'
import { icicleOf, type TokenMap } from './icicle.js'
import { sentWords } from './sent.js'

const group = (name: string, tokens: number, repeated = 0): Group => ({ name, tokens, repeated })

describe('groups', () => {
  test('tools have a shade by their size, in all columns; the smallest share the last one', () => {
    const columns = [
      { groups: ['a', 'b', 'c', 'd', 'e', 'f'].map((name, i) => group(name, 60 - 10 * i)) },
      { groups: [group('f', 100), group('', 500)] },
    ]
    const shading = shadingOf('tool', columns)
    expect([...shading.shades]).toEqual([
      ['', 'grey'],
      ['f', 'green'],
      ['a', 'mint'],
      ['b', 'blue'],
      ['c', 'sky'],
    ])
    expect(legendOf(shading, ['', 'a', 'd', 'e'])).toEqual([
      { shade: 'grey', names: [''] },
      { shade: 'mint', names: ['a'] },
      { shade: 'purple', names: ['d', 'e'] },
    ])
  })

  test('a column has what the call before had below what is new; its slices sum to its tokens', () => {
    const slices = slicesOf(shadingOf('role', []), [group('tool', 50, 20), group('user', 30, 30), group('x', 5)])
    expect(slices).toEqual([
      { shade: 'blue', tokens: 30, isSame: true },
      { shade: 'green', tokens: 20, isSame: true },
      { shade: 'green', tokens: 30, isSame: false },
      { shade: 'purple', tokens: 5, isSame: false },
    ])
    expect(groupWords('role', [group('tool', 50), group('', 30)], 80)).toBe('tool 50 (63 %), no role 30 (38 %)')
  })

  test('a limit of the conversation is above the system, which it does not count', () => {
    const runs = [
      { part: 'sys', tokens: 40, same: true },
      { part: 'core', tokens: 60, same: false },
    ] as const
    expect(limitHeight({ rule: 'maxTokens ^seq', limit: 900 }, { runs })).toBe(940)
    expect(limitHeight({ rule: 'maxTokens', limit: 900 }, { runs })).toBe(900)
  })
})

test('an icicle is in order, without gaps; what is shared ends at the prefix, what is not sent is marked', () => {
  const map: TokenMap = {
    at: { lens: '@c2', cycle: 2 },
    total: 100,
    turns: [
      {
        id: 'sys',
        zone: 'sys',
        from: 2,
        to: 2,
        tokens: 10,
        nodes: [{ id: 's', tokens: 10, part: 'sys', role: 'system' }],
      },
      { id: 'a', zone: 'turn', from: 1, to: 1, tokens: 20, nodes: [{ id: 'u', count: 3, tokens: 20, part: 'core' }] },
      {
        id: 'b',
        zone: 'turn',
        from: 2,
        to: 2,
        tokens: 70,
        nodes: [
          { id: 'r', tokens: 60, part: 'core', role: 'tool', kind: 'result', name: 'read' },
          { id: 'p', tokens: 10, part: 'ctx', key: 'plan' },
        ],
      },
    ],
  }
  const shading = shadingOf('tool', [{ groups: [group('read', 60)] }])
  const { turns, nodes } = icicleOf(map, { shading, same: 30, sent: new Set(['s', 'r']) })
  expect(turns.map(({ name }) => name)).toEqual(['system', 'c1', 'c2'])
  expect(nodes.map(({ label, isSame, shade }) => [label, isSame, shade])).toEqual([
    ['system, 10 tokens, 10 %', true, 'grey'],
    ['3 nodes, 20 tokens, 20 %', true, 'pale'],
    ['read, 60 tokens, 60 %', false, 'green'],
    ['#plan, 10 tokens, 10 %, left out of the request', false, 'purple'],
  ])
  for (const [i, { from, width }] of nodes.slice(0, -1).entries()) expect(nodes[i + 1]!.from).toBeCloseTo(from + width)
})

describe('forks', () => {
  const family = [
    { id: 'a', cycle: 30, forks: 2, made: 1 },
    { id: 'b', cycle: 20, forks: 1, made: 2, parent: 'a', from: 12 },
    { id: 'c', cycle: 16, forks: 0, made: 3, parent: 'b', from: 14 },
    { id: 'd', cycle: 9, forks: 0, made: 4, parent: 'a', from: 8 },
    { id: 'e', cycle: 5, forks: 0, made: 5, parent: 'gone', from: 3 },
  ]

  test.each([
    ['a', 'b', 12],
    ['a', 'c', 12],
    ['b', 'c', 14],
    ['c', 'd', 8],
    ['a', 'e', 0],
    ['a', 'nobody', 0],
  ])('%s and %s have the cycles up to %i', (one, other, cycle) => {
    expect([commonCycle(family, one, other), commonCycle(family, other, one)]).toEqual([cycle, cycle])
  })

  test('a row has its own cycles, and the row of its parent', () => {
    const rows = graphOf(family)
    const about = (id: string): unknown => rows.find((row) => row.id === id)
    expect(about('a')).toMatchObject({ from: 0, to: 30, parent: undefined })
    const parent = rows.findIndex(({ id }) => id === 'b')
    expect(about('c')).toMatchObject({ from: 14, to: 16, parent, level: 2 })
    expect(about('e')).toMatchObject({ parent: undefined })
  })

  test('a fork is compared with its parent first, a parent with its newest fork', () => {
    expect(['a', 'c', 'd', 'e'].map((id) => nearestOf(family, id)?.id)).toEqual(['d', 'b', 'a', undefined])
  })
})

test.each([
  [{ input: 2000, read: 1800 }, 1850, 2000, ''],
  [{ input: 2000, read: 0 }, 1850, 2000, 'The cache had less than the bytes allowed.'],
  [{ input: 900, read: 0 }, 800, 900, 'Too short for a cache.'],
  [{ input: 2000, read: 1800 }, 100, 2000, 'An older call had written more of it.'],
])('billed %j of which %i of %i were the same: %j', (billed, tokens, total, words) => {
  const prefix = { bytes: 0, sizes: { a: 0, b: 0 }, tokens, total }
  const { words: said, isShort: short } = compareBilled(billed, prefix)
  expect([said, short]).toEqual([words, words.startsWith('The cache')])
  expect(isShort(billed, prefix)).toBe(short)
  // Tools in the params count on both sides.
  expect(compareBilled(billed, { ...prefix, params: { tokens: 500, total: 500, lost: 0 } }).predicted).toBeCloseTo(
    (tokens + 500) / (total + 500),
  )
})

test('an icicle beside columns by part has shades for what is said and for the results of tools', () => {
  const node = (id: string, role: string, more: object = {}): TokenMap['turns'][number]['nodes'][number] => ({
    id,
    tokens: 10,
    part: 'core',
    role,
    ...more,
  })
  const nodes = [
    node('u', 'user'),
    node('a', 'assistant'),
    node('c', 'assistant', { kind: 'call', name: 'read' }),
    node('r', 'tool', { kind: 'result', name: 'read', tokens: 30 }),
    node('t', 'tool', { kind: 'result', name: 'test' }),
    node('p', 'user', { part: 'ctx' }),
  ]
  const turns: TokenMap['turns'] = [{ id: 'turn', zone: 'turn', from: 1, to: 1, tokens: 80, nodes }]
  const icicle = icicleOf(
    { at: { lens: '@c1', cycle: 1 }, total: 80, turns },
    { shading: undefined, same: 0, sent: undefined },
  )
  expect(icicle.nodes.map(({ shade }) => shade)).toEqual(['blue', 'sky', 'sky', 'green', 'mint', 'purple'])
})

test('all calls in one sentence; columns that are no call do not count', () => {
  const sent = (tokens: number, same: number) => ({
    attempt: 'attempt:1-0',
    figures: { items: 1, bytes: 1, tokens, runs: [], causes: {}, prefix: { tokens: same, broken: false } },
  })
  expect(sentWords([{ attempt: undefined, figures: sent(7, 0).figures }])).toBeUndefined()
  expect(sentWords([sent(1000, 0), sent(2000, 500), { attempt: 'attempt:2-0', figures: undefined }])).toBe(
    '2 calls sent 3,000 tokens; 2,500 (83 %) could not come from a cache',
  )
})
