// What others commit, as it happens: every commit of every context once, in order for each. A look compares the heads that there are with
// those that were told; the database says when to look again.

import { describe, PactError } from '../errors/index.js'
import { compareText } from '../core/index.js'
import { contextName, formatMark, markFrom, parseMark, type WatchedFrom } from '../context/index.js'
import { auditOf, entryOf } from './audit.js'
import { checkName } from './names.js'
import type { ContextRow, LostContext, Rows } from './rows.js'

/** Something that happened in a store, whoever did it. */
export type StoreEvent = Readonly<{
  /**
   * 'commit': the context has this cycle now. 'made': there is such a context now, which begins with this cycle. 'deleted': it is gone, after this
   * cycle. 'erased': something in it was erased or thinned out; whatever was read of it before may hold that.
   */
  kind: 'commit' | 'made' | 'deleted' | 'erased'
  id: string
  cycle: number
  /** Where a watch of this context goes on after this, as `from`; nobody else reads it. */
  mark: string
}>

export type { WatchedFrom }

export type WatchOptions = Readonly<{
  /**
   * Tells what happened after a mark, or after the commit of a cycle; with all contexts, a map from their ids to marks or cycles, and those that are
   * not in it are told from their beginning. What was erased since is told as well; after a cycle alone, which does not say
   * whether that was heard of, it may be told once more. Without it, what comes from now on.
   */
  from?: WatchedFrom | ReadonlyMap<string, WatchedFrom> | undefined
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

/** A context as it was told last; which one it was, and what was erased by then, is not known where the caller has named a cycle alone. */
type Told = { context: string | undefined; epoch: number | undefined; cycle: number }
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
    yield* differences(rows, told, await headsOf(rows, id))
  }
}

/** What happened since it was told last; each is noted as told when it is. */
async function* differences(
  rows: Rows,
  told: Map<string, Told>,
  now: Heads,
): AsyncGenerator<StoreEvent, void, undefined> {
  for (const id of [...new Set([...told.keys(), ...now.keys()])].sort(compareText)) {
    const head = now.get(id)
    // Its newest rows are lost: that is no change that anybody made.
    if (head !== undefined && head.chain === undefined) continue
    let known = told.get(id)
    // One that ends before what is known is another one, and so is one with another number.
    const context = head && contextName(head.ctx)
    const isGone = head === undefined || (known?.context ?? context) !== context || head.head < (known?.cycle ?? 0)
    if (known !== undefined && isGone) {
      told.delete(id)
      yield event('deleted', id, { ...known, context: '' })
      known = undefined
    }
    if (head === undefined) continue
    if (known === undefined) {
      known = { context, epoch: head.epoch, cycle: head.first }
      told.set(id, known)
      yield event('made', id, known)
    }
    known.context ??= context
    known.epoch ??= await epochHeardAt(rows, head, known.cycle)
    if (known.epoch !== head.epoch) {
      known.epoch = head.epoch
      // Before what came after it: who has heard of a later commit has heard of this.
      yield event('erased', id, known)
    }
    while (known.cycle < head.head) {
      known.cycle++
      yield event('commit', id, known)
    }
  }
}

/**
 * The epoch that somebody has certainly heard of who has heard of the commit of a cycle: what was erased before that commit was told before it. Of
 * what was erased after it, while it was the newest, nobody can say (N107).
 */
async function epochHeardAt(rows: Rows, { id, family, epoch }: ContextRow, cycle: number): Promise<number> {
  if (epoch === 0) return 0
  // Where the list is damaged, nobody can say anything.
  const entries = await auditOf(rows, family).catch(() => [])
  const unheard = entries.findIndex((each) => {
    const newest = entryOf(each).heads.find(([name]) => name === id)?.[1]
    // One that was not there yet never had what was erased.
    return newest !== undefined && newest >= cycle
  })
  return unheard < 0 ? entries.length : unheard
}

function event(kind: StoreEvent['kind'], id: string, told: Told): StoreEvent {
  const { context = '', epoch = 0, cycle } = told
  return Object.freeze({ kind, id, cycle, mark: formatMark({ cycle, epoch, context }) })
}

/** What was told by then; nothing where it was told that the context is gone. */
function toldBy(from: WatchedFrom): Told | undefined {
  const { cycle, epoch, context } = markFrom(from)
  return context === '' ? undefined : { context, epoch, cycle }
}

async function startOf(
  rows: Rows,
  id: string | undefined,
  from: ReadonlyMap<string, WatchedFrom> | undefined,
): Promise<Map<string, Told>> {
  if (from !== undefined) {
    const told = Array.from(from, ([name, each]) => [name, toldBy(each)] as const)
    return new Map(told.filter((each): each is [string, Told] => each[1] !== undefined))
  }
  const heads = await headsOf(rows, id)
  return new Map(
    Array.from(heads, ([name, { ctx, epoch, head }]) => [name, { context: contextName(ctx), epoch, cycle: head }]),
  )
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

type Checked = Readonly<{ from: ReadonlyMap<string, WatchedFrom> | undefined; every: number }>

function checkWatch(id: string | undefined, { from, every = EVERY }: WatchOptions): Checked {
  if (!Number.isSafeInteger(every) || every < 1 || every >= 2 ** 31) {
    throw invalid('every', `The option every is a number of milliseconds from 1 up, not ${describe(every)}.`)
  }
  if (from === undefined) return { from, every }
  if (id === undefined) {
    if (from instanceof Map) for (const each of from.values()) checkFrom(each)
    else
      throw invalid(
        'from',
        `For all contexts the option from is a map from ids to cycles or marks, not ${describe(from)}.`,
      )
    return { from, every }
  }
  return { from: new Map([[id, checkFrom(from)]]), every }
}

function checkFrom(from: unknown): WatchedFrom {
  if (typeof from === 'number' && Number.isSafeInteger(from) && from >= 0) return from
  if (typeof from === 'string' && parseMark(from) !== undefined) return from
  const message = `The option from is a cycle, a whole number from 0 up, or the mark of an event, not ${describe(from)}.`
  throw invalid('from', message)
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
