// A tree from decoded records: an import becomes the first snapshot of a timeline.

import { EMPTY_RECEIPT, type NodeRecord } from '../core/index.js'
import type { DecodedNode, DecodedSnapshot } from '../codec/index.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import { eachRecord, type Tree } from './tree.js'

/** The timeline that holds this one snapshot, and the latest time in it. */
export function growTimeline(decoded: DecodedSnapshot): { timeline: Timeline; lastNs: bigint } {
  const regions = decoded.regions.map(grow) as unknown as Tree['regions']
  const tree: Tree = { root: decoded.root, regions, schedules: decoded.schedules, sealed: undefined }
  const records = [tree.root]
  for (const region of regions) eachRecord(region, (record) => records.push(record))
  const timeline = new Timeline()
  timeline.append(decoded.cycle, tree, records, EMPTY_RECEIPT)
  return { timeline, lastNs: records.reduce(latest, tree.root.createdAtNs) }
}

function grow(node: DecodedNode): TreeNode {
  if (node.children === undefined) return node.record
  return new Branch(node.record, Sequence.fromSorted(node.children.map(grow)), node.everHeld)
}

function latest(ns: bigint, record: NodeRecord): bigint {
  return record.createdAtNs > ns ? record.createdAtNs : ns
}
