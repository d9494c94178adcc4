// The result of `explain`.

import type { Cause, Maker, PruneRule, Zone } from '../core/index.js'

/** A ttl that ends: the first cycle without the node, the rest of the ttl, and the node that has the ttl. */
export type Ending = Readonly<{ cycle: number; ttl: number; of: string }>

/**
 * The reason that a node outlives its ttl, by way of containers, contents and references: a node (`id`) that refers to `of`, a
 * hold on `of`, or a schedule (`id` is its key) whose next node refers to `of`. `of` is the node itself, or a node that it stays
 * with.
 */
export type Keeper = Readonly<{ by: 'ref' | 'hold' | 'schedule'; id: string; of: string }>

export interface Explanation {
  readonly id: string
  readonly nodeType: string | undefined
  /** The lens of the tree. */
  readonly lens: string
  /** True if that tree holds the node. */
  readonly isThere: boolean
  /**
   * When the node was made and by which call; `commit` and `cadence` are the engine's own doing. `by` is undefined where
   * that is older than the history that is kept. `author` is the author of the commit, if one was given.
   */
  readonly created: Readonly<{ cycle: number; by: Maker | undefined; at: string; author?: string }> | undefined
  /** The last cycle in which a call changed it after that; sealing and running ttls are no changes. */
  readonly changed: Readonly<{ cycle: number; by: Maker; author?: string }> | undefined
  readonly place: ExplainedPlace | undefined
  /**
   * The first cycle whose snapshot is without the node, if nothing is edited and no budget takes it, and the node whose ttl ends
   * it: the node itself, or a container around it. Undefined if no ttl ends it, or if something keeps it.
   */
  readonly expires: Ending | undefined
  /** The ttl that would have taken it, or has ended without taking it, because of `keptBy.keeper`. */
  readonly outlives: Ending | undefined
  /** For a container that leaves once it is empty: the first cycle whose snapshot is without it. */
  readonly empties: Readonly<{ cycle: number }> | undefined
  /** When its key comes again. */
  readonly returns: Readonly<{ key: string; cad: number; cycle: number }> | undefined
  /** The protection of the node from expiry or pruning. */
  readonly keptBy: Readonly<{ pinned: boolean; held: boolean; refs: readonly string[]; keeper: Keeper | undefined }>
  /** True if a budget can take it. */
  readonly prunable: boolean
  /** True for the task, the newest message of the user in a core, and for what holds it: no budget takes it. */
  readonly isTask: boolean
  /** For a tool result, where a budget sheds results: what that means for it. */
  readonly shedding: Shedding | undefined
  /** True if the text of the node was erased. */
  readonly isErased?: true
  /** For a summary: the nodes that it stands for, and their tokens. */
  readonly standsFor: Readonly<{ ids: readonly string[]; tokens: number }> | undefined
  readonly supersedes: string | undefined
  readonly supersededBy: string | undefined
  /** For a deletion marker: the author and reason of the deletion, if they were given. */
  readonly redaction: Readonly<{ author: string | undefined; reason: string | undefined }> | undefined
  /** For a node that is not there any more: since which snapshot, and why; if it was pruned, for which limit. */
  readonly left: Departure | undefined
  /** The explanation in words. */
  readonly sentences: readonly string[]
  /** The sentences as one text. */
  toString(): string
}

/**
 * `shed`: its content was shed. `next`: the next commit or request sheds it. `later`: it may be shed once a token limit is passed. `newest`: one of
 * the newest results, which stay whole. `excepted`: pinned, or meant by `except`.
 */
export type Shedding = 'shed' | 'next' | 'later' | 'newest' | 'excepted'

export type Departure = Readonly<{ cycle: number; cause: Cause; rule?: PruneRule; limit?: number }>

export type ExplainedPlace = Readonly<{
  region: string
  /** -1 in `^sys`, 0 in the active head, 1 and up in history; undefined for the root and `^seq`. */
  depth: number | undefined
  /** Its zone in its segment or in the active head. */
  zone: Zone | undefined
  parent: string | undefined
  coordinate: string
}>

/** All of it but the words. */
export type Facts = Omit<Explanation, 'sentences' | 'toString'>
