// The error about snapshots that exist and are not loaded (D56): the cycle that is needed, the loaded cycles, and the call
// that brings it. A provably first version of a node needs no older history.

import { PactError, type ErrorDetails } from '../errors/index.js'
import type { Thinned } from './thinned.js'
import type { Maker, NodeRecord } from '../core/index.js'

/** The loaded snapshots: one for every cycle from the oldest to the newest that was not thinned out. */
export type Bounds = Readonly<{
  oldest: number
  newest: number
  /** The cycle of the oldest that there ever was. */
  first: number
  /** True if the snapshots from `first` to the oldest exist in a store and are not loaded. */
  isBacked: boolean
  /** Those that are not there although older ones are. */
  thinned: Thinned
  /** Older ones that are there by themselves. */
  islands: ReadonlyMap<number, unknown>
}>

/** `what` is the beginning of a sentence about what is missing; `lens` is what `loadHistory` takes to bring it. */
export function notLoaded(
  what: string,
  cycle: number,
  { oldest, newest }: Pick<Bounds, 'oldest' | 'newest'>,
  lens: string,
  more: ErrorDetails = {},
): PactError {
  const held = oldest === newest ? `only @c${newest} (@t0) is` : `only @c${oldest} to @c${newest} (@t0) are`
  const message = `${what} not loaded, ${held}; load it with: await ctx.loadHistory('${lens}')`
  return new PactError('E_HISTORY_NOT_LOADED', message, { ...more, cycle, oldest, newest, load: lens })
}

/** The lens that loads everything from a cycle on. */
export function spanFrom(cycle: number): string {
  return `@c${cycle}..@t0`
}

/** A node that one of these made is new. Other makers may have changed an older version. */
const BEGINNERS: ReadonlySet<Maker> = new Set<Maker>([
  'user',
  'assistant',
  'tool',
  'pre',
  'post',
  'add',
  'insert',
  'system.add',
  'system.insert',
  'commit',
  'cadence',
])

/** True if the version is provably the first of its node. `root` is that of any snapshot of the context. */
export function isSurelyFirst(record: NodeRecord, root: NodeRecord): boolean {
  // A file may name any cycle as that of a node, also one in which that is changed later.
  return record.isFirst && (root.by === 'createContext' || BEGINNERS.has(record.by))
}
