// Watches a store: every commit of every context is reported once, in order per context. Each poll compares the current
// heads with those reported last; the database signals when to poll again.

import { compareText, contextName, formatMark, markFrom, parseMark, type WatchedFrom } from '../core/index.js'
import { checkOption, describe, invalid, PactError } from '../errors/index.js'
import { auditOf, entryOf } from './audit.js'
import { checkName, MILLISECONDS_FROM_1 } from './options.js'
import type { AuditRow, ContextRow, LostContext, Rows } from './rows.js'

/** A change in a store, made by any process. */
export type StoreEvent = Readonly<{
  /**
   * 'commit': the context has committed this cycle. 'made': the context was created and starts with this cycle.
   * 'deleted': the context was deleted after this cycle. 'erased': something in it was erased or thinned out; data read
   * before may contain it.
   */
  kind: 'commit' | 'made' | 'deleted' | 'erased'
  id: string
  cycle: number
  /** Pass it as `from` to continue a watch of this context after this event. */
  mark: string
}>

export type { WatchedFrom }

export type WatchOptions = Readonly<{
  /**
   * Reports changes after a mark, or after the commit of a cycle. To watch all contexts, pass a map from ids to marks
   * or cycles; contexts that are not in it are reported from their start. Erasures since then are reported too; a cycle
   * does not say which of them you know, so one may be reported twice. Without `from`, reports changes from now on.
   */
  from?: WatchedFrom | ReadonlyMap<string, WatchedFrom> | undefined
  /** Ends the watch. */
  signal?: AbortSignal | undefined
  /** Polling interval in milliseconds for databases without notifications; 100 by default. */
  every?: number | undefined
}>

/** An iterator over the changes of a store. */
export type StoreWatch = AsyncIterableIterator<StoreEvent> &
  Readonly<{
    /**
     * Resolves when the watch has read the current state. Changes after that are reported. Commits by other processes
     * before that may be missed; pass `from` to avoid it.
     */
    ready: Promise<void>
  }>

const EVERY = 100
/** Contexts read per query. */
const PAGE = 1000

/** The last reported state of a context. `context` and `epoch` are undefined if the caller named only a cycle. */
type ReportedState = { context: string | undefined; epoch: number | undefined; cycle: number }
type Heads = ReadonlyMap<string, ContextRow | LostContext>

/** A running watch. It ends with its signal, its store or its caller. */
export class Watch implements StoreWatch {
  readonly ready: Promise<void>
  readonly #events: AsyncGenerator<StoreEvent, void, undefined>
  readonly #ending = new AbortController()
  readonly #ended: () => void
  #last: Promise<unknown> = Promise.resolve()
  #firstRead: Promise<void> | undefined

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
    // Read the state now, so that nothing is missed before the first `next`.
    const start = startOf(rows, id, from)
    this.ready = start.then(() => undefined)
    const firstReadDone = (): void => (this.#firstRead = undefined)
    this.#firstRead = this.ready.then(firstReadDone, firstReadDone)
    this.#last = start
    this.#events = eventsOf(rows, id, start, every, this.#ending.signal)
  }

  /**
   * The first read, while it is running. Writes of this store wait for it: on a database with several connections, a
   * write could otherwise overtake it and never be reported.
   */
  get firstRead(): Promise<void> | undefined {
    return this.#firstRead
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

  /** Ends the watch and waits for its last query. */
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
  start: Promise<Map<string, ReportedState>>,
  every: number,
  signal: AbortSignal,
): AsyncGenerator<StoreEvent, void, undefined> {
  const reported = await start
  let version: string | undefined
  for (;;) {
    // Read the version first: a change in between is seen twice but reported once.
    if (!signal.aborted) version = await rows.changed(version, every, signal)
    if (signal.aborted) return
    yield* differences(rows, reported, await headsOf(rows, id))
  }
}

/** Yields the differences from the last reported states, and updates those states. */
async function* differences(
  rows: Rows,
  reported: Map<string, ReportedState>,
  now: Heads,
): AsyncGenerator<StoreEvent, void, undefined> {
  for (const id of [...new Set([...reported.keys(), ...now.keys()])].sort(compareText)) {
    const head = now.get(id)
    // A context with lost rows is damaged, not changed.
    if (head !== undefined && head.chain === undefined) continue
    let known = reported.get(id)
    // A context that ends before the reported cycle, or has another number, is a new one with the same id.
    const context = head && contextName(head.ctx)
    const isGone = head === undefined || (known?.context ?? context) !== context || head.head < (known?.cycle ?? 0)
    if (known !== undefined && isGone) {
      reported.delete(id)
      // A watch from cycle 0 starts before the context exists, so its absence is no deletion.
      const wasThere = known.context !== undefined || known.cycle > 0
      if (wasThere) yield event('deleted', id, { ...known, context: '' })
      known = undefined
    }
    if (head === undefined) continue
    if (known === undefined) {
      known = { context, epoch: head.epoch, cycle: head.first }
      reported.set(id, known)
      yield event('made', id, known)
    }
    known.context ??= context
    known.epoch ??= await epochHeardAt(rows, head, known.cycle)
    if (known.epoch !== head.epoch) {
      known.epoch = head.epoch
      // Report it before later commits: having seen a later commit implies having seen the erasure.
      yield event('erased', id, known)
    }
    while (known.cycle < head.head) {
      known.cycle++
      yield event('commit', id, known)
    }
  }
}

/**
 * The epoch that a watcher certainly knows who knows the commit of a cycle: erasures before that commit were reported
 * before it. Erasures after it, while it was the newest, may or may not be known (N107).
 */
async function epochHeardAt(rows: Rows, { id, family, epoch }: ContextRow, cycle: number): Promise<number> {
  if (epoch === 0) return 0
  // A damaged audit list proves nothing; an unreadable one is an error.
  const entries = await auditOf(rows, family).catch((error: unknown): readonly AuditRow[] => {
    if (PactError.is(error) && error.details['reason'] === 'damaged') return []
    throw error
  })
  const unheard = entries.findIndex((each) => {
    const newest = entryOf(each).heads.find(([name]) => name === id)?.[1]
    // A context that did not exist yet never held the erased text.
    return newest !== undefined && newest >= cycle
  })
  return unheard < 0 ? entries.length : unheard
}

function event(kind: StoreEvent['kind'], id: string, reported: ReportedState): StoreEvent {
  const { context = '', epoch = 0, cycle } = reported
  return Object.freeze({ kind, id, cycle, mark: formatMark({ cycle, epoch, context }) })
}

/** The state that a mark stands for; undefined for the mark of a deletion. */
function reportedState(from: WatchedFrom): ReportedState | undefined {
  const { cycle, epoch, context } = markFrom(from)
  return context === '' ? undefined : { context, epoch, cycle }
}

async function startOf(
  rows: Rows,
  id: string | undefined,
  from: ReadonlyMap<string, WatchedFrom> | undefined,
): Promise<Map<string, ReportedState>> {
  if (from !== undefined) {
    const reported = Array.from(from, ([name, each]) => [name, reportedState(each)] as const)
    return new Map(reported.filter((each): each is [string, ReportedState] => each[1] !== undefined))
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

type WatchSettings = Readonly<{ from: ReadonlyMap<string, WatchedFrom> | undefined; every: number }>

function checkWatch(id: string | undefined, { from, every = EVERY }: WatchOptions): WatchSettings {
  checkOption('every', every, MILLISECONDS_FROM_1)
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
