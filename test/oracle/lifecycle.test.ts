// The lifecycle of the naive model (editing.ts) against cases worked out by hand from the documents and the decisions, so that a difference between
// it and the engine is a question about the rules and not about the oracle.

import { describe, expect, test } from 'vitest'

import { EditingOracle, type EditSpec, type OraclePolicy } from './editing.js'

type Tree = { id: string; children?: Tree[]; [header: string]: unknown }

/** A clock that gives 10, 20, 30… and says how often it was read. */
function makeOracle(prune?: OraclePolicy, dialect: '1.0' | '0.1' = '1.0') {
  let readings = 0
  const clock = () => BigInt((readings += 1) * 10)
  const countTokens = (text: string) => text.length
  const oracle = new EditingOracle({ dialect, clock, countTokens, ...(prune === undefined ? {} : { prune }) })
  return { oracle, readings: () => readings }
}

/** Commits one turn per spec: a core block each, unless the spec says otherwise. */
function commitEach(oracle: EditingOracle, ...specs: EditSpec[]): string[] {
  return specs.map((spec) => {
    const id = oracle.add(spec)
    oracle.commit()
    return id
  })
}

function nodesOf(tree: unknown): Tree[] {
  const top = tree as Tree
  return [top, ...(top.children ?? []).flatMap(nodesOf)]
}

function idsOf(oracle: EditingOracle, lens: 'working' | number): string[] {
  return nodesOf(oracle.tree(lens)).map((node) => node.id)
}

function nodeOf(oracle: EditingOracle, lens: 'working' | number, id: string): Tree | undefined {
  return nodesOf(oracle.tree(lens)).find((node) => node.id === id)
}

function childrenOf(oracle: EditingOracle, lens: 'working' | number, id: string): string[] {
  return nodeOf(oracle, lens, id)!.children!.map((child) => child.id)
}

describe('adding nodes', () => {
  test('gives ids, indexes and readings in order, the core before its first block (D37)', () => {
    const { oracle, readings } = makeOracle()
    oracle.system.add({ content: 'S' })
    oracle.add({ content: 'U', role: 'user' })
    expect(idsOf(oracle, 'working')).toEqual(['root', 'sys', 'block:1-0', 'seq', 'ah', 'cont:1-1', 'block:1-2'])
    expect(readings()).toBe(3)
    expect(nodeOf(oracle, 'working', 'block:1-2')).toEqual({
      id: 'block:1-2',
      nodeType: 'block',
      offset: 0,
      ttl: null,
      priority: 0,
      cycle: 1,
      created_at_ns: 30n,
      created_at_iso: '1970-01-01T00:00:00.000000030Z',
      creation_index: 6,
      content: 'U',
      role: 'user',
    })
    expect(nodeOf(oracle, 'working', 'ah')).toMatchObject({ nodeType: '^ah', cycle: 1, creation_index: 3 })
  })

  test('forces created_at_ns above every one given (02 §4.4, D37)', () => {
    const readings = [5n, 5n, 3n, 9n]
    const oracle = new EditingOracle({ dialect: '1.0', clock: () => readings.shift()! })
    for (const content of ['a', 'b', 'c', 'd']) oracle.system.add({ content })
    const system = nodeOf(oracle, 'working', 'sys')!
    expect(system.children!.map((node) => node['created_at_ns'])).toEqual([5n, 6n, 7n, 9n])
  })

  test('counts core offsets up in 1.0 and keeps them 0 in 0.1; pre is -1, post counts up in both (D17)', () => {
    const offsets = (dialect: '1.0' | '0.1') => {
      const { oracle } = makeOracle(undefined, dialect)
      const ids = [
        oracle.add({ content: 'p1', zone: 'pre' }),
        oracle.add({ content: 'p2', zone: 'pre' }),
        oracle.add({ content: 'q1', zone: 'post' }),
        oracle.add({ content: 'q2', offset: 7 }),
        oracle.add({ content: 'q3', zone: 'post' }),
        oracle.add({ content: 'c1' }),
        oracle.add({ content: 'c2' }),
      ]
      return ids.map((id) => nodeOf(oracle, 'working', id)!['offset'])
    }
    expect(offsets('1.0')).toEqual([-1, -1, 1, 7, 8, 0, 1])
    expect(offsets('0.1')).toEqual([-1, -1, 1, 7, 8, 0, 0])
  })

  test('makes a container before its children and shows its children even when there are none (D35, D37)', () => {
    const { oracle } = makeOracle(undefined, '0.1')
    oracle.add({ zone: 'post', children: [{ content: 'a' }, { nodeType: 'mc:empty' }] })
    expect(idsOf(oracle, 'working')).toEqual(['root', 'sys', 'seq', 'ah', 'mc:1-0', 'cb:1-1', 'mc:1-2'])
    expect(nodeOf(oracle, 'working', 'mc:1-2')).toMatchObject({ nodeType: 'mc:empty', offset: 0, children: [] })
    expect(nodeOf(oracle, 'working', 'cb:1-1')).not.toHaveProperty('children')
  })
})

describe('ttl and expiry', () => {
  test('keeps a ttl of N in exactly N snapshots and shows what is left (03 §8.1, D24)', () => {
    const { oracle } = makeOracle()
    const two = oracle.add({ content: 'two', zone: 'post', ttl: 2 })
    const none = oracle.add({ content: 'none', zone: 'post', ttl: 0 })
    const stays = oracle.add({ content: 'stays' })
    expect(nodeOf(oracle, 'working', none)!['ttl']).toBe(0)
    oracle.commit()
    expect(nodeOf(oracle, 1, two)!['ttl']).toBe(2)
    expect(nodeOf(oracle, 'working', two)!['ttl']).toBe(2)
    expect(nodeOf(oracle, 1, none)).toBeUndefined()
    oracle.commit()
    expect(nodeOf(oracle, 2, two)!['ttl']).toBe(1)
    oracle.commit()
    expect(nodeOf(oracle, 3, two)).toBeUndefined()
    expect(nodeOf(oracle, 3, stays)!['ttl']).toBeNull()
    expect(nodeOf(oracle, 1, two)!['ttl']).toBe(2) // an old snapshot does not change
  })

  test('defers the expiry of a referenced node until its referrer goes, reading ttl 0 (02 §5.4, D26)', () => {
    const { oracle } = makeOracle()
    const target = oracle.add({ content: 'target', ttl: 0 })
    const referrer = oracle.add({ content: 'referrer', ttl: 2, refs: [target] })
    oracle.commit()
    oracle.commit()
    expect(nodeOf(oracle, 2, target)!['ttl']).toBe(0)
    oracle.commit()
    expect(idsOf(oracle, 3)).not.toContain(target)
    expect(idsOf(oracle, 3)).not.toContain(referrer)
  })

  test('defers expiry along a chain of refs (D26)', () => {
    const { oracle } = makeOracle()
    const a = oracle.add({ content: 'a', ttl: 0 })
    const b = oracle.add({ content: 'b', ttl: 0, refs: [a] })
    oracle.add({ content: 'c', refs: [b] })
    oracle.commit()
    expect(idsOf(oracle, 1)).toEqual(expect.arrayContaining([a, b]))
  })

  test('keeps a held node, expired or not, until every hold is released (08 §4.2, D26)', () => {
    const { oracle } = makeOracle()
    const id = oracle.add({ content: 'held', ttl: 0 })
    const releaseFirst = oracle.hold(id)
    const releaseSecond = oracle.hold(id)
    releaseFirst()
    releaseFirst() // releasing twice is releasing once
    oracle.commit()
    expect(nodeOf(oracle, 1, id)!['ttl']).toBe(0)
    releaseSecond()
    oracle.commit()
    expect(nodeOf(oracle, 2, id)).toBeUndefined()
  })

  test('lets expired nodes that refer only to each other, or to themselves, leave together (D26)', () => {
    const { oracle } = makeOracle()
    const a = oracle.add({ content: 'a', ttl: 0, refs: ['block:1-2'] })
    const b = oracle.add({ content: 'b', ttl: 0, refs: [a] })
    const self = oracle.add({ content: 'self', ttl: 0, refs: ['block:1-3'] })
    expect([a, b, self]).toEqual(['block:1-1', 'block:1-2', 'block:1-3'])
    oracle.commit()
    expect(idsOf(oracle, 1)).toEqual(['root', 'sys', 'seq', 'ah', 'cont:1-0'])
  })

  test('saves an expired container for a held child, with its unexpired children only (D26)', () => {
    const { oracle } = makeOracle()
    const container = oracle.add({
      zone: 'post',
      ttl: 0,
      children: [{ content: 'held', ttl: 0 }, { content: 'lasting' }, { content: 'expired', ttl: 0 }],
    })
    const release = oracle.hold('block:1-1')
    oracle.commit()
    expect(childrenOf(oracle, 1, container)).toEqual(['block:1-1', 'block:1-2'])
    release()
    oracle.commit()
    expect(idsOf(oracle, 2)).not.toContain(container)
    expect(idsOf(oracle, 2)).not.toContain('block:1-2') // a node goes with its subtree
  })

  test('saves an expired container, and its other children, for a child that is referred to (D26)', () => {
    const { oracle } = makeOracle()
    const container = oracle.add({
      zone: 'post',
      ttl: 0,
      children: [{ content: 'named', ttl: 0 }, { content: 'lasting' }],
    })
    oracle.add({ content: 'referrer', refs: ['block:1-1'] })
    oracle.commit()
    expect(nodeOf(oracle, 1, container)!['ttl']).toBe(0)
    expect(childrenOf(oracle, 1, container)).toEqual(['block:1-1', 'block:1-2'])
  })
})

describe('removable containers', () => {
  test('go upward in the commit that empties them (02 §5.3.1, D26)', () => {
    const { oracle } = makeOracle()
    const outer = oracle.add({
      zone: 'post',
      removable: true,
      children: [{ removable: true, children: [{ content: 'last', ttl: 1 }] }],
    })
    oracle.add({ content: 'core' })
    oracle.commit()
    expect(idsOf(oracle, 1)).toContain(outer)
    oracle.commit()
    expect(idsOf(oracle, 2)).toEqual(['root', 'sys', 'seq', 'seg:1-5', 'cont:1-3', 'block:1-4', 'ah'])
  })

  test('stay where they never held a node, are not marked, are held, or are referred to (D26)', () => {
    const { oracle } = makeOracle()
    const last = { content: 'last', ttl: 0 }
    const neverFull = oracle.add({ zone: 'post', removable: true, children: [] })
    const unmarked = oracle.add({ zone: 'post', children: [last] })
    const held = oracle.add({ zone: 'post', removable: true, children: [last] })
    const named = oracle.add({ zone: 'post', removable: true, children: [last] })
    const self = oracle.add({ zone: 'post', removable: true, children: [last], refs: ['cont:1-7'] })
    oracle.add({ content: 'referrer', refs: [named], ttl: 1 })
    expect([neverFull, unmarked, held, named, self]).toEqual(['cont:1-0', 'cont:1-1', 'cont:1-3', 'cont:1-5', self])
    const release = oracle.hold(held)
    oracle.commit()
    expect(idsOf(oracle, 1)).toEqual(expect.arrayContaining([neverFull, unmarked, held, named]))
    expect(idsOf(oracle, 1)).not.toContain(self)
    release()
    oracle.commit() // the referrer expires too
    expect(idsOf(oracle, 2)).not.toContain(held)
    expect(idsOf(oracle, 2)).not.toContain(named)
    expect(idsOf(oracle, 2)).toEqual(expect.arrayContaining([neverFull, unmarked]))
  })

  // cont:1-0 (priority 5) with block:1-1 (0), the core cont:1-2 with block:1-3 (9), sealed as seg:1-4: 9 nodes in all.
  // The next turn adds a block, a core and a segment: 12.
  const commitTwice = (maxNodes: number) => {
    const { oracle } = makeOracle({ maxNodes, protectSegments: 0 })
    oracle.add({ zone: 'post', removable: true, priority: 5, children: [{ content: 'low' }] })
    oracle.add({ content: 'core', priority: 9 })
    oracle.commit()
    oracle.add({ content: 'next', zone: 'pre' })
    const receipt = oracle.commit()
    return { oracle, removed: receipt.removed.map(({ id }) => id) }
  }

  test('go with the unit that emptied them, and count as gone when the limit is judged (D26, D27)', () => {
    const { oracle, removed } = commitTwice(10)
    expect(removed).toEqual(['block:1-1', 'cont:1-0'])
    expect(idsOf(oracle, 2)).not.toContain('cont:1-0')
    expect(idsOf(oracle, 2)).toHaveLength(10)
  })

  test('go before the next candidate is looked for (D27)', () => {
    const { oracle, removed } = commitTwice(8)
    expect(removed).toEqual(['block:1-1', 'cont:1-0', 'block:1-3', 'seg:1-4', 'cont:1-2'])
    expect(idsOf(oracle, 2)).toHaveLength(7)
  })
})

describe('sealing', () => {
  test('seals nothing where the head has nothing but an empty core, and keeps that core (D25)', () => {
    const { oracle, readings } = makeOracle()
    oracle.add({ content: 'gone', ttl: 0 })
    oracle.commit()
    oracle.commit()
    expect(idsOf(oracle, 2)).toEqual(['root', 'sys', 'seq', 'ah', 'cont:1-0'])
    expect(readings()).toBe(2)
    oracle.add({ content: 'first' })
    oracle.commit()
    expect(idsOf(oracle, 3)).toEqual(['root', 'sys', 'seq', 'seg:3-1', 'cont:1-0', 'block:3-0', 'ah'])
  })

  test('gives a head with context but no core an empty core, made before the segment (D25)', () => {
    const { oracle } = makeOracle()
    oracle.add({ content: 'context', zone: 'pre' })
    oracle.commit()
    expect(idsOf(oracle, 1)).toEqual(['root', 'sys', 'seq', 'seg:1-2', 'block:1-0', 'cont:1-1', 'ah'])
    expect(nodeOf(oracle, 1, 'cont:1-1')).toMatchObject({ offset: 0, cycle: 1, creation_index: 5, children: [] })
  })

  test('places a segment at cycle × 1,048,576 and reads the same in the working state (D5, D30)', () => {
    const { oracle } = makeOracle()
    commitEach(oracle, { content: 'one' })
    oracle.commit()
    commitEach(oracle, { content: 'three' })
    const segments = nodesOf(oracle.tree(3)).filter((node) => node['nodeType'] === 'seg')
    expect(segments.map((node) => node['offset'])).toEqual([1_048_576, 3_145_728])
    expect(oracle.tree('working')).toEqual(oracle.tree(3))
  })
})

describe('pruning', () => {
  test('takes the lowest priority first, then the oldest, and the segment with its last block (02 §7.1, D27)', () => {
    const { oracle } = makeOracle({ maxNodes: 12, protectSegments: 0 })
    // each turn makes cont:c-0, block:c-1 and seg:c-2
    const [low, old] = commitEach(oracle, { content: 'a', priority: 1 }, { content: 'b' }) // 4 + 3 + 3 = 10 nodes
    oracle.add({ content: 'c', priority: 2 })
    const receipt = oracle.commit() // 13 nodes: one unit is enough
    expect(receipt).toEqual({
      shed: [],
      removed: [
        { id: old, rule: 'maxNodes', priority: 0, age: 1 },
        { id: 'seg:2-2', rule: 'maxNodes', priority: 0, age: 1 },
        { id: 'cont:2-0', rule: 'maxNodes', priority: 0, age: 1 },
      ],
      limits: [{ rule: 'maxNodes', limit: 12, before: 13, after: 10 }],
      unmet: [],
    })
    oracle.add({ content: 'd', priority: 1 })
    expect(oracle.commit().removed[0]).toEqual({ id: low, rule: 'maxNodes', priority: 1, age: 3 })
  })

  test('protects ^sys, the newest K segments, pinned, held and referenced nodes (02 §7.2, D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 0, protectSegments: 2 })
    const [pinned, held, named] = [
      oracle.add({ content: 'p', pinned: true }),
      oracle.add({ content: 'h' }),
      oracle.add({ content: 'n' }),
    ]
    oracle.hold(held)
    oracle.add({ content: 'free' })
    oracle.system.add({ content: 's', refs: [named] })
    oracle.commit()
    commitEach(oracle, { content: 'second' })
    expect(oracle.commit().removed).toEqual([]) // two segments, both among the newest two
    oracle.add({ content: 'third' })
    expect(oracle.commit().removed).toEqual([]) // sealing comes after pruning
    const receipt = oracle.commit()
    expect(receipt.removed.map(({ id }) => id)).toEqual(['block:1-4'])
    expect(receipt.unmet).toEqual([{ rule: 'maxTokens', limit: 0, actual: 'phns'.length + 'second'.length + 5 }])
    expect(idsOf(oracle, 5)).toEqual(expect.arrayContaining([pinned, held, named]))
  })

  test('keeps an emptied segment in which something is held (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 0, protectSegments: 0 })
    commitEach(oracle, { content: 'a' })
    oracle.hold('cont:1-0')
    expect(oracle.commit().removed.map(({ id }) => id)).toEqual(['block:1-1'])
    expect(idsOf(oracle, 2)).toContain('seg:1-2')
  })

  test('takes nodes that share a call id whole, at the highest priority and the oldest member (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 2, protectSegments: 0 })
    oracle.add({ content: 'c', kind: 'call', data_call_id: 'x' })
    oracle.add({ content: 'm', priority: 1 })
    oracle.add({ content: 'r', kind: 'result', data_call_id: 'x', priority: 2 })
    oracle.add({ content: 'n', priority: 2 })
    oracle.commit()
    const receipt = oracle.commit() // m is the lowest; then the group (2, block:1-1) before n (2, block:1-4)
    expect(receipt.removed.map(({ id }) => id)).toEqual(['block:1-2', 'block:1-1', 'block:1-3'])
  })

  test('joins groups through a list of call ids, and one protected member protects all (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 0, protectSegments: 0 })
    oracle.add({ content: 'a', kind: 'call', data_call_id: 'x' })
    oracle.add({ content: 'b', kind: 'call', data_call_id: 'y', pinned: true })
    oracle.add({ content: 'both', kind: 'result', data_call_id: ['x', 'y'] })
    oracle.add({ content: 'alone', kind: 'call', data_call_id: 'z' })
    oracle.commit()
    expect(oracle.commit().removed.map(({ id }) => id)).toEqual(['block:1-4'])
  })

  test('starts a new group at each call where a call id recurs (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 5, protectSegments: 0, target: 1 })
    const x = { data_call_id: 'x' }
    oracle.add({ content: 'r0', kind: 'result', ...x, priority: 1 }) // before the first call: a group of its own
    oracle.add({ content: 'c1', kind: 'call', ...x })
    oracle.add({ content: 'r1', kind: 'result', ...x })
    oracle.add({ content: 'c2', kind: 'call', ...x, priority: 3 })
    oracle.add({ content: 'r2', kind: 'result', ...x })
    oracle.commit() // 10 tokens; without c1 and r1 6, without r0 4
    const receipt = oracle.commit()
    expect(receipt.removed.map(({ id }) => id)).toEqual(['block:1-2', 'block:1-3', 'block:1-1'])
    expect(oracle.thread(2).map(({ content }) => content)).toEqual(['c2', 'r2'])
  })

  test('ties a result to the call its refs name; inside the group that ref protects nothing (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 1, protectSegments: 0, target: 1 })
    const call = oracle.add({ content: 'c', kind: 'call' })
    const note = oracle.add({ content: 'n' })
    const result = oracle.add({ content: 'r', kind: 'result', refs: [call] })
    const other = oracle.add({ content: 'o', refs: [note], priority: 9 }) // no result: a plain ref protects
    oracle.commit()
    const receipt = oracle.commit()
    expect(receipt.removed.map(({ id }) => id)).toEqual([call, result, other])
    expect(idsOf(oracle, 2)).toContain(note)
  })

  test('takes a group whole out of two segments, each of which goes right after it (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: 3, protectSegments: 1 })
    commitEach(
      oracle,
      { content: 'c', kind: 'call', data_call_id: 'x' },
      { content: 'r', kind: 'result', data_call_id: 'x' },
      { content: 'abc' },
    )
    // while the result's segment was the newest it protected the call
    expect(idsOf(oracle, 3)).toContain('block:1-1')
    expect(oracle.commit().removed.map(({ id }) => id)).toEqual([
      'block:1-1',
      'block:2-1',
      'seg:1-2',
      'cont:1-0',
      'seg:2-2',
      'cont:2-0',
    ])
  })

  test('takes whole segments for maxDepth, the one to be sealed counted (07 annex, D27)', () => {
    const { oracle } = makeOracle({ maxDepth: 2 })
    commitEach(oracle, { content: 'a', pinned: true }, { content: 'b' })
    oracle.add({ content: 'c' })
    // seg:1 is protected by its pin, seg:2 is the newest before sealing
    expect(oracle.commit()).toEqual({
      shed: [],
      removed: [],
      limits: [{ rule: 'maxDepth', limit: 2, before: 3, after: 3 }],
      unmet: [{ rule: 'maxDepth', limit: 2, actual: 3 }],
    })
    expect(oracle.commit()).toEqual({
      shed: [],
      removed: ['seg:2-2', 'cont:2-0', 'block:2-1'].map((id) => ({ id, rule: 'maxDepth', priority: 0, age: 2 })),
      limits: [{ rule: 'maxDepth', limit: 2, before: 3, after: 2 }],
      unmet: [],
    })
  })

  test('takes from over-full segments only for maxNodesPerSegment, and does not judge the head (D27)', () => {
    const { oracle } = makeOracle({ maxNodesPerSegment: 2, protectSegments: 0 })
    commitEach(oracle, { content: 'small', priority: -1 })
    for (const content of ['a', 'b', 'c']) oracle.add({ content })
    expect(oracle.commit()).toEqual({ removed: [], shed: [], limits: [], unmet: [] })
    const receipt = oracle.commit() // core and three blocks: two have to go
    expect(receipt.removed.map(({ id }) => id)).toEqual(['block:2-1', 'block:2-2'])
  })

  test('judges tokens by region: ^seq with the head, ^ah the head alone (D27)', () => {
    const { oracle } = makeOracle({ maxTokens: { '^ah': 2, '^sys': 1, '^seq': 5 }, protectSegments: 0, target: 1 })
    oracle.system.add({ content: 'sys' })
    commitEach(oracle, { content: 'abcd' })
    oracle.add({ content: { k: 1 } }) // {"k":1}: 7 tokens
    expect(oracle.commit()).toEqual({
      removed: ['block:1-2', 'seg:1-3', 'cont:1-1'].map((id) => ({ id, rule: 'maxTokens ^seq', priority: 0, age: 1 })),
      shed: [],
      limits: [
        { rule: 'maxTokens ^sys', limit: 1, before: 3, after: 3 },
        { rule: 'maxTokens ^seq', limit: 5, before: 11, after: 7 },
        { rule: 'maxTokens ^ah', limit: 2, before: 7, after: 7 },
      ],
      unmet: [
        { rule: 'maxTokens ^sys', limit: 1, actual: 3 },
        { rule: 'maxTokens ^seq', limit: 5, actual: 7 },
        { rule: 'maxTokens ^ah', limit: 2, actual: 7 },
      ],
    })
  })

  test("changes nothing where unmet is 'error' and a limit stays exceeded (D25, D27)", () => {
    const { oracle, readings } = makeOracle({ maxNodes: 9, unmet: 'error' })
    commitEach(oracle, { content: 'a' })
    oracle.add({ content: 'gone', zone: 'post', ttl: 0 })
    oracle.add({ content: 'b' })
    oracle.add({ content: 'c' })
    const before = oracle.tree('working')
    expect(() => oracle.commit()).toThrow(/^E_BUDGET/) // 4 + 3 protected + 4
    expect(oracle.tree('working')).toEqual(before)
    expect(oracle.cycle).toBe(2)
    expect(readings()).toBe(3 + 4)
    expect(() => oracle.tree(2)).toThrow(/^E_SNAPSHOT_NOT_FOUND/)
  })
})

describe('threads', () => {
  const build = (dialect: '1.0' | '0.1') => {
    const { oracle } = makeOracle(undefined, dialect)
    oracle.add({ content: 'post', zone: 'post', role: 'tool', kind: 'result' })
    oracle.add({})
    oracle.add({ content: 'box', zone: 'pre', children: [{ content: ['inside'] }] })
    oracle.system.add({ content: 'S' })
    oracle.commit()
    oracle.add({ content: 'working' })
    return oracle
  }

  test('invent no role in 1.0; a node comes before its children (02 §12, D36)', () => {
    const oracle = build('1.0')
    expect(oracle.thread('working')).toEqual([
      { id: 'block:1-5', content: 'S' },
      { id: 'cont:1-3', content: 'box' },
      { id: 'block:1-4', content: ['inside'] },
      { id: 'block:1-2', content: '' },
      { id: 'block:1-0', role: 'tool', kind: 'result', content: 'post' },
      { id: 'block:2-1', content: 'working' },
    ])
    expect(oracle.thread(1)).toEqual(oracle.thread('working').slice(0, -1))
  })

  test('default to system under ^sys and user elsewhere in 0.1 (02 §12.4, D36)', () => {
    const roles = build('0.1')
      .thread('working')
      .map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', 'user', 'user', 'tool', 'user'])
  })
})
