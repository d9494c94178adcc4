// A tree from decoded records: an import becomes the first snapshot of a timeline.

import type { NodeRecord } from '../core/index.js'
import { DecodedBranch, type DecodedNode, type DecodedSnapshot } from '../codec/index.js'
import { Era } from './era.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import type { Tree } from './tree.js'

/** The timeline that holds this one snapshot, and the latest time in it. */
export function growTimeline(decoded: DecodedSnapshot, history?: number): { timeline: Timeline; lastNs: bigint } {
  const records = [decoded.root]
  const regions = decoded.regions.map((region) => grow(region, records)) as unknown as Tree['regions']
  const tree: Tree = { root: decoded.root, regions, schedules: decoded.schedules }
  const timeline = Timeline.imported(Era.imported(decoded.cycle, tree, records, decoded.byId), history)
  return { timeline, lastNs: records.reduce(latest, tree.root.createdAtNs) }
}

/** The node of the tree; adds the records of all nodes from here down, in document order. */
function grow(node: DecodedNode, records: NodeRecord[]): TreeNode {
  if (!(node instanceof DecodedBranch)) {
    records.push(node)
    return node
  }
  records.push(node.record)
  // In place: the decoder gives the list away.
  const children: (DecodedNode | TreeNode)[] = node.children
  for (let i = 0; i < children.length; i++) children[i] = grow(children[i] as DecodedNode, records)
  return new Branch(node.record, Sequence.fromSorted(children as TreeNode[]), node.everHeld)
}

function latest(ns: bigint, record: NodeRecord): bigint {
  return record.createdAtNs > ns ? record.createdAtNs : ns
}
