// What a store does beside commits, so that reading stays cheap: old rows are packed, and now and then the live tree is written
// down. All of it can be lost without loss, so whoever commits does not wait for it, and what fails is tried again later.

import type { Parts } from '../context/index.js'
import type { PageBook } from '../timeline/index.js'
import { writeManifest } from './manifests.js'
import { packOf } from './pack.js'
import type { RecentRows } from './recent-rows.js'
import type { ContextRow, Row, Rows } from './rows.js'
import type { Unfinished } from './unfinished.js'

/** How many rows make a pack; between TAIL - PACKED and TAIL rows stand alone. */
export const PACKED = 256
export const TAIL = 512
/** After so many commits the live tree is written down. */
const MANIFEST = 256

/** When what is done; tests have it sooner. */
export type UpkeepSizes = Readonly<{
  packed: number
  tail: number
  manifest?: number
  /** How many snapshots are looked through at once by whoever erases. */
  window?: number
}>

/** A pack is unpacked whole, so it must not grow out of hand. */
const LARGEST = 8 * 1024 * 1024

/** Which chunks have pages, and the cycle of the last manifest. */
export type UpkeepStart = Readonly<{ book: PageBook; manifestAt: number | undefined }>

/** What all contexts of a store share. */
export type UpkeepPlace = Readonly<{ unfinished: Unfinished; recent: RecentRows }>

export class Upkeep {
  readonly #rows: Rows
  readonly #context: ContextRow
  /** How many rows stand alone; undefined until somebody has counted. */
  #alone: number | undefined
  #work: Promise<void> | undefined
  /** The cycle of the last manifest; before there is one, that of the first row. */
  #manifestAt: number
  readonly #book: PageBook
  readonly #unfinished: Unfinished
  readonly #recent: RecentRows
  readonly #sizes: UpkeepSizes
  /** How many commits were made since some work is due or under way. */
  #passed = 0
  /** Ends the waiting of work that is due. */
  #begin: (() => void) | undefined

  constructor(
    rows: Rows,
    context: ContextRow,
    { book, manifestAt }: UpkeepStart,
    { unfinished, recent }: UpkeepPlace,
    sizes: UpkeepSizes = { packed: PACKED, tail: TAIL },
  ) {
    this.#rows = rows
    this.#context = context
    this.#book = book
    this.#manifestAt = manifestAt ?? context.first
    // Of a short past all rows may stand alone; of a long one nobody knows.
    const all = context.head - context.first + 1
    if (all < sizes.tail) this.#alone = all
    this.#unfinished = unfinished
    this.#recent = recent
    // Whoever opens it, or has rebased, may have been told that others have erased something.
    recent.drop(context.ctx, Infinity)
    this.#sizes = sizes
  }

  /**
   * A commit was made: what is due now is done when whoever committed has gone on, and has nothing else to do. One who never rests
   * would put it off for ever; he waits for it once it is long due.
   */
  committed(parts: Parts, row: Row): void {
    this.#recent.add(this.#context.ctx, this.#context.epoch, row)
    if (this.#alone !== undefined) this.#alone++
    const { packed, tail, manifest = MANIFEST } = this.#sizes
    if (this.#work !== undefined) {
      if (++this.#passed >= packed) this.#begin?.()
      return
    }
    const isPackDue = this.#alone === undefined || this.#alone >= tail
    if (!isPackDue && parts.timeline.newest! - this.#manifestAt < manifest) return
    this.#passed = 0
    this.#unfinished.add(this)
    this.#work = this.#rest()
      .then(() => this.#do(parts))
      .catch(() => undefined)
      .finally(() => {
        this.#work = undefined
        this.#unfinished.done(this)
      })
  }

  /** Waits for what is due or under way. */
  async finish(): Promise<void> {
    this.#begin?.()
    await this.#work
  }

  /** Waits for a turn of the event loop in which nobody has committed: a loop of commits lets it turn too. */
  #rest(): Promise<void> {
    return new Promise((resolve) => {
      let rested: NodeJS.Immediate
      const begin = (): void => {
        clearImmediate(rested)
        this.#begin = undefined
        resolve()
      }
      const wait = (): void => {
        const before = this.#passed
        rested = setImmediate(() => (this.#passed === before ? begin() : wait()))
      }
      this.#begin = begin
      wait()
    })
  }

  async #do(parts: Parts): Promise<void> {
    const { manifest = MANIFEST } = this.#sizes
    if (parts.timeline.newest! - this.#manifestAt >= manifest)
      this.#manifestAt = await writeManifest(this.#rows, this.#context, parts, this.#book)
    await this.#pack()
  }

  async #pack(): Promise<void> {
    const { ctx, first } = this.#context
    // Where nothing becomes of it, it is left to the next commit.
    for (let before = Infinity; ; before = this.#alone) {
      // In this order: where others commit between the two, the oldest rows that stand alone are packed all the same. One left
      // behind would let a writer who stopped there go on as if nobody had committed since.
      const row = await this.#rows.byNumber(ctx)
      this.#alone = await this.#rows.unpacked(ctx)
      if (row === undefined || this.#alone < this.#sizes.tail || this.#alone >= before) return
      const from = Math.max(first, row.head - this.#alone + 1)
      const known = await this.#read(row, from, from + this.#sizes.packed - 1)
      // Somebody else may have packed them all.
      if (known.length === 0) continue
      const rows = bounded(known)
      await this.#rows.pack(ctx, packOf(rows), row.epoch)
      this.#recent.drop(ctx, rows.at(-1)!.cycle)
      // Counted again where that may be not enough, or when it is due again.
      if (this.#alone - rows.length < this.#sizes.tail) {
        this.#alone -= rows.length
        return
      }
    }
  }

  /** The rows of some cycles that stand alone; only those are read that this store has not written just now. */
  async #read({ ctx, epoch }: ContextRow, from: number, to: number): Promise<readonly Row[]> {
    const recent = this.#recent.rows(ctx, epoch, from, to)
    const next = recent[0]?.cycle ?? to + 1
    if (next === from) return recent
    return [...(await this.#rows.read(ctx, from, next - 1)).rows, ...recent]
  }
}

/** As many rows as make no pack too large, at least one. */
export function bounded(rows: readonly Row[]): readonly Row[] {
  const sorted = rows.toSorted((a, b) => a.cycle - b.cycle)
  let size = 0
  const at = sorted.findIndex(({ changes, bodies }) => (size += changes.length + bodies.length) > LARGEST)
  return at < 0 ? sorted : sorted.slice(0, Math.max(1, at))
}
