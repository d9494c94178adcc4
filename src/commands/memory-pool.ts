// One context in memory. Its program goes on using it: both see each other's commits and open edits.

import { randomBytes } from 'node:crypto'

import { PactError, short } from '../errors/index.js'
import type { WatchedEvent } from '../api/index.js'
import { applyOperations, glanceAt, type Context } from '../context/index.js'
import { formatMark, markFrom, type Mark } from '../core/index.js'
import type { ContextPage, ContextState, Store, WatchOptions } from '../store/index.js'
import { CycleMemory } from './cycle-memory.js'
import {
  checkBase,
  type Apply,
  type ContextInput,
  type ContextPool,
  withOperations,
  type OpenContext,
  type TouchedIds,
} from './pool.js'
import { WorkSlices } from './work-slices.js'

/** Milliseconds between two checks of the open edits. */
const CHECK = 250

/** The state besides commits. Every change makes a new object. */
type OpenState = Readonly<{ state: object; attempts: readonly object[] }>

/** One context in memory, which its program goes on using. */
export function memoryPool(ctx: Context): ContextPool {
  return new MemoryPool(ctx)
}

class MemoryPool implements ContextPool {
  readonly readOnly = false
  readonly limits = undefined
  readonly #ctx: Context
  readonly cycles: CycleMemory = new CycleMemory()
  readonly slices: WorkSlices = new WorkSlices()
  /** Every state of the tree that was asked for, by number. Numbers of two pools never mean the same state. */
  readonly #states = new WeakMap<object, number>()
  readonly #name: string = randomBytes(6).toString('hex')
  #seen = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  store(needs: string): Store {
    const message = `${needs} needs a store; here is one context in memory.`
    throw new PactError('E_NOT_AUTHORIZED', message, { reason: 'memory' })
  }

  async state(id: string): Promise<ContextState> {
    this.#check(id)
    const { first = 0, newest = 0, forks, epoch, state } = glanceAt(this.#ctx)
    let number = this.#states.get(state)
    if (number === undefined) this.#states.set(state, (number = ++this.#seen))
    const mark = formatMark({ cycle: newest, epoch, context: this.#name })
    return { id, number: 1, cycle: newest, forks, first, epoch, version: `${epoch}-${this.#name}-${number}`, mark }
  }

  async list(_limit: number, after: string | undefined): Promise<ContextPage> {
    const { id, cycle, forks } = await this.state(this.#ctx.id)
    return { contexts: after === undefined || after < id ? [{ id, cycle, forks }] : [], next: undefined }
  }

  async read<T>({ id, base, operations }: ContextInput, work: (ctx: OpenContext, ids: TouchedIds) => T): Promise<T> {
    this.#check(id)
    checkBase(this.#ctx, base)
    if (operations === undefined) return work(this.#ctx, [])
    return withOperations(this.#ctx, operations, (ids) => work(this.#ctx, ids))
  }

  async alone<T>(id: string, work: (ctx: OpenContext, apply: Apply) => Promise<T>): Promise<T> {
    this.#check(id)
    // In one step: the program that has the context open must not see half of the operations.
    return work(this.#ctx, async (operations) => applyOperations(this.#ctx, operations))
  }

  async past(id: string): Promise<OpenContext> {
    this.#check(id)
    return this.#ctx
  }

  async *watch(id: string, { from, signal }: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined> {
    this.#check(id)
    const ctx = this.#ctx
    let { cycle: reported, epoch } = this.#startOf(typeof from === 'object' ? undefined : from)
    const event = (kind: WatchedEvent['kind']): WatchedEvent => {
      return { kind, cycle: reported, mark: formatMark({ cycle: reported, epoch, context: this.#name }) }
    }
    let seen = this.#open()
    let wake = (): void => {}
    // Edits give no event, and a check costs next to nothing.
    const looking = setInterval(() => wake(), CHECK)
    looking.unref()
    const isOver = (): boolean => signal?.aborted === true
    const stop = (): void => wake()
    const end = ctx.onCommit(stop)
    signal?.addEventListener('abort', stop)
    try {
      while (!isOver()) {
        const isEdited = !isSameOpen(seen, this.#open())
        const { epoch: now } = glanceAt(ctx)
        if (isEdited || reported < ctx.cycle - 1) seen = this.#open()
        if (epoch !== now) {
          epoch = now
          yield event('erased')
        } else if (reported < ctx.cycle - 1) {
          reported++
          yield event('commit')
        } else if (isEdited) yield event('edited')
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      end()
      clearInterval(looking)
      signal?.removeEventListener('abort', stop)
    }
  }

  close(): void {}

  /** A mark of another program means nothing here. A cycle alone does not say if something was forgotten after it. */
  #startOf(from: number | string | undefined): Pick<Mark, 'cycle' | 'epoch'> {
    const newest = this.#ctx.cycle - 1
    if (from === undefined) return { cycle: newest, epoch: glanceAt(this.#ctx).epoch }
    const { cycle, epoch = 0, context = this.#name } = markFrom(from)
    return context === this.#name ? { cycle, epoch } : { cycle: newest, epoch: -1 }
  }

  #open(): OpenState {
    return { state: glanceAt(this.#ctx).state, attempts: this.#ctx.attempts() }
  }

  #check(id: string): void {
    if (id === this.#ctx.id) return
    const message = `There is no context ${short(id)} here, only ${short(this.#ctx.id)}.`
    throw new PactError('E_STORE', message, { id, outcome: 'failed', reason: 'missing' })
  }
}

function isSameOpen(a: OpenState, b: OpenState): boolean {
  const isSameList = a.attempts.length === b.attempts.length && a.attempts.every((each, i) => each === b.attempts[i])
  return a.state === b.state && isSameList
}
