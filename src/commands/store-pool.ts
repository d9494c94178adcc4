// The contexts of a store.

import { PactError } from '../errors/index.js'
import type { WatchedEvent } from '../api/index.js'
import { applyWithPauses, glanceAt, type AppliedOperations, type Pause, reportSource } from '../context/index.js'
import { heldBytes } from '../reports/index.js'
import type { Operation } from '../edit/index.js'
import type { ContextInfo, ContextPage, ContextState, Store, StoredContext, WatchOptions } from '../store/index.js'
import type { CommandOptions } from './command.js'
import { CycleMemory } from './cycle-memory.js'
import {
  checkBase,
  missingContext,
  withHistory,
  type Apply,
  type ContextInput,
  type ContextPool,
  type PoolOptions,
  type OpenContext,
  type TouchedIds,
} from './pool.js'
import { WorkSlices } from './work-slices.js'

/** Estimated bytes of all open contexts. */
const CACHE_BYTES = 256 * 2 ** 20
/** Uses of a context between two estimates of its bytes: it grows by commits and by pages that are read. */
const USES = 64
/** Snapshots that an open context keeps loaded. */
const HISTORY = 20
/** Snapshots around a stretch of history that are opened with it: the first one costs its whole tree, the others little. */
const AROUND = 500
/** Loads of history by name before all of it is unloaded again. */
const LOADS = 24
/** Snapshots this close to the newest are loaded into the open context, with which they share most; older ones are opened apart. */
const NEAR = 512
/** Retries of a lookup while others delete and make the context again. */
const TRIES = 5

/** An open context and its waiting line. */
type PooledContext = {
  readonly ctx: StoredContext
  /** Settles when the last exclusive user is done. */
  last: Promise<unknown>
  /** Reads under way, which must not lose the history that they have loaded. */
  readers: number
  loads: number
  /** Requests that use the context; it stays open meanwhile. */
  users: number
  uses: number
  /** The last estimate. */
  bytes: number
  /** Operations are being applied in slices; reads wait for the end. */
  isEdited: boolean
}

/** The contexts of a store. */
export function storePool(store: Store, options: PoolOptions = {}): ContextPool {
  return new StorePool(store, options)
}

class StorePool implements ContextPool {
  readonly readOnly = false
  readonly limits = undefined
  readonly #store: Store
  readonly #most: number
  #bytes = 0
  /** The least recently used comes first. */
  readonly #open = new Map<string, PooledContext>()
  readonly #opening = new Map<string, Promise<PooledContext>>()
  readonly cycles: CycleMemory = new CycleMemory()
  readonly slices: WorkSlices = new WorkSlices()
  /** The stretch of history that was read last: a user who scrolls comes back to it. */
  #past: Readonly<{ name: string; from: number; to: number; ctx: StoredContext }> | undefined

  constructor(store: Store, { cacheBytes = CACHE_BYTES }: PoolOptions) {
    this.#store = store
    this.#most = cacheBytes
  }

  store(): Store {
    return this.#store
  }

  async state(id: string): Promise<ContextState> {
    const state = await this.#store.find(id)
    if (state !== undefined) return state
    this.#drop(id)
    throw missingContext(id)
  }

  list(limit: number, after: string | undefined): Promise<ContextPage> {
    return this.#store.list({ limit, lineage: true, ...(after === undefined ? {} : { after }) })
  }

  family(id: string): Promise<readonly ContextInfo[]> {
    return this.#store.family(id)
  }

  async read<T>(
    { id, base, operations }: ContextInput,
    work: (ctx: OpenContext, ids: TouchedIds) => T,
    options: CommandOptions = {},
  ): Promise<T> {
    return this.#using(id, async (pooled) => {
      const { ctx } = pooled
      const load = async (lens: string): Promise<void> => {
        pooled.loads++
        await ctx.loadHistory(lens)
      }
      pooled.readers++
      try {
        if (operations === undefined) {
          return await withHistory(async () => {
            while (pooled.isEdited) await pooled.last
            checkBase(ctx, base)
            return work(ctx, [])
          }, load)
        }
        // Edits that are taken back must not meet a commit, nor each other.
        return await this.#alone(pooled, () =>
          withHistory(() => {
            checkBase(ctx, base)
            return this.#tried(pooled, operations, (ids) => work(ctx, ids), options)
          }, load),
        )
      } finally {
        pooled.readers--
        if (pooled.readers === 0 && pooled.loads >= LOADS) {
          pooled.loads = 0
          ctx.unloadHistory()
        }
      }
    })
  }

  async alone<T>(
    id: string,
    work: (ctx: OpenContext, apply: Apply) => Promise<T>,
    options: CommandOptions = {},
  ): Promise<T> {
    return this.#using(id, (pooled) =>
      this.#alone(pooled, async () => {
        const apply: Apply = (operations) =>
          this.slices.run(options, async (pause) => {
            const { ids, keep } = await this.#apply(pooled, operations, pause)
            keep()
            return ids
          })
        try {
          return await work(pooled.ctx, apply)
        } catch (error) {
          // No request can continue its open edits.
          if (pooled.ctx.operations().length > 0) this.#drop(id, pooled)
          throw error
        }
      }),
    )
  }

  /** Reads the state that operations give, and takes them back; not even an id is spent. */
  #tried<T>(
    pooled: PooledContext,
    operations: readonly Operation[],
    read: (ids: TouchedIds) => T,
    options: CommandOptions,
  ): Promise<T> {
    return this.slices.run(options, async (pause) => {
      const { ids, takeBack } = await this.#apply(pooled, operations, pause)
      try {
        return read(ids)
      } finally {
        takeBack()
      }
    })
  }

  #apply(pooled: PooledContext, operations: readonly Operation[], pause: Pause): Promise<AppliedOperations> {
    return applyWithPauses(pooled.ctx, operations, () => {
      const pausing = pause()
      // Reset when the turn of this request ends.
      if (pausing !== undefined) pooled.isEdited = true
      return pausing
    })
  }

  async past(id: string, from: number, to: number): Promise<OpenContext> {
    return this.#using(id, (pooled) => this.#pastOf(id, pooled, from, to))
  }

  async #pastOf(id: string, pooled: PooledContext, from: number, to: number): Promise<OpenContext> {
    const { ctx } = pooled
    const before = Math.max(from - 1, 0)
    if (before >= ctx.cycle - HISTORY) return ctx
    if (before >= ctx.cycle - NEAR) {
      pooled.loads++
      await ctx.loadHistory(`@c${Math.max(before, 1)}..@t0`)
      return ctx
    }
    const { number, epoch } = await this.state(id)
    const name = `${number} ${epoch}`
    const known = this.#past
    if (known !== undefined && known.name === name && known.from <= before && known.to >= to) return known.ctx
    // A snapshot that was thinned out cannot be opened; the next one can.
    const last = glanceAt(ctx).thinned.next(Math.min(to + AROUND, ctx.cycle - 1))
    const first = Math.max(0, before - AROUND)
    const past = await this.#store.openAt(id, last, { history: last - first + 1 })
    if (past === undefined) throw missingContext(id)
    this.#past = { name, from: first, to: last, ctx: past }
    return past
  }

  async *watch(id: string, options: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined> {
    await this.state(id)
    for await (const { kind, cycle, mark } of this.#store.watch(id, options)) yield { kind, cycle, mark }
  }

  close(): void {
    this.#open.clear()
    this.#bytes = 0
    this.#past = undefined
  }

  /** Works with an open context, which stays open meanwhile. */
  async #using<T>(id: string, work: (pooled: PooledContext) => Promise<T>): Promise<T> {
    let pooled = await this.#fresh(id)
    // Another request may have closed it just now: two copies of one context would refuse each other's commits.
    for (let tries = 0; tries < TRIES && this.#open.get(id) !== pooled; tries++) pooled = await this.#fresh(id)
    pooled.users++
    try {
      return await work(pooled)
    } finally {
      pooled.users--
      if (pooled.uses++ % USES === 0) this.#weigh(id, pooled)
      this.#shrink()
    }
  }

  /** Estimates the bytes of an open context again. */
  #weigh(id: string, pooled: PooledContext): void {
    if (this.#open.get(id) !== pooled) return
    this.#bytes -= pooled.bytes
    pooled.bytes = heldBytes(reportSource(pooled.ctx))
    this.#bytes += pooled.bytes
  }

  /** Closes the least recently used contexts until the rest fits; the most recent one stays open. */
  #shrink(): void {
    if (this.#bytes <= this.#most) return
    for (const [id, pooled] of this.#open) {
      if (this.#bytes <= this.#most || this.#open.size === 1) return
      if (pooled.users === 0) this.#drop(id, pooled)
    }
  }

  /** Runs work one after another; a failure does not stop the next one. */
  async #alone<T>(pooled: PooledContext, work: () => Promise<T>): Promise<T> {
    const begin = async (): Promise<T> => {
      try {
        return await work()
      } finally {
        pooled.isEdited = false
      }
    }
    const turn = pooled.last.then(begin, begin)
    pooled.last = turn.catch(() => undefined)
    return turn
  }

  /** The context with everything that is stored by now. */
  async #fresh(id: string): Promise<PooledContext> {
    for (let tries = 0; ; tries++) {
      const state = await this.state(id)
      const pooled = await this.#pooled(id)
      if (pooled.ctx.version === state.version) return pooled
      // A commit of our own may be under way: then it is published when our turn comes.
      const isThere = await this.#alone(pooled, () => this.#caughtUp(pooled))
      if (isThere) return pooled
      this.#drop(id, pooled)
      if (tries >= TRIES) throw missingContext(id)
    }
  }

  /** Takes up the commits of others; false if another context has this id by now. */
  async #caughtUp({ ctx }: PooledContext): Promise<boolean> {
    try {
      await ctx.rebase()
      return true
    } catch (error) {
      if (PactError.is(error) && error.code === 'E_CONFLICT') return false
      throw error
    }
  }

  async #pooled(id: string): Promise<PooledContext> {
    const known = this.#open.get(id)
    if (known !== undefined) {
      this.#open.delete(id)
      this.#open.set(id, known)
      return known
    }
    // Requests that come while it is being opened wait for the same one.
    let opening = this.#opening.get(id)
    if (opening === undefined) {
      opening = this.#opened(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
  }

  async #opened(id: string): Promise<PooledContext> {
    const state = await this.state(id)
    const ctx = await this.#store.openAt(id, state.cycle, { history: HISTORY })
    if (ctx === undefined) throw missingContext(id)
    const bytes = heldBytes(reportSource(ctx))
    const pooled: PooledContext = {
      ctx,
      last: Promise.resolve(),
      readers: 0,
      loads: 0,
      users: 0,
      uses: 0,
      bytes,
      isEdited: false,
    }
    this.#drop(id)
    this.#open.set(id, pooled)
    this.#bytes += bytes
    return pooled
  }

  /** Closes a context; only this copy, if one is given. */
  #drop(id: string, pooled: PooledContext | undefined = this.#open.get(id)): void {
    if (pooled === undefined || this.#open.get(id) !== pooled) return
    this.#open.delete(id)
    this.#bytes -= pooled.bytes
  }
}
