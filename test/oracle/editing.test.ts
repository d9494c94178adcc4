// The model of editing itself against cases worked out by hand from 004 §6 and D19, D28–D31, D37, so that a difference
// between it and the engine is a question about the rules and not about the model.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { editProgram, playOnOracle } from './editing-arbitrary.js'
import {
  expectRefused,
  history,
  idsAtDepth,
  make,
  nodeOf,
  nodesOf,
  parentOf,
  rows,
  STEP,
  type Tree,
} from './editing-fixture.js'
import type { EditingOracle, EditSpec, Position } from './editing.js'
import { runs } from '../support/runs.js'

const RUNS = runs(12)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

describe('insert', () => {
  test('k = 0 goes to the active head, the core by default (004 §6.1, D19)', () => {
    const { oracle, readings } = make()
    expect(oracle.insert({ content: 'core' }, { depth: 0 })).toBe('block:1-1')
    expect(oracle.insert({ content: 'post', zone: 'post' }, { depth: 0 })).toBe('block:1-2')
    expect(oracle.insert({ content: 'pre', offset: -4 }, { depth: 0 })).toBe('block:1-3')
    expect(rows(oracle, 'ah')).toEqual(['-4 pre', '0 cont:1-0', '1 post'])
    expect(rows(oracle, 'cont:1-0')).toEqual(['0 core'])
    expect(readings()).toBe(4)
  })

  test('k < 0 needs the capability (004 §6.1, D31)', () => {
    const { oracle } = make()
    for (const position of [{ depth: -1 }, '(d-1, end)', '(d-1, 3, end)', { parent: 'sys' }] as Position[]) {
      expectRefused(oracle, 'E_NOT_AUTHORIZED', () => oracle.insert({ content: 'x' }, position))
    }
    oracle.system.insert({ content: 'a' }, { depth: -1 })
    oracle.system.insert({ content: 'b' }, '(d-1,)')
    oracle.system.insert({ content: 'c' }, { parent: 'sys', offset: 5 })
    expect(rows(oracle, 'sys')).toEqual(['-1 b', '0 a', '5 c'])
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.system.insert({ content: 'x' }, { depth: 0 }))
  })

  test('k > 0 splices a new segment in, and the older ones are one deeper (004 §6.1, D30)', () => {
    const oracle = history()
    const before = [1, 2, 3].map((depth) => idsAtDepth(oracle, depth))
    const id = oracle.insert({ content: 'late', role: 'user' }, { depth: 2 })
    expect(id).toBe('block:4-2')
    expect([1, 2, 3, 4].map((depth) => idsAtDepth(oracle, depth))).toEqual([before[0], 'seg:4-0', before[1], before[2]])
    expect(nodeOf(oracle, 'seg:4-0')).toMatchObject({ offset: 2.5 * STEP, cycle: 4, creation_index: 0 })
    expect(nodeOf(oracle, 'cont:4-1')).toMatchObject({ offset: 0, cycle: 4, creation_index: 1 })
    expect(nodeOf(oracle, id)).toMatchObject({ offset: 0, cycle: 4, creation_index: 2 })
    // No segment was renumbered, and the snapshots know nothing of it.
    expect(before.map((segment) => nodeOf(oracle, segment)!['offset'])).toEqual([3 * STEP, 2 * STEP, STEP])
    expect(nodeOf(oracle, id, 3)).toBeUndefined()
  })

  test('takes the place of a turn at depth 1, goes below the oldest, and no further (D30)', () => {
    const oracle = history()
    oracle.insert({ content: 'newest' }, { depth: 1 })
    expect(nodeOf(oracle, 'seg:4-0')!['offset']).toBe(4 * STEP)
    oracle.insert({ content: 'oldest' }, { depth: 5 })
    expect(nodeOf(oracle, 'seg:4-3')!['offset']).toBe(0)
    expectRefused(oracle, 'E_DEPTH_INVALID', () => oracle.insert({ content: 'x' }, { depth: 7 }))
    expectRefused(oracle, 'E_DEPTH_INVALID', () => oracle.insert({ content: 'x' }, { depth: -2 }))
    expectRefused(oracle, 'E_DEPTH_INVALID', () => oracle.insert({ content: 'x' }, { depth: 0.5 }))
    oracle.add({ content: 'this turn' })
    oracle.commit()
    expect(nodeOf(oracle, 'seg:4-8')!['offset']).toBe(5 * STEP)
  })

  test('runs out of integers only where the order headers leave no way (D19, D30)', () => {
    const oracle = history()
    // Each splice at 2 halves the gap below the newest segment: 20 halvings, then the left one's offset, newest last.
    for (let i = 0; i < 20; i++) oracle.insert({ content: `${i}` }, { depth: 2 })
    expect(nodeOf(oracle, idsAtDepth(oracle, 2))!['offset']).toBe(3 * STEP - 1)
    oracle.insert({ content: 'shares' }, { depth: 2 })
    expect(nodeOf(oracle, idsAtDepth(oracle, 2))!['offset']).toBe(3 * STEP - 1)
    // Between the two that share an offset nothing newer fits.
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, { depth: 3 }))
  })

  test('attaches pre- and post-context to sealed segments, never to their cores (D30)', () => {
    const oracle = history()
    const segment = idsAtDepth(oracle, 2)
    oracle.insert({ content: 'end' }, '(d2, end)')
    oracle.insert({ content: 'start' }, '(d2,)')
    oracle.insert({ content: 'five' }, '(d2, 5)')
    oracle.insert({ content: 'before' }, { parent: segment, offset: -7 })
    expect(rows(oracle, segment)).toEqual([
      '-7 before',
      '-2 start',
      '-1 two pre',
      '0 cont:2-1',
      '1 two post',
      '2 end',
      '5 five',
    ])
    for (const position of ['(d2, 0, end)', '(d2, 0,)', { parent: 'cont:2-1' }] as Position[]) {
      expectRefused(oracle, 'E_SEALED_CORE', () => oracle.insert({ content: 'x' }, position))
    }
    expectRefused(oracle, 'E_DUPLICATE_CORE', () => oracle.insert({ content: 'x' }, '(d2, 0)'))
    expectRefused(oracle, 'E_DUPLICATE_CORE', () => oracle.insert({ children: [] }, { parent: segment, offset: 0 }))
  })

  test('counts sentinels from 1, and never gives offset 0 beside a core (D19)', () => {
    const { oracle } = make()
    oracle.insert({ content: 'b' }, '(d0, end)')
    oracle.insert({ content: 'a' }, '(d0, -1)')
    expect(rows(oracle, 'ah')).toEqual(['-1 a', '1 b'])
    // There is no core yet, so there is room between -1 and 1, but only 0, which a sentinel does not take: a's offset.
    oracle.insert({ content: 'c' }, '(d0, +1)')
    expect(rows(oracle, 'ah')).toEqual(['-1 a', '-1 c', '1 b'])
    // Nothing newer fits between a and c; nothing goes between the core and b.
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, +1)'))
    oracle.insert({ content: 'u' }, '(d0, 0, end)')
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, +3)'))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, -4)'))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, +5)'))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, +0)'))
  })

  test('finds the lowest free integer inside a core (D19)', () => {
    const { oracle } = make()
    oracle.insert({ content: 'a' }, '(d0, 0, 1)')
    oracle.insert({ content: 'b' }, '(d0, 0, 4)')
    oracle.insert({ content: 'c' }, '(d0, 0, +1)')
    oracle.insert({ content: 'd' }, '(d0, 0, -2)')
    oracle.insert({ content: 'e' }, '(d0, 0, end)')
    oracle.insert({ content: 'f' }, '(d0, 0,)')
    expect(rows(oracle, 'cont:1-0')).toEqual(['0 f', '1 a', '1 d', '2 c', '4 b', '5 e'])
  })

  test('names what is wrong with a position (D19)', () => {
    const oracle = history()
    const box = oracle.add({ children: [{ content: 'in' }], zone: 'post', offset: 3 })
    oracle.insert({ content: 'more' }, '(d0, 3, end)')
    expect(rows(oracle, box)).toEqual(['0 in', '1 more'])
    const refused: [string, Position, EditSpec?][] = [
      ['E_PARENT_NOT_FOUND', '(d9, end)'],
      ['E_PARENT_NOT_FOUND', '(d0, 4, end)'],
      ['E_PARENT_NOT_FOUND', { parent: 'nowhere' }],
      ['E_PARENT_NOT_CONTAINER', '(d3, 1, end)'],
      ['E_PARENT_NOT_CONTAINER', { parent: 'block:1-0' }],
      ['E_PLACEMENT_INVALID', { parent: 'root' }],
      ['E_PLACEMENT_INVALID', { parent: 'seq' }],
      ['E_PLACEMENT_INVALID', '(d0, end'],
      ['E_PLACEMENT_INVALID', '(d0, end)', { offset: 3 }],
      ['E_PLACEMENT_INVALID', '(d0, end)', { zone: 'pre' }],
      ['E_PLACEMENT_INVALID', { depth: 0 }, { zone: 'post', offset: -1 }],
      ['E_PLACEMENT_INVALID', { depth: 1 }, { zone: 'post' }],
      ['E_DEPTH_INVALID', '(d-2, end)'],
    ]
    for (const [code, position, spec] of refused) {
      expectRefused(oracle, code, () => oracle.insert({ content: 'x', ...spec }, position))
    }
  })
})

describe('replace', () => {
  test('changes the node itself at depth 0, unless role, kind or nodeType change (004 §6.2, D30)', () => {
    const { oracle, readings } = make()
    const id = oracle.add({ content: 'draft', key: 'p', tags: ['t'], zone: 'post', role: 'user', ttl: 2 })
    const before = nodeOf(oracle, id)!
    expect(oracle.replace('#p', { content: 'final', priority: 3 })).toEqual([id])
    expect(nodeOf(oracle, id)).toEqual({ ...before, content: 'final', priority: 3 })
    expect(oracle.replace('#p', { role: 'assistant' })).toEqual(['block:1-1'])
    // No snapshot holds what it replaces, so `supersedes` has nothing to name (D41 keeps the id).
    expect(nodeOf(oracle, 'block:1-1')).toEqual({
      ...before,
      id: 'block:1-1',
      content: 'final',
      priority: 3,
      role: 'assistant',
      'pact:stands_for': [id],
    })
    expect(nodeOf(oracle, id)).toBeUndefined()
    expect(readings()).toBe(1)
  })

  test('supersedes at depth > 0: same place and order, new id and cycle; the snapshots keep the old one (D30)', () => {
    const oracle = history()
    const old = nodeOf(oracle, 'block:2-2')!
    expect(oracle.replace('{ id="block:2-2" }', { content: 'corrected' })).toEqual(['block:4-0'])
    expect(nodeOf(oracle, 'block:4-0')).toEqual({
      ...old,
      id: 'block:4-0',
      cycle: 4,
      content: 'corrected',
      supersedes: 'block:2-2',
    })
    expect(parentOf(oracle, 'block:4-0')).toBe('cont:2-1')
    expect(nodeOf(oracle, 'block:2-2', 3)).toEqual(old)
    // Again in the same cycle: the snapshots hold block:2-2, not block:4-0.
    expect(oracle.replace('{ id="block:4-0" }', { content: 'again' })).toEqual(['block:4-1'])
    expect(nodeOf(oracle, 'block:4-1')!['supersedes']).toBe('block:2-2')
    oracle.commit()
    oracle.replace('{ id="block:4-1" }', { content: 'later' })
    expect(nodeOf(oracle, 'block:5-0')).toMatchObject({ supersedes: 'block:4-1', creation_index: 6 - 4 })
    // Ids were taken, indexes were not.
    expect(nodeOf(oracle, oracle.add({ content: 'next' }))).toMatchObject({ id: 'block:5-2', creation_index: 1 })
  })

  test('keeps the running ttl (D24, D30)', () => {
    const { oracle } = make()
    oracle.add({ content: 'x', ttl: 3, zone: 'post', key: 'k' })
    oracle.commit()
    expect(nodeOf(oracle, 'block:1-0')!['ttl']).toBe(3)
    oracle.replace('#k', { content: 'y' })
    expect(nodeOf(oracle, 'block:2-0')!['ttl']).toBe(3)
    oracle.add({ content: 'turn' })
    oracle.commit()
    expect(nodeOf(oracle, 'block:2-0', 2)!['ttl']).toBe(2)
    oracle.replace('#k', { ttl: 1 })
    oracle.commit()
    expect(nodeOf(oracle, 'block:3-0', 3)!['ttl']).toBe(1)
    oracle.commit()
    expect(nodeOf(oracle, 'block:3-0', 4)).toBeUndefined()
  })

  test('refuses segments, cores and regions, and covers a match inside a match (D30, D31)', () => {
    const oracle = history()
    for (const selector of ['.seg:depth(1)', '.seg:depth(1) > .cont', '^ah', '^seq', '^sys', '*']) {
      expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.replace(selector, { content: 'x' }))
    }
    oracle.add({ key: 'box', children: [{ content: 'in' }], zone: 'post' })
    expect(oracle.replace('^ah :post .block, #box', { priority: 1 })).toHaveLength(1)
    expect(nodeOf(oracle, 'block:4-1')!['priority']).toBe(0)
  })
})

describe('move', () => {
  test('keeps id, cycle, order headers, ttl and subtree (D30)', () => {
    const oracle = history()
    const before = nodeOf(oracle, 'block:1-3')!
    expect(oracle.move('{ id="block:1-3" }', '(d1, end)')).toEqual(['block:1-3'])
    expect(nodeOf(oracle, 'block:1-3')).toEqual({ ...before, offset: 2 })
    expect(parentOf(oracle, 'block:1-3')).toBe(idsAtDepth(oracle, 1))
    // Sealed context may return to the head, which gets a core for it.
    oracle.move('{ id="block:1-3" }', { depth: 0 })
    expect(parentOf(oracle, 'block:1-3')).toBe('cont:4-0')
  })

  test('from 0 to > 0 seals early, all nodes in order into one new core (004 §6.3, D30)', () => {
    const oracle = history()
    oracle.add({ content: 'a' })
    oracle.add({ content: 'b', zone: 'post' })
    oracle.add({ content: 'c', zone: 'pre' })
    expect(oracle.move('^ah .block', { depth: 3 })).toEqual(['block:4-3', 'block:4-1', 'block:4-2'])
    expect(rows(oracle, 'cont:4-5')).toEqual(['0 c', '1 a', '2 b'])
    expect(idsAtDepth(oracle, 3)).toBe('seg:4-4')
    expectRefused(oracle, 'E_SEALED_CORE', () => oracle.move('{ id="block:4-1" }', { depth: 0 }))
    oracle.commit()
    expect(oracle.tree(4).children![1]!.children).toHaveLength(4)
  })

  test('refuses what cannot move or arrive (004 §6.3, D30, D31)', () => {
    const oracle = history()
    const box = oracle.add({ zone: 'post', children: [{ children: [] }] })
    oracle.add({ content: 'core' })
    const refused: [string, string, Position][] = [
      ['E_SEGMENT_MOVE', '.seg:depth(2)', { depth: 1 }],
      ['E_SEALED_CORE', '{ id="block:1-2" }', { depth: 0 }],
      ['E_SEALED_CORE', '{ id="cont:1-1" }', { depth: 0 }],
      ['E_SEALED_CORE', '{ id="block:1-3" }', '(d1, 0, end)'],
      ['E_PLACEMENT_INVALID', '^ah', { depth: 1 }],
      ['E_PLACEMENT_INVALID', '^ah > .cont:core', { depth: 1 }],
      ['E_CYCLE_DETECTED', `{ id="${box}" }`, { parent: box }],
      ['E_CYCLE_DETECTED', `{ id="${box}" }`, '(d0, 1, 0, end)'],
      ['E_NOT_AUTHORIZED', '{ id="block:1-3" }', { depth: -1 }],
      ['E_DUPLICATE_CORE', '{ id="block:1-3" }', '(d2, 0)'],
      ['E_DEPTH_INVALID', '{ id="block:1-3" }', { depth: 5 }],
      ['E_NODE_NOT_FOUND', '#nowhere', { depth: 0 }],
      ['E_SELECTOR_INVALID', '@t0 .block', { depth: 0 }],
    ]
    for (const [code, selector, position] of refused) {
      expectRefused(oracle, code, () => oracle.move(selector, position))
    }
    expect(oracle.move('#nowhere?', { depth: 9 })).toEqual([])
  })

  test('counts children before the move, and puts several in order (D19)', () => {
    const { oracle } = make()
    for (const name of ['a', 'b', 'c', 'd']) oracle.add({ content: name, key: name })
    oracle.move('#a', '(d0, 0, +3)')
    // Between c at 2 and d at 3 no integer is free; a is older than c, but before d where it shares d's offset.
    expect(rows(oracle, 'cont:1-0')).toEqual(['1 b', '2 c', '3 a', '3 d'])
    oracle.move('#d, #c', '(d0, 0,)')
    expect(rows(oracle, 'cont:1-0')).toEqual(['-1 c', '0 d', '1 b', '3 a'])
    oracle.move('#c, #a', '(d0, 0, -2)')
    expect(rows(oracle, 'cont:1-0')).toEqual(['-2 c', '-1 a', '0 d', '1 b'])
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.move('#a', '(d0, 0, +9)'))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.insert({ content: 'x' }, '(d0, +2)'))
  })

  test('out of ^sys makes a new node where a snapshot holds it (D30, 02 §2.3)', () => {
    const { oracle, readings } = make()
    const old = oracle.system.add({ content: 'rule', ttl: 5 })
    const young = oracle.system.add({ content: 'rule 2' })
    expect(oracle.system.move(`{ id="${young}" }`, '(d0, end)')).toEqual([young])
    oracle.commit()
    const read = readings()
    expect(oracle.system.move('^sys .block', { depth: 0 })).toEqual(['block:2-1'])
    expect(readings()).toBe(read + 2)
    expect(nodeOf(oracle, 'block:2-1')).toMatchObject({ content: 'rule', cycle: 2, ttl: 5, creation_index: 1 })
    expect(nodeOf(oracle, old)).toBeUndefined()
    expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.system.move('^ah .block', { depth: -1 }))
  })
})

describe('delete', () => {
  test('drops at depth <= 0, and nodes of the open cycle anywhere (004 §6.4, D30)', () => {
    const oracle = history()
    const added = oracle.insert({ content: 'attached' }, '(d2, end)')
    expect(oracle.delete(`{ id="${added}" }`)).toEqual([added])
    oracle.add({ content: 'core' })
    oracle.add({ content: 'post', zone: 'post' })
    oracle.delete('^ah .block')
    expect(nodesOf(oracle.tree('working').children![2]!).map(({ id }) => id)).toEqual(['ah', 'cont:4-1'])
    const system = oracle.system.add({ content: 'rule' })
    oracle.commit()
    expectRefused(oracle, 'E_NOT_AUTHORIZED', () => oracle.delete('^sys .block'))
    expect(oracle.system.delete('.block')).toEqual([system])
    expect(nodeOf(oracle, 'sys')!.children).toEqual([])
  })

  test('marks sealed nodes: exactly the headers of D30 (004 §6.4)', () => {
    const { oracle, readings } = make()
    const header = { key: 'k', tags: ['t'], kind: 'call', role: 'tool', ttl: 9, refs: ['x'], data_call_id: 'c1' }
    oracle.add({ content: { secret: 1 }, priority: 4, pinned: true, data_more: 1, zone: 'post', ...header })
    oracle.commit()
    const old = nodeOf(oracle, 'block:1-0')!
    const read = readings()
    expect(oracle.delete('#k', { author: 'kim', reason: 'personal' })).toEqual(['block:2-0'])
    expect(nodeOf(oracle, 'block:2-0')).toEqual({
      id: 'block:2-0',
      nodeType: 'block:redaction',
      offset: 1,
      ttl: null,
      priority: 0,
      cycle: 2,
      created_at_ns: old['created_at_ns'],
      created_at_iso: old['created_at_iso'],
      creation_index: old['creation_index'],
      content: '',
      role: 'tool',
      data_call_id: 'c1',
      supersedes: 'block:1-0',
      data_author: 'kim',
      data_reason: 'personal',
    })
    expect(readings()).toBe(read)
    expect(oracle.thread('working').map(({ id }) => id)).toEqual(['block:2-0'])
    expect(nodeOf(oracle, 'block:1-0', 1)).toEqual(old)
    // A marker in history is not deleted again: it would lose its author and reason.
    expect(oracle.delete('.redaction')).toEqual([])
    expect(nodeOf(oracle, 'block:2-0')).toMatchObject({ data_reason: 'personal' })
    const old01 = history({ dialect: '0.1' })
    old01.delete("#'cb:1-2'")
    expect(nodeOf(old01, 'cb:4-0')).toMatchObject({ nodeType: 'cb:redaction', role: 'user' })
  })

  test('on a segment or core marks what it holds, containers once (D30)', () => {
    const { oracle } = make()
    oracle.add({ content: 'pre', zone: 'pre' })
    oracle.add({ content: 'core' })
    oracle.add({ children: [{ content: 'nested' }] })
    oracle.commit()
    expect(oracle.delete('.seg:depth(1) > .cont:core')).toEqual(['block:2-0', 'block:2-1'])
    expect(nodeOf(oracle, 'cont:1-1')!.children!.map((child) => child['supersedes'])).toEqual(['block:1-2', 'cont:1-3'])
    expect(oracle.undo()).toBe(true)
    expect(oracle.delete('.seg, .block')).toEqual(['block:2-2', 'block:2-3', 'block:2-4'])
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.delete('^seq'))
  })
})

describe('overlap (D29)', () => {
  test('a new instance demotes older ones to the post-context of the next segment', () => {
    const oracle = history()
    const first = oracle.add({ content: 'v1', key: 'k', ttl: 4 })
    const before = nodeOf(oracle, first)!
    oracle.add({ content: 'v2', key: 'k', zone: 'post' })
    expect(parentOf(oracle, first)).toBe(idsAtDepth(oracle, 1))
    expect(nodeOf(oracle, first)).toEqual({ ...before, offset: 2 })
    // Undo takes the demotion back too.
    oracle.undo()
    expect(nodeOf(oracle, first)).toEqual(before)
    oracle.add({ content: 'v2', key: 'k', zone: 'post' })
    oracle.commit()
    // The newest at depth 1, the older at depth 2: nothing to do for one at depth 0, but for one spliced in at 2 both move.
    oracle.add({ content: 'v3', key: 'k' })
    oracle.undo()
    oracle.insert({ content: 'v3', key: 'k' }, { depth: 2 })
    expect(rows(oracle, idsAtDepth(oracle, 3))).toEqual(['-1 three pre', '0 cont:3-1', '1 three post', '2 v1', '3 v2'])
  })

  test('is refused without a deeper segment, from a sealed core, from ^sys and in reject mode', () => {
    const { oracle } = make()
    oracle.add({ content: 'v1', key: 'k' })
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.add({ content: 'v2', key: 'k' }))
    expect(oracle.put('k', 'v2')).toBe('block:1-1')
    oracle.commit()
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.insert({ content: 'v3', key: 'k' }, { depth: 2 }))
    // v2 is in a sealed core at 1: a new one at 0 is fine, one on its own segment is not.
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.insert({ content: 'v3', key: 'k' }, '(d1, end)'))
    oracle.add({ content: 'v3', key: 'k' })
    oracle.system.add({ content: 'rule', key: 's' })
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.add({ content: 'x', key: 's' }))
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.system.add({ content: 'x', key: 's' }))

    const strict = history({ odi: 'reject' })
    strict.add({ content: 'v1', key: 'k' })
    expectRefused(strict, 'E_ODI_VIOLATION', () => strict.add({ content: 'v2', key: 'k' }))
    strict.commit()
    strict.add({ content: 'v2', key: 'k' })
  })

  test('an older instance never moves to the newest or above; two of a key in one call are refused', () => {
    const oracle = history()
    const v1 = oracle.add({ content: 'v1', key: 'k', zone: 'post' })
    oracle.commit()
    oracle.add({ content: 'turn' })
    oracle.commit()
    const v2 = oracle.add({ content: 'v2', key: 'k', zone: 'post' })
    for (const position of [{ depth: 0 }, '(d0, end)'] as Position[]) {
      expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.move(`{ id="${v1}" }`, position))
    }
    oracle.move(`{ id="${v1}" }`, '(d1, end)')
    expect(parentOf(oracle, v1)).toBe(idsAtDepth(oracle, 1))
    // The newest one going down to 1 pushes the older one to 2.
    oracle.move(`{ id="${v2}" }`, '(d1, end)')
    expect(parentOf(oracle, v1)).toBe(idsAtDepth(oracle, 2))
    expectRefused(oracle, 'E_ODI_VIOLATION', () =>
      oracle.add({
        children: [
          { content: 'x', key: 'z' },
          { content: 'y', key: 'z' },
        ],
      }),
    )
    // A superseding node has its target's age: the older one stays the older one.
    expect(oracle.replace(`{ id="${v1}" }`, { content: 'v1, corrected' })).toHaveLength(1)
  })
})

describe('cadence (D28)', () => {
  test('returns every cad cycles, with a fresh id, in its zone, while its ttl lasts', () => {
    const { oracle } = make()
    oracle.add({ content: 'plan', key: 'p', cad: 2, ttl: 1, zone: 'post', role: 'user' })
    oracle.add({ content: 'turn' })
    oracle.commit()
    expect(oracle.exportText('working').includes('"content":"plan"')).toBe(true)
    expect(oracle.tree('working').children![2]!.children).toEqual([])
    oracle.add({ content: 'turn' })
    oracle.commit()
    expect(nodeOf(oracle, 'block:3-0')).toMatchObject({
      content: 'plan',
      key: 'p',
      cad: 2,
      ttl: 1,
      role: 'user',
      offset: 1,
      cycle: 3,
    })
    expect(nodeOf(oracle, 'block:1-0', 2)).toBeUndefined()
    expect(oracle.undo()).toBe(false)
    oracle.commit()
    oracle.commit()
    expect(nodeOf(oracle, 'block:5-0')).toMatchObject({ content: 'plan', cycle: 5 })
    expect(oracle.schedules(4)).toEqual([
      {
        key: 'p',
        cad: 2,
        first_cycle: 1,
        zone: 'post',
        node: { nodeType: 'block', ttl: 1, priority: 0, content: 'plan', role: 'user' },
      },
    ])
  })

  test('ends with a deletion or a newer write without cad; a newer one with cad replaces it; undo restores', () => {
    const { oracle } = make()
    const due = () => oracle.schedules('working').map(({ key, cad, first_cycle }) => `${key} ${cad} ${first_cycle}`)
    oracle.add({ content: 'a', key: 'a', cad: 1 })
    oracle.add({ content: 'b', key: 'b', cad: 3, zone: 'pre' })
    expect(due()).toEqual(['a 1 1', 'b 3 1'])
    oracle.delete('#a')
    expect(due()).toEqual(['b 3 1'])
    oracle.undo()
    expect(due()).toEqual(['a 1 1', 'b 3 1'])
    oracle.put('b', 'b again')
    expect(due()).toEqual(['a 1 1', 'b 3 1'])
    oracle.commit()
    expect(nodeOf(oracle, 'block:2-1')).toMatchObject({ key: 'a' })
    // A new write without cad: no instance of b is in the head, so put adds one, and that is the end of it.
    oracle.put('b', 'b, once')
    oracle.put('a', 'a', { cad: 2 })
    expect(due()).toEqual(['a 2 2'])
    // Any instance of the key will do, a sealed one too.
    oracle.commit()
    oracle.delete('.seg:depth(2) #a')
    expect(due()).toEqual([])
    expect(oracle.schedules(2)).toHaveLength(1)
  })

  test('needs a key, a positive integer and the active head', () => {
    const oracle = history()
    const refused: (() => unknown)[] = [
      () => oracle.add({ content: 'x', cad: 1 }),
      () => oracle.add({ content: 'x', key: 'k', cad: 0 }),
      () => oracle.add({ content: 'x', key: 'k', cad: 1.5 }),
      () => oracle.insert({ content: 'x', key: 'k', cad: 1 }, '(d1, end)'),
      () => oracle.insert({ content: 'x', key: 'k', cad: 1 }, { depth: 1 }),
      () => oracle.system.add({ content: 'x', key: 'k', cad: 1 }),
      () => oracle.replace('{ id="block:1-3" }', { key: 'k', cad: 1 }),
      () => oracle.add({ children: [{ content: 'x', key: 'k', cad: 1 }] }),
    ]
    for (const run of refused) expectRefused(oracle, 'E_CADENCE_INVALID', run)
  })

  test('makes the core it needs, and leaves out what overlap forbids', () => {
    const { oracle } = make()
    oracle.add({ content: 'a', key: 'a', cad: 1 })
    oracle.system.add({ content: 'rule', key: 'a', ttl: 1 })
    oracle.commit()
    expect(oracle.tree('working').children![2]!.children).toEqual([])
    // Out of ^sys the rule would be the newest instance, next to one in a sealed core.
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.system.move('#a', '(d1, end)'))
    oracle.system.delete('#a')
    expect(oracle.schedules('working')).toEqual([])
    oracle.undo()
    oracle.commit()
    expect(rows(oracle, 'ah')).toEqual(['0 cont:3-0'])
    expect(rows(oracle, 'cont:3-0')).toEqual(['0 a'])
  })

  test('does not drift, and a fork goes on in step', () => {
    const { oracle } = make()
    oracle.add({ content: 'x', key: 'k', cad: 7, ttl: 1, zone: 'post' })
    const seen: number[] = []
    for (let i = 0; i < 40; i++) {
      oracle.commit()
      if (oracle.tree('working').children![2]!.children!.length > 0) seen.push(oracle.cycle)
    }
    expect(seen).toEqual([8, 15, 22, 29, 36])
    const fork = oracle.fork(35)
    expect(nodeOf(fork, 'block:f1:36-0')).toMatchObject({ content: 'x', cycle: 36 })
    expect(oracle.fork(34).tree('working').children![2]!.children).toEqual([])
  })
})

describe('update', () => {
  test('changes ttl, priority, pinned and tags at any depth; a new ttl counts from the open cycle (D24)', () => {
    const oracle = history()
    expect(oracle.update('{ id="block:1-2" }', { ttl: 1, priority: 5, pinned: true, tags: ['old'] })).toEqual([
      'block:1-2',
    ])
    expect(nodeOf(oracle, 'block:1-2')).toMatchObject({ ttl: 1, priority: 5, pinned: true, tags: ['old'], cycle: 1 })
    oracle.commit()
    expect(nodeOf(oracle, 'block:1-2', 4)!['ttl']).toBe(1)
    oracle.commit()
    expect(nodeOf(oracle, 'block:1-2', 5)).toBeUndefined()
    oracle.update('.seg:depth(1)', { ttl: 0 })
    oracle.commit()
    expect(oracle.tree(6).children![1]!.children).toHaveLength(2)
    expectRefused(oracle, 'E_TTL_INVALID', () => oracle.update('.block', { ttl: -1 }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.update('.cont:core', { ttl: 3 }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.update('^ah', { priority: 1 }))
  })
})

describe('undo and fork', () => {
  test('undo goes back call by call to the last commit, and gives no id, index or time back (D30, D37)', () => {
    const { oracle, readings } = make()
    oracle.add({ content: 'a' })
    const after = oracle.exportText('working')
    oracle.add({ content: 'b' })
    oracle.update('.block', { priority: 2 })
    expect(oracle.delete('#nowhere?')).toEqual([])
    expect([oracle.undo(), oracle.undo()]).toEqual([true, true])
    expect(oracle.exportText('working')).toBe(after)
    expect(nodeOf(oracle, oracle.add({ content: 'c' }))).toMatchObject({ id: 'block:1-3', creation_index: 7 })
    expect(readings()).toBe(4)
    expect([oracle.undo(), oracle.undo(), oracle.undo()]).toEqual([true, true, false])
    oracle.add({ content: 'd' })
    oracle.commit()
    expect(oracle.undo()).toBe(false)
  })

  test('a fork takes edits and schedules, no undo steps; ids carry its name (D6, D37)', () => {
    const oracle = history()
    oracle.add({ content: 'open', key: 'k', cad: 1 })
    const working = oracle.exportText('working')
    const fork = oracle.fork('working')
    expect(fork.exportText('working')).toBe(working)
    expect(fork.undo()).toBe(false)
    expect(fork.add({ content: 'x' })).toBe('block:f1:4-0')
    fork.commit()
    expect(nodeOf(fork, 'block:f1:5-1')).toMatchObject({ key: 'k', cycle: 5 })
    expect(fork.fork(2).add({ content: 'y' })).toBe('block:f1.f1:3-1')
    const back = oracle.fork(2)
    expect(back.cycle).toBe(3)
    expect(back.exportText(2)).toBe(oracle.exportText(2))
    expect(back.add({ content: 'x' })).toBe('block:f2:3-1')
    expect(oracle.exportText('working')).toBe(working)
  })
})

describe('random programs on the model alone', () => {
  test('a refusal changes nothing, undo brings back what was, snapshots stay, trees stay sound', () => {
    fc.assert(
      fc.property(editProgram(), (program) => {
        const snapshots = new Set<string>()
        const befores = new Map<EditingOracle, string[]>()
        const contexts = playOnOracle(program, (oracle, call, outcome, before) => {
          const now = oracle.exportText('working')
          const stack = befores.get(oracle) ?? []
          befores.set(oracle, stack)
          if ('code' in outcome || 'done' in outcome || 'fork' in outcome) expect(now).toBe(before)
          const isStep = 'ids' in outcome && oracle.undoable > stack.length
          if ('ids' in outcome && (outcome.ids.length > 0 || now !== before)) expect(isStep, call.do).toBe(true)
          if (isStep) stack.push(before)
          if ('undone' in outcome) expect(now).toBe(stack.pop() ?? before)
          if ('receipt' in outcome) {
            stack.length = 0
            snapshots.add(oracle.exportText(oracle.cycle - 1))
          }
          expect(stack).toHaveLength(oracle.undoable)
          checkSound(oracle, call.do)
          if ((call.do === 'add' || call.do === 'insert') && 'ids' in outcome) checkOverlap(oracle, outcome.ids[0]!)
        })
        for (const context of contexts) {
          for (const cycle of context.cycles) {
            expect(snapshots.has(context.exportText(cycle)), `cycle ${cycle}`).toBe(true)
          }
        }
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })
})

/** D29: every other instance of the key is deeper than the one that was just placed. */
function checkOverlap(oracle: EditingOracle, id: string): void {
  const key = nodeOf(oracle, id)!['key']
  if (key === undefined) return
  const [sys, seq, head] = oracle.tree('working').children as [Tree, Tree, Tree]
  const tops = [sys, head, ...seq.children!.toReversed()] // depth -1, 0, 1, 2…
  const depths = new Map(tops.flatMap((top, i) => nodesOf(top).map((node) => [node.id, i - 1] as const)))
  const others = nodesOf(oracle.tree('working')).filter((node) => node['key'] === key && node.id !== id)
  for (const other of others) expect(depths.get(other.id), other.id).toBeGreaterThan(depths.get(id)!)
}

/** No id twice, one core per segment, siblings in order, times unlike each other but for what superseding repeats. */
function checkSound(oracle: EditingOracle, call: string): void {
  const tree = oracle.tree('working')
  const nodes = nodesOf(tree)
  expect(new Set(nodes.map(({ id }) => id)).size, call).toBe(nodes.length)
  const times = nodes.slice(1).map((node) => node['created_at_ns'])
  expect(new Set(times).size, call).toBe(times.length - 2) // the regions share theirs
  for (const segment of tree.children![1]!.children!) {
    const atZero = segment.children!.filter((child) => child['offset'] === 0)
    expect([atZero.length, atZero[0]?.children === undefined], call).toEqual([1, false])
  }
  const atZero = tree.children![2]!.children!.filter((child) => child['offset'] === 0)
  expect(atZero.length < 2 && atZero.every(({ children }) => children !== undefined), call).toBe(true)
  for (const node of nodes) expect(node.id.startsWith('('), call).toBe(false)
  checkChains(nodes, call)
}

/** D41: a live node has no stand-in, no id has two stand-ins, and the earlier ids are sorted, each once. */
function checkChains(nodes: Tree[], call: string): void {
  const claims = nodes.flatMap((node) => {
    const earlier = (node['pact:stands_for'] ?? []) as string[]
    expect(earlier, call).toEqual([...new Set(earlier)].toSorted())
    return [...earlier, ...(node['supersedes'] === undefined ? [] : [node['supersedes'] as string])]
  })
  expect(new Set([...claims, ...nodes.map(({ id }) => id)]).size, call).toBe(claims.length + nodes.length)
}

describe('the generator', () => {
  /** In how many of 300 programs each rule of D41–D54 has to be met; it is about twice as many. */
  const FEATURES: Record<string, number> = {
    'D41 a chain of several': 16,
    'D41 stands_for in a snapshot': 16,
    'D41 a reference keeps a stand-in': 14,
    'D41 a hold keeps a stand-in': 4,
    'D41 pruning follows stand-ins': 5,
    'D42 refused': 11,
    'D48 reasoning goes with a call': 4,
    'D51 a turn goes': 16,
    'D51 a target': 24,
    'D43 delete': 10,
    'D43 replace refused': 13,
    'D46 delete': 18,
    'D46 replace': 6,
    'D46 replace with nodes': 22,
    'D46 another key': 4,
    'D46 redact': 17,
    'D46 redact through an instance': 5,
    'D46 nothing but a schedule': 12,
    'D52 set adds': 62,
    'D59 set after the model': 3,
    'D52 set in place': 38,
    'D52 set clears history': 46,
    'D52 set with a schedule': 39,
    'D52 set refused': 16,
    'D52 system.put adds': 30,
    'D52 system.put in place': 12,
    'D52 system.set adds': 24,
    'D52 system.set in place': 7,
    'D54 in place': 38,
    'D54 superseding': 51,
    'D54 nothing found': 83,
    'D54 signed reasoning': 11,
    'D63 compact': 40,
    'D63 expand': 16,
  }

  test('meets every rule often enough', () => {
    const programs: Record<string, number> = {}
    const calls: Record<string, number> = {}
    for (const program of fc.sample(editProgram(), { numRuns: 100, seed: 20261116 })) {
      const met = new Set<string>()
      playOnOracle(
        program,
        (_oracle, call, outcome) => {
          const name = `${'system' in call && call.system ? 'system.' : ''}${call.do} ${'code' in outcome ? outcome.code : 'ok'}`
          calls[name] = (calls[name] ?? 0) + 1
        },
        (feature) => met.add(feature),
      )
      for (const feature of met) programs[feature] = (programs[feature] ?? 0) + 1
    }
    if (process.env['PACT_SHOW'] !== undefined) console.log(JSON.stringify({ programs, calls }, undefined, 2))
    // The counts are those of 300 programs.
    for (const [feature, least] of Object.entries(FEATURES))
      expect(programs[feature] ?? 0, feature).toBeGreaterThanOrEqual(Math.max(1, Math.floor(least / 8)))
  })
})
