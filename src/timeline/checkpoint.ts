// A tree as a list of its nodes, and back: the snapshot that a timeline begins with when what came before it is not there.

import { PactError } from '../errors/index.js'
import {
  Gone,
  REGIONS,
  Schedules,
  type CheckpointSnapshot,
  type CommitRecord,
  type NodeRecord,
  type TreeChange,
} from '../core/index.js'
import { Base } from './base.js'
import { misfitIn, plant, type Misfit } from './plant.js'
import { changedTree } from './replay.js'
import { recordOf } from './sequence.js'
import { Timeline } from './timeline.js'
import { changeBetween, emptiedIn } from './tree-change.js'
import { recordsOf, type Tree } from './tree.js'

/** A snapshot that there is, with all that it needs to begin another timeline. */
export function listedSnapshot(timeline: Timeline, cycle: number): Omit<CheckpointSnapshot, 'extras'> {
  const { first } = timeline.bounds!
  const tree = timeline.treeAt(cycle)!
  return {
    cycle,
    first,
    nodes: recordsOf(tree),
    emptied: emptiedIn(undefined, tree),
    schedules: [...tree.schedules],
    log: timeline.changesAt(cycle),
    receipt: timeline.receiptAt(cycle),
  }
}

/** The change that the commit of a cycle made, if the snapshot before it is loaded. */
export function changeAt(timeline: Timeline, cycle: number): TreeChange {
  const find = (id: string): NodeRecord | undefined => timeline.find(id, cycle - 1)
  return changeBetween(timeline.treeAt(cycle - 1), find, timeline.treeAt(cycle)!, timeline.changesAt(cycle))
}

/** A timeline that begins with this snapshot. */
export function timelineFrom(snapshot: CheckpointSnapshot, history?: number, isBacked?: boolean): Timeline {
  const log = new Set(snapshot.log)
  // Hints are in the order of commits, the same as in a context that made those commits.
  const older = snapshot.nodes.filter((node) => !log.has(node)).sort((a, b) => a.born - b.born)
  const tree = plantTree(snapshot, misfit)
  const ids = new Set(snapshot.nodes.map(({ id }) => id))
  for (const { id } of snapshot.log.filter((version) => version instanceof Gone)) {
    if (ids.has(id)) throw misfit(0, `${id} has left`)
  }
  return Timeline.beginning({ ...snapshot, tree }, Base.of(older), history, isBacked)
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

/** A tree from the list of its nodes, the root first. */
export function plantTree(
  { nodes: [root, ...nodes], emptied, schedules }: Pick<CheckpointSnapshot, 'nodes' | 'emptied' | 'schedules'>,
  misfit: Misfit,
): Tree {
  if (root?.nodeClass !== 'root') throw misfit(0, 'the root comes first')
  const regions = plant({
    nodes,
    emptied,
    parentId: root.id,
    isRoot: true,
    misfit: (index, why) => misfit(index + 1, why),
  })
  if (regions.length !== REGIONS.length || regions.some((region, i) => recordOf(region).nodeType !== REGIONS[i])) {
    throw misfit(1, 'the children of the root are ^sys, ^seq and ^ah')
  }
  return {
    root,
    regions: regions as unknown as Tree['regions'],
    schedules: Schedules.of(schedules),
  }
}

const misfit = misfitIn('snapshot')
