// Expiry times, against a filter over all nodes; and that a sequence is not looked through again without a change.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { NodeRecord } from '../core/index.js'
import { dueFrom, endingIn } from './due.js'
import { Branch, recordOf, Sequence, type TreeNode } from './sequence.js'

const SEED = Number(process.env['PACT_SEED'] ?? 6)

test('finds what ends in a cycle, in any order of asking, before and after edits (D24)', () => {
  const ttl = fc.option(fc.nat(6), { nil: null })
  const question = fc.record({ cycle: fc.integer({ min: 1, max: 8 }), add: ttl, drop: fc.nat(200) })
  fc.assert(
    fc.property(fc.array(fc.array(ttl, { maxLength: 40 }), { maxLength: 60 }), fc.array(question), (groups, asked) => {
      let sequence = Sequence.fromSorted(groups.map((ttls, i) => box(i, ttls)))
      for (const [i, { cycle, add, drop }] of asked.entries()) {
        const tops = [...endingIn(sequence, cycle)].map((node) => recordOf(node).id)
        expect(tops).toEqual(naive(sequence, cycle))
        sequence = sequence.insert(box(1000 + i, [add]))
        const gone = sequence.at(drop % sequence.size)!
        sequence = sequence.remove(recordOf(gone))
      }
    }),
    { seed: SEED, numRuns: 100 },
  )
})

test('works out again only what is new, however many nodes are overdue', () => {
  let sequence = Sequence.fromSorted(Array.from({ length: 20_000 }, (_, i) => leaf(i, 1)))
  dueFrom(sequence, 5)
  for (let i = 0; i < 50; i++) {
    const known = new Set(chunksIn(sequence))
    sequence = sequence.insert(leaf(20_000 + i, 100))
    expect(dueFrom(sequence, 6 + i)).toBe(101)
    const isNew = (chunk: Sequence): boolean => chunk.later?.from === 6 + i
    expect(chunksIn(sequence).filter((chunk) => known.has(chunk) && isNew(chunk))).toEqual([])
    expect(chunksIn(sequence).filter(isNew).length).toBeLessThan(6)
  }
})

function leaf(index: number, ttl: number | null, name = 'n'): NodeRecord {
  return new NodeRecord({
    id: `${name}${index}`,
    parentId: 'parent',
    nodeClass: 'block',
    nodeType: 'b',
    offset: index,
    createdAtNs: 0n,
    creationIndex: index,
    cycle: 1,
    priority: 0,
    ttl,
    ttlFrom: 1,
    role: undefined,
    kind: undefined,
    content: 'x',
    rare: undefined,
    born: 1,
    by: 'post',
  })
}

function box(index: number, ttls: readonly (number | null)[]): Branch {
  const children = ttls.map((ttl, i) => leaf(i, ttl, `${index}.`))
  return new Branch(leaf(index, ttls[0] === 3 ? 3 : null, 'box'), Sequence.fromSorted(children))
}

/** Every chunk of the sequence itself. */
function chunksIn(sequence: Sequence): readonly Sequence[] {
  return [sequence, ...(sequence.chunks ?? []).flatMap(chunksIn)]
}

function naive(sequence: Sequence, cycle: number): readonly string[] {
  return sequence.toArray().flatMap((node: TreeNode) => {
    if (recordOf(node).expiry === cycle) return [recordOf(node).id]
    return node instanceof Branch ? naive(node.children, cycle) : []
  })
}
