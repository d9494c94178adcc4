// A store: contexts by their ids, in a database of any kind that offers rows.

import { describe, PactError, short, showCallers } from '../errors/index.js'
import {
  ContextEdits,
  contextName,
  createContext,
  formatMark,
  importSnapshot,
  type AnyContext,
  type AnyOptions,
  type ContextOptions,
  type ListOptions,
  type Parts,
  type RangeResults,
} from '../context/index.js'
import { PageBook } from '../timeline/index.js'
import { contextFrom, emptyContext } from './beginnings.js'
import { Breath } from './breath.js'
import { infoOf, listRows, type ContextInfo, type ContextPage, type ListOptions as Listing } from './catalog.js'
import { erase, type EraseOptions, type EraseReceipt } from './erase.js'
import { missing, storeFault, taken } from './fault.js'
import { fsck, type FsckOptions, type FsckReport } from './fsck.js'
import { historyOf, optionsOf } from './given.js'
import { loadContext, type Loaded } from './loading.js'
import { checkName } from './names.js'
import { RecentRows } from './recent-rows.js'
import { retain, type RetainOptions, type RetainReceipt } from './retain.js'
import type { ContextKey, ContextRow, LostContext, Rows } from './rows.js'
import { StoredContext, versionOf, type Seat } from './stored-context.js'
import { Unfinished } from './unfinished.js'
import { Upkeep, type UpkeepSizes } from './upkeep.js'
import { Watch, type StoreWatch, type WatchOptions } from './watch.js'

/** Options of a context in a store: what is not stored is given at every `open`. */
export type OpenOptions = Omit<ContextOptions, 'id' | 'history'> & HistoryOption
export type OpenListOptions<Value extends boolean = boolean> = Omit<ListOptions<Value>, 'id' | 'history'> &
  HistoryOption
type AnyOpenOptions = Omit<AnyOptions, 'id' | 'history'> & HistoryOption

type HistoryOption = Readonly<{
  /** How many snapshots are loaded and kept in memory, the newest; 50 by default. */
  history?: number | 'all' | undefined
}>

/** What can be told of a context without opening it. */
export type ContextState = ContextInfo &
  Readonly<{
    /** Its number, which no other context of the store ever has. */
    number: ContextKey
    /** The cycle of its first row: that of its first snapshot, or 0. */
    first: number
    /** Another one whenever something in it was erased. */
    epoch: number
    /** Another text whenever it has changed: something was committed or erased, or it is another context of this name. */
    version: string
    /** What was done to it after this is told by a watch with this as `from`. */
    mark: string
  }>

const HISTORY = 50
/** How many contexts are read at once where all of them are. */
const PAGE = 100

export class Store {
  readonly #rows: Rows
  readonly #unfinished = new Unfinished()
  readonly #breath = new Breath()
  readonly #recent = new RecentRows()
  readonly #watches = new Set<Watch>()
  #isClosed = false

  readonly #sizes: UpkeepSizes | undefined

  /** Over any database; see `Rows`. Tests pack sooner than the sizes of `Upkeep` say. */
  constructor(rows: Rows, sizes?: UpkeepSizes) {
    this.#rows = rows
    this.#sizes = sizes
  }

  static {
    showCallers(this.prototype)
  }

  /** Opens a context, and makes it where there is none. */
  open(id: string, options?: OpenOptions): Promise<StoredContext>
  open(id: string, options: OpenListOptions<false>): Promise<StoredContext<'list'>>
  open(id: string, options: OpenListOptions): Promise<StoredContext<RangeResults>>
  async open(id: string, given: AnyOpenOptions = {}): Promise<StoredContext<RangeResults>> {
    this.#check()
    checkName('id', id)
    const options = optionsOf('open', '{ history: 50 }', given)
    // Whoever makes it in the same moment may also delete it again; but not for ever.
    for (let tries = 0; tries < 10; tries++) {
      const row = await this.#rows.find(id)
      if (row !== undefined) return this.#load(row, options)
      await this.#looked()
      const made = await this.#rows.create(emptyContext(id, emptyParts(options)))
      if (typeof made === 'object') return this.#load(made, options)
    }
    throw storeFault(`The context ${short(id)} is there, but none of its rows; run fsck.`, 'failed', {
      id,
      reason: 'damaged',
    })
  }

  /** Tells of one context without opening it; undefined where there is none. */
  async find(id: string): Promise<ContextState | undefined> {
    this.#check()
    const row = await this.#rows.find(checkName('id', id))
    if (row === undefined) return undefined
    const { ctx: number, first, epoch, head } = row
    const mark = formatMark({ cycle: head, epoch, context: contextName(number) })
    return Object.freeze({ ...infoOf(row), number, first, epoch, version: versionOf(row), mark })
  }

  /**
   * Opens a context as it was after a cycle, with so many snapshots before that one; undefined where there is none. It costs what it
   * loads, however much came since. It is for reading: what is committed to it is refused, unless that cycle is the newest.
   */
  async openAt(id: string, cycle: number, options: OpenOptions = {}): Promise<StoredContext | undefined> {
    this.#check()
    const { history, ...given } = optionsOf('openAt', '{ history: 50 }', options)
    const row = await this.#rows.find(checkName('id', id))
    if (row === undefined) return undefined
    if (!Number.isSafeInteger(cycle) || cycle < 0 || cycle > row.head) {
      const message = `There is no cycle ${describe(cycle)} of ${short(id)}; the newest is ${row.head}.`
      const details = Number.isFinite(cycle) ? { cycle } : {}
      throw new PactError('E_SNAPSHOT_NOT_FOUND', message, { id, ...details, newest: row.head })
    }
    const loaded = await loadContext(this.#rows, row, historyOf(history ?? HISTORY), given, undefined, cycle)
    return this.#seated(row, loaded)
  }

  /** Makes a context; E_CONFLICT where there is one with this id. */
  create(id: string, options?: OpenOptions): Promise<StoredContext>
  create(id: string, options: OpenListOptions<false>): Promise<StoredContext<'list'>>
  create(id: string, options: OpenListOptions): Promise<StoredContext<RangeResults>>
  async create(id: string, given: AnyOpenOptions = {}): Promise<StoredContext<RangeResults>> {
    this.#check()
    checkName('id', id)
    const options = optionsOf('create', '{ history: 50 }', given)
    await this.#looked()
    const made = await this.#rows.create(emptyContext(id, emptyParts(options)))
    if (typeof made === 'object') return this.#load(made, options)
    throw taken(id)
  }

  /**
   * Stores a context that was made elsewhere with all the past that it has, or an exported snapshot. Edits that are not
   * committed are no past: commit first.
   */
  async put(context: AnyContext | string | Uint8Array | object, id: string): Promise<ContextInfo> {
    this.#check()
    checkName('id', id)
    const parts = partsOf(context)
    if (parts.open.operations().length > 0) {
      const message = 'The context has edits that are not committed, which would be lost; commit or undo them first.'
      throw new PactError('E_CONFLICT', message)
    }
    const given = contextFrom(id, parts)
    await this.#looked()
    const made = await this.#rows.create(given)
    if (typeof made === 'object') return infoOf(made)
    throw taken(id)
  }

  /** The contexts in the order of their ids, a page of them; `after` is the `next` of the page before. */
  async list(options: Listing = {}): Promise<ContextPage> {
    this.#check()
    return listRows(this.#rows, options)
  }

  /** Deletes a context with all its past; false where there is none. One that has forks is refused, unless these go too. */
  async delete(id: string, options: Readonly<{ forks?: boolean }> = {}): Promise<boolean> {
    this.#check()
    const { forks = false } = optionsOf('delete', '{ forks: true }', options, ['forks'])
    if (typeof forks !== 'boolean') {
      const message = `The option forks is true or false, not ${describe(forks)}.`
      throw new PactError('E_CONTENT_INVALID', message, { name: 'forks' })
    }
    const ctx = (await this.#found(checkName('id', id)))?.ctx
    if (ctx === undefined) return false
    await this.#looked()
    const deleted = await this.#rows.delete(ctx, forks)
    // What is gone is not kept here either.
    this.#recent.clear()
    if (deleted === 'deleted') return true
    const message = `The context ${short(id)} has forks, which share its past: ${deleted.slice(0, 5).join(', ')}. Delete these first, or pass { forks: true } to delete them as well.`
    throw new PactError('E_CONFLICT', message, { id, forks: deleted })
  }

  /**
   * Looks over one context or all of them: every row, body, tree, fork and attempt, and what is derived from them. Throws only
   * where something cannot be read at all.
   */
  async fsck(id?: string, options: FsckOptions = {}): Promise<FsckReport> {
    this.#check()
    if (id === undefined) return fsck(this.#rows, this.#all(), options)
    const found = await this.#found(checkName('id', id))
    if (found === undefined) throw missing(id)
    return fsck(this.#rows, [found], options)
  }

  /** A context, also one whose newest rows are lost. */
  async #found(id: string): Promise<ContextRow | Pick<LostContext, 'ctx' | 'id' | 'chain'> | undefined> {
    try {
      return await this.#rows.find(id)
    } catch (error) {
      const ctx = PactError.is(error) ? error.details['number'] : undefined
      if (typeof ctx !== 'number' && typeof ctx !== 'string') throw error
      return { ctx, id, chain: undefined }
    }
  }

  /**
   * Takes out all that nodes say, wherever a selector finds them: in every snapshot, schedule and open cycle of this context and of all that share a
   * past with it, in their attempts, and in the files of the database. It cannot be taken back; ids, places and the chain stay. Whoever
   * has one of the contexts open gets E_CONFLICT at the next commit. Called again after it was interrupted, it is finished.
   */
  async erase(id: string, selector: string, options: EraseOptions = {}): Promise<EraseReceipt> {
    this.#check()
    checkName('id', id)
    await this.#looked()
    return this.#awaited(erase(this.#rows, id, selector, options, new Date().toISOString(), this.#sizes?.window))
  }

  /**
   * Thins the past of a context out: of its snapshots stay those that `keep` names, the newest, and those that forks and attempts need. What stays is
   * what it was, to the byte; the others cannot be named any more, and what only they showed is taken out of the database. It cannot be taken
   * back. Whoever has the context, or one that shares a past with it, open gets E_CONFLICT at the next commit.
   */
  async retain(id: string, options: RetainOptions): Promise<RetainReceipt> {
    this.#check()
    checkName('id', id)
    await this.#looked()
    return this.#awaited(retain(this.#rows, id, options, new Date().toISOString()))
  }

  /** An erasure: whoever closes the store waits for it, and what it took out is not kept here either. */
  async #awaited<T>(doing: Promise<T>): Promise<T> {
    const work = { finish: () => doing.then(ignore, ignore) }
    this.#unfinished.add(work)
    try {
      return await doing
    } finally {
      this.#recent.clear()
      this.#unfinished.done(work)
    }
  }

  /**
   * What is committed from now on to one context, or to all of them, by whichever process: each commit once, in order for each context; also
   * contexts that are made and deleted. It ends with the store, its signal, or a `break`.
   */
  watch(id?: string, options: WatchOptions = {}): StoreWatch {
    this.#check()
    const watch = new Watch(this.#rows, id, options, (ended) => this.#watches.delete(ended))
    this.#watches.add(watch)
    return watch
  }

  /** Waits until all watches have looked for the first time; undefined where they have. */
  #looked(): Promise<void> | undefined {
    for (const { looking } of this.#watches) if (looking !== undefined) return looking.then(() => this.#looked())
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

  /** Waits for what is being written, and closes the database. Edits that were not committed are gone. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      for (const watch of this.#watches) await watch.end()
      await this.#unfinished.finish()
    } finally {
      this.#recent.clear()
      await this.#rows.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #load(row: ContextRow, options: AnyOpenOptions): Promise<StoredContext<RangeResults>> {
    const { history, ...given } = options
    return this.#seated(row, await loadContext(this.#rows, row, historyOf(history ?? HISTORY), given))
  }

  #seated(row: ContextRow, loaded: Loaded): StoredContext<RangeResults> {
    return new StoredContext<RangeResults>(loaded.parts, row, this.#seat(row, loaded))
  }

  #seat(row: ContextRow, loaded: Loaded): Seat {
    return {
      rows: this.#rows,
      book: loaded.book,
      upkeep: new Upkeep(this.#rows, row, loaded, { unfinished: this.#unfinished, recent: this.#recent }, this.#sizes),
      unfinished: this.#unfinished,
      breath: this.#breath,
      check: () => this.#check(),
      looked: () => this.#looked(),
      opened: (fork, made) => this.#seated(made, { parts: fork, book: new PageBook(), manifestAt: undefined }),
      again: async (now, { history = Infinity, ...options }) => {
        const again = await loadContext(this.#rows, now, history, options)
        return { parts: again.parts, seat: this.#seat(now, again) }
      },
    }
  }

  #check(): void {
    if (this.#isClosed)
      throw storeFault(`The store ${this.#rows.name} is closed; open it again.`, 'failed', { reason: 'closed' })
  }
}

/** Whoever erases is told how it ended; whoever closes only waits for that. */
function ignore(): void {}

function emptyParts({ history, ...options }: AnyOpenOptions): Parts {
  return ContextEdits.partsOf(createContext({ ...options, history: historyOf(history ?? HISTORY) } as ContextOptions))
}

function partsOf(context: AnyContext | string | Uint8Array | object): Parts {
  return ContextEdits.partsOf(isContext(context) ? context : importSnapshot(context))
}

function isContext(given: unknown): given is AnyContext {
  try {
    return given instanceof ContextEdits
  } catch {
    // A proxy that throws; reading it says so.
    return false
  }
}
