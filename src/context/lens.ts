// Which tree a call reads (D5): a committed snapshot, the working state, or the snapshot that a commit would make now.

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
    throw new PactError('E_SNAPSHOT_NOT_FOUND', `There is no ${short(lens)} before the first commit.`, { lens })
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

/** The cycle of the snapshot so many before the newest one; a number below zero leads beyond it. */
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

/** Whether there was a snapshot of this cycle, which the option `history` has let go (D56). */
export function hasDropped({ oldest, first, isBacked }: Bounds, cycle: number): boolean {
  return !isBacked && cycle >= first && cycle < oldest
}

/** The cycle of the oldest snapshot that exists, loaded or not. */
export function oldestOf({ oldest, first, isBacked, thinned }: Bounds): number {
  return thinned.next(isBacked ? first : oldest)
}

/** Whether the snapshot of a cycle can be read. */
export function isThere({ oldest, newest, islands, thinned }: Bounds, cycle: number): boolean {
  return cycle <= newest && (cycle >= oldest || islands.has(cycle)) && !thinned.has(cycle)
}

/** Whether the snapshot of a cycle exists and has to be loaded first. */
function isUnloaded(bounds: Bounds, cycle: number): boolean {
  return cycle < bounds.oldest && cycle >= oldestOf(bounds)
}

/** Why the snapshot that a lens names cannot be read. */
export function unloaded(bounds: Bounds, lens: string, cycle: number): PactError {
  return notLoaded(`The snapshot ${short(lens)} is`, cycle, bounds, `@c${cycle}`, { lens })
}

/** What an error says about it. */
export const DROPPED = ', and the option history keeps no older ones'
export const REASON: Readonly<{ reason: 'dropped' }> = Object.freeze({ reason: 'dropped' })

export const THINNED: Readonly<{ reason: 'thinned' }> = Object.freeze({ reason: 'thinned' })

/** Which snapshots there are, as part of a sentence. */
export function heldSnapshots(bounds: Bounds): string {
  const { newest, thinned } = bounds
  const oldest = oldestOf(bounds)
  if (oldest === newest) return `the only snapshot is @c${newest} (@t0)`
  const gone = thinned.count(oldest, newest)
  const but = gone === 0 ? '' : ` without ${gone} that ${gone === 1 ? 'was' : 'were'} thinned out`
  return `the snapshots are @c${oldest} to @c${newest}${but} (@t0 to @t-${newest - oldest - gone})`
}

/** `@t`, a sign and digits, or `@c` and digits; by hand, since going back should cost no more than the step itself. */
export function parseLens(lens: unknown): { kind: 't' | 'c'; value: number } | undefined {
  if (typeof lens !== 'string' || lens.charCodeAt(0) !== AT) return undefined
  const isTime = lens.charCodeAt(1) === SMALL_T
  if (!isTime && lens.charCodeAt(1) !== SMALL_C) return undefined
  const sign = isTime ? lens.charCodeAt(2) : 0
  const start = sign === MINUS || sign === PLUS ? 3 : 2
  if (lens.length === start) return undefined
  let value = 0
  for (let i = start; i < lens.length; i++) {
    const digit = lens.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return { kind: isTime ? 't' : 'c', value: sign === MINUS ? -value : value }
}

const AT = 0x40
const SMALL_T = 0x74
const SMALL_C = 0x63
const MINUS = 0x2d
const PLUS = 0x2b
const ZERO = 0x30

export function cycleRef(cycle: number): SnapshotRef {
  return Object.freeze({ kind: 'c', value: cycle, label: `@c${cycle}`, cycle })
}

export function timeRef(cycle: number, { newest, thinned }: Pick<Bounds, 'newest' | 'thinned'>): SnapshotRef {
  const back = newest - cycle - thinned.count(cycle, newest)
  return Object.freeze({ kind: 't', value: back === 0 ? 0 : -back, label: back === 0 ? '@t0' : `@t-${back}`, cycle })
}
