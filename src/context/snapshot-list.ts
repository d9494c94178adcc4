// Which snapshots there are, newest first, all or a page of them.

import { describe, PactError } from '../errors/index.js'
import type { Timeline } from '../timeline/index.js'
import type { SnapshotRef } from '../diff/index.js'
import { checkNames } from '../selector/index.js'
import { oldestOf, timeRef } from './lens.js'

/** A page of the list: the next one is that before the last cycle of this one. */
export type SnapshotsOptions = Readonly<{
  /** How many to list at the most. */
  limit?: number | undefined
  /** Only those of earlier cycles than this one. */
  before?: number | undefined
}>

/** Lists snapshots, at the price of those that are listed. */
export function listSnapshots(timeline: Timeline, options: SnapshotsOptions = {}): readonly SnapshotRef[] {
  checkNames(options, ['limit', 'before'], '{ limit: 100 }')
  const { limit = Infinity, before = Infinity } = options
  if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= 0)) throw refused('limit', limit)
  if (before !== Infinity && !(Number.isSafeInteger(before) && before >= 0)) throw refused('before', before)
  const { bounds } = timeline
  const [newest, oldest] = bounds === undefined ? [-1, 0] : [bounds.newest, oldestOf(bounds)]
  const last = Math.min(newest, before - 1)
  const refs: SnapshotRef[] = []
  for (let cycle = last; cycle >= oldest && cycle > last - limit; cycle--) refs.push(timeRef(cycle, newest))
  return Object.freeze(refs)
}

function refused(name: keyof SnapshotsOptions, value: unknown): PactError {
  const message = `The option ${name} is a whole number from 0 up, not ${describe(value)}.`
  return new PactError('E_CONTENT_INVALID', message, { name })
}
