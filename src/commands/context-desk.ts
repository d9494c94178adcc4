// The desk over one context in memory: its program has it, too, and both see each other's commits and open edits.

import { randomBytes } from 'node:crypto'

import { PactError, short } from '../errors/index.js'
import { formatMark, glanceAt, markFrom, type Context, type Mark } from '../context/index.js'
import type { ContextPage, ContextState, Store, WatchOptions } from '../store/index.js'
import type { Reading, WatchedEvent } from './answers.js'
import { CycleMemory } from './cycle-memory.js'
import { checkBase, type Desk } from './desk.js'
import { withOperations, type OpenContext, type TouchedIds } from './trial.js'

/** How often it is looked at whether what is open has changed, in milliseconds. */
const LOOK = 250

/** What there is beside commits; every part is another object once it changes. */
type OpenNow = Readonly<{ state: object; attempts: readonly object[] }>

export class ContextDesk implements Desk {
  readonly #ctx: Context
  readonly cycles: CycleMemory = new CycleMemory()
  /** Every state of the tree that was asked for, by number: two desks never speak of the same one. */
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

  async read<T>(id: string, { base, operations }: Reading, work: (ctx: OpenContext, ids: TouchedIds) => T): Promise<T> {
    this.#check(id)
    checkBase(this.#ctx, base)
    if (operations === undefined) return work(this.#ctx, [])
    return withOperations(this.#ctx, operations, (ids) => work(this.#ctx, ids))
  }

  async alone<T>(id: string, work: (ctx: OpenContext) => Promise<T>): Promise<T> {
    this.#check(id)
    return work(this.#ctx)
  }

  async past(id: string): Promise<OpenContext> {
    this.#check(id)
    return this.#ctx
  }

  async *watch(id: string, { from, signal }: WatchOptions): AsyncGenerator<WatchedEvent, void, undefined> {
    this.#check(id)
    const ctx = this.#ctx
    let { cycle: told, epoch } = this.#toldBy(typeof from === 'object' ? undefined : from)
    const event = (kind: WatchedEvent['kind']): WatchedEvent => {
      return { kind, cycle: told, mark: formatMark({ cycle: told, epoch, context: this.#name }) }
    }
    let seen = this.#open()
    let wake = (): void => {}
    // Nobody tells of edits, and looking costs next to nothing.
    const looking = setInterval(() => wake(), LOOK)
    looking.unref()
    const isOver = (): boolean => signal?.aborted === true
    const stop = (): void => wake()
    const end = ctx.onCommit(stop)
    signal?.addEventListener('abort', stop)
    try {
      while (!isOver()) {
        const isEdited = !isSameOpen(seen, this.#open())
        const { epoch: now } = glanceAt(ctx)
        if (isEdited || told < ctx.cycle - 1) seen = this.#open()
        if (epoch !== now) {
          epoch = now
          yield event('erased')
        } else if (told < ctx.cycle - 1) {
          told++
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

  /** Of a mark that another program gave nothing is known here; of a cycle alone, not whether something was forgotten after it. */
  #toldBy(from: number | string | undefined): Pick<Mark, 'cycle' | 'epoch'> {
    const newest = this.#ctx.cycle - 1
    if (from === undefined) return { cycle: newest, epoch: glanceAt(this.#ctx).epoch }
    const { cycle, epoch = 0, context = this.#name } = markFrom(from)
    return context === this.#name ? { cycle, epoch } : { cycle: newest, epoch: -1 }
  }

  #open(): OpenNow {
    return { state: glanceAt(this.#ctx).state, attempts: this.#ctx.attempts() }
  }

  #check(id: string): void {
    if (id === this.#ctx.id) return
    const message = `There is no context ${short(id)} here, only ${short(this.#ctx.id)}.`
    throw new PactError('E_STORE', message, { id, outcome: 'failed', reason: 'missing' })
  }
}

function isSameOpen(a: OpenNow, b: OpenNow): boolean {
  const isSameList = a.attempts.length === b.attempts.length && a.attempts.every((each, i) => each === b.attempts[i])
  return a.state === b.state && isSameList
}
