// A tree from a list of its nodes, parents before their children and siblings in order. A list that no tree gives is
// refused: its bytes were damaged.

import type { PactError } from '../errors/index.js'
import { compareSiblings, type NodeRecord } from '../core/index.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'

export type Plot = Readonly<{
  nodes: readonly NodeRecord[]
  /** The containers that hold nothing and have held something. */
  emptied: readonly string[]
  /** The id of what they all stand in. */
  parentId: string
  /** Whether that is the root: then regions stand in it, and nowhere else. */
  isRoot: boolean
  /** The error about a node in the list. */
  misfit: (index: number, why: string) => PactError
}>

/** What stands directly in the parent, each with all that stands in it. */
export function plant({ nodes, emptied, parentId, isRoot, misfit }: Plot): readonly TreeNode[] {
  const ids = new Set<string>([parentId])
  const children = new Map<string, NodeRecord[]>([[parentId, []]])
  for (const [i, node] of nodes.entries()) {
    if (ids.has(node.id)) throw misfit(i, 'its id stands twice')
    ids.add(node.id)
    const siblings = children.get(node.parentId!)
    if (siblings === undefined) throw misfit(i, 'its parent does not stand before it')
    const isUnderRoot = isRoot && node.parentId === parentId
    if (node.nodeClass === 'root' || (node.nodeClass === 'region') !== isUnderRoot) {
      throw misfit(i, 'under the root stand regions, and nowhere else')
    }
    siblings.push(node)
    if (node.nodeClass !== 'block') children.set(node.id, [])
  }
  const held = new Set(emptied)
  const inOrder = (list: readonly NodeRecord[]): readonly NodeRecord[] => {
    for (let i = 1; i < list.length; i++) {
      if (compareSiblings(list[i - 1]!, list[i]!) >= 0) throw misfit(nodes.indexOf(list[i]!), 'it is out of order')
    }
    return list
  }
  const grow = (record: NodeRecord): TreeNode => {
    const below = children.get(record.id)
    if (below === undefined) return record
    return new Branch(record, Sequence.fromSorted(inOrder(below).map(grow)), held.has(record.id))
  }
  const tops = children.get(parentId)!
  // Regions come in an order of their own.
  return (isRoot ? tops : inOrder(tops)).map(grow)
}
