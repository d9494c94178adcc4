// The rows that this store has written last, so that packing them does not read them back. Only as many as fit: whoever does not
// find them here reads them. They are known by the epoch in which they were written: after an erasure they are not what is stored.

import type { ContextKey, Row } from './rows.js'

/** How many bytes of rows a store keeps at most. */
export const RECENT: number = 4 * 1024 * 1024

/** Rows of one context, without a gap. */
type Run = { epoch: number; rows: Row[]; bytes: number }

export class RecentRows {
  readonly #runs = new Map<ContextKey, Run>()
  readonly #limit: number
  #bytes = 0

  constructor(limit: number = RECENT) {
    this.#limit = limit
  }

  /** A row was written. */
  add(ctx: ContextKey, epoch: number, row: Row): void {
    let run = this.#runs.get(ctx)
    if (run?.epoch !== epoch || run.rows.at(-1)!.cycle + 1 !== row.cycle) {
      this.#forget(ctx)
      run = { epoch, rows: [], bytes: 0 }
      this.#runs.set(ctx, run)
    }
    run.rows.push(row)
    this.#count(run, sizeOf(row))
    // Whoever began to commit first has to go; in the end that is this one.
    while (this.#bytes > this.#limit) this.#forget(this.#runs.keys().next().value!)
  }

  /** The rows of some cycles, without the first ones where these are not here; none at all where the last one is not. */
  rows(ctx: ContextKey, epoch: number, from: number, to: number): readonly Row[] {
    const run = this.#runs.get(ctx)
    if (run?.epoch !== epoch || run.rows.at(-1)!.cycle < to) return []
    const first = run.rows[0]!.cycle
    return run.rows.slice(Math.max(0, from - first), Math.max(0, to - first + 1))
  }

  /** Nobody needs the rows up to this cycle any more. */
  drop(ctx: ContextKey, upTo: number): void {
    const run = this.#runs.get(ctx)
    if (run === undefined) return
    if (upTo >= run.rows.at(-1)!.cycle) return this.#forget(ctx)
    const count = Math.max(0, upTo - run.rows[0]!.cycle + 1)
    for (const row of run.rows.splice(0, count)) this.#count(run, -sizeOf(row))
  }

  clear(): void {
    this.#runs.clear()
    this.#bytes = 0
  }

  #forget(ctx: ContextKey): void {
    this.#bytes -= this.#runs.get(ctx)?.bytes ?? 0
    this.#runs.delete(ctx)
  }

  #count(run: Run, bytes: number): void {
    run.bytes += bytes
    this.#bytes += bytes
  }
}

function sizeOf({ changes, bodies }: Row): number {
  return changes.length + bodies.length
}
