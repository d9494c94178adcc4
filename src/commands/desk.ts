// Where commands work: over a store, or over one context in memory. A desk opens contexts, keeps a bounded number of them open,
// looks whether another process has committed before each use, and loads the history that a read turns out to need.

import { PactError, short } from '../errors/index.js'
import type { ContextPage, ContextState, Store, WatchOptions } from '../store/index.js'
import type { WatchedEvent, Reading } from './answers.js'
import type { CycleMemory } from './cycle-memory.js'
import type { OpenContext, TouchedIds } from './trial.js'

export interface Desk {
  /** The store behind it; a desk over one context has none, and says so. */
  store(needs: string): Store
  /** What a context is by now, without opening it. */
  state(id: string): Promise<ContextState>
  list(limit: number, after: string | undefined): Promise<ContextPage>
  /** Reads from a context as it is by now, or as operations would make it; the work is done when it returns. */
  read<T>(id: string, reading: Reading, work: (ctx: OpenContext, ids: TouchedIds) => T): Promise<T>
  /** Does something with a context that nothing else may come between. */
  alone<T>(id: string, work: (ctx: OpenContext) => Promise<T>): Promise<T>
  /** A context whose snapshots of these cycles are all there, and the one before them if there is one. */
  past(id: string, from: number, to: number): Promise<OpenContext>
  watch(id: string, options: WatchOptions): AsyncIterable<WatchedEvent>
  /** What is known of cycles, which never change. */
  readonly cycles: CycleMemory
  /** Lets go of all that is open; the store stays. */
  close(): void
}

export type DeskOptions = Readonly<{
  /** How many contexts are kept open; 64 by default. */
  openContexts?: number | undefined
}>

/** A cycle that is not the newest any more, or not yet. */
export function staleBase(id: string, base: number, head: number): PactError {
  const message = `Cycle ${base} is not the newest of ${short(id)}, which is ${head}; read what came since, and ask again with that.`
  return new PactError('E_CONFLICT', message, { cycle: base + 1, head, reason: 'stale' })
}

/** Refuses a base that is not the newest commit. */
export function checkBase(ctx: OpenContext, base: number | undefined): void {
  const head = ctx.cycle - 1
  if (base !== undefined && base !== head) throw staleBase(ctx.id, base, head)
}

/** How often a read is tried again with more of history. */
const TRIES = 6

/** Does a read; what it needs of history is loaded, and it is tried again. */
export async function withHistory<T>(read: () => T, load: (lens: string) => Promise<void>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return read()
    } catch (error) {
      const isMissing = PactError.is(error) && error.code === 'E_HISTORY_NOT_LOADED'
      const lens = isMissing ? error.details['load'] : undefined
      if (typeof lens !== 'string' || tries >= TRIES) throw error
      await load(lens)
    }
  }
}
