// A tree from the list of its nodes, parents before children and siblings in order. A list that is no tree is refused: its bytes were damaged.

import { PactError } from '../errors/index.js'
import { compareSiblings, type NodeRecord } from '../core/index.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'

/** The error about a node in a list. */
export type Misfit = (index: number, why: string) => PactError

/** The error about a node in the list of a snapshot. */
export function misfitIn(snapshot: string): Misfit {
  return (index, why) => {
    const path = `${snapshot}.nodes[${index}]`
    return new PactError('E_SNAPSHOT_INVALID', `${path}: The tree does not hold together here: ${why}.`, { path })
  }
}

export type Plot = Readonly<{
  nodes: readonly NodeRecord[]
  /** The containers that are empty and have held something. */
  emptied: readonly string[]
  /** The id of the parent of the top nodes. */
  parentId: string
  /** True if that is the root, whose children are the regions. */
  isRoot: boolean
  misfit: Misfit
}>

/** The children of the parent with their subtrees. */
export function plant({ nodes, emptied, parentId, isRoot, misfit }: Plot): readonly TreeNode[] {
  const ids = new Set<string>([parentId])
  const children = new Map<string, NodeRecord[]>([[parentId, []]])
  for (const [i, node] of nodes.entries()) {
    if (ids.has(node.id)) throw misfit(i, 'its id occurs twice')
    ids.add(node.id)
    const siblings = children.get(node.parentId!)
    if (siblings === undefined) throw misfit(i, 'its parent is not before it')
    const isUnderRoot = isRoot && node.parentId === parentId
    if (node.nodeClass === 'root' || (node.nodeClass === 'region') !== isUnderRoot) {
      throw misfit(i, 'regions are children of the root, and nowhere else')
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
