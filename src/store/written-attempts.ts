// Attempts on their way into a store: they start and end between commits, and are written by and by, in the order in which they
// happened. Whoever commits or closes waits for them.

import { short } from '../errors/index.js'
import { decodeAttempt, encodeAttempt } from '../codec/index.js'
import type { AttemptRecord, KeptAttempts } from '../core/index.js'
import { storeFault } from './fault.js'
import type { AttemptRow, Rows } from './rows.js'
import { sealed, unsealed } from './sealed.js'

export class AttemptQueue {
  readonly #rows: Rows
  readonly #ctx: number
  readonly #writer: string
  /** By id, as they are by now. */
  #waiting = new Map<string, AttemptRecord>()
  #isWriting: Promise<void> | undefined

  constructor(rows: Rows, ctx: number, writer: string) {
    this.#rows = rows
    this.#ctx = ctx
    this.#writer = writer
  }

  add(changed: readonly AttemptRecord[]): void {
    for (const record of changed) this.#waiting.set(record.attempt_id, record)
    // What cannot be written now is written by the next one who asks, and told there.
    this.flush().catch(() => undefined)
  }

  /** Writes all that waits. */
  flush(): Promise<void> {
    return (this.#isWriting ??= this.#write().finally(() => {
      this.#isWriting = undefined
    }))
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const waiting = this.#waiting
      this.#waiting = new Map()
      try {
        await this.#rows.writeAttempts(this.#ctx, Array.from(waiting.values(), (record) => attemptRow(record, this.#writer)))
      } catch (error) {
        // Those that have changed meanwhile are newer.
        this.#waiting = new Map([...waiting, ...this.#waiting])
        throw error
      }
    }
  }
}

export function attemptRow(record: AttemptRecord, writer: string): AttemptRow {
  const id = record.attempt_id
  return { id, writer, body: sealed(encodeAttempt(record), id, writer) }
}

function recordOf({ id, writer, body }: AttemptRow): AttemptRecord {
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
  const taken = new Map<string, string>()
  const records = rows.map((row) => {
    const { id, writer } = row
    const record = recordOf(row)
    const owner = taken.get(id)
    if (owner === undefined) taken.set(id, writer)
    const name = (each: string): string => (taken.get(each) === writer ? each : `${each}~${writer}`)
    if (owner === undefined && (record.base_attempt === undefined || name(record.base_attempt) === record.base_attempt)) {
      return record
    }
    const base = record.base_attempt === undefined ? {} : { base_attempt: name(record.base_attempt) }
    return Object.freeze({ ...record, attempt_id: name(id), ...base })
  })
  const prefix = `attempt:${fork === '' ? '' : `${fork}:`}${openCycle}-`
  const numbers = rows.filter(({ id }) => id.startsWith(prefix)).map(({ id }) => Number(id.slice(prefix.length)))
  return { records, cycle: openCycle, started: Math.max(-1, ...numbers) + 1 }
}
