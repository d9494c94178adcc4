// The desk over a store.

import { PactError, short } from '../errors/index.js'
import type { ContextPage, ContextState, Store, StoredContext, WatchOptions } from '../store/index.js'
import type { Reading, WatchedEvent } from './answers.js'
import { CycleMemory } from './cycle-memory.js'
import { checkBase, withHistory, type Desk, type DeskOptions } from './desk.js'
import { withOperations, type OpenContext, type TouchedIds } from './trial.js'

const OPEN_CONTEXTS = 64
/** How many snapshots an open context keeps at hand. */
const HISTORY = 20
/** How many snapshots around a stretch of the past are opened with it: they cost little, and the first of all costs its whole tree. */
const AROUND = 500
/** How often history was loaded by name before it is let go again. */
const LOADS = 24
/** How far back from the newest one snapshots join those of the open context, with which they share most; others are opened by themselves. */
const NEAR = 512
/** How often a context is looked up that others delete and make again in the meantime. */
const TRIES = 5

/** An open context, and who waits for it. */
type Seat = {
  readonly ctx: StoredContext
  /** Ends when whoever has it alone is done. */
  last: Promise<unknown>
  /** How many are reading, and must not lose the history that they have loaded. */
  readers: number
  loads: number
}

export class StoreDesk implements Desk {
  readonly #store: Store
  readonly #most: number
  /** The one that was used last comes last. */
  readonly #seats = new Map<string, Seat>()
  readonly #opening = new Map<string, Promise<Seat>>()
  readonly cycles: CycleMemory = new CycleMemory()
  /** The stretch of history that was looked at last: who scrolls comes back to it. */
  #past: Readonly<{ name: string; from: number; to: number; ctx: StoredContext }> | undefined

  constructor(store: Store, { openContexts = OPEN_CONTEXTS }: DeskOptions) {
    this.#store = store
    this.#most = Math.max(1, openContexts)
  }

  store(): Store {
    return this.#store
  }

  async state(id: string): Promise<ContextState> {
    const state = await this.#store.find(id)
    if (state !== undefined) return state
    this.#seats.delete(id)
    throw missing(id)
  }

  list(limit: number, after: string | undefined): Promise<ContextPage> {
    return this.#store.list({ limit, ...(after === undefined ? {} : { after }) })
  }

  async read<T>(id: string, { base, operations }: Reading, work: (ctx: OpenContext, ids: TouchedIds) => T): Promise<T> {
    const seat = await this.#fresh(id)
    const load = async (lens: string): Promise<void> => {
      seat.loads++
      await seat.ctx.loadHistory(lens)
    }
    seat.readers++
    try {
      if (operations === undefined) {
        checkBase(seat.ctx, base)
        return await withHistory(() => work(seat.ctx, []), load)
      }
      // Edits that are tried must not meet a commit, nor each other.
      return await this.#alone(seat, () => {
        checkBase(seat.ctx, base)
        return withHistory(() => withOperations(seat.ctx, operations, (ids) => work(seat.ctx, ids)), load)
      })
    } finally {
      seat.readers--
      if (seat.readers === 0 && seat.loads >= LOADS) {
        seat.loads = 0
        seat.ctx.unloadHistory()
      }
    }
  }

  async alone<T>(id: string, work: (ctx: OpenContext) => Promise<T>): Promise<T> {
    const seat = await this.#fresh(id)
    return this.#alone(seat, async () => {
      try {
        return await work(seat.ctx)
      } catch (error) {
        // What is open in it belongs to nobody who could go on with it.
        if (seat.ctx.operations().length > 0) this.#drop(id, seat)
        throw error
      }
    })
  }

  async past(id: string, from: number, to: number): Promise<OpenContext> {
    const seat = await this.#fresh(id)
    const { ctx } = seat
    const before = Math.max(from - 1, 0)
    if (before >= ctx.cycle - HISTORY) return ctx
    if (before >= ctx.cycle - NEAR) {
      seat.loads++
      await ctx.loadHistory(`@c${Math.max(before, 1)}..@t0`)
      return ctx
    }
    const { number, epoch } = await this.state(id)
    const name = `${number} ${epoch}`
    const known = this.#past
    if (known !== undefined && known.name === name && known.from <= before && known.to >= to) return known.ctx
    const [first, last] = [Math.max(0, before - AROUND), Math.min(to + AROUND, ctx.cycle - 1)]
    const past = await this.#store.openAt(id, last, { history: last - first + 1 })
    if (past === undefined) throw missing(id)
    this.#past = { name, from: first, to: last, ctx: past }
    return past
  }

  async *watch(id: string, options: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined> {
    await this.state(id)
    for await (const { kind, cycle, mark } of this.#store.watch(id, options)) yield { kind, cycle, mark }
  }

  close(): void {
    this.#seats.clear()
    this.#past = undefined
  }

  /** One after another, whatever becomes of the one before. */
  async #alone<T>(seat: Seat, work: () => Promise<T>): Promise<T> {
    const turn = seat.last.then(work, work)
    seat.last = turn.catch(() => undefined)
    return turn
  }

  /** The context as it is stored by now. */
  async #fresh(id: string): Promise<Seat> {
    for (let tries = 0; ; tries++) {
      const state = await this.state(id)
      const seat = await this.#seat(id)
      if (seat.ctx.version === state.version) return seat
      // A commit of our own may be on its way out: then it is published by the time that we have our turn.
      const isThere = await this.#alone(seat, () => this.#caughtUp(seat))
      if (isThere) return seat
      this.#drop(id, seat)
      if (tries >= TRIES) throw missing(id)
    }
  }

  /** Goes on from what others have committed; false where the context of this name is another one by now. */
  async #caughtUp({ ctx }: Seat): Promise<boolean> {
    try {
      await ctx.rebase()
      return true
    } catch (error) {
      if (PactError.is(error) && error.code === 'E_CONFLICT') return false
      throw error
    }
  }

  async #seat(id: string): Promise<Seat> {
    const known = this.#seats.get(id)
    if (known !== undefined) {
      this.#seats.delete(id)
      this.#seats.set(id, known)
      return known
    }
    // Whoever comes while it is being opened waits for the same one.
    let opening = this.#opening.get(id)
    if (opening === undefined) {
      opening = this.#open(id).finally(() => this.#opening.delete(id))
      this.#opening.set(id, opening)
    }
    return opening
  }

  async #open(id: string): Promise<Seat> {
    const state = await this.state(id)
    const ctx = await this.#store.openAt(id, state.cycle, { history: HISTORY })
    if (ctx === undefined) throw missing(id)
    const seat: Seat = { ctx, last: Promise.resolve(), readers: 0, loads: 0 }
    this.#seats.set(id, seat)
    for (const oldest of this.#seats.keys()) {
      if (this.#seats.size <= this.#most) break
      this.#seats.delete(oldest)
    }
    return seat
  }

  #drop(id: string, seat: Seat): void {
    if (this.#seats.get(id) === seat) this.#seats.delete(id)
  }
}

function missing(id: string): PactError {
  const message = `There is no context ${short(id)} in this store.`
  return new PactError('E_STORE', message, { id, outcome: 'failed', reason: 'missing' })
}
