// Lenses (D5): names of a snapshot, of the working state, or of the preview of a commit.

import { describe, PactError, short } from '../errors/index.js'
import type { SnapshotRef } from '../diff/index.js'
import { notLoaded, type Bounds, type Thinned, type Timeline } from '../timeline/index.js'

/** Gives the cycle of the snapshot that a lens other than 'working' and 'preview' names. */
export function cycleOfLens(lens: string, timeline: Timeline): number {
  const parsed = parseLens(lens)
  if (parsed === undefined) {
    const message = `${describe(lens)} is no lens; write @t0, @t-1, @c12, working or preview.`
    throw new PactError('E_SELECTOR_INVALID', message, {
      token: typeof lens === 'string' ? lens : describe(lens),
      pos: 0,
    })
  }
  const { newest } = timeline
  if (newest === undefined) {
    const message = `There is no ${short(lens)} before the first commit; a commit that is under way has to be awaited.`
    throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { lens })
  }
  const { thinned } = timeline
  const cycle = parsed.kind === 'c' ? parsed.value : cycleBack(newest, -parsed.value, thinned)
  if (cycle <= newest && cycle >= timeline.oldest! && !thinned.has(cycle)) return cycle
  const bounds = timeline.bounds!
  if (isThere(bounds, cycle)) return cycle
  if (thinned.has(cycle)) throw thinnedOut(bounds, lens, cycle)
  if (isUnloaded(bounds, cycle)) throw unloaded(bounds, lens, cycle)
  const oldest = oldestOf(bounds)
  const isDropped = hasDropped(bounds, cycle)
  const is = isDropped ? `There is no ${short(lens)} any more` : `There is no ${short(lens)}`
  const message = `${is}; ${heldSnapshots(bounds)}${isDropped ? DROPPED : ''}.`
  throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { lens, oldest, newest, ...(isDropped ? REASON : {}) })
}

/** The cycle of the snapshot `steps` before the newest one; a negative number leads beyond the newest. */
export function cycleBack(newest: number, steps: number, thinned: Thinned): number {
  return steps <= 0 ? newest - steps : thinned.back(newest, steps)
}

/** Why the snapshot that a lens names is not there, although older ones are. */
export function thinnedOut(bounds: Bounds, lens: string, cycle: number): PactError {
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  const [before, after] = [thinned.previous(cycle), thinned.next(cycle)]
  const near =
    before < oldest ? `the oldest there is now is @c${after}` : `those around it are @c${before} and @c${after}`
  const message = `There is no ${short(lens)} any more: the snapshot of cycle ${cycle} was thinned out; ${near}.`
  return new PactError('E_SNAPSHOT_NOT_FOUND', message, { lens, cycle, oldest, newest, ...THINNED })
}

/** True if the option `history` has dropped the snapshot of this cycle (D56). */
export function hasDropped({ oldest, first, isBacked }: Bounds, cycle: number): boolean {
  return !isBacked && cycle >= first && cycle < oldest
}

/** The cycle of the oldest snapshot that exists, loaded or not. */
export function oldestOf({ oldest, first, isBacked, thinned }: Bounds): number {
  return thinned.next(isBacked ? first : oldest)
}

/** True if the snapshot of a cycle can be read. */
export function isThere({ oldest, newest, islands, thinned }: Bounds, cycle: number): boolean {
  return cycle <= newest && (cycle >= oldest || islands.has(cycle)) && !thinned.has(cycle)
}

/** True if the snapshot of a cycle exists but must be loaded first. */
function isUnloaded(bounds: Bounds, cycle: number): boolean {
  return cycle < bounds.oldest && cycle >= oldestOf(bounds)
}

/** Why the snapshot that a lens names cannot be read. */
export function unloaded(bounds: Bounds, lens: string, cycle: number): PactError {
  return notLoaded(`The snapshot ${short(lens)} is`, cycle, bounds, `@c${cycle}`, { lens })
}

/** The end of a message about a dropped snapshot, and its detail. */
export const DROPPED = ', and the option history keeps no older ones'
export const REASON: Readonly<{ reason: 'dropped' }> = Object.freeze({ reason: 'dropped' })

export const THINNED: Readonly<{ reason: 'thinned' }> = Object.freeze({ reason: 'thinned' })

/** The existing snapshots, as part of a sentence. */
export function heldSnapshots(bounds: Bounds): string {
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  if (oldest === newest) return `the only snapshot is @c${newest} (@t0)`
  const gone = thinned.count(oldest, newest)
  const but = gone === 0 ? '' : ` without ${gone} that ${gone === 1 ? 'was' : 'were'} thinned out`
  return `the snapshots are @c${oldest} to @c${newest}${but} (@t0 to @t-${newest - oldest - gone})`
}

const LENS = /^@(?:(t)([+-]?)|c)(\d+)$/

/** Reads `@t`, a sign and digits, or `@c` and digits. */
export function parseLens(lens: unknown): { kind: 't' | 'c'; value: number } | undefined {
  const [text, time, sign, digits] = (typeof lens === 'string' ? LENS.exec(lens) : undefined) ?? []
  if (text === undefined) return undefined
  return { kind: time === undefined ? 'c' : 't', value: sign === '-' ? -Number(digits) : Number(digits) }
}

export function cycleRef(cycle: number): SnapshotRef {
  return Object.freeze({ kind: 'c', value: cycle, label: `@c${cycle}`, cycle })
}

export function timeRef(cycle: number, { newest, thinned }: Pick<Bounds, 'newest' | 'thinned'>): SnapshotRef {
  const back = newest - cycle - thinned.count(cycle, newest)
  return Object.freeze({ kind: 't', value: back === 0 ? 0 : -back, label: back === 0 ? '@t0' : `@t-${back}`, cycle })
}
