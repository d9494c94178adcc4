// A store: contexts by id, in any database that implements `Rows`.

import {
  createContext,
  importSnapshot,
  type AnyContext,
  type ContextOptions,
  type ListOptions,
  type RangeResults,
} from '../context/index.js'
import { ContextEdits, type AnyOptions, type Parts } from '../context/persistence.js'
import { contextName, formatMark } from '../core/index.js'
import { checkOption, describe, FLAG, invalid, oneOf, PactError, short, showCallers } from '../errors/index.js'
import { discard, savedDraft, type SavedDraft } from './drafts.js'
import {
  infoOf,
  listRows,
  withLineage,
  type ContextInfo,
  type ContextPage,
  type ListOptions as Listing,
} from './catalog.js'
import { versionOf } from './compare.js'
import { busyContext, TRIES } from './consistent-read.js'
import { erase, type EraseOptions, type EraseReceipt } from './erase.js'
import { EventLoopYield } from './event-loop.js'
import { missing, storeFault, taken } from './fault.js'
import { fsck, type FsckOptions, type FsckReport } from './fsck.js'
import { openContext, type Loaded } from './loading.js'
import { move, type MoveOptions, type MoveReceipt } from './move.js'
import { checkNotMoved } from './moved.js'
import { contextWithHistory, emptyContext } from './new-context.js'
import { checkTaskOptions, checkHistory, readOptions, checkName } from './options.js'
import { retain, type RetainOptions, type RetainReceipt } from './retain.js'
import type { ContextKey, ContextRow, LostContext, NewContext, Rows } from './rows.js'
import { StoredContext } from './stored-context.js'
import type { StoreServices } from './stored-services.js'
import { PendingWork, Upkeep, type UpkeepSizes } from './upkeep.js'
import { Watch, type StoreWatch, type WatchOptions } from './watch.js'

/** Options of a context in a store. They are not stored, so pass them at every `open`. */
export type OpenOptions = Omit<ContextOptions, 'id' | 'history'> & HistoryOption & DraftOption
export type OpenListOptions<Value extends boolean = boolean> = Omit<ListOptions<Value>, 'id' | 'history'> &
  HistoryOption &
  DraftOption
type AnyOpenOptions = Omit<AnyOptions, 'id' | 'history'> & HistoryOption & DraftOption

type DraftOption = Readonly<{
  /** 'load' applies the edits that `save` made durable, 'leave' opens without them, 'discard' drops them; 'load' by default. */
  draft?: 'load' | 'leave' | 'discard' | undefined
}>

type HistoryOption = Readonly<{
  /** Number of newest snapshots loaded and kept in memory; 50 by default. */
  history?: number | 'all' | undefined
}>

/** State of a context that is available without opening it. */
export type ContextState = ContextInfo &
  Readonly<{
    /** Its number, unique in the store and never reused. */
    number: ContextKey
    /** Cycle of its first snapshot; 0 if it started empty. */
    first: number
    /** Changes with every erasure. */
    epoch: number
    /** Changes with every commit and erasure, and if the context is replaced by another one with the same id. */
    version: string
    /** Pass it as `from` to `watch` to get all changes after this state. */
    mark: string
  }>

const HISTORY = 50
/** Contexts read per query. */
const PAGE = 100

export class Store {
  readonly #rows: Rows
  readonly #pendingWork = new PendingWork()
  readonly #loopYield = new EventLoopYield()
  readonly #watches = new Set<Watch>()
  #isClosed = false

  readonly #sizes: UpkeepSizes | undefined

  /** Opens a store over any database; see `Rows`. Tests pass smaller `sizes`. */
  constructor(rows: Rows, sizes?: UpkeepSizes) {
    this.#rows = rows
    this.#sizes = sizes
  }

  static {
    showCallers(this.prototype)
  }

  /**
   * Opens a context; creates it if there is none.
   *
   * @example
   * ```ts
   * import { openStore } from 'pact-context/store'
   *
   * const store = await openStore('memory:')
   * const ctx = await store.open('trip', { history: 10 })
   * ctx.id // → 'trip'
   * ```
   */
  open(id: string, options?: OpenOptions): Promise<StoredContext>
  open(id: string, options: OpenListOptions<false>): Promise<StoredContext<'list'>>
  open(id: string, options: OpenListOptions): Promise<StoredContext<RangeResults>>
  async open(id: string, given: AnyOpenOptions = {}): Promise<StoredContext<RangeResults>> {
    this.#check()
    checkName('id', id)
    const options = readOptions('open', '{ history: 50 }', given)
    // Another process may create and delete the context at the same time, so this is tried a few times.
    checkOption('draft', options.draft, DRAFT)
    for (let tries = 0; tries < TRIES; tries++) {
      let row = await this.#rows.find(id)
      if (row === undefined) {
        if (this.#rows.isReadOnly === true) throw missing(id)
        await this.#watchesReady()
        const made = await this.#rows.create(emptyContext(id, emptyParts(options)))
        if (typeof made === 'object') row = made
      }
      if (row !== undefined && row.draft.parts > 0 && options.draft === 'discard') {
        await this.discardDraft(id)
        continue
      }
      const ctx = row && (await this.#load(row, options))
      if (ctx !== undefined) return ctx
    }
    throw busyContext(id)
  }

  /** Returns the state of a context without opening it; undefined if there is none. */
  async find(id: string): Promise<ContextState | undefined> {
    this.#check()
    const row = await this.#rows.find(checkName('id', id))
    if (row === undefined) return undefined
    const { ctx: number, first, epoch, head } = row
    const mark = formatMark({ cycle: head, epoch, context: contextName(number) })
    return Object.freeze({ ...infoOf(row), number, first, epoch, version: versionOf(row), mark })
  }

  /** Returns the draft of a context as data, without opening the context; undefined if there is none. See `StoredContext.save`. */
  async draft(id: string): Promise<SavedDraft | undefined> {
    this.#check()
    const row = await this.#rows.find(checkName('id', id))
    if (row === undefined) throw missing(id)
    const draft = row.draft.parts === 0 ? undefined : await this.#rows.draft(row.ctx)
    return draft && savedDraft(row, draft)
  }

  /** Drops the draft of a context; returns false if there is none. */
  async discardDraft(id: string): Promise<boolean> {
    this.#check()
    checkName('id', id)
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await this.#rows.find(id)
      if (row === undefined) throw missing(id)
      if (row.draft.parts === 0) return false
      await checkNotMoved(this.#rows, row)
      if ((await discard(this.#rows, row)) === 'done') return true
    }
    throw busyContext(id)
  }

  /**
   * Opens a context as it was after a cycle, with `history` snapshots; undefined if there is no such context. The cost
   * does not depend on the later commits. Commits to it are refused unless the cycle is the newest.
   */
  async openAt(id: string, cycle: number, options: OpenOptions = {}): Promise<StoredContext | undefined> {
    this.#check()
    const { history, draft: _draft, ...given } = readOptions('openAt', '{ history: 50 }', options)
    checkName('id', id)
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await this.#rows.find(id)
      if (row === undefined) return undefined
      if (!Number.isSafeInteger(cycle) || cycle < 0 || cycle > row.head) {
        const message = `There is no cycle ${describe(cycle)} of ${short(id)}; the newest is ${row.head}.`
        const details = Number.isFinite(cycle) ? { cycle } : {}
        throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { id, ...details, newest: row.head })
      }
      const loaded = await openContext(this.#rows, row, checkHistory(history ?? HISTORY), given, 'leave', cycle)
      if (loaded !== undefined) return this.#storedContext(loaded)
    }
    throw busyContext(id)
  }

  /** Creates a context; E_CONFLICT if the id is taken. */
  create(id: string, options?: OpenOptions): Promise<StoredContext>
  create(id: string, options: OpenListOptions<false>): Promise<StoredContext<'list'>>
  create(id: string, options: OpenListOptions): Promise<StoredContext<RangeResults>>
  async create(id: string, given: AnyOpenOptions = {}): Promise<StoredContext<RangeResults>> {
    this.#check()
    checkName('id', id)
    const options = readOptions('create', '{ history: 50 }', given)
    await this.#watchesReady()
    const made = await this.#rows.create(emptyContext(id, emptyParts(options)))
    if (typeof made !== 'object') throw taken(id)
    const ctx = await this.#load(made, options)
    if (ctx === undefined) throw missing(id)
    return ctx
  }

  /**
   * Stores an in-memory context with its whole history, or an exported snapshot. E_CONFLICT if the id is taken or the
   * context has uncommitted edits. With a signal, the call yields to the event loop and stops when the signal is
   * aborted; do not change the context meanwhile.
   */
  async put(
    context: AnyContext | string | Uint8Array | object,
    id: string,
    options: Readonly<{ signal?: AbortSignal | undefined }> = {},
  ): Promise<ContextInfo> {
    this.#check()
    checkName('id', id)
    const given = readOptions('put', '{ signal }', options, ['signal'])
    checkTaskOptions(given)
    const parts = partsOf(context)
    if (parts.open.operations().length > 0) {
      const message = 'The context has edits that are not committed, which would be lost; commit or undo them first.'
      throw new PactError('E_CONFLICT', message)
    }
    const made = await this.#created(await contextWithHistory(id, parts, { signal: given.signal }))
    if (typeof made === 'object') return infoOf(made)
    throw taken(id)
  }

  async #created(context: NewContext): ReturnType<Rows['create']> {
    await this.#watchesReady()
    return this.#rows.create(context)
  }

  /** The address of the store without credentials, as errors show it. */
  get name(): string {
    return this.#rows.name
  }

  /**
   * Returns a page of contexts in the order of their ids. Pass the `next` of one page as `after` to get the next one.
   */
  async list(options: Listing = {}): Promise<ContextPage> {
    this.#check()
    return listRows(this.#rows, options)
  }

  /** The contexts that share a past with this one, itself included, each with the one that it is a fork of; none if there is no such context. */
  async family(id: string): Promise<readonly ContextInfo[]> {
    this.#check()
    const row = await this.#rows.find(checkName('id', id))
    return row === undefined ? [] : withLineage(this.#rows, await this.#rows.family(row.family))
  }

  /**
   * Deletes a context with its history; returns false if there is none. E_CONFLICT if it has forks, unless `forks` is
   * true, which deletes them too. E_CONFLICT if it was moved to another store, unless `moved` is true, which deletes
   * the rest here.
   */
  async delete(id: string, options: Readonly<{ forks?: boolean; moved?: boolean }> = {}): Promise<boolean> {
    this.#check()
    const given = readOptions('delete', '{ forks: true }', options, ['forks', 'moved'])
    for (const [name, value] of Object.entries(given)) checkOption(name, value, FLAG)
    const { forks = false, moved = false } = given
    const found = await this.#findAny(checkName('id', id))
    if (found === undefined) return false
    const { ctx } = found
    if (!moved && 'family' in found) await checkNotMoved(this.#rows, found)
    await this.#watchesReady()
    const deleted = await this.#rows.delete(ctx, forks)
    if (deleted === 'deleted') return true
    const message = `The context ${short(id)} has forks, which share its past: ${deleted.slice(0, 5).join(', ')}. Delete these first, or pass { forks: true } to delete them as well.`
    throw new PactError('E_CONFLICT', message, { id, forks: deleted })
  }

  /**
   * Checks one context or all of them: every row, body, tree, fork and attempt, and all derived data. Returns the
   * problems; throws only if data cannot be read at all.
   */
  async fsck(id?: string, options: FsckOptions = {}): Promise<FsckReport> {
    this.#check()
    if (id === undefined) return fsck(this.#rows, this.#all(), options)
    const found = await this.#findAny(checkName('id', id))
    if (found === undefined) throw missing(id)
    return fsck(this.#rows, [found], options)
  }

  /** Finds a context, even if its newest rows are lost. */
  async #findAny(id: string): Promise<ContextRow | Pick<LostContext, 'ctx' | 'id' | 'chain'> | undefined> {
    try {
      return await this.#rows.find(id)
    } catch (error) {
      const ctx = PactError.is(error) ? error.details['number'] : undefined
      if (typeof ctx !== 'number' && typeof ctx !== 'string') throw error
      return { ctx, id, chain: undefined }
    }
  }

  /**
   * Erases the content of all nodes that a selector finds, in every snapshot, schedule and open cycle of this context
   * and of all contexts that share history with it, in their attempts, and in the database files. It cannot be undone.
   * Ids, positions and the hash chain stay. Open contexts of the family get E_CONFLICT at their next commit. If the
   * call was interrupted, call it again to finish.
   */
  async erase(id: string, selector: string, options: EraseOptions = {}): Promise<EraseReceipt> {
    this.#check()
    checkName('id', id)
    await this.#watchesReady()
    return this.#pendingWork.track(
      erase(this.#rows, id, selector, options, new Date().toISOString(), this.#sizes?.window),
    )
  }

  /**
   * Removes snapshots from the history of a context. Those that `keep` names, the newest, and those that forks and
   * attempts need stay, unchanged to the byte. Removed ones cannot be named any more, and texts that only they showed
   * are erased from the database. It cannot be undone. Open contexts of the family get E_CONFLICT at their next commit.
   */
  async retain(id: string, options: RetainOptions): Promise<RetainReceipt> {
    this.#check()
    checkName('id', id)
    await this.#watchesReady()
    return this.#pendingWork.track(retain(this.#rows, id, options, new Date().toISOString()))
  }

  /**
   * Moves a context and all contexts that share history with it to another store. Others can commit meanwhile; after a
   * short pause they get E_CONFLICT with the reason 'moved' and continue in the target. Ids, bytes, hash chains,
   * attempts and answers to keys stay the same. If the call was interrupted, call it again to finish.
   */
  async move(id: string, target: Store, options: MoveOptions = {}): Promise<MoveReceipt> {
    this.#check()
    checkName('id', id)
    if (typeof target !== 'object' || target === null || !(#rows in target)) {
      const message = `The target of a move is a store that openStore gave, not ${describe(target)}.`
      throw invalid('target', message)
    }
    target.#check()
    await this.#watchesReady()
    await target.#watchesReady()
    const moving = move(this.#rows, target.#rows, id, options, new Date().toISOString())
    return target.#pendingWork.track(this.#pendingWork.track(moving))
  }

  /**
   * Watches one context or all of them. Reports commits of any process from now on, each once and in order per context,
   * and contexts that are created, deleted or erased from. It ends with the store, its signal, or a `break`.
   */
  watch(id?: string, options: WatchOptions = {}): StoreWatch {
    this.#check()
    const watch = new Watch(this.#rows, id, options, (ended) => this.#watches.delete(ended))
    this.#watches.add(watch)
    return watch
  }

  /** Waits for the first read of all watches; undefined if there is none to wait for. */
  #watchesReady(): Promise<void> | undefined {
    for (const { firstRead } of this.#watches)
      if (firstRead !== undefined) return firstRead.then(() => this.#watchesReady())
    return undefined
  }

  async *#all(): AsyncGenerator<ContextRow | LostContext, void, undefined> {
    let after: string | undefined
    for (;;) {
      const page = await this.#rows.list(after, PAGE)
      yield* page
      if (page.length < PAGE) return
      after = page.at(-1)!.id
    }
  }

  /** Waits for pending writes and closes the database. Uncommitted edits are lost. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      for (const watch of this.#watches) await watch.end()
      await this.#pendingWork.finish()
    } finally {
      await this.#rows.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Undefined if the context was deleted meanwhile. */
  async #load(row: ContextRow, options: AnyOpenOptions): Promise<StoredContext<RangeResults> | undefined> {
    const { history, draft = 'load', ...given } = options
    const use = draft === 'load' ? draft : 'leave'
    const loaded = await openContext(this.#rows, row, checkHistory(history ?? HISTORY), given, use)
    return loaded && this.#storedContext(loaded)
  }

  #storedContext(loaded: Loaded): StoredContext<RangeResults> {
    return new StoredContext<RangeResults>(loaded, this.#services(loaded))
  }

  #services(loaded: Loaded): StoreServices {
    return {
      rows: this.#rows,
      book: loaded.book,
      upkeep: new Upkeep(this.#rows, loaded.row, loaded, this.#pendingWork, this.#sizes),
      pendingWork: this.#pendingWork,
      loopYield: this.#loopYield,
      check: () => this.#check(),
      watchesReady: () => this.#watchesReady(),
      opened: (fork) => this.#storedContext(fork),
      again: async (now, { history = Infinity, ...options }, draft) => {
        const again = await openContext(this.#rows, now, history, options, draft)
        return again && { loaded: again, services: this.#services(again) }
      },
    }
  }

  #check(): void {
    if (this.#isClosed)
      throw storeFault(`The store ${this.#rows.name} is closed; open it again.`, 'failed', { reason: 'closed' })
  }
}

const DRAFT = oneOf('load', 'leave', 'discard')

function emptyParts({ history, draft: _draft, ...options }: AnyOpenOptions): Parts {
  return ContextEdits.partsOf(
    createContext({ ...options, history: checkHistory(history ?? HISTORY) } as ContextOptions),
  )
}

function partsOf(context: AnyContext | string | Uint8Array | object): Parts {
  return ContextEdits.partsOf(isContext(context) ? context : importSnapshot(context))
}

function isContext(given: unknown): given is AnyContext {
  try {
    return given instanceof ContextEdits
  } catch {
    // A proxy that throws; reading it later reports the error.
    return false
  }
}
