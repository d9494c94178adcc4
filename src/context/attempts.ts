// Provider calls as telemetry (03 §6, D32): what was sent, when, and how it ended. Attempts stand beside the tree and
// take nothing from it, neither ids nor indexes nor clock readings, so that a context has the same bytes with and
// without them (N20).

import { describe, PactError } from '../errors/index.js'
import type { JsonObject, JsonValue, NodeRecord } from '../core/index.js'
import { canonicalJson, isoTime, nodeToJson, sha256Hex } from '../codec/index.js'
import { eachRecord, sortByPlace, type View } from '../timeline/index.js'
import type { ContentInput } from '../edit/index.js'
import type { Lens } from './lens.js'
import { wallClock, type ContextOptions } from './options.js'
import type { Snapshot } from './snapshot.js'
import type { Tracing } from './tracing.js'

export type AttemptStatus = 'running' | 'completed' | 'canceled' | 'error'

/** What is said of a provider call when it starts. */
export type AttemptInput = Readonly<{
  provider: string
  model: string
  /** The parameters of the call, any JSON value; the record keeps their hash. */
  params: ContentInput
  /** The body on the wire, as text, bytes or JSON; the record keeps its hash. */
  request?: ContentInput | undefined
  /** Whose thread is sent: the preview, unless one commits first and then sends `@t0` (D5, D32). */
  lens?: Lens | undefined
}>

/** What the provider counted, as far as it said. */
export type AttemptUsage = Readonly<{ tokenIn?: number | undefined; tokenOut?: number | undefined }>

/** One provider call in the documents' names (03 §6.2); plain JSON. */
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
  error?: Readonly<{ name: string; message: string }>
  /** SHA-256 of the thread's bytes. */
  thread_hash: string
  request_hash?: string
  lens: Lens
  /** The committed cycle that the thread builds on; null before the first commit. */
  base_cycle: number | null
  /** The rendered nodes that the snapshot of the base cycle does not hold in this form, in the order of the thread. */
  nodes: readonly JsonObject[]
  /** Which item of the thread each of them is. */
  thread_indexes: readonly number[]
  /** The items of the base cycle's thread that this one lacks. */
  absent_ids: readonly string[]
}>

/** What an attempt sends: a tree that never changes again, the open cycle, and the snapshot the tree builds on. */
export type Sent = Readonly<{ cycle: number; snapshot: Snapshot; view: View; base: View | undefined }>

export type AttemptHost = Readonly<{
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  options: ContextOptions
  tracing: Tracing
  send: (lens: Lens) => Sent
}>

/** The attempts of one context. */
export class Attempts {
  readonly #host: AttemptHost
  /** By id, oldest first; snapshots are not kept here, only by whoever holds the handle. */
  readonly #records = new Map<string, AttemptRecord>()
  #cycle = 0
  #startedInCycle = 0

  constructor(host: AttemptHost) {
    this.#host = host
  }

  start(input: AttemptInput): Attempt {
    const { lens, hashes, provider, model } = checkInput(input)
    const started = this.#now()
    const sent = this.#host.send(lens)
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
      thread_hash: sha256Hex(sent.snapshot.threadChunks().join('')),
      ...(hashes.request === undefined ? {} : { request_hash: hashes.request }),
      lens,
      base_cycle: sent.base?.cycle ?? null,
      ...openNodes(sent.view, sent.base),
    })
    this.#records.set(record.attempt_id, record)
    const { keepAttempts = KEPT } = this.#host.options
    for (const id of this.#records.keys()) {
      if (this.#records.size <= keepAttempts) break
      this.#records.delete(id)
    }
    const endSpan = this.#host.tracing.attempt(record)
    return new Attempt(record, sent.snapshot, (ending, current) => {
      const now = this.#now()
      // A wall clock may be set back while a call runs.
      const ended = Object.freeze({ ...current, ...ending, ended_at: isoTime(now > started ? now : started) })
      if (this.#records.has(ended.attempt_id)) this.#records.set(ended.attempt_id, ended)
      return { ended, endSpan: () => endSpan(ended) }
    })
  }

  list(): readonly AttemptRecord[] {
    return Object.freeze([...this.#records.values()])
  }

  #nextId(cycle: number): string {
    if (cycle !== this.#cycle) this.#startedInCycle = 0
    this.#cycle = cycle
    const { fork } = this.#host
    return `attempt:${fork === '' ? '' : `${fork}:`}${cycle}-${this.#startedInCycle++}`
  }

  #now(): bigint {
    const now: unknown = (this.#host.options.attemptClock ?? wallClock)()
    if (typeof now === 'bigint') return now
    throw invalid('attemptClock', 'The option attemptClock must give nanoseconds as a bigint.')
  }
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
  readonly #end: End

  /** @internal Use Context.startAttempt. */
  constructor(record: AttemptRecord, snapshot: Snapshot, end: End) {
    this.#record = record
    this.snapshot = snapshot
    this.#end = end
    Object.freeze(this)
  }

  get id(): string {
    return this.#record.attempt_id
  }

  /** What is known of it now. */
  get record(): AttemptRecord {
    return this.#record
  }

  /** The provider has answered; leave out what it did not count. */
  complete(usage: AttemptUsage = {}): AttemptRecord {
    this.#checkRunning()
    const { tokenIn, tokenOut } = checkUsage(usage)
    return this.#finish({ status: 'completed', token_in: tokenIn, token_out: tokenOut })
  }

  /** The call was stopped; the open cycle can be edited and sent again (03 §6.1). */
  cancel(): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'canceled' })
  }

  /** The call failed with whatever was thrown; name and message are kept. */
  fail(error: unknown): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'error', error: errorOf(error) })
  }

  toJSON(): AttemptRecord {
    return this.#record
  }

  #finish(ending: Ending): AttemptRecord {
    const { ended, endSpan } = this.#end(ending, this.#record)
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

// ---- What was rendered

type OpenNodes = Pick<AttemptRecord, 'nodes' | 'thread_indexes' | 'absent_ids'>

/**
 * Tells a thread from that of its base, so that the two records give it again: take the base's items, leave out those
 * that are absent or among the nodes, and put each node in at its index. What is not listed keeps its order, because
 * neither it nor anything above it has moved.
 */
function openNodes(view: View, base: View | undefined): OpenNodes {
  const nodes = new Set<NodeRecord>()
  const absent: NodeRecord[] = []
  const take = (record: NodeRecord): void => {
    if (record.isRendered) nodes.add(record)
  }
  if (base === undefined) {
    take(view.tree.root)
    for (const region of view.tree.regions) eachRecord(region, take)
  } else {
    for (const id of new Set(view.changedSince(base, Infinity))) {
      const [before, after] = [base.find(id), view.find(id)]
      if (before === after) continue
      if (before?.isRendered === true && after?.isRendered !== true) absent.push(before)
      if (after === undefined) continue
      take(after)
      if (before !== undefined && hasMoved(before, after)) eachRecord(view.nodeOf(after), take)
    }
  }
  const inOrder = sortByPlace(view, [...nodes])
  return {
    nodes: Object.freeze(inOrder.map((record) => freezeDeep(nodeToJson(record, view.ttlOf(record), undefined)))),
    thread_indexes: Object.freeze(inOrder.map((record) => view.threadIndexOf(record)!)),
    absent_ids: Object.freeze(base === undefined ? [] : sortByPlace(base, absent).map(({ id }) => id)),
  }
}

/** Whether a node stands elsewhere among its siblings, or under another parent, with all that is below it. */
function hasMoved(before: NodeRecord, after: NodeRecord): boolean {
  return (
    before.parentId !== after.parentId ||
    before.offset !== after.offset ||
    before.createdAtNs !== after.createdAtNs ||
    before.creationIndex !== after.creationIndex
  )
}

function freezeDeep<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freezeDeep(part as JsonValue)
  return Object.freeze(value)
}

// ---- Checks

const INPUT_NAMES: readonly string[] = ['provider', 'model', 'params', 'request', 'lens']
const USAGE_NAMES: readonly string[] = ['tokenIn', 'tokenOut']

type Checked = Readonly<{
  provider: string
  model: string
  lens: Lens
  hashes: Readonly<{ params: string; request: string | undefined }>
}>

function checkInput(input: AttemptInput): Checked {
  checkNames('attempt', input, INPUT_NAMES, '{ provider, model, params }')
  const { provider, model, params, request, lens = 'preview' } = input
  for (const [name, value] of Object.entries({ provider, model })) {
    if (typeof value === 'string' && value !== '') continue
    throw invalid(name, `An attempt needs a ${name}, a string that is not empty, and not ${describe(value)}.`)
  }
  if (params === undefined) throw invalid('params', 'An attempt needs params, any JSON value; {} where there are none.')
  if (typeof lens !== 'string') throw invalid('lens', `The lens of an attempt is a string, not ${describe(lens)}.`)
  const hashes = { params: hashJson('params', params), request: request === undefined ? undefined : hashBody(request) }
  return { provider, model, lens, hashes }
}

function checkUsage(usage: AttemptUsage): { tokenIn: number | null; tokenOut: number | null } {
  checkNames('usage', usage, USAGE_NAMES, '{ tokenIn, tokenOut }')
  const { tokenIn = null, tokenOut = null } = usage
  for (const [name, value] of Object.entries({ tokenIn, tokenOut })) {
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue
    throw invalid(name, `${name} is a whole number from 0 up, not ${describe(value)}.`)
  }
  return { tokenIn, tokenOut }
}

function checkNames(what: string, given: unknown, names: readonly string[], form: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(what, `The ${what} is an object such as ${form}, not ${describe(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (!names.includes(name))
      throw invalid(name, `There is no "${name}" in an ${what}; there are ${names.join(', ')}.`)
  }
}

/** The wire body: text and bytes as they are, anything else as canonical JSON. */
function hashBody(request: ContentInput): string {
  if (typeof request === 'string') return sha256Hex(request)
  if (!ArrayBuffer.isView(request)) return hashJson('request', request)
  return sha256Hex(new Uint8Array(request.buffer, request.byteOffset, request.byteLength))
}

function hashJson(name: string, value: unknown): string {
  try {
    return sha256Hex(canonicalJson(value))
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw invalid(name, `In ${name}: ${error.message}`, { ...error.details })
  }
}

/** Anything can be thrown, even something that cannot be read. The stack stays out: it names the caller's files. */
function errorOf(error: unknown): Readonly<{ name: string; message: string }> {
  const [name, message] = ['name', 'message'].map((part) => textIn(error, part))
  return Object.freeze({
    name: name || 'Error',
    message: message ?? (typeof error === 'string' ? error : describe(error)),
  })
}

function textIn(value: unknown, part: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    const text = (value as Readonly<Record<string, unknown>>)[part]
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

function invalid(name: string, message: string, details: Readonly<Record<string, unknown>> = {}): PactError {
  return new PactError('E_CONTENT_INVALID', message, { ...details, name })
}
