// Attempts on their way into a store: they start and end between commits, and are written by and by, in the order in which they
// happened. Whoever commits or closes waits for them.

import { PactError, short } from '../errors/index.js'
import { decodeAttempt, encodeAttempt } from '../codec/index.js'
import { mutedAttempt } from '../context/index.js'
import type { AttemptRecord, KeptAttempts } from '../core/index.js'
import { storeFault } from './fault.js'
import type { AttemptRow, ContextKey, Rows } from './rows.js'
import { sealed, unsealed } from './sealed.js'
import type { Unfinished } from './unfinished.js'

export class AttemptQueue {
  readonly #rows: Rows
  readonly #ctx: ContextKey
  /** Who it writes for. */
  readonly writer: string
  /** By id, as they are by now. */
  #waiting = new Map<string, Waiting>()
  #isWriting: Promise<void> | undefined
  readonly #unfinished: Unfinished

  constructor(rows: Rows, ctx: ContextKey, writer: string, unfinished: Unfinished) {
    this.#rows = rows
    this.#ctx = ctx
    this.writer = writer
    this.#unfinished = unfinished
  }

  /** `epoch` is that of what they were made of. */
  add(changed: readonly AttemptRecord[], epoch: number): void {
    for (const record of changed) this.#waiting.set(record.attempt_id, { record, epoch })
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

  async #send(records: readonly AttemptRecord[], epoch: number): Promise<void> {
    const rows = records.map((record) => attemptRow(record, this.writer))
    if ((await this.#rows.writeAttempts(this.#ctx, rows, epoch)) !== 'erased') return
    // Something was erased since, which they may say: only that they were, and how they ended, is written.
    const muted = records.map((record) => attemptRow(mutedAttempt(record), this.writer))
    await this.#rows.writeAttempts(this.#ctx, muted)
  }

  async #write(): Promise<void> {
    // Whatever happens below, it happens after this is noted as being written.
    await Promise.resolve()
    let writing = new Map<string, Waiting>()
    try {
      while (this.#waiting.size > 0) {
        writing = this.#waiting
        this.#waiting = new Map()
        for (const epoch of new Set(Array.from(writing.values(), (each) => each.epoch))) {
          await this.#send(
            [...writing.values()].filter((each) => each.epoch === epoch).map(({ record }) => record),
            epoch,
          )
        }
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

type Waiting = Readonly<{ record: AttemptRecord; epoch: number }>

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
  const damaged = new Map<string, PactError>()
  let newestDamage: PactError | undefined
  const records = rows.flatMap((row): readonly AttemptRecord[] => {
    const { id, writer } = row
    const name = (each: string): string => (owners.get(each) === writer ? each : `${each}~${writer}`)
    let record: AttemptRecord
    try {
      record = attemptOf(row)
    } catch (error) {
      // A context is more than one of its attempts: it can be opened, and whoever asks for this one is told.
      if (!PactError.is(error) || error.details['reason'] !== 'damaged') throw error
      damaged.set(name(id), error)
      if (row === rows.at(-1)) newestDamage = error
      return []
    }
    const { base_attempt: base } = record
    if (name(id) === id && (base === undefined || name(base) === base)) return [record]
    return [
      Object.freeze({
        ...record,
        attempt_id: name(id),
        ...(base === undefined ? {} : { base_attempt: name(base) }),
      }),
    ]
  })
  const prefix = `attempt:${fork === '' ? '' : `${fork}:`}${openCycle}-`
  const numbers = rows
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id }) => Number.parseInt(id.slice(prefix.length), 10))
  return {
    records,
    cycle: openCycle,
    started: Math.max(-1, ...numbers) + 1,
    ...(damaged.size === 0 ? {} : { damaged, newestDamage }),
  }
}
