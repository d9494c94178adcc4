// Provider calls as telemetry (03 §6, D32): what was sent, when, and how it ended. Attempts stand beside the tree and
// take nothing from it, neither ids nor indexes nor clock readings, so that a context has the same bytes with and
// without them (N20).

import { callOption, PactError, showCallers } from '../errors/index.js'
import { addOwn, INSPECT, ownGetters, type Inspect } from '../core/index.js'
import { erasedJson, isoTime, sha256Hex } from '../codec/index.js'
import type { Erasing, View } from '../timeline/index.js'
import {
  checkAttempt,
  checkUsage,
  errorOf,
  type AttemptError,
  type AttemptInput,
  type AttemptUsage,
} from './attempt-input.js'
import type { Family } from './family.js'
import type { Lens } from './lens.js'
import { openNodes, openNodesBefore, type OpenNodes, type SentThread } from './sent-nodes.js'
import { wallClock, type AnyOptions } from './options.js'
import type { Snapshot } from './snapshot.js'
import type { Tracing } from './tracing.js'
import { attemptText } from './words.js'

export type AttemptStatus = 'running' | 'completed' | 'canceled' | 'error'

/** One provider call in the specification's names; plain JSON. */
export type AttemptRecord = Readonly<{
  attempt_id: string
  /** The cycle that was open when it started. */
  cycle_id: number
  status: AttemptStatus
  started_at: string
  ended_at: string | null
  provider: string
  model: string
  /** SHA-256 of the canonical JSON of the parameters. */
  params_hash: string
  token_in: number | null
  token_out: number | null
  error?: AttemptError
  /** SHA-256 of the thread's bytes. */
  thread_hash: string
  request_hash?: string
  lens: Lens
  /** The committed cycle that the thread builds on; null before the first commit. */
  base_cycle: number | null
  /** The later attempt of the same cycle from whose thread this one is told instead; only in the list of all. */
  base_attempt?: string
}> &
  OpenNodes

/** What an attempt sends: a tree that never changes again, the open cycle, and the snapshot the tree builds on. */
export type Sent = Readonly<{ cycle: number; snapshot: Snapshot; view: View; base: View | undefined }>

export type AttemptHost = Readonly<{
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  options: AnyOptions
  tracing: Tracing
  family: Family
  send: (lens: Lens) => Sent
}>

/** The attempts of one context. */
export class Attempts {
  readonly #host: AttemptHost
  /** By id, oldest first; snapshots are not kept here, only by whoever holds the handle. */
  #kept: Map<string, AttemptRecord> | undefined
  #cycle = 0
  #startedInCycle = 0
  /** The last that each lens sent of the open cycle: the next one shares most of it. */
  #last: Map<Lens, SentThread & Readonly<{ id: string }>> | undefined

  constructor(host: AttemptHost) {
    this.#host = host
  }

  /** Made by the first attempt: there may be thousands of contexts without one. */
  get #records(): Map<string, AttemptRecord> {
    return (this.#kept ??= new Map())
  }

  start(input: AttemptInput): Attempt {
    const { lens, hashes, provider, model } = checkAttempt(input)
    const started = this.#now()
    const sent = this.#host.send(lens)
    const threadHash = sha256Hex(sent.snapshot.threadChunks().join(''))
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
    const { keepAttempts = KEPT } = this.#host.options
    for (const id of this.#records.keys()) {
      if (this.#records.size <= keepAttempts) break
      this.#records.delete(id)
    }
    const endSpan = this.#host.tracing.attempt(record)
    return new Attempt(record, sent.snapshot, this.#host.family, (ending, current) => {
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
    const now: unknown = callOption('attemptClock', this.#host.options.attemptClock ?? wallClock)
    if (typeof now === 'bigint') return now
    const message = 'The option attemptClock must give nanoseconds as a bigint.'
    throw new PactError('E_CONTENT_INVALID', message, { name: 'attemptClock' })
  }
}

function withErased(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  return nodes === record.nodes ? record : Object.freeze({ ...record, nodes })
}

/** Records are small beside what they describe, but a process may run for months. */
const KEPT = 1000

type Ending = Partial<Pick<AttemptRecord, 'status' | 'token_in' | 'token_out' | 'error'>>

/** Makes the final record and keeps it; the span is ended after the handle knows it, since that runs foreign code. */
type End = (ending: Ending, current: AttemptRecord) => Readonly<{ ended: AttemptRecord; endSpan: () => void }>

/** One provider call, from its start to its end. */
export class Attempt {
  /** The tree whose thread was sent; `snapshot.threadBytes()` gives it again. */
  readonly snapshot: Snapshot
  #record: AttemptRecord
  readonly #family: Family
  #timesForgotten: number
  readonly #end: End

  /** @internal Use Context.startAttempt. */
  constructor(record: AttemptRecord, snapshot: Snapshot, family: Family, end: End) {
    this.#record = record
    this.snapshot = snapshot
    this.#family = family
    this.#timesForgotten = family.times
    this.#end = end
    Object.freeze(addOwn(this, Attempt.#own))
  }

  static readonly #own = ownGetters(Attempt.prototype, ['id', 'record'])

  static {
    showCallers(this.prototype)
  }

  get id(): string {
    return this.#record.attempt_id
  }

  /** What is known of it now. */
  get record(): AttemptRecord {
    for (const erasing of this.#family.since(this.#timesForgotten)) this.#record = withErased(this.#record, erasing)
    this.#timesForgotten = this.#family.times
    return this.#record
  }

  /** The provider has answered; leave out what it did not count. */
  complete(usage: AttemptUsage = {}): AttemptRecord {
    this.#checkRunning()
    const { tokenIn, tokenOut } = checkUsage(usage)
    return this.#finish({ status: 'completed', token_in: tokenIn, token_out: tokenOut })
  }

  /** The call was stopped; the open cycle can be edited and sent again. */
  cancel(): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'canceled' })
  }

  /** The call failed with whatever was thrown; name and message are kept. */
  fail(error: unknown): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'error', error: errorOf(error) })
  }

  /** One line about it. */
  toString(): string {
    return attemptText(this.record)
  }

  /** @internal What console.log prints. */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    return depth < 0 ? `[Attempt ${this.id}]` : `Attempt ${inspect(this.record, options)}`
  }

  toJSON(): AttemptRecord {
    return this.record
  }

  #finish(ending: Ending): AttemptRecord {
    const { ended, endSpan } = this.#end(ending, this.record)
    this.#record = ended
    endSpan()
    return ended
  }

  #checkRunning(): void {
    const { attempt_id: id, status, ended_at: endedAt } = this.#record
    if (status === 'running') return
    const how = status === 'error' ? 'failed' : `was ${status}`
    throw new PactError('E_CONFLICT', `Attempt ${id} ${how} at ${endedAt} and cannot end again; start another.`, {
      id,
      status,
    })
  }
}
