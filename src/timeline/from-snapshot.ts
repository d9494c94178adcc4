// A tree from decoded records: an import becomes the first snapshot of a timeline.

import type { NodeRecord } from '../core/index.js'
import { DecodedBranch, type DecodedNode, type DecodedSnapshot } from '../codec/index.js'
import { Era } from './era.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import type { Tree } from './tree.js'
import { View } from './view.js'

/** The timeline that holds this one snapshot, and the latest time in it. `amend` gives other versions of some nodes. */
export function growTimeline(
  decoded: DecodedSnapshot,
  history?: number,
  amend?: (view: View) => ReadonlyMap<string, NodeRecord>,
): { timeline: Timeline; lastNs: bigint } {
  const { cycle, byId } = decoded
  const records = [decoded.root]
  const regions = decoded.regions.map((region) => grow(region, records)) as unknown as Tree['regions']
  const tree: Tree = { root: decoded.root, regions, schedules: decoded.schedules }
  const timeline = Timeline.imported(Era.imported(cycle, tree, records, byId), history)
  const lastNs = records.reduce(latest, tree.root.createdAtNs)
  const amended = amend?.(View.ofSnapshot(timeline, cycle)) ?? NONE
  if (amended.size === 0) return { timeline, lastNs }
  for (const [id, record] of amended) byId.set(id, record)
  const again = {
    ...tree,
    regions: regions.map((region) => withRecords(region, amended)) as unknown as Tree['regions'],
  }
  const era = Era.imported(
    cycle,
    again,
    records.map((record) => amended.get(record.id) ?? record),
    byId,
  )
  return { timeline: Timeline.imported(era, history), lastNs }
}

const NONE: ReadonlyMap<string, NodeRecord> = new Map()

function withRecords(node: TreeNode, amended: ReadonlyMap<string, NodeRecord>): TreeNode {
  if (!(node instanceof Branch)) return amended.get(node.id) ?? node
  const children = node.children.toArray().map((child) => withRecords(child, amended))
  return new Branch(amended.get(node.record.id) ?? node.record, Sequence.fromSorted(children), node.everHeld)
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
