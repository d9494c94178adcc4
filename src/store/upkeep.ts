// Maintenance after commits: old rows are packed, and the live tree is written as a manifest now and then. Nothing is
// lost without it, so commits do not wait for it, and failures are retried later.

import type { Parts } from '../context/persistence.js'
import type { PageBook } from '../timeline/index.js'
import { writeManifest } from './manifests.js'
import { packOf } from './pack.js'
import type { ContextRow, Row, Rows } from './rows.js'

/** Rows per pack; between TAIL - PACKED and TAIL rows remain single. */
export const PACKED = 256
export const TAIL = 512
/** Commits between two manifests. */
const MANIFEST = 256

/** Thresholds; tests use smaller ones. */
export type UpkeepSizes = Readonly<{
  packed: number
  tail: number
  manifest?: number
  /** Snapshots that `erase` searches at a time. */
  window?: number
}>

/** Bytes of a pack before compression: readers decompress all of it. */
const LARGEST = 8 * 1024 * 1024

/** The pages and the manifest cycle of a loaded context. */
export type UpkeepStart = Readonly<{ book: PageBook; manifestAt: number | undefined }>

export class Upkeep {
  readonly #rows: Rows
  readonly #context: ContextRow
  /** Number of single rows; undefined until counted. */
  #singleRows: number | undefined
  #work: Promise<void> | undefined
  /** The cycle of the last manifest, or of the first row if there is none. */
  #manifestAt: number
  readonly #book: PageBook
  readonly #pendingWork: PendingWork
  readonly #sizes: UpkeepSizes
  /** Commits since the current work became due. */
  #passed = 0
  /** Starts work that waits for an idle event loop. */
  #begin: (() => void) | undefined

  constructor(
    rows: Rows,
    context: ContextRow,
    { book, manifestAt }: UpkeepStart,
    pendingWork: PendingWork,
    sizes: UpkeepSizes = { packed: PACKED, tail: TAIL },
  ) {
    this.#rows = rows
    this.#context = context
    this.#book = book
    this.#manifestAt = manifestAt ?? context.first
    // All rows of a short history are single. For a long one they must be counted.
    const all = context.head - context.first + 1
    if (all < sizes.tail) this.#singleRows = all
    this.#pendingWork = pendingWork
    this.#sizes = sizes
  }

  /**
   * Called after a commit. Due work starts when the event loop is idle; if commits never pause, it starts once it is
   * long overdue.
   */
  committed(parts: Parts): void {
    if (this.#singleRows !== undefined) this.#singleRows++
    const { packed, tail, manifest = MANIFEST } = this.#sizes
    if (this.#work !== undefined) {
      if (++this.#passed >= packed) this.#begin?.()
      return
    }
    const isPackDue = this.#singleRows === undefined || this.#singleRows >= tail
    if (!isPackDue && parts.timeline.newest! - this.#manifestAt < manifest) return
    this.#passed = 0
    this.#pendingWork.add(this)
    this.#work = this.#whenIdle()
      .then(() => this.#run(parts))
      .catch(() => undefined)
      .finally(() => {
        this.#work = undefined
        this.#pendingWork.done(this)
      })
  }

  /** Waits for work that is due or running. */
  async finish(): Promise<void> {
    this.#begin?.()
    await this.#work
  }

  /** Waits for a turn of the event loop without a commit: a loop of commits yields too. */
  #whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      let idle: NodeJS.Immediate
      const begin = (): void => {
        clearImmediate(idle)
        this.#begin = undefined
        resolve()
      }
      const wait = (): void => {
        const before = this.#passed
        idle = setImmediate(() => (this.#passed === before ? begin() : wait()))
      }
      this.#begin = begin
      wait()
    })
  }

  async #run(parts: Parts): Promise<void> {
    const { manifest = MANIFEST } = this.#sizes
    if (parts.timeline.newest! - this.#manifestAt >= manifest)
      this.#manifestAt = await writeManifest(this.#rows, this.#context, parts, this.#book)
    await this.#pack()
  }

  async #pack(): Promise<void> {
    const { ctx, first } = this.#context
    // Stop if a round packs nothing; the next commit tries again.
    for (let before = Infinity; ; before = this.#singleRows) {
      // Read the row first, then the count. If another process commits in between, the oldest single rows are still
      // packed. A skipped one would let a stale writer commit after it.
      const row = await this.#rows.byNumber(ctx)
      this.#singleRows = await this.#rows.unpacked(ctx)
      if (row === undefined || this.#singleRows < this.#sizes.tail || this.#singleRows >= before) return
      const from = Math.max(first, row.head - this.#singleRows + 1)
      const { rows: known } = await this.#rows.read(ctx, from, from + this.#sizes.packed - 1)
      // Another process may have packed them.
      if (known.length === 0) continue
      const rows = bounded(known)
      await this.#rows.pack(ctx, packOf(rows), row.epoch)
      // If enough rows are packed, adjust the count; otherwise count again.
      if (this.#singleRows - rows.length < this.#sizes.tail) {
        this.#singleRows -= rows.length
        return
      }
    }
  }
}

/** The longest prefix of rows that fits into a pack, at least one row. */
export function bounded(rows: readonly Row[]): readonly Row[] {
  const sorted = rows.toSorted((a, b) => a.cycle - b.cycle)
  let size = 0
  const at = sorted.findIndex(({ changes, bodies }) => (size += changes.length + bodies.length) > LARGEST)
  return at < 0 ? sorted : sorted.slice(0, Math.max(1, at))
}

/** Work in progress that can be awaited. */
export type Task = Readonly<{ finish: () => Promise<void> }>

export class PendingWork {
  readonly #tasks = new Set<Task>()

  add(work: Task): void {
    this.#tasks.add(work)
  }

  done(work: Task): void {
    this.#tasks.delete(work)
  }

  /** Adds a promise until it settles. Its errors go to the caller; `finish` only waits. */
  async track<T>(promise: Promise<T>): Promise<T> {
    const settled = (): void => undefined
    const task = { finish: () => promise.then(settled, settled) }
    this.add(task)
    try {
      return await promise
    } finally {
      this.done(task)
    }
  }

  /** Waits for all work, including work that starts meanwhile; then throws the first error. */
  async finish(): Promise<void> {
    const ends: PromiseSettledResult<void>[] = []
    const seen = new Set<Task>()
    for (;;) {
      // Finished work may have started other work.
      const next = [...this.#tasks].filter((work) => !seen.has(work))
      if (next.length === 0) break
      for (const work of next) seen.add(work)
      ends.push(...(await Promise.allSettled(next.map((work) => work.finish()))))
    }
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
