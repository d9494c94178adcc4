// The snapshots of a range (D7): its ends in either order, clipped to the existing snapshots.

import { PactError, short } from '../errors/index.js'
import type { JsonObject } from '../core/index.js'
import type { SnapshotRef } from '../diff/index.js'
import { selectorError, type Span, type TimePoint, type TimePrefix } from '../selector/index.js'
import { notLoaded, spanFrom, type Bounds } from '../timeline/index.js'
import {
  cycleBack,
  cycleRef,
  DROPPED,
  hasDropped,
  heldSnapshots,
  isThere,
  oldestOf,
  REASON,
  THINNED,
  timeRef,
} from './lens.js'

/** A time prefix that names a range. */
export type TimeRange = Extract<TimePrefix, { kind: 'range' }>

export type ResolvedRange = Readonly<{
  /** Newest first, and no more than were asked for. */
  refs: readonly SnapshotRef[]
  /** The number of snapshots in the range. */
  found: number
  warnings: readonly string[]
}>

/** The snapshots of a range in a selector's text. */
export function resolveRange(
  { from, to, span }: TimeRange,
  text: string,
  bounds: Bounds | undefined,
  most: number = Infinity,
): ResolvedRange {
  const fail = (sentence: string, more: JsonObject = {}): never => {
    const { message, details } = selectorError('E_SNAPSHOT_NOT_FOUND', sentence, text, span.start, span.end)
    throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { ...details, ...more })
  }
  if (bounds === undefined) return fail('There is no snapshot before the first commit.')
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  const kind = from.kind === 'c' || to.kind === 'c' ? 'c' : 't'
  const ends = [cycleOf(from, bounds), cycleOf(to, bounds)]
  const [first, last] = [Math.min(...ends), Math.max(...ends)]
  const held = heldSnapshots(bounds)
  if (last < oldest || first > newest) {
    const isDropped = hasDropped(bounds, last)
    const more = isDropped ? REASON : {}
    return fail(`There is no snapshot in that range; ${held}${isDropped ? DROPPED : ''}.`, { oldest, newest, ...more })
  }
  const warnings: string[] = []
  if (last > newest) warnings.push(`The range goes beyond the newest snapshot and ends there; ${held}.`)
  if (first < oldest) warnings.push(`The range goes back beyond the oldest snapshot and starts there; ${held}.`)
  const [low, high] = [thinned.next(Math.max(first, oldest)), thinned.previous(Math.min(last, newest))]
  if (low > high) return fail(`All snapshots of that range were thinned out; ${held}.`, { oldest, newest, ...THINNED })
  const passed = thinned.count(Math.max(first, oldest), Math.min(last, newest))
  if (passed > 0)
    warnings.push(
      `${passed} of its snapshots ${passed === 1 ? 'was' : 'were'} thinned out; their changes are listed with the next one.`,
    )
  const refs: SnapshotRef[] = []
  for (let cycle = high; cycle >= low && refs.length < most; cycle = thinned.previous(cycle - 1)) {
    refs.push(kind === 'c' ? cycleRef(cycle) : timeRef(cycle, bounds))
  }
  const deepest = refs.at(-1)?.cycle ?? newest
  const isLoaded = deepest >= bounds.oldest || (refs.length === 1 && isThere(bounds, deepest))
  if (!isLoaded) throw unloadedRange(bounds, deepest, text, span)
  return { refs, found: high - low + 1 - thinned.count(low, high), warnings }
}

function cycleOf(point: TimePoint, bounds: Bounds): number {
  if (point.kind === 'oldest') return oldestOf(bounds)
  return point.kind === 'c' ? point.value : cycleBack(bounds.newest, -point.value, bounds.thinned)
}

function unloadedRange(bounds: Bounds, cycle: number, text: string, { start, end }: Span): PactError {
  const lens = text.slice(start, end)
  const { code, message, details } = notLoaded(`Some of ${short(lens)} is`, cycle, bounds, spanFrom(cycle), { lens })
  return selectorError(code, message, text, start, end, details)
}
