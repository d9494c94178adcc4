// The model of editing against cases worked out by hand from D41–D43, D46, D52 and D54: where features meet.

import { describe, expect, test } from 'vitest'

import { expectRefused, history, idsAtDepth, make, nodeOf, nodesOf, rows } from './editing-fixture.js'
import { emptyTree, type ModelNode, resolver } from './editing-tree.js'
import type { EditingOracle } from './editing.js'

function byId(id: string): string {
  return `{ id="${id}" }`
}

function contents(oracle: EditingOracle, lens: 'working' | number = 'working'): unknown[] {
  return oracle.thread(lens).map(({ content }) => content)
}

function standsFor(oracle: EditingOracle, id: string, lens: 'working' | number = 'working'): unknown {
  return nodeOf(oracle, id, lens)!['pact:stands_for']
}

/** `key cad first content` of what returns. */
function returning(oracle: EditingOracle): string[] {
  return oracle
    .schedules('working')
    .map(({ key, cad, first_cycle, node }) => `${key} ${cad} ${first_cycle} ${JSON.stringify(node['content'])}`)
}

describe('protection follows the stand-in (D41)', () => {
  test('a reference keeps what stands in the place of the node it names', () => {
    const { oracle } = make()
    oracle.add({ content: 'u' })
    const doc = oracle.add({ content: 'doc', ttl: 2, key: 'd', zone: 'post' })
    oracle.add({ content: 'note', refs: [doc], zone: 'post' })
    for (let i = 0; i < 3; i++) oracle.commit()
    oracle.replace('#d', { content: 'doc fixed' })
    oracle.commit()
    expect(contents(oracle, 4)).toEqual(['u', 'doc fixed', 'note'])
    // Through two more steps, and with the marker of a deletion, which has no ttl.
    const [second] = oracle.replace('#d', { content: 'again' })
    const [third] = oracle.replace('#d', { content: 'and again' })
    expect(nodeOf(oracle, third!)).toMatchObject({
      supersedes: 'block:4-0',
      'pact:stands_for': [doc, second],
    })
    oracle.commit()
    expect(contents(oracle, 5)).toEqual(['u', 'and again', 'note'])
    expect(standsFor(oracle, third!, 5)).toEqual([doc])
    const [marker] = oracle.delete('#d')
    expect(nodeOf(oracle, marker!)).toMatchObject({ supersedes: third, 'pact:stands_for': ['block:1-2', 'block:4-0'] })
    oracle.commit()
    expect(standsFor(oracle, marker!, 6)).toEqual([doc])
    oracle.delete('.block[content="note"]')
    // Without the note nothing needs the oldest id (N27).
    oracle.commit()
    expect(standsFor(oracle, marker!, 7)).toBeUndefined()
  })

  test('an id that nothing names is forgotten at the commit, and protects nothing from then on', () => {
    const { oracle } = make()
    oracle.add({ content: 'turn' })
    const doc = oracle.add({ content: 'doc', ttl: 3, key: 'd', zone: 'post' })
    oracle.commit()
    const [second] = oracle.replace('#d', { content: 'second' })
    const [third] = oracle.replace('#d', { content: 'third' })
    expect(nodeOf(oracle, third!)).toMatchObject({ supersedes: doc, 'pact:stands_for': [second] })
    oracle.commit()
    expect(standsFor(oracle, third!)).toBeUndefined()
    oracle.add({ content: 'too late', refs: [second!], zone: 'post' })
    oracle.commit()
    oracle.commit()
    expect(nodeOf(oracle, third!)).toBeUndefined()
    // The names in `supersedes` are never forgotten.
    const [last] = oracle.replace('.block[content="turn"]', { content: 'turn 2', ttl: 1 })
    oracle.add({ content: 'in time', refs: ['block:1-1'], zone: 'post' })
    for (let i = 0; i < 3; i++) oracle.commit()
    expect(nodeOf(oracle, last!)).toMatchObject({ ttl: 0 })
  })

  test('a node of the open cycle that another kind replaces leaves its id, without supersedes', () => {
    const { oracle } = make()
    const first = oracle.add({ content: 'search()', key: 'c' })
    oracle.add({ content: '42', kind: 'result', refs: [first] })
    const [call] = oracle.replace('#c', { kind: 'call', ttl: 1 })
    expect(nodeOf(oracle, call!)).toMatchObject({ id: 'block:1-3', 'pact:stands_for': [first] })
    expect(nodeOf(oracle, call!)!['supersedes']).toBeUndefined()
    oracle.commit()
    oracle.commit()
    expect(nodeOf(oracle, call!)).toMatchObject({ ttl: 0, 'pact:stands_for': [first] })
  })

  test('a hold keeps the stand-in, and its id, as long as it lasts', () => {
    const { oracle } = make()
    oracle.add({ content: 'u' })
    const doc = oracle.add({ content: 'doc', ttl: 1, key: 'd', zone: 'post' })
    const release = oracle.hold(doc)
    oracle.commit()
    oracle.replace('#d', { content: 'x' })
    const [last] = oracle.replace('#d', { content: 'y' })
    oracle.commit()
    oracle.commit()
    expect(nodeOf(oracle, last!)).toMatchObject({ content: 'y', ttl: 0, supersedes: doc })
    release()
    oracle.commit()
    expect(nodeOf(oracle, last!)).toBeUndefined()
  })

  test.each(['replace', 'delete', 'nothing'])('a call leaves with its result, after %s', (edit) => {
    const { oracle } = make({ prune: { maxNodes: 13 } })
    const call = oracle.add({ content: 'search()', kind: 'call', role: 'assistant' })
    oracle.add({ content: '42', kind: 'result', refs: [call], role: 'tool' })
    oracle.commit()
    if (edit === 'replace') oracle.replace(byId(call), { content: 'search("x")' })
    if (edit === 'delete') oracle.delete(byId(call))
    oracle.add({ content: 'n' })
    oracle.commit()
    oracle.add({ content: 'n2' })
    oracle.commit()
    expect(contents(oracle, 3)).toEqual(['n', 'n2'])
  })

  test('a result goes with the marker that its refs mean, not with one that it names', () => {
    const play = (byOldId: boolean): unknown[] => {
      const { oracle } = make({ prune: { maxNodes: 16 } })
      const call = oracle.add({ content: 'search()', kind: 'call' })
      oracle.commit()
      const [marker] = oracle.delete(byId(call))
      oracle.add({ content: '42', kind: 'result', refs: [byOldId ? call : marker!], priority: -1 })
      for (const content of ['n', 'n2', 'n3']) {
        oracle.add({ content })
        oracle.commit()
      }
      return contents(oracle, 4)
    }
    // As a group they leave together, and the segment with them; else the result alone is one node too many.
    expect(play(true)).toEqual(['n', 'n2', 'n3'])
    expect(play(false)).toEqual(['', 'n', 'n2', 'n3'])
  })

  test('an emptied container waits for who refers to an earlier id of it', () => {
    const { oracle } = make()
    oracle.add({ content: 'u' })
    const box = oracle.add({ zone: 'post', removable: true, key: 'b', children: [{ content: 'x', ttl: 1 }] })
    const note = oracle.add({ content: 'note', refs: [box], zone: 'post' })
    oracle.commit()
    const [other] = oracle.replace('#b', { priority: 3 })
    oracle.commit()
    expect(nodeOf(oracle, other!)).toMatchObject({ children: [], supersedes: box })
    oracle.delete(byId(note))
    oracle.commit()
    expect(nodeOf(oracle, other!)).toBeUndefined()
  })

  test('a node that leaves ^sys, and what a schedule makes, stand for nobody', () => {
    const { oracle } = make()
    oracle.system.add({ content: 'rule', key: 'r' })
    oracle.commit()
    oracle.system.replace('#r', { role: 'system' })
    oracle.commit()
    expect(nodesOf(oracle.tree('working')).find(({ key }) => key === 'r')).toMatchObject({ supersedes: 'block:1-0' })
    const [moved] = oracle.system.move('#r', '(d0, end)')
    expect(nodeOf(oracle, moved!)!['supersedes']).toBeUndefined()
    oracle.add({ content: 'tick', key: 't', cad: 1, zone: 'post' })
    oracle.replace('^ah #t', { role: 'user' })
    oracle.commit()
    const tick = nodesOf(oracle.tree('working').children![2]!).find(({ key }) => key === 't')!
    expect([tick['supersedes'], tick['pact:stands_for'], tick['role']]).toEqual([undefined, undefined, 'user'])
  })

  test('an id means who has it, else who stands in for it, of several the one with the smallest id', () => {
    const root = emptyTree()
    const [sys, seq, head] = root.children as [ModelNode, ModelNode, ModelNode]
    sys.standsFor = ['ah', 'gone']
    seq.given = { supersedes: 'gone' }
    head.given = { supersedes: 'gone' }
    const resolve = resolver(root, true)
    expect([resolve('ah'), resolve('gone'), resolve('nobody')]).toEqual([head, head, undefined])
    expect(resolver(root, false)('gone')).toBeUndefined()
  })

  test('an import knows what the context knew', () => {
    const { oracle } = make()
    oracle.add({ content: 'u' })
    const doc = oracle.add({ content: 'doc', ttl: 1, key: 'd', zone: 'post' })
    oracle.add({ content: 'note', refs: [doc], zone: 'post' })
    oracle.commit()
    oracle.replace('#d', { content: 'a' })
    oracle.replace('#d', { content: 'b' })
    oracle.commit()
    oracle.replace('#d', { content: 'c' })
    oracle.commit()
    const copy = oracle.reimport(3)
    expect(copy.exportText(3)).toBe(oracle.exportText(3))
    oracle.commit()
    copy.commit()
    expect(copy.exportText(4)).toBe(oracle.exportText(4))
    expect(contents(copy, 4)).toEqual(['u', 'c', 'note'])
  })
})

describe('what stays (D42, D43)', () => {
  test('removable is what it was at the start', () => {
    const { oracle } = make()
    oracle.system.add({ key: 's', children: [] })
    oracle.add({ key: 'box', zone: 'post', removable: true, children: [] })
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.system.replace('#s', { removable: true }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.replace('#box', { removable: false }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.put('box', 'x', { removable: false }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.set('box', 'x', { removable: false }))
    expect(oracle.replace('#box', { removable: true, priority: 1 })).toHaveLength(1)
    expect(oracle.system.replace('#s', { removable: false })).toHaveLength(1)
  })

  test('a deletion in history leaves a marker for everything that a snapshot holds', () => {
    const { oracle } = make()
    oracle.add({ content: 'u' })
    oracle.add({ content: 'evidence', key: 'e', zone: 'post', role: 'user' })
    oracle.add({ content: 'gone before', key: 'g', zone: 'post' })
    oracle.add({ content: 'replaced', key: 'r', zone: 'post' })
    oracle.add({ key: 'old box', zone: 'post', children: [{ content: 'in it' }] })
    oracle.commit()
    const box = oracle.insert({ children: [{ content: 'new' }, { children: [{ content: 'deep' }] }] }, '(d1, end)')
    const inner = nodeOf(oracle, box)!.children![1]!.id
    const drop = oracle.insert({ children: [{ content: 'a' }] }, { parent: box })
    oracle.move('#e', { parent: inner })
    oracle.move('{ key="old box" }', { parent: box })
    const [earlier] = oracle.delete('#g', { reason: 'earlier' })
    oracle.move(byId(earlier!), { parent: box })
    const [other] = oracle.replace('#r', { content: 'again' })
    oracle.move(byId(other!), { parent: inner })
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.replace(byId(box), { children: [] }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.replace(byId(box), { content: 'x', nodeType: 'block' }))
    expect(oracle.replace(byId(box), { priority: 2 })).toHaveLength(1)
    oracle.undo()

    const touched = oracle.delete(byId(box), { author: 'me', reason: 'r' })
    const left = nodeOf(oracle, box)!.children!
    expect(left.map(({ id, supersedes }) => supersedes ?? id)).toEqual([inner, 'cont:1-5', 'block:1-3'])
    expect(left[2]).toMatchObject({ id: earlier, data_reason: 'earlier' })
    expect(left[0]!.children).toMatchObject([
      { nodeType: 'block:redaction', role: 'user', supersedes: 'block:1-2', data_author: 'me', data_reason: 'r' },
      { nodeType: 'block:redaction', supersedes: 'block:1-4', 'pact:stands_for': [other] },
    ])
    // In document order: a new block, one deeper down, two markers there, a new container, and the marker of the old one.
    expect(touched).toEqual([
      'block:2-1',
      'block:2-3',
      left[0]!.children![0]!.id,
      left[0]!.children![1]!.id,
      drop,
      left[1]!.id,
    ])
    // Nothing but markers is left, so there is nothing to do and nothing to undo.
    const undoable = oracle.undoable
    expect(oracle.delete(byId(box))).toEqual([])
    expect(oracle.undoable).toBe(undoable)
  })

  test('in the active head everything is dropped', () => {
    const oracle = history()
    const box = oracle.add({ children: [], zone: 'post' })
    oracle.move(byId('block:1-3'), { parent: box })
    expect(oracle.delete(byId(box))).toEqual([box])
    expect(nodeOf(oracle, 'block:1-3')).toBeUndefined()
  })
})

describe('system selectors see ^sys alone (D31)', () => {
  test('neither the root nor a region', () => {
    const { oracle } = make()
    oracle.system.add({ content: 'a' })
    oracle.system.add({ content: 'b' })
    oracle.add({ content: 'u' })
    expect(oracle.system.update('*', { priority: 1 })).toEqual(['block:1-0', 'block:1-1'])
    expect(oracle.system.update('* @first', { priority: 2 })).toEqual(['block:1-0'])
    expect(oracle.system.update('^ah ?? ^sys > *', { priority: 3 })).toHaveLength(2)
    for (const selector of ['^ah', '^sys', '^seq', '^ah .block']) {
      expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.system.update(selector, { priority: 1 }))
    }
    expect(oracle.system.delete('^ah?')).toEqual([])
  })
})

describe('schedules hold content too (D46)', () => {
  /** A secret that returns in cycle 4, and is in no node of cycle 3. */
  function secret() {
    const { oracle } = make()
    oracle.add({ content: 'secret', key: 'k', cad: 3, ttl: 1, zone: 'pre' })
    oracle.add({ content: 'turn' })
    oracle.commit()
    oracle.add({ content: 'turn' })
    oracle.commit()
    expect(contents(oracle)).toEqual(['turn', 'turn'])
    return oracle
  }
  const selector = "*[content~'secret']"

  test('delete ends what it finds there, touches no node, and can be undone', () => {
    const oracle = secret()
    expect(oracle.delete(selector)).toEqual([])
    expect(returning(oracle)).toEqual([])
    expect(oracle.undo()).toBe(true)
    expect(returning(oracle)).toEqual(['k 3 1 "secret"'])
    for (const hit of ['#k', '^ah :pre', '[cad]', '^ah * @first']) {
      expect(oracle.delete(hit)).toEqual([])
      expect(returning(oracle)).toEqual([])
      oracle.undo()
    }
    // A window means a node that is there, if one is.
    expect(oracle.delete('.block @order=turn:desc @first')).toHaveLength(1)
    expect(returning(oracle)).toHaveLength(1)
    oracle.undo()
    for (const miss of ['^seq #k', '^ah :post', '^sys #k', byId('block:1-0')]) {
      expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.delete(miss))
    }
    expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.update('#k', { ttl: 1 }))
    expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.move('#k', { depth: 0 }))
    expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.system.delete('#k'))
  })

  test('replace rewrites it, and the count goes on', () => {
    const oracle = secret()
    expect(oracle.replace(selector, { content: 'public', role: 'user', ttl: 2 })).toEqual([])
    expect(oracle.schedules('working')).toEqual([
      {
        key: 'k',
        cad: 3,
        first_cycle: 1,
        zone: 'pre',
        node: { nodeType: 'block', ttl: 2, priority: 0, content: 'public', role: 'user' },
      },
    ])
    oracle.commit()
    expect(nodesOf(oracle.tree('working')).at(-1)).toMatchObject({ key: 'k', content: 'public', cycle: 4, ttl: 2 })
    // Next to its instance at depth 0; the key and the cadence go along, the first cycle stays.
    const [node] = oracle.replace('#k', { content: 'third', key: 'j', cad: 2 })
    expect(nodeOf(oracle, node!)).toMatchObject({ key: 'j', cad: 2 })
    expect(returning(oracle)).toEqual(['j 2 1 "third"'])
    // The instance alone is a write of the key, as ever.
    oracle.replace(byId(node!), { content: 'fourth' })
    expect(returning(oracle)).toEqual(['j 2 4 "fourth"'])
  })

  test('with another key it takes the place of that key’s schedule; two cannot take one (N29)', () => {
    const { oracle } = make()
    for (const key of ['a', 'b', 'c']) oracle.add({ content: key, key, cad: 3, ttl: 1, zone: 'post', tags: ['t'] })
    oracle.commit()
    oracle.commit()
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.replace('#a, #b', { key: 'c' }))
    expectRefused(oracle, 'E_ODI_VIOLATION', () => oracle.replace('+t', { key: 'd' }))
    expect(oracle.replace('#a', { key: 'c' })).toEqual([])
    expect(returning(oracle)).toEqual(['b 3 1 "b"', 'c 3 1 "a"'])
  })

  test('children count as well', () => {
    const { oracle } = make()
    oracle.add({ key: 'k', cad: 5, ttl: 1, zone: 'post', children: [{ content: 'a' }, { content: 'b', tags: ['t'] }] })
    oracle.commit()
    oracle.replace('+t', { content: 'c' })
    const template = (): Record<string, unknown> => oracle.schedules('working')[0]!.node
    expect(template()['children']).toMatchObject([{ content: 'a' }, { content: 'c' }])
    expectRefused(oracle, 'E_CADENCE_INVALID', () => oracle.replace('^ah *+t', { key: 'x', cad: 1 }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.replace('^ah #k', { removable: true }))
    oracle.replace('^ah #k, ^ah *+t', { children: [{ content: 'd' }], content: 'top' })
    expect(template()).toMatchObject({ content: 'top', children: [{ content: 'd', offset: 0 }] })
    oracle.delete('^ah .block[content=d]')
    expect(returning(oracle)).toEqual([])
  })

  test('redact takes the text out of it, found by itself or through an instance in history', () => {
    const oracle = secret()
    expect(oracle.redact(selector, { match: 'secret', reason: 'r' })).toEqual([])
    expect(oracle.schedules('working')[0]!.node).toMatchObject({ content: '[redacted]', data_reason: 'r' })
    expect(oracle.schedules('working')[0]!.first_cycle).toBe(1)
    expect(oracle.undo()).toBe(true)
    expect(oracle.redact('#k', { match: 'nothing of it' })).toEqual([])
    expect(oracle.undo()).toBe(false)

    const { oracle: other } = make()
    const id = other.add({ content: 'secret', key: 'k', cad: 3, zone: 'pre' })
    other.commit()
    other.redact(byId(id), { match: 'secret' })
    expect(returning(other)).toEqual(['k 3 1 "[redacted]"'])
    other.undo()
    other.delete(byId(id))
    expect(returning(other)).toEqual([])
  })

  test('an instance in ^sys shows what its schedule holds, too (N29)', () => {
    const oracle = secret()
    oracle.system.add({ content: 'a secret', key: 'k' })
    expect(oracle.system.redact('*', { match: 'nothing of it' })).toEqual([])
    expect(returning(oracle)).toEqual(['k 3 1 "secret"'])
    expect(oracle.system.redact('*', { match: 'secret' })).toHaveLength(1)
    expect(returning(oracle)).toEqual(['k 3 1 "[redacted]"'])
    oracle.undo()
    oracle.system.delete('#k')
    expect(returning(oracle)).toEqual([])
  })

  test('a signed block that is found there ends it', () => {
    const { oracle } = make()
    const header = { kind: 'reasoning', data_signature: 'sig', key: 'k', cad: 3, ttl: 1 }
    oracle.add({ content: 'my secret thought', ...header })
    oracle.commit()
    oracle.commit()
    expect(oracle.redact('#k', { match: 'secret' })).toEqual([])
    expect(returning(oracle)).toEqual([])
  })
})

describe('set (D52)', () => {
  test('there is one instance, in the active head; the others leave without a trace', () => {
    const { oracle } = make()
    oracle.add({ content: 'plan 1', key: 'p' })
    oracle.commit()
    oracle.add({ content: 'plan 2', key: 'p', zone: 'post' })
    oracle.add({ content: 'note', refs: ['block:1-1'], zone: 'post' })
    oracle.commit()
    expect(oracle.set('p', 'plan 3', { role: 'user' })).toBe('block:3-0')
    expect(nodeOf(oracle, 'block:3-0')).toMatchObject({ offset: 1, cycle: 3, content: 'plan 3' })
    expect(contents(oracle)).toEqual(['note', 'plan 3'])
    expect(rows(oracle, 'ah')).toEqual(['1 plan 3'])
    expect(nodesOf(oracle.tree('working')).filter((node) => node['supersedes'] ?? node['pact:stands_for'])).toEqual([])
    // In place now; the node before it keeps its place.
    expect(oracle.set('p', 'plan 4', { zone: 'pre', offset: -7 })).toBe('block:3-0')
    expect(nodeOf(oracle, 'block:3-0')).toMatchObject({ offset: 1, content: 'plan 4', role: 'user' })
    expect([oracle.undo(), oracle.undo()]).toEqual([true, true])
    expect(contents(oracle)).toEqual(['plan 1', 'plan 2', 'note'])
    expect(nodeOf(oracle, oracle.set('p', 'x', { offset: -3 }))).toMatchObject({ offset: -3 })
  })

  test('where older ones stand in the head, the newest is the one that stays', () => {
    const oracle = history()
    oracle.add({ content: 'old', key: 'p', zone: 'post' })
    oracle.commit()
    oracle.move('#p', { depth: 0, zone: 'post' })
    const newest = oracle.put('p', 'older', { role: 'tool' })
    expect(nodeOf(oracle, newest)).toMatchObject({ supersedes: 'block:4-0' })
    expect(oracle.set('p', 'new')).toBe(newest)
    expect(nodeOf(oracle, newest)).toMatchObject({ supersedes: 'block:4-0', content: 'new' })
  })

  test('a schedule of the key is rewritten and goes on; without one, cad makes one', () => {
    const { oracle } = make()
    oracle.add({ content: 'tick', key: 'k', cad: 3, ttl: 1, zone: 'pre', tags: ['t'] })
    oracle.commit()
    oracle.commit()
    expect(oracle.set('k', 'tock', { priority: 2 })).toBe('block:3-0')
    expect(nodeOf(oracle, 'block:3-0')!['cad']).toBeUndefined()
    expect(oracle.schedules('working')).toEqual([
      {
        key: 'k',
        cad: 3,
        first_cycle: 1,
        zone: 'pre',
        node: { nodeType: 'block', ttl: 1, priority: 2, content: 'tock', tags: ['t'] },
      },
    ])
    oracle.set('k', 'tack', { cad: 2 })
    expect(returning(oracle)).toEqual(['k 2 1 "tack"'])
    oracle.set('new', 'x', { cad: 4 })
    expect(returning(oracle)).toEqual(['k 2 1 "tack"', 'new 4 3 "x"'])
  })

  test('a key of ^sys is left to system.put and system.set', () => {
    const { oracle } = make()
    const rule = oracle.system.put('r', 'rule')
    expect(rows(oracle, 'sys')).toEqual(['0 rule'])
    expectRefused(oracle, 'E_NOT_AUTHORIZED', () => oracle.set('r', 'x'))
    expect(oracle.system.put('r', 'rule 2')).toBe(rule)
    expect(oracle.system.set('r', 'rule 3', { tags: ['t'] })).toBe(rule)
    expect(nodeOf(oracle, rule)).toMatchObject({ content: 'rule 3', tags: ['t'] })
    expect(oracle.system.set('s', 'other')).toBe('block:1-1')
    expectRefused(oracle, 'E_CADENCE_INVALID', () => oracle.system.put('r', 'x', { cad: 1 }))
    oracle.commit()
    const [changed] = [oracle.system.put('r', 'rule 4', { role: 'system' })]
    expect(nodeOf(oracle, changed)).toMatchObject({ supersedes: rule })
  })
})

describe('redact (D54)', () => {
  const card = { a: ['4111', { b: 'x 4111 y' }], '4111': 1, k4111: 2, '[redacted]': 3, '41114111': 4 }

  test('takes a text out of content, names, attributes and provenance, in place or superseding', () => {
    const { oracle } = make()
    const header = {
      key: 'k4111',
      tags: ['4111'],
      data_note: { '4111': '4111' },
      content_x: '4111',
      provenance: ['4111'],
    }
    const sealed = oracle.add({ content: card, zone: 'post', 'x:y': '4111', ...header })
    oracle.commit()
    const [node] = oracle.redact('.block', { match: '4111', author: 'kim', reason: 'card' })
    expect(nodeOf(oracle, node!)).toMatchObject({
      supersedes: sealed,
      key: 'k4111',
      tags: ['4111'],
      'x:y': '4111',
      content: {
        a: ['[redacted]', { b: 'x [redacted] y' }],
        '[redacted]': 3,
        '[redacted] 2': 1,
        '[redacted][redacted]': 4,
        'k[redacted]': 2,
      },
      data_note: { '[redacted]': '[redacted]' },
      content_x: '[redacted]',
      provenance: ['[redacted]'],
      data_author: 'kim',
      data_reason: 'card',
    })
    const open = oracle.add({ content: 'aXbXc' })
    expect(oracle.redact(byId(open), { match: 'X', with: '$&' })).toEqual([open])
    expect(nodeOf(oracle, open)!['content']).toBe('a$&b$&c')
    // A matched node is touched, also if it reads the same afterwards.
    expect(oracle.redact(byId(open), { match: 'b', with: 'b' })).toEqual([open])
    expect(oracle.redact(byId(open), { match: 'z' })).toEqual([])
    expect(oracle.undoable).toBe(4)
  })

  test('names that collide are counted in the order of what they were', () => {
    const { oracle } = make()
    const id = oracle.add({ content: { b1: 'b', a1: 'a', c1: 'c', '# 2': 'd' } })
    oracle.redact(byId(id), { match: /[abc]1/, with: '#' })
    expect(nodeOf(oracle, id)!['content']).toEqual({ '#': 'a', '# 2': 'd', '# 3': 'b', '# 4': 'c' })
  })

  test.each([
    [/\d/y, 'a#b##c'],
    [/\d*/g, 'a#b#c'],
    [/[A-C]/i, '#1#22#'],
    [/^/m, 'a1b22c'],
    [/(?<=b)2/u, 'a1b#2c'],
  ])('%s is looked for everywhere, whatever its flags', (match, expected) => {
    const { oracle } = make()
    const id = oracle.add({ content: 'a1b22c' })
    expect(oracle.redact(byId(id), { match, with: '#' })).toEqual(expected === 'a1b22c' ? [] : [id])
    expect(nodeOf(oracle, id)!['content']).toBe(expected)
  })

  test('each node by itself, and only those that have it', () => {
    const { oracle } = make()
    const box = oracle.add({ zone: 'post', data_x: '4111', children: [{ content: '4111' }, { content: 'x' }] })
    oracle.commit()
    const [other] = oracle.redact(byId(box), { match: '4111' })
    expect(nodeOf(oracle, other!)!.children!.map(({ content }) => content)).toEqual(['4111', 'x'])
    oracle.undo()
    const touched = oracle.redact('^seq *', { match: '4111' })
    expect(touched).toHaveLength(2)
    expect(nodeOf(oracle, touched[0]!)!.children!.map(({ id }) => id)).toEqual([touched[1], 'block:1-2'])
    expect(oracle.redact(byId(idsAtDepth(oracle, 1)), { match: '4111' })).toEqual([])
  })

  test('a signed thought goes whole, as a deletion', () => {
    const { oracle } = make()
    const header = { kind: 'reasoning', data_signature: 'sig', role: 'assistant' }
    const sealed = oracle.add({ content: 'about 4111', ...header })
    oracle.add({ content: 'about nothing', ...header })
    oracle.add({ content: 'about 4111', kind: 'reasoning' })
    oracle.commit()
    const open = oracle.add({ content: 'about 4111', ...header })
    const touched = oracle.redact('.block', { match: '4111', author: 'kim' })
    expect(touched).toHaveLength(3)
    expect(nodeOf(oracle, touched[0]!)).toMatchObject({ nodeType: 'block:redaction', content: '', supersedes: sealed })
    expect(nodeOf(oracle, touched[0]!)!['data_author']).toBe('kim')
    expect(touched[2]).toBe(open)
    expect(contents(oracle)).toEqual(['', 'about nothing', 'about [redacted]'])
  })

  test('refusals', () => {
    const { oracle } = make()
    oracle.system.add({ content: '4111' })
    oracle.add({ content: '4111' })
    for (const match of ['', 5, undefined]) {
      expectRefused(oracle, 'E_CONTENT_INVALID', () => oracle.redact('^ah .block', { match: match as string }))
    }
    expectRefused(oracle, 'E_NODE_NOT_FOUND', () => oracle.redact('#nobody', { match: '4' }))
    expectRefused(oracle, 'E_NOT_AUTHORIZED', () => oracle.redact('.block', { match: '4' }))
    expectRefused(oracle, 'E_PLACEMENT_INVALID', () => oracle.redact('^ah', { match: '4' }))
    expectRefused(oracle, 'E_SELECTOR_INVALID', () => oracle.redact('@t0 .block', { match: '' }))
    expect(oracle.redact('#nobody?', { match: '4' })).toEqual([])
    expect(oracle.system.redact('*', { match: '4' })).toEqual(['block:1-0'])
  })
})

test('what is replaced in its last cycle leaves with its ttl, and so does its stand-in (D24, D41)', () => {
  const { oracle } = make()
  oracle.add({ content: 'u' })
  oracle.add({ content: 'doc', ttl: 1, key: 'k', zone: 'post' })
  oracle.commit()
  oracle.replace('#k', { content: 'd2' })
  oracle.commit()
  expect(contents(oracle, 2)).toEqual(['u'])
})
