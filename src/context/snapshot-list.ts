// The list of snapshots, newest first, all or a page of them.

import { checkNames, checkOption, wholeFrom } from '../errors/index.js'
import type { Timeline } from '../timeline/index.js'
import type { SnapshotRef } from '../diff/index.js'
import { oldestOf, timeRef } from './lens.js'

/** A page of the list: the next one is that before the last cycle of this one. */
export type SnapshotsOptions = Readonly<{
  /** The largest number of snapshots to list. */
  limit?: number | undefined
  /** Only those of earlier cycles than this one. */
  before?: number | undefined
}>

/** Lists snapshots, at the cost of the listed ones. */
export function listSnapshots(timeline: Timeline, options: SnapshotsOptions = {}): readonly SnapshotRef[] {
  checkNames(options, ['limit', 'before'], '{ limit: 100 }', 'E_SELECTOR_INVALID')
  const { limit = Infinity, before = Infinity } = options
  checkOption('limit', limit, COUNT)
  checkOption('before', before, COUNT)
  const { bounds } = timeline
  const refs: SnapshotRef[] = []
  if (bounds === undefined) return Object.freeze(refs)
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  let cycle = thinned.previous(Math.min(newest, before - 1))
  for (; cycle >= oldest && refs.length < limit; cycle = thinned.previous(cycle - 1)) refs.push(timeRef(cycle, bounds))
  return Object.freeze(refs)
}

const COUNT = wholeFrom(0, true)
