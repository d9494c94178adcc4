// Attempts on their way into a store: they start and end between commits, and are written by and by, in the order in which they
// happened. Whoever commits or closes waits for them.

import { short } from '../errors/index.js'
import { decodeAttempt, encodeAttempt } from '../codec/index.js'
import type { AttemptRecord, KeptAttempts } from '../core/index.js'
import { storeFault } from './fault.js'
import type { AttemptRow, ContextKey, Rows } from './rows.js'
import { sealed, unsealed } from './sealed.js'
import type { Unfinished } from './unfinished.js'

export class AttemptQueue {
  readonly #rows: Rows
  readonly #ctx: ContextKey
  readonly #writer: string
  /** By id, as they are by now. */
  #waiting = new Map<string, AttemptRecord>()
  #isWriting: Promise<void> | undefined
  readonly #unfinished: Unfinished

  constructor(rows: Rows, ctx: ContextKey, writer: string, unfinished: Unfinished) {
    this.#rows = rows
    this.#ctx = ctx
    this.#writer = writer
    this.#unfinished = unfinished
  }

  add(changed: readonly AttemptRecord[]): void {
    for (const record of changed) this.#waiting.set(record.attempt_id, record)
    this.#unfinished.add(this)
    // What cannot be written now is written by the next one who asks, and told there.
    this.finish().catch(() => undefined)
  }

  /** Whether nothing waits, and nothing is being written. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#isWriting === undefined
  }

  /** Writes all that waits. */
  finish(): Promise<void> {
    return (this.#isWriting ??= this.#write())
  }

  async #write(): Promise<void> {
    // Whatever happens below, it happens after this is noted as being written.
    await Promise.resolve()
    let writing = new Map<string, AttemptRecord>()
    try {
      while (this.#waiting.size > 0) {
        writing = this.#waiting
        this.#waiting = new Map()
        const rows = Array.from(writing.values(), (record) => attemptRow(record, this.#writer))
        await this.#rows.writeAttempts(this.#ctx, rows)
      }
      this.#unfinished.done(this)
    } catch (error) {
      // Those that have changed meanwhile are newer.
      this.#waiting = new Map([...writing, ...this.#waiting])
      throw error
    } finally {
      // Without a pause after the last look: what comes in from here on begins anew.
      this.#isWriting = undefined
    }
  }
}

export function attemptRow(record: AttemptRecord, writer: string): AttemptRow {
  const id = record.attempt_id
  return { id, writer, body: sealed(encodeAttempt(record), id, writer) }
}

/** An attempt as it was written. */
export function attemptOf({ id, writer, body }: AttemptRow): AttemptRecord {
  const bytes = unsealed(body, id, writer)
  if (bytes !== undefined) return decodeAttempt(bytes)
  const message = `The attempt ${short(id)} is damaged. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged', attempt: id })
}

/**
 * Attempts as a context takes them. Two processes that had the same cycle open have given the same ids: those of the later one
 * get a name behind them.
 */
export function keptAttempts(rows: readonly AttemptRow[], openCycle: number, fork: string): KeptAttempts {
  // First of all, since an attempt may be told from a later one.
  const owners = new Map<string, string>()
  for (const { id, writer } of rows) if (!owners.has(id)) owners.set(id, writer)
  const records = rows.map((row) => {
    const { id, writer } = row
    const record = attemptOf(row)
    const name = (each: string): string => (owners.get(each) === writer ? each : `${each}~${writer}`)
    const { base_attempt: base } = record
    if (name(id) === id && (base === undefined || name(base) === base)) return record
    return Object.freeze({
      ...record,
      attempt_id: name(id),
      ...(base === undefined ? {} : { base_attempt: name(base) }),
    })
  })
  const prefix = `attempt:${fork === '' ? '' : `${fork}:`}${openCycle}-`
  const numbers = rows
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id }) => Number.parseInt(id.slice(prefix.length), 10))
  return { records, cycle: openCycle, started: Math.max(-1, ...numbers) + 1 }
}
