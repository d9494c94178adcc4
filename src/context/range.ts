// Which snapshots a range names (D7): its ends in either order, clipped to what exists.

import { PactError } from '../errors/index.js'
import type { SnapshotRef } from '../diff/index.js'
import type { TimePoint, TimePrefix } from '../selector/index.js'
import { cycleRef, timeRef } from './lens.js'

/** A time prefix that names a range. */
export type TimeRange = Extract<TimePrefix, { kind: 'range' }>

export type ResolvedRange = Readonly<{ refs: readonly SnapshotRef[]; warnings: readonly string[] }>

/** The snapshots of a range, newest first; `cycles` are those of all that exist, newest first. */
export function resolveRange({ from, to }: TimeRange, cycles: readonly number[]): ResolvedRange {
  const [newest] = cycles
  const oldest = cycles.at(-1)
  if (newest === undefined || oldest === undefined) {
    throw new PactError('E_SNAPSHOT_NOT_FOUND', 'There is no snapshot before the first commit.')
  }
  const kind = from.kind === 'c' || to.kind === 'c' ? 'c' : 't'
  const ends = [cycleOf(from, newest, oldest), cycleOf(to, newest, oldest)]
  const [first, last] = [Math.min(...ends), Math.max(...ends)]
  const found = cycles.filter((cycle) => cycle >= first && cycle <= last)
  const held = `the snapshots are @c${oldest} to @c${newest} (@t0 to @t-${newest - oldest})`
  if (found.length === 0) {
    const message = `There is no snapshot in that range; ${held}.`
    throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { oldest, newest })
  }
  const warnings: string[] = []
  if (last > newest) warnings.push(`The range goes beyond the newest snapshot and ends there; ${held}.`)
  if (first < oldest) warnings.push(`The range goes back beyond the oldest snapshot and starts there; ${held}.`)
  const refs = found.map((cycle) => (kind === 'c' ? cycleRef(cycle) : timeRef(cycle, newest)))
  return { refs, warnings }
}

function cycleOf(point: TimePoint, newest: number, oldest: number): number {
  if (point.kind === 'oldest') return oldest
  return point.kind === 'c' ? point.value : newest + point.value
}
