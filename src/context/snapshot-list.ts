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
  const refs: SnapshotRef[] = []
  if (bounds === undefined) return Object.freeze(refs)
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  let cycle = thinned.previous(Math.min(newest, before - 1))
  for (; cycle >= oldest && refs.length < limit; cycle = thinned.previous(cycle - 1)) refs.push(timeRef(cycle, bounds))
  return Object.freeze(refs)
}

function refused(name: keyof SnapshotsOptions, value: unknown): PactError {
  const message = `The option ${name} is a whole number from 0 up, not ${describe(value)}.`
  return new PactError('E_CONTENT_INVALID', message, { name })
}
