// The rows that are kept with a leaf: made once, right at every depth, and never those of another root.

import { expect, test } from 'vitest'

import { NodeRecord, type RecordFields } from '../../core/index.js'
import { Branch, newTree, Sequence } from '../../timeline/index.js'
import { FlatTree } from './flat-tree.js'

const SEGMENTS = ['a', 'b', 'c'].map((id) => {
  const fields: RecordFields = newTree().regions[1].record
  return new Branch(new NodeRecord({ ...fields, id, nodeClass: 'seg', parentId: 'seq' }), Sequence.EMPTY)
})

test('rows of a leaf are made once and serve at every depth', () => {
  const leaf = Sequence.leaf(SEGMENTS)
  const [older, newer] = [3, 10].map((depth) => FlatTree.ofLeaf(newTree(), leaf, depth))
  expect(newer!.records).toBe(older!.records)
  expect([2, 3, 4].map((row) => older!.depthAt(row))).toEqual([3, 2, 1])
  expect([2, 3, 4].map((row) => newer!.depthAt(row))).toEqual([10, 9, 8])
})

test('a tree with another root or ^seq gets rows of its own', () => {
  const leaf = Sequence.leaf(SEGMENTS)
  const { root, regions } = newTree()
  const [sys, seq, head] = regions
  const otherSeq = seq.withRecord(new NodeRecord(seq.record))
  FlatTree.ofLeaf({ root, regions }, leaf, 3)
  for (const top of [
    { root: new NodeRecord(root), regions },
    { root, regions: [sys, otherSeq, head] as const },
  ]) {
    const flat = FlatTree.ofLeaf(top, leaf, 3)
    expect(flat.records[0]).toBe(top.root)
    expect(flat.records[flat.seqRow]).toBe(top.regions[1].record)
  }
})
