// Which tree a call reads (D5): a committed snapshot, the working state, or the snapshot that a commit would make now.

import { describe, PactError } from '../errors/index.js'
import type { Timeline } from '../timeline/index.js'

/** `@t0` is the latest snapshot, `@t-1` the one before, `@c12` that of cycle 12. */
export type Lens = '@t0' | `@t-${number}` | `@c${number}` | 'working' | 'preview'

/** Names one snapshot (D39). */
export type SnapshotRef = Readonly<{ kind: 't' | 'c'; value: number; label: string; cycle: number }>

/** Gives the cycle of the snapshot that a lens other than 'working' and 'preview' names. */
export function cycleOfLens(lens: string, timeline: Timeline): number {
  const [, kind, sign, digits] = /^@([tc])([+-]?)(\d+)$/.exec(typeof lens === 'string' ? lens : '') ?? []
  if (kind === undefined || (kind === 'c' && sign !== '')) {
    const message = `${describe(lens)} is no lens; write @t0, @t-1, @c12, working or preview.`
    throw new PactError('E_SELECTOR_INVALID', message, {
      token: typeof lens === 'string' ? lens : describe(lens),
      pos: 0,
    })
  }
  const { newest, oldest } = timeline
  const value = Number(digits)
  if (newest === undefined || oldest === undefined) {
    throw new PactError('E_SNAPSHOT_NOT_FOUND', `There is no ${lens} before the first commit.`, { lens })
  }
  const cycle = kind === 'c' ? value : newest + (sign === '-' ? -value : value)
  if (cycle >= oldest && cycle <= newest) return cycle
  const held = `the snapshots are @c${oldest} to @c${newest} (@t0 to @t-${newest - oldest})`
  throw new PactError('E_SNAPSHOT_NOT_FOUND', `There is no ${lens}; ${held}.`, { lens, oldest, newest })
}

export function cycleRef(cycle: number): SnapshotRef {
  return Object.freeze({ kind: 'c', value: cycle, label: `@c${cycle}`, cycle })
}

export function timeRef(cycle: number, newest: number): SnapshotRef {
  const back = newest - cycle
  return Object.freeze({ kind: 't', value: back === 0 ? 0 : -back, label: back === 0 ? '@t0' : `@t-${back}`, cycle })
}
