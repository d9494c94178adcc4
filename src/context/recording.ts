// What a store writes of a context: each commit, between working it out and showing it, and now and then the whole.

import type { Checkpoint, CommitRecord } from '../core/index.js'
import { newestSnapshot, View } from '../timeline/index.js'
import { openingOf } from './beginning.js'
import type { Parts } from './parts.js'
import { Snapshot } from './snapshot.js'

/** A commit of which nothing is to be seen yet; until it is published or discarded the context takes no edits. */
export type PendingCommit = Readonly<{
  /** The cycle that it closes. */
  cycle: number
  /** What a store has to write. */
  record: () => CommitRecord
  /** Makes it visible and gives the snapshot; cannot fail. Who listens to commits is told by the caller. */
  publish: () => Snapshot
  /** Leaves the context as it was; the clock and the ids option have been asked. */
  discard: () => void
}>

export function prepareCommit({
  open,
  timeline,
  queries,
  home,
  attempts,
  commitWarnings,
  forks,
}: Parts): PendingCommit {
  const { cycle, record, publish, discard } = open.prepare()
  return {
    cycle,
    record: () => record(forks.given),
    publish: () => {
      publish()
      attempts.endCycle()
      commitWarnings.tell(timeline, cycle)
      return Snapshot.handOut(queries.settle(View.ofSnapshot(timeline, cycle)), home)
    },
    discard,
  }
}

/**
 * The context as its open cycle began: edits that are not committed are left out, and so are holds. Attempts come and end
 * between commits, so a store writes them by themselves (see Attempts.listen).
 */
export function checkpointOf({ open, timeline, home, forks, importWarnings }: Parts): Checkpoint {
  const { dialect, specVersion, extrasAt } = home.edition
  const { fork, hasForeignIds } = open.mint.sources
  const newest = newestSnapshot(timeline)
  const before = newest && timeline.treeAt(newest.cycle)
  const find = (id: string) => newest && timeline.find(id, newest.cycle)
  return {
    dialect,
    specVersion,
    fork,
    forks: forks.given,
    hasForeignIds,
    warnings: importWarnings,
    snapshot: newest && { ...newest, extras: extrasAt(newest.cycle) },
    opening: openingOf(open.beginning, before, find),
  }
}
