// What others commit, as it happens: every commit of every context once, in order for each. A look compares the heads that there are with
// those that were told; the database says when to look again.

import { describe, PactError } from '../errors/index.js'
import { compareText } from '../core/index.js'
import { checkName } from './names.js'
import type { ContextKey, ContextRow, LostContext, Rows } from './rows.js'

/** Something that happened in a store, whoever did it. */
export type StoreEvent = Readonly<{
  /**
   * 'commit': the context has this cycle now. 'made': there is such a context now, which begins with this cycle. 'deleted': it is gone, after this
   * cycle. 'erased': something in it was erased; whatever was read of it before may hold that.
   */
  kind: 'commit' | 'made' | 'deleted' | 'erased'
  id: string
  cycle: number
}>

export type WatchOptions = Readonly<{
  /**
   * Tells what was committed after a cycle; with all contexts, a map from their ids to cycles, and those that are not in it are told
   * from their beginning. Without it, what comes from now on.
   */
  from?: number | ReadonlyMap<string, number> | undefined
  /** Ends it. */
  signal?: AbortSignal | undefined
  /** How often to look for what other processes do, in milliseconds, where the database does not tell; 100 by default. */
  every?: number | undefined
}>

/** What happens in a store, as it happens. */
export type StoreWatch = AsyncIterableIterator<StoreEvent> &
  Readonly<{
    /**
     * Resolves when it has seen what there is: what is done after that is told. A database on another machine takes a moment for it, in which
     * others may commit; with `from` there is no such moment.
     */
    ready: Promise<void>
  }>

const EVERY = 100
/** How many contexts are read at once. */
const PAGE = 1000

/** A context as it was told last; `ctx` is undefined where only the caller knows it. */
type Told = { ctx: ContextKey | undefined; epoch: number; cycle: number }
type Heads = ReadonlyMap<string, ContextRow | LostContext>

/** An iterator of what happens, until its signal, its store or its caller ends it. */
export class Watch implements StoreWatch {
  readonly ready: Promise<void>
  readonly #events: AsyncGenerator<StoreEvent, void, undefined>
  readonly #ending = new AbortController()
  readonly #ended: () => void
  #last: Promise<unknown> = Promise.resolve()
  #looking: Promise<void> | undefined

  constructor(rows: Rows, id: string | undefined, options: WatchOptions, ended: (watch: Watch) => void) {
    if (id !== undefined) checkName('id', id)
    const { signal } = options
    const { from, every } = checkWatch(id, options)
    const stop = (): void => this.#ending.abort()
    this.#ended = () => {
      signal?.removeEventListener('abort', stop)
      ended(this)
    }
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted === true) stop()
    // Looked at now, so that nothing is missed until somebody asks for the first.
    const start = startOf(rows, id, from)
    this.ready = start.then(() => undefined)
    const looked = (): void => (this.#looking = undefined)
    this.#looking = this.ready.then(looked, looked)
    this.#last = start
    this.#events = eventsOf(rows, id, start, every, this.#ending.signal)
  }

  /**
   * The first look, as long as it is under way. Whoever was asked to write after that waits for it: a database with several connections would
   * else do the later first, and what was written is never told.
   */
  get looking(): Promise<void> | undefined {
    return this.#looking
  }

  async next(): Promise<IteratorResult<StoreEvent, undefined>> {
    const next = this.#events.next()
    this.#last = next
    try {
      const result = await next
      if (result.done === true) this.#ended()
      return result as IteratorResult<StoreEvent, undefined>
    } catch (error) {
      this.#ended()
      throw error
    }
  }

  async return(): Promise<IteratorResult<StoreEvent, undefined>> {
    this.#ending.abort()
    await this.#events.return()
    this.#ended()
    return { done: true, value: undefined }
  }

  /** Ends it, and waits until it asks nothing more of the database. */
  async end(): Promise<void> {
    this.#ending.abort()
    await this.#last.catch(() => undefined)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }
}

async function* eventsOf(
  rows: Rows,
  id: string | undefined,
  start: Promise<Map<string, Told>>,
  every: number,
  signal: AbortSignal,
): AsyncGenerator<StoreEvent, void, undefined> {
  const told = await start
  let version: string | undefined
  for (;;) {
    // Taken before the look: what comes in between is seen twice, and told once.
    if (!signal.aborted) version = await rows.changed(version, every, signal)
    if (signal.aborted) return
    yield* differences(told, await headsOf(rows, id))
  }
}

/** What happened since it was told last; each is noted as told when it is. */
function* differences(told: Map<string, Told>, now: Heads): Generator<StoreEvent, void, undefined> {
  for (const id of [...new Set([...told.keys(), ...now.keys()])].sort(compareText)) {
    const head = now.get(id)
    // Its newest rows are lost: that is no change that anybody made.
    if (head !== undefined && head.chain === undefined) continue
    let known = told.get(id)
    // One that ends before what is known is another one, and so is one with another number.
    const isGone = head === undefined || (known?.ctx ?? head.ctx) !== head.ctx || head.head < (known?.cycle ?? 0)
    if (known !== undefined && isGone) {
      told.delete(id)
      yield event('deleted', id, known.cycle)
      known = undefined
    }
    if (head === undefined) continue
    if (known === undefined) {
      known = { ctx: head.ctx, epoch: head.epoch, cycle: head.first }
      told.set(id, known)
      yield event('made', id, head.first)
    }
    if (known.ctx === undefined) Object.assign(known, { ctx: head.ctx, epoch: head.epoch })
    if (known.epoch !== head.epoch) {
      known.epoch = head.epoch
      yield event('erased', id, known.cycle)
    }
    while (known.cycle < head.head) yield event('commit', id, ++known.cycle)
  }
}

function event(kind: StoreEvent['kind'], id: string, cycle: number): StoreEvent {
  return Object.freeze({ kind, id, cycle })
}

async function startOf(
  rows: Rows,
  id: string | undefined,
  from: ReadonlyMap<string, number> | undefined,
): Promise<Map<string, Told>> {
  if (from !== undefined) {
    return new Map(Array.from(from, ([name, cycle]) => [name, { ctx: undefined, epoch: 0, cycle }]))
  }
  const heads = await headsOf(rows, id)
  return new Map(Array.from(heads, ([name, { ctx, epoch, head }]) => [name, { ctx, epoch, cycle: head }]))
}

async function headsOf(rows: Rows, id: string | undefined): Promise<Heads> {
  if (id !== undefined) {
    const row = await rows.find(id)
    return new Map(row === undefined ? [] : [[id, row]])
  }
  const heads = new Map<string, ContextRow | LostContext>()
  let after: string | undefined
  for (;;) {
    const page = await rows.list(after, PAGE)
    for (const row of page) heads.set(row.id, row)
    if (page.length < PAGE) return heads
    after = page.at(-1)!.id
  }
}

type Checked = Readonly<{ from: ReadonlyMap<string, number> | undefined; every: number }>

function checkWatch(id: string | undefined, { from, every = EVERY }: WatchOptions): Checked {
  if (!Number.isSafeInteger(every) || every < 1 || every >= 2 ** 31) {
    throw invalid('every', `The option every is a number of milliseconds from 1 up, not ${describe(every)}.`)
  }
  if (from === undefined) return { from, every }
  if (id === undefined) {
    if (from instanceof Map) for (const cycle of from.values()) checkCycle(cycle)
    else throw invalid('from', `For all contexts the option from is a map from ids to cycles, not ${describe(from)}.`)
    return { from, every }
  }
  return { from: new Map([[id, checkCycle(from)]]), every }
}

function checkCycle(cycle: unknown): number {
  if (typeof cycle === 'number' && Number.isSafeInteger(cycle) && cycle >= 0) return cycle
  throw invalid('from', `The option from is a cycle, a whole number from 0 up, not ${describe(cycle)}.`)
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
