// A tree as a list of its nodes, and back: the snapshot that a timeline begins with when what came before it is not there.

import { PactError } from '../errors/index.js'
import {
  compareSiblings,
  Gone,
  REGIONS,
  Schedules,
  type CheckpointSnapshot,
  type CommitRecord,
  type NodeRecord,
  type TreeChange,
} from '../core/index.js'
import { changedTree } from './replay.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import { changeBetween, emptiedIn } from './tree-change.js'
import { eachRecord, type Tree } from './tree.js'

/** A snapshot that there is, with all that it needs to begin another timeline. */
export function listedSnapshot(timeline: Timeline, cycle: number): Omit<CheckpointSnapshot, 'extras'> {
  const { first } = timeline.bounds!
  const tree = timeline.treeAt(cycle)!
  const nodes = [tree.root]
  for (const region of tree.regions) eachRecord(region, (record) => nodes.push(record))
  return {
    cycle,
    first,
    nodes,
    emptied: [...emptiedIn(undefined, tree)],
    schedules: [...tree.schedules],
    log: timeline.changesAt(cycle),
    receipt: timeline.receiptAt(cycle),
  }
}

/** What the commit of a cycle changed, where the snapshot before it is there. */
export function changeAt(timeline: Timeline, cycle: number): TreeChange {
  const find = (id: string): NodeRecord | undefined => timeline.find(id, cycle - 1)
  return changeBetween(timeline.treeAt(cycle - 1), find, timeline.treeAt(cycle)!, timeline.changesAt(cycle))
}

/** A timeline that begins with this snapshot. */
export function timelineFrom(snapshot: CheckpointSnapshot, history?: number, isBacked?: boolean): Timeline {
  const log = new Set(snapshot.log)
  // What came first stands first among the hints, as if the commits had been seen.
  const older = snapshot.nodes.filter((node) => !log.has(node)).sort((a, b) => a.born - b.born)
  return Timeline.beginning({ ...snapshot, tree: plant(snapshot) }, older, history, isBacked)
}

/** Takes up the snapshot of the next commit, from what it changed. */
export function replayCommit(timeline: Timeline, { cycle, change, receipt }: CommitRecord): void {
  const { newest } = timeline
  if (cycle !== (newest ?? 0) + 1) {
    const message = `After cycle ${newest ?? 0} comes ${(newest ?? 0) + 1}; this is the record of cycle ${cycle}.`
    throw new PactError('E_SNAPSHOT_INVALID', message, { path: 'cycle', cycle })
  }
  const before = newest === undefined ? undefined : timeline.treeAt(newest)
  const tree = changedTree(before, (id) => timeline.find(id, cycle - 1), change)
  timeline.append(cycle, tree, change.versions, receipt)
}

function plant({ nodes, emptied, schedules, log }: CheckpointSnapshot): Tree {
  const [root] = nodes
  if (root?.nodeClass !== 'root') throw misfit(0, 'the root comes first')
  const ids = new Set<string>()
  const children = new Map<string, NodeRecord[]>()
  for (const [i, node] of nodes.entries()) {
    if (ids.has(node.id)) throw misfit(i, 'its id stands twice')
    ids.add(node.id)
    const siblings = node.parentId === undefined ? undefined : children.get(node.parentId)
    if (i > 0 && siblings === undefined) throw misfit(i, 'its parent does not stand before it')
    const isUnderRoot = node.parentId === root.id
    if (i > 0 && (node.nodeClass === 'root' || (node.nodeClass === 'region') !== isUnderRoot)) {
      throw misfit(i, 'under the root stand regions, and nowhere else')
    }
    siblings?.push(node)
    if (node.nodeClass !== 'block') children.set(node.id, [])
  }
  const regions = children.get(root.id)!
  if (regions.length !== REGIONS.length || regions.some(({ nodeType }, i) => nodeType !== REGIONS[i])) {
    throw misfit(1, 'under the root stand ^sys, ^seq and ^ah')
  }
  for (const version of log)
    if (version instanceof Gone && ids.has(version.id)) throw misfit(0, `${version.id} has left`)
  const held = new Set(emptied)
  const grow = (record: NodeRecord): TreeNode => {
    const below = children.get(record.id)
    if (below === undefined) return record
    for (let i = 1; i < below.length; i++) {
      if (compareSiblings(below[i - 1]!, below[i]!) >= 0) throw misfit(nodes.indexOf(below[i]!), 'it is out of order')
    }
    return new Branch(record, Sequence.fromSorted(below.map(grow)), held.has(record.id))
  }
  return {
    root,
    regions: regions.map(grow) as unknown as Tree['regions'],
    schedules: schedules.reduce((all, each) => all.with(each), Schedules.NONE),
    sealed: undefined,
  }
}

function misfit(index: number, why: string): PactError {
  const path = `snapshot.nodes[${index}]`
  return new PactError('E_SNAPSHOT_INVALID', `${path}: The tree does not hold together here: ${why}.`, { path })
}
