// Writes attempts to a store. They start and end between commits and are written in the background in that order.
// Commits and `close` wait for them.

import { mutedAttempt } from '../attempts/index.js'
import { decodeAttempt, encodeAttempt } from '../codec/index.js'
import type { AttemptId, SentRecord, KeptAttempts } from '../core/index.js'
import { PactError, short } from '../errors/index.js'
import { busyContext, TRIES } from './consistent-read.js'
import { storeFault } from './fault.js'
import { checkNotMoved } from './moved.js'
import type { AttemptRow, ContextRow, Rows } from './rows.js'
import { sealedFor, unsealedFor, type Owner } from './seal.js'
import type { PendingWork } from './upkeep.js'

export class AttemptQueue {
  readonly #rows: Rows
  readonly #context: AttemptOwner
  /** Name of this writer. */
  readonly writer: string
  /** Queued attempts by id, in their latest state. */
  #queued = new Map<string, QueuedAttempt>()
  #isWriting: Promise<void> | undefined
  readonly #pendingWork: PendingWork

  constructor(rows: Rows, context: AttemptOwner, writer: string, pendingWork: PendingWork) {
    this.#rows = rows
    this.#context = context
    this.writer = writer
    this.#pendingWork = pendingWork
  }

  /** `epoch` is that of the content the attempts were made from. */
  add(changed: readonly SentRecord[], epoch: number): void {
    for (const record of changed) this.#queued.set(record.attempt_id, { record, epoch })
    this.#pendingWork.add(this)
    // A failed write is retried by the next call, which reports the error.
    this.finish().catch(() => undefined)
  }

  /** True if no attempt is waiting or being written. */
  get isEmpty(): boolean {
    return this.#queued.size === 0 && this.#isWriting === undefined
  }

  /** Writes all waiting attempts. */
  finish(): Promise<void> {
    return (this.#isWriting ??= this.#write())
  }

  async #send(records: readonly SentRecord[], epoch: number): Promise<void> {
    const { ctx, id } = this.#context
    let attempts = records.map((record) => attemptRow(this.#context, record, this.writer))
    let of = epoch
    for (let tries = 0; tries < TRIES; tries++) {
      if ((await this.#rows.writeAttempts(ctx, attempts, of)) !== 'erased') return
      const now = await this.#rows.byNumber(ctx)
      if (now === undefined) return
      await checkNotMoved(this.#rows, now)
      // Their content may have been erased since: write only that they existed and how they ended.
      attempts = records.map((record) => attemptRow(this.#context, mutedAttempt(record), this.writer))
      of = now.epoch
    }
    throw busyContext(id)
  }

  async #write(): Promise<void> {
    // Run the rest only after `#isWriting` is set.
    await Promise.resolve()
    let writing = new Map<string, QueuedAttempt>()
    try {
      while (this.#queued.size > 0) {
        writing = this.#queued
        this.#queued = new Map()
        for (const epoch of new Set(Array.from(writing.values(), (each) => each.epoch))) {
          await this.#send(
            [...writing.values()].filter((each) => each.epoch === epoch).map(({ record }) => record),
            epoch,
          )
        }
      }
      this.#pendingWork.done(this)
    } catch (error) {
      // Attempts that changed meanwhile are newer.
      this.#queued = new Map([...writing, ...this.#queued])
      throw error
    } finally {
      // No await after the last check: attempts added from now on start a new write.
      this.#isWriting = undefined
    }
  }
}

/** The context that owns the attempts. */
type AttemptOwner = Pick<ContextRow, 'ctx' | 'id' | 'seal'>

type QueuedAttempt = Readonly<{ record: SentRecord; epoch: number }>

export function attemptRow(owner: Owner, record: SentRecord, writer: string): AttemptRow {
  const id = record.attempt_id
  return { id, writer, body: sealedFor(owner, encodeAttempt(record), id, writer) }
}

/** Decodes an attempt; E_STORE if it is damaged. */
export function attemptOf(owner: Owner, { id, writer, body }: AttemptRow): SentRecord {
  const bytes = unsealedFor(owner, body, id, writer)
  if (bytes !== undefined) return decodeAttempt(bytes)
  const message = `The attempt ${short(id)} is damaged. Run fsck, and restore it from a backup.`
  throw storeFault(message, 'failed', { reason: 'damaged', attempt: id })
}

/**
 * Attempts for a loaded context. Two processes with the same cycle open mint the same ids; those of the later writer
 * get its name as a suffix.
 */
export function keptAttempts(owner: Owner, rows: readonly AttemptRow[], openCycle: number, fork: string): KeptAttempts {
  // Collect the owners first: an attempt may be based on a later one.
  const owners = new Map<string, string>()
  for (const { id, writer } of rows) if (!owners.has(id)) owners.set(id, writer)
  const damaged = new Map<string, PactError>()
  let newestDamage: PactError | undefined
  const records = rows.flatMap((row): readonly SentRecord[] => {
    const { id, writer } = row
    const name = (each: string): AttemptId => (owners.get(each) === writer ? each : `${each}~${writer}`) as AttemptId
    let record: SentRecord
    try {
      record = attemptOf(owner, row)
    } catch (error) {
      // A damaged attempt does not prevent opening the context; reading that attempt throws.
      if (!PactError.is(error) || error.details['reason'] !== 'damaged') throw error
      damaged.set(name(id), error)
      if (row === rows.at(-1)) newestDamage = error
      return []
    }
    // Another writer has committed since the context was read, or an older state is opened.
    if (record.cycle_id > openCycle) return []
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
