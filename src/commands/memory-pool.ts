// Contexts in memory. Their program goes on using them: both see each other's commits and open edits. This file also runs in a browser.

import { PactError, short } from '../errors/index.js'
import type { WatchedEvent } from '../api/index.js'
import { applyOperations, glanceAt, type Context } from '../context/index.js'
import { compareText, formatMark, markFrom, type Mark } from '../core/index.js'
import type { ContextInfo, ContextPage, ContextState, Store, WatchOptions } from '../store/index.js'
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

/** Contexts in memory, which their program goes on using. */
export function memoryPool(...contexts: readonly Context[]): ContextPool {
  return new MemoryPool(contexts)
}

class MemoryPool implements ContextPool {
  readonly readOnly = false
  readonly limits = undefined
  readonly #contexts: ReadonlyMap<string, Context>
  readonly cycles: CycleMemory = new CycleMemory()
  readonly slices: WorkSlices = new WorkSlices()
  /** Every state of the tree that was asked for, by number. Numbers of two pools never mean the same state. */
  readonly #states = new WeakMap<object, number>()
  readonly #name: string = crypto.randomUUID().slice(-12)
  #seen = 0

  constructor(contexts: readonly Context[]) {
    const sorted = contexts.toSorted((a, b) => compareText(a.id, b.id))
    this.#contexts = new Map(sorted.map((ctx) => [ctx.id, ctx]))
  }

  store(needs: string): Store {
    const message = `${needs} needs a store; here are contexts in memory.`
    throw new PactError('E_NOT_AUTHORIZED', message, { reason: 'memory' })
  }

  async state(id: string): Promise<ContextState> {
    const { first = 0, newest = 0, forks, epoch, state } = glanceAt(this.#of(id))
    let number = this.#states.get(state)
    if (number === undefined) this.#states.set(state, (number = ++this.#seen))
    const mark = formatMark({ cycle: newest, epoch, context: this.#name })
    return { id, number: 1, cycle: newest, forks, first, epoch, version: `${epoch}-${this.#name}-${number}`, mark }
  }

  async list(limit: number, after: string | undefined): Promise<ContextPage> {
    const rest = [...this.#contexts.keys()].filter((id) => after === undefined || compareText(id, after) > 0)
    const states = await Promise.all(rest.slice(0, limit).map((id) => this.state(id)))
    const contexts = states.map(({ id, cycle, forks }) => ({ id, cycle, forks }))
    return { contexts, next: rest.length > limit ? rest[limit - 1] : undefined }
  }

  async family(id: string): Promise<readonly ContextInfo[]> {
    const { cycle, forks } = await this.state(id)
    return [{ id, cycle, forks }]
  }

  async read<T>({ id, base, operations }: ContextInput, work: (ctx: OpenContext, ids: TouchedIds) => T): Promise<T> {
    const ctx = this.#of(id)
    checkBase(ctx, base)
    if (operations === undefined) return work(ctx, [])
    return withOperations(ctx, operations, (ids) => work(ctx, ids))
  }

  async alone<T>(id: string, work: (ctx: OpenContext, apply: Apply) => Promise<T>): Promise<T> {
    const ctx = this.#of(id)
    // In one step: the program that has the context open must not see half of the operations.
    return work(ctx, async (operations) => applyOperations(ctx, operations))
  }

  async past(id: string): Promise<OpenContext> {
    return this.#of(id)
  }

  async *watch(id: string, { from, signal }: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined> {
    const ctx = this.#of(id)
    let { cycle: reported, epoch } = this.#startOf(ctx, typeof from === 'object' ? undefined : from)
    const event = (kind: WatchedEvent['kind']): WatchedEvent => {
      return { kind, cycle: reported, mark: formatMark({ cycle: reported, epoch, context: this.#name }) }
    }
    let seen = openOf(ctx)
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
        const isEdited = !isSameOpen(seen, openOf(ctx))
        const { epoch: now } = glanceAt(ctx)
        if (isEdited || reported < ctx.cycle - 1) seen = openOf(ctx)
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
  #startOf(ctx: Context, from: number | string | undefined): Pick<Mark, 'cycle' | 'epoch'> {
    const newest = ctx.cycle - 1
    if (from === undefined) return { cycle: newest, epoch: glanceAt(ctx).epoch }
    const { cycle, epoch = 0, context = this.#name } = markFrom(from)
    return context === this.#name ? { cycle, epoch } : { cycle: newest, epoch: -1 }
  }

  #of(id: string): Context {
    const found = this.#contexts.get(id)
    if (found !== undefined) return found
    const there = [...this.#contexts.keys()].slice(0, 3).map((each) => short(each))
    const message = `There is no context ${short(id)} here, only ${there.join(', ')}.`
    throw new PactError('E_STORE', message, { id, outcome: 'failed', reason: 'missing' })
  }
}

function openOf(ctx: Context): OpenState {
  return { state: glanceAt(ctx).state, attempts: ctx.attempts() }
}

function isSameOpen(a: OpenState, b: OpenState): boolean {
  const isSameList = a.attempts.length === b.attempts.length && a.attempts.every((each, i) => each === b.attempts[i])
  return a.state === b.state && isSameList
}
