// The options of a stored context, and the services of its store.

import type { ForkOptions, RangeResults } from '../context/index.js'
import type { AnyOptions } from '../context/persistence.js'
import type { Receipt } from '../core/index.js'
import type { PageBook } from '../timeline/index.js'
import type { EventLoopYield } from './event-loop.js'
import type { DraftUse, Loaded } from './loading.js'
import type { ContextRow, Rows } from './rows.js'
import type { StoredContext } from './stored-context.js'
import type { PendingWork, Upkeep } from './upkeep.js'

export type CommitOptions = Readonly<{
  /** An idempotency key. Repeated with the same edits, the stored answer is returned; with other edits, E_CONFLICT. */
  key?: string | undefined
  /**
   * The request that the key stands for, if that is not the list of edits itself: edits that arrived as data, as they
   * arrived. Only a hash of it is stored.
   */
  asked?: readonly object[] | undefined
  /** The author of the commit: the receipt has it, and `explain` names it. */
  author?: string | undefined
}>

/** The stored answer to a commit with a key. */
export type CommitAnswer = Readonly<{
  cycle: number
  /** Ids that each edit touched. */
  ids: readonly (readonly string[])[]
  receipt: Receipt
}>

export type StoredForkOptions = Omit<ForkOptions, 'id' | 'history'> &
  Readonly<{
    /** Id of the fork in the store. */
    id: string
    /** Number of snapshots kept in memory, or 'all'; by default as many as this context keeps. */
    history?: number | 'all' | undefined
  }>

/** Services of a store that its contexts use. */
export type StoreServices = Readonly<{
  rows: Rows
  /** The pages of stored trees, and which are loaded. */
  book: PageBook
  upkeep: Upkeep
  pendingWork: PendingWork
  loopYield: EventLoopYield
  /** Throws E_STORE if the store is closed. */
  check: () => void
  /** Waits for the first read of watches; undefined if there is none to wait for. */
  watchesReady: () => Promise<void> | undefined
  /** Makes a stored context of a written fork. */
  opened: (fork: Loaded) => StoredContext<RangeResults>
  /** Loads the current state of a context with the same options; undefined if it was deleted. */
  again: (
    row: ContextRow,
    options: AnyOptions,
    draft: DraftUse,
  ) => Promise<Readonly<{ loaded: Loaded; services: StoreServices }> | undefined>
}>
