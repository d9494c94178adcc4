// What `explain` gives: why a node is where it is, and what will happen to it.

import type { Cause, Maker, PruneRule, Zone } from '../core/index.js'

export interface Explanation {
  readonly id: string
  readonly nodeType: string | undefined
  /** How the tree was named that it is about. */
  readonly lens: string
  /** Whether that tree holds the node. */
  readonly isThere: boolean
  /**
   * When the node was made and by which call; `commit` and `cadence` are the engine's own doing. `by` is undefined where
   * that is older than the history that is kept.
   */
  readonly created: Readonly<{ cycle: number; by: Maker | undefined; at: string }> | undefined
  /** The last cycle in which a call changed it after that; sealing and running ttls are no changes. */
  readonly changed: Readonly<{ cycle: number; by: Maker }> | undefined
  readonly place: ExplainedPlace | undefined
  /** The first cycle whose snapshot is without it, and whose ttl does it: its own, or that of a container around it. */
  readonly expires: Readonly<{ cycle: number; ttl: number; of: string }> | undefined
  /** When its key comes again. */
  readonly returns: Readonly<{ key: string; cad: number; cycle: number }> | undefined
  /** What stands between it and expiry or pruning. */
  readonly keptBy: Readonly<{ pinned: boolean; held: boolean; refs: readonly string[] }>
  /** Whether a budget can take it. */
  readonly prunable: boolean
  readonly supersedes: string | undefined
  readonly supersededBy: string | undefined
  /** For a marker: who deleted what it stands for, and why, if that was said. */
  readonly redaction: Readonly<{ author: string | undefined; reason: string | undefined }> | undefined
  /** For a node that is not there any more: since which snapshot, and why; if it was pruned, for which limit. */
  readonly left: Departure | undefined
  /** The same in words. */
  readonly sentences: readonly string[]
  /** The sentences as one text. */
  toString(): string
}

export type Departure = Readonly<{ cycle: number; cause: Cause; rule?: PruneRule; limit?: number }>

export type ExplainedPlace = Readonly<{
  region: string
  /** -1 in `^sys`, 0 in the active head, 1 and up in history; undefined for the root and `^seq`. */
  depth: number | undefined
  /** The zone of its segment or of the active head that it stands in. */
  zone: Zone | undefined
  parent: string | undefined
  coordinate: string
}>

/** All of it but the words. */
export type Facts = Omit<Explanation, 'sentences' | 'toString'>
