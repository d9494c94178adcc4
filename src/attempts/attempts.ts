// Provider calls as telemetry (03 §6, D32): what was sent, when, and how it ended. Attempts stand beside the tree and
// take nothing from it, neither ids nor indexes nor clock readings, so that a context has the same bytes with and
// without them (N20).

import { callOption, PactError } from '../errors/index.js'
import type { Clock, Dialect, Lens } from '../core/index.js'
import { isoTime, sha256Hex } from '../codec/index.js'
import type { Erasing, View } from '../timeline/index.js'
import { threadChunks } from '../thread/index.js'
import { Attempt, type Forgotten } from './attempt.js'
import { checkAttempt, type AttemptInput } from './attempt-input.js'
import { withErased, type AttemptRecord } from './attempt-record.js'
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

/** The attempts of one context. */
export class Attempts<Tree> {
  readonly #host: AttemptHost<Tree>
  /** By id, oldest first; snapshots are not kept here, only by whoever holds the handle. */
  #kept: Map<string, AttemptRecord> | undefined
  #cycle = 0
  #startedInCycle = 0
  /** The last that each lens sent of the open cycle: the next one shares most of it. */
  #last: Map<Lens, SentThread & Readonly<{ id: string }>> | undefined

  constructor(host: AttemptHost<Tree>) {
    this.#host = host
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
    if (earlier !== undefined) this.#amend(last!.id, { ...earlier, base_attempt: record.attempt_id })
    if (lens === 'preview' || lens === 'working')
      (this.#last ??= new Map()).set(lens, { ...thread, id: record.attempt_id })
    const { keep = KEPT } = this.#host
    for (const id of this.#records.keys()) {
      if (this.#records.size <= keep) break
      this.#records.delete(id)
    }
    const endSpan = this.#host.tracing.attempt(record)
    return new Attempt(record, sent.snapshot, this.#host.forgotten, (ending, current) => {
      const now = this.#now()
      // A wall clock may be set back while a call runs.
      const end = { ...ending, ended_at: isoTime(now > started ? now : started) }
      const ended = Object.freeze({ ...current, ...end })
      this.#amend(ended.attempt_id, end)
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
    for (const [id, record] of this.#kept ?? []) this.#records.set(id, withErased(record, erasing))
  }

  #amend(id: string, changes: Partial<AttemptRecord>): void {
    const known = this.#records.get(id)
    if (known !== undefined) this.#records.set(id, Object.freeze({ ...known, ...changes }))
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

/** Records are small beside what they describe, but a process may run for months. */
const KEPT = 1000
