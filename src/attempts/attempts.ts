// Provider calls as telemetry (03 §6, D32): what was sent, when, and how it ended. Attempts stand beside the tree and
// take nothing from it, neither ids nor indexes nor clock readings, so that a context has the same bytes with and
// without them (N20).

import { callOption, PactError } from '../errors/index.js'
import type { AttemptRecord, Clock, Dialect, KeptAttempts, Lens } from '../core/index.js'
import { isoTime, sha256Hex } from '../codec/index.js'
import type { Erasing, View } from '../timeline/index.js'
import { threadChunks } from '../thread/index.js'
import { Attempt, type Forgotten } from './attempt.js'
import { checkAttempt, type AttemptInput } from './attempt-input.js'
import { erasedAttempt } from './erased-attempt.js'
import { openNodes, openNodesBefore, type SentThread } from './sent-nodes.js'
import type { Tracing } from './tracing.js'

/**
 * What an attempt sends: a tree that never changes again, as callers hold it and as it is read here, the open cycle, and
 * the snapshot that the tree builds on.
 */
export type Sent<Tree> = Readonly<{ cycle: number; snapshot: Tree; view: View; base: View | undefined }>

/** What attempts need of their context. */
export type AttemptHost<Tree> = Readonly<{
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  dialect: Dialect
  /** The option attemptClock, or what stands in for it. */
  clock: Clock
  /** The option keepAttempts. */
  keep: number | undefined
  tracing: Tracing
  forgotten: Forgotten
  send: (lens: Lens) => Sent<Tree>
}>

/**
 * Told of every start and every ending, with the records that are new or other than before: at a start the new one, and
 * the one before it where that is told from the new one now. Whoever writes them down by their ids has what the list has, and
 * what it has let go. Not told of what is forgotten, since a store erases by itself. It may not throw.
 */
export type AttemptListener = (changed: readonly AttemptRecord[]) => void

/** The attempts of one context. */
export class Attempts<Tree> {
  readonly #host: AttemptHost<Tree>
  /** By id, oldest first; snapshots are not kept here, only by whoever holds the handle. */
  #kept: Map<string, AttemptRecord> | undefined
  #listeners: Set<AttemptListener> | undefined
  /** What the newest one sent. */
  #sent: Tree | undefined
  #cycle = 0
  #startedInCycle = 0
  /** The last that each lens sent of the open cycle: the next one shares most of it. */
  #last: Map<Lens, SentThread & Readonly<{ id: string }>> | undefined

  /** `kept` are those of a context that was there before. */
  constructor(host: AttemptHost<Tree>, kept?: KeptAttempts) {
    this.#host = host
    if (kept === undefined) return
    for (const record of kept.records) {
      if (this.#records.has(record.attempt_id)) throw foundTwice(record.attempt_id)
      this.#records.set(record.attempt_id, record)
    }
    this.#letGo()
    this.#cycle = kept.cycle
    this.#startedInCycle = kept.started
  }

  /** What the newest one sent, of those that were started here. */
  get sent(): Tree | undefined {
    return this.#sent
  }

  /** All that a context needs to go on with them. */
  get kept(): KeptAttempts {
    return { records: this.list(), cycle: this.#cycle, started: this.#startedInCycle }
  }

  /** Adds a listener and gives what takes it out again. */
  listen(listener: AttemptListener): () => void {
    const all = (this.#listeners ??= new Set())
    all.add(listener)
    return () => void all.delete(listener)
  }

  /** Made by the first attempt: there may be thousands of contexts without one. */
  get #records(): Map<string, AttemptRecord> {
    return (this.#kept ??= new Map())
  }

  start(input: AttemptInput): Attempt<Tree> {
    const { lens, hashes, provider, model } = checkAttempt(input)
    const started = this.#now()
    const sent = this.#host.send(lens)
    const threadHash = sha256Hex(threadChunks(sent.view, this.#host.dialect).join(''))
    if (sent.cycle !== this.#cycle) this.endCycle()
    const last = this.#last?.get(lens)
    const open = openNodes(sent.view, sent.base, last)
    const thread = { view: sent.view, open }
    const earlier = last && openNodesBefore(thread, last)
    // From here on nothing can fail, and no code of the caller runs until the record is kept.
    const record: AttemptRecord = Object.freeze({
      attempt_id: this.#nextId(sent.cycle),
      cycle_id: sent.cycle,
      status: 'running',
      started_at: isoTime(started),
      ended_at: null,
      provider,
      model,
      params_hash: hashes.params,
      token_in: null,
      token_out: null,
      thread_hash: threadHash,
      ...(hashes.request === undefined ? {} : { request_hash: hashes.request }),
      lens,
      base_cycle: sent.base?.cycle ?? null,
      ...open,
    })
    this.#records.set(record.attempt_id, record)
    this.#sent = sent.snapshot
    const retold = earlier && this.#amend(last.id, { ...earlier, base_attempt: record.attempt_id })
    if (lens === 'preview' || lens === 'working')
      (this.#last ??= new Map()).set(lens, { ...thread, id: record.attempt_id })
    this.#letGo()
    this.#tell(retold === undefined ? [record] : [record, retold])
    const endSpan = this.#host.tracing.attempt(record)
    return new Attempt(record, sent.snapshot, this.#host.forgotten, (ending, current) => {
      const now = this.#now()
      // A wall clock may be set back while a call runs.
      const end = { ...ending, ended_at: isoTime(now > started ? now : started) }
      const ended = Object.freeze({ ...current, ...end })
      this.#tell([this.#amend(ended.attempt_id, end) ?? ended])
      return { ended, endSpan: () => endSpan(ended) }
    })
  }

  /** What was sent of a cycle that is closed need not be at hand any more. */
  endCycle(): void {
    this.#last = undefined
  }

  /** Takes out what nodes said; the hashes stay, of what was sent (D56). */
  erase(erasing: Erasing): void {
    this.endCycle()
    for (const [id, record] of this.#kept ?? []) this.#records.set(id, erasedAttempt(record, erasing))
  }

  /** Gives the record as it is now; undefined for one that is kept no more. */
  #amend(id: string, changes: Partial<AttemptRecord>): AttemptRecord | undefined {
    const known = this.#records.get(id)
    if (known === undefined) return undefined
    const amended = Object.freeze({ ...known, ...changes })
    this.#records.set(id, amended)
    return amended
  }

  /** Lets go of what is older than the limit. */
  #letGo(): void {
    const { keep = KEPT } = this.#host
    for (const id of this.#records.keys()) {
      if (this.#records.size <= keep) return
      this.#records.delete(id)
    }
  }

  #tell(changed: readonly AttemptRecord[]): void {
    for (const listener of this.#listeners ?? []) listener(changed)
  }

  list(): readonly AttemptRecord[] {
    return Object.freeze([...(this.#kept?.values() ?? [])])
  }

  #nextId(cycle: number): string {
    if (cycle !== this.#cycle) this.#startedInCycle = 0
    this.#cycle = cycle
    const { fork } = this.#host
    return `attempt:${fork === '' ? '' : `${fork}:`}${cycle}-${this.#startedInCycle++}`
  }

  #now(): bigint {
    const now: unknown = callOption('attemptClock', this.#host.clock)
    if (typeof now === 'bigint') return now
    const message = 'The option attemptClock must give nanoseconds as a bigint.'
    throw new PactError('E_CONTENT_INVALID', message, { name: 'attemptClock' })
  }
}

function foundTwice(id: string): PactError {
  return new PactError('E_SNAPSHOT_INVALID', `Two of the attempts are called ${id}; each has an id of its own.`, { id })
}

/** Records are small beside what they describe, but a process may run for months. */
const KEPT = 1000
