// The contexts that commands work on: those of a store, or one in memory. A pool keeps some contexts open, bounded by bytes. Before each
// use it checks for commits of other processes, and it loads the history that a read turns out to need.

import { PactError, short } from '../errors/index.js'
import type { Reading, WatchedEvent } from '../api/index.js'
import type { Operation } from '../edit/index.js'
import type { ContextInfo, ContextPage, ContextState, Store, WatchOptions, StoredContext } from '../store/index.js'
import type { CommandOptions } from './command.js'
import type { CycleMemory } from './cycle-memory.js'
import type { WorkSlices } from './work-slices.js'
import { applyOperations, type Context } from '../context/index.js'

/** Applies operations to the context at hand, all or none. */
export type Apply = (operations: readonly Operation[]) => Promise<TouchedIds>

/** Bounds of one read for callers that are not trusted. */
export type WorkLimits = Readonly<{
  /** Nodes that a selector may visit. */
  visits: number
  /** Ids in an answer, and whole nodes in one. */
  results: number
  nodes: number
}>

/** The id of a context, and the operations that a read applies first. */
export type ContextInput = Readonly<{ id: string }> & Reading

export interface ContextPool {
  /** The store; a pool over one context has none, and says so. */
  store(needs: string): Store
  /** The state of a context, without opening it. */
  state(id: string): Promise<ContextState>
  list(limit: number, after: string | undefined): Promise<ContextPage>
  /** The contexts that share a past with this one, itself included. */
  family(id: string): Promise<readonly ContextInfo[]>
  /** Reads from the newest state of a context, or from the one that operations would give. The work must be synchronous. */
  read<T>(input: ContextInput, work: (ctx: OpenContext, ids: TouchedIds) => T, options?: CommandOptions): Promise<T>
  /** Works on a context exclusively. */
  alone<T>(id: string, work: (ctx: OpenContext, apply: Apply) => Promise<T>, options?: CommandOptions): Promise<T>
  /** A context that has the snapshots of these cycles loaded, and the one before them if there is one. */
  past(id: string, from: number, to: number): Promise<OpenContext>
  watch(id: string, options: WatchOptions): AsyncIterable<WatchedEvent>
  /** Facts about committed cycles, which never change. */
  readonly cycles: CycleMemory
  /** Long work runs in these. */
  readonly slices: WorkSlices
  /** Writes are refused before a command runs. */
  readonly readOnly: boolean
  readonly limits: WorkLimits | undefined
  /** Closes all open contexts; the store stays open. */
  close(): void
}

export type PoolOptions = Readonly<{
  /** Bytes of open contexts, as `heldBytes` estimates them; 256 MB by default. */
  cacheBytes?: number | undefined
}>

/** The same pool for callers with bounds, or for one request: `options` end its reads and writes with operations. */
export function poolWith(
  pool: ContextPool,
  {
    options,
    readOnly,
    limits,
  }: Readonly<{ options?: CommandOptions; readOnly: boolean; limits: WorkLimits | undefined }>,
): ContextPool {
  return {
    cycles: pool.cycles,
    slices: pool.slices,
    readOnly,
    limits,
    store: (needs) => pool.store(needs),
    state: (id) => pool.state(id),
    list: (limit, after) => pool.list(limit, after),
    family: (id) => pool.family(id),
    read: (input, work) => pool.read(input, work, options),
    alone: (id, work) => pool.alone(id, work, options),
    past: (id, from, to) => pool.past(id, from, to),
    watch: (id, watching) => pool.watch(id, watching),
    close: () => pool.close(),
  }
}

/** Refuses a base that is not the newest commit. */
export function checkBase(ctx: OpenContext, base: number | undefined): void {
  const head = ctx.cycle - 1
  if (base === undefined || base === head) return
  const message = `Cycle ${base} is not the newest of ${short(ctx.id)}, which is ${head}; read what came since, and ask again with that.`
  throw new PactError('E_CONFLICT', message, { cycle: base + 1, head, reason: 'stale' })
}

/** The error for a context that the store does not have. */
export function missingContext(id: string): PactError {
  const message = `There is no context ${short(id)} in this store.`
  return new PactError('E_STORE', message, { id, outcome: 'failed', reason: 'missing' })
}

/** Retries of a read with more history. */
const TRIES = 6

/** Reads; loads the history that the read needs, and tries again. */
export async function withHistory<T>(read: () => Promise<T>, load: (lens: string) => Promise<void>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read()
    } catch (error) {
      const isMissing = PactError.is(error) && error.code === 'E_HISTORY_NOT_LOADED'
      const lens = isMissing ? error.details['load'] : undefined
      if (typeof lens !== 'string' || tries >= TRIES) throw error
      await load(lens)
    }
  }
}

export type OpenContext = StoredContext | Context

/** By a method that only stored ones have: the class would bring the databases into a page without a server. */
export function isStored(ctx: OpenContext): ctx is StoredContext {
  return 'flush' in ctx
}

/** The ids that each operation touched. */
export type TouchedIds = readonly (readonly string[])[]

/** Applies operations, reads, and takes the operations back. */
export function withOperations<T>(ctx: OpenContext, operations: readonly Operation[], read: (ids: TouchedIds) => T): T {
  return ctx.rehearse(() => read(applyOperations(ctx, operations)))
}
