// Provider calls as telemetry (03 §6, D32): what was sent, when, and how it ended. Attempts stand beside the tree and
// take nothing from it, neither ids nor indexes nor clock readings, so that a context has the same bytes with and
// without them (N20).

import { callOption, PactError, short } from '../errors/index.js'
import type { AttemptRecord, Clock, Dialect, KeptAttempts, Lens, OpenNodes, SentStructure } from '../core/index.js'
import { isoTime, sha256Hex } from '../codec/index.js'
import type { Erasing, Timeline, View } from '../timeline/index.js'
import { threadChunks } from '../thread/index.js'
import { Attempt, type End, type Forgotten, type SentRequest } from './attempt.js'
import { checkAttempt, type AttemptInput } from './attempt-input.js'
import { erasedAttempt } from './erased-attempt.js'
import {
  checkedBody,
  keptBody,
  keptText,
  noAdapter,
  recordedRendering,
  renderBody,
  type Rendering,
} from './request-body.js'
import { openNodes, openNodesBefore, type SentThread } from './sent-nodes.js'
import { openStructure, structureBefore } from './sent-structure.js'
import { sentTree, type SentBase } from './sent-tree.js'
import { sentView } from './sent-view.js'
import type { Tracing } from './tracing.js'

/**
 * What an attempt sends: the tree of a lens, which never changes again, as callers hold it and as it is read here, the open cycle,
 * and the snapshot that the tree builds on.
 */
export type Sent<Tree> = Readonly<{ lens: Lens; cycle: number; snapshot: Tree; view: View; base: View | undefined }>

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
  /** Without a lens, what would be sent now (D47). */
  send: (lens: Lens | undefined) => Sent<Tree>
  /** Runs foreign code that may read the context and not write to it. */
  reading: <T>(run: () => T) => T
  snapshotAt: (cycle: number) => View
  viewOf: (tree: Tree) => View
  /** A tree that was built again, as adapters take it. */
  treeOf: (view: View) => unknown
  /** The tokens of a tree, or of the request that an adapter makes of it. */
  tokens: (tree: Tree, rendering: Rendering | undefined) => ReturnType<SentRequest['tokens']>
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
  /** What the newest one sent, while its cycle is open. */
  #sent: View | undefined
  #cycle = 0
  #startedInCycle = 0
  #damaged: KeptAttempts['damaged']
  #newestDamage: KeptAttempts['newestDamage']
  /** The last that each lens sent of the open cycle, with and without an adapter: the next one shares most of it. */
  #last: Map<string, SentOpen> | undefined

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
    this.#damaged = kept.damaged
    this.#newestDamage = kept.newestDamage
  }

  /** The tree that the newest one sent; once its cycle is closed, from its record, which tells it where it was started with `for`. */
  get sentLast(): View | undefined {
    if (this.#sent !== undefined) return this.#sent
    const record = this.#newest
    return record?.adapter === undefined ? undefined : this.#treeOf(record)
  }

  /** The cycle of the snapshot which that tree is told from, or is. */
  get sentLastFrom(): number | undefined {
    const record = this.#newest
    return record?.adapter === undefined ? undefined : (record.base_cycle ?? undefined)
  }

  /** Not the one before it, where it cannot be read. */
  get #newest(): AttemptRecord | undefined {
    if (this.#newestDamage !== undefined) throw this.#newestDamage
    return [...(this.#kept?.values() ?? [])].at(-1)
  }

  #treeOf(record: AttemptRecord): View {
    return sentTree(record, this.#base)
  }

  get #base(): SentBase {
    const { dialect, snapshotAt } = this.#host
    return { dialect, snapshotAt, record: (each) => this.#find(each) }
  }

  /** The tree that an attempt has sent, to be compared with others of its context. */
  viewOf(id: string, timeline: Timeline): View {
    const record = this.#find(id)
    if (record === undefined) throw notKept(id)
    return sentView(record, this.#base, timeline)
  }

  /** All that a context needs to go on with them. */
  get kept(): KeptAttempts {
    const damage = this.#damaged === undefined ? {} : { damaged: this.#damaged, newestDamage: this.#newestDamage }
    return { records: this.list(), cycle: this.#cycle, started: this.#startedInCycle, ...damage }
  }

  /** A record, if it is kept; throws where it is, and cannot be read any more. */
  #find(id: string): AttemptRecord | undefined {
    const damage = this.#damaged?.get(id)
    if (damage !== undefined) throw damage
    return this.#kept?.get(id)
  }

  /** Adds a listener and gives what takes it out again. */
  listen(listener: AttemptListener): () => void {
    const all = (this.#listeners ??= new Set())
    all.add(listener)
    return () => void all.delete(listener)
  }

  /**
   * How an attempt ended that was started in a context which this one goes on for. It is listed here by its id, or with the name of its
   * writer behind it, where another one had that id first.
   */
  hear({ attempt_id: id, ...record }: AttemptRecord, writer: string): void {
    const names = [`${id}~${writer}`, id]
    const name = names.find((each) => this.#kept?.get(each)?.started_at === record.started_at)
    const { status, ended_at, token_in, token_out, error } = record
    const ending = { status, ended_at, token_in, token_out, ...(error === undefined ? {} : { error }) }
    if (name !== undefined) this.#amend(name, ending)
  }

  /** Made by the first attempt: there may be thousands of contexts without one. */
  get #records(): Map<string, AttemptRecord> {
    return (this.#kept ??= new Map())
  }

  start(input: AttemptInput): Attempt<Tree> {
    const { lens: asked, paramsHash, body, rendering, keepRequest, provider, model } = checkAttempt(input)
    const started = this.#now()
    const sent = this.#host.send(asked)
    const { lens } = sent
    const threadHash = sha256Hex(threadChunks(sent.view, this.#host.dialect).join(''))
    const request = requestFields(body ?? this.#render(rendering, sent.snapshot), rendering, keepRequest)
    if (sent.cycle !== this.#cycle) this.endCycle()
    const isOpen = lens === 'preview' || lens === 'working'
    const chain = rendering === undefined ? lens : `${lens} for`
    const last = this.#last?.get(chain)
    const tree = openTree(sent, last, isOpen && rendering !== undefined)
    const earlier = last && toldFrom(tree, last)
    // From here on nothing can fail, and no code of the caller runs until the record is kept.
    const record: AttemptRecord = Object.freeze({
      attempt_id: this.#nextId(sent.cycle),
      cycle_id: sent.cycle,
      status: 'running',
      started_at: isoTime(started),
      ended_at: null,
      provider,
      model,
      params_hash: paramsHash,
      token_in: null,
      token_out: null,
      thread_hash: threadHash,
      ...request,
      lens,
      base_cycle: sent.base?.cycle ?? null,
      ...tree.open,
      ...(tree.structure === undefined ? {} : { structure: tree.structure }),
    })
    this.#records.set(record.attempt_id, record)
    this.#newestDamage = undefined
    this.#sent = sent.view
    const retold = earlier && this.#amend(last.id, { ...earlier, base_attempt: record.attempt_id })
    if (isOpen) (this.#last ??= new Map()).set(chain, { ...tree, id: record.attempt_id })
    this.#letGo()
    this.#tell(retold === undefined ? [record] : [record, retold])
    const endSpan = this.#host.tracing.attempt(record)
    const end: End = (ending, current) => {
      const now = this.#now()
      // A wall clock may be set back while a call runs.
      const changes = { ...ending, ended_at: isoTime(now > started ? now : started) }
      const ended = Object.freeze({ ...current, ...changes })
      this.#tell([this.#amend(ended.attempt_id, changes) ?? ended])
      return { ended, endSpan: () => endSpan(ended) }
    }
    return new Attempt(record, sent.snapshot, this.#host.forgotten, end, this.#sentRequest(sent.snapshot, rendering))
  }

  /** The body of an attempt's request from its record alone; `to` is the function that made it. */
  requestOf(id: string, to: unknown): Uint8Array {
    const record = this.#find(id)
    if (record === undefined) throw notKept(id)
    const kept = keptBody(record)
    if (kept !== undefined) return kept
    const { dialect, treeOf } = this.#host
    const rendering = recordedRendering(record, to)
    const view = this.#treeOf(record)
    return checkedBody(record, this.#render(rendering, treeOf(view)), view, dialect)
  }

  #sentRequest(tree: Tree, rendering: Rendering | undefined): SentRequest {
    return {
      body: (record) => {
        const kept = keptBody(record)
        if (kept !== undefined) return kept
        if (rendering === undefined) throw noAdapter(record)
        const { viewOf, dialect } = this.#host
        return checkedBody(record, this.#render(rendering, tree), viewOf(tree), dialect)
      },
      tokens: () => this.#host.tokens(tree, rendering),
    }
  }

  #render(rendering: Pick<Rendering, 'to' | 'options'>, tree: unknown): Uint8Array
  #render(rendering: Rendering | undefined, tree: unknown): Uint8Array | undefined
  #render(rendering: Pick<Rendering, 'to' | 'options'> | undefined, tree: unknown): Uint8Array | undefined {
    return rendering && this.#host.reading(() => renderBody(rendering, tree))
  }

  /** What was sent of a cycle that is closed need not be at hand any more. */
  endCycle(): void {
    this.#sent = undefined
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

/** What one attempt sent of the open cycle, with what tells it from its base. */
type OpenTree = SentThread & Readonly<{ structure: SentStructure | undefined }>
type SentOpen = OpenTree & Readonly<{ id: string }>

function openTree({ view, base }: Sent<unknown>, last: SentThread | undefined, isWhole: boolean): OpenTree {
  return { view, open: openNodes(view, base, last), structure: isWhole ? openStructure(view, base) : undefined }
}

/** What tells an earlier attempt from the next one of its chain. */
function toldFrom(later: OpenTree, earlier: OpenTree): OpenNodes & Readonly<{ structure?: SentStructure }> {
  const nodes = openNodesBefore(later, earlier)
  if (later.structure === undefined || earlier.structure === undefined) return nodes
  const [next, here] = [
    { ...later, structure: later.structure },
    { ...earlier, structure: earlier.structure },
  ]
  return { ...nodes, structure: structureBefore(next, here) }
}

type RequestFields = Pick<
  AttemptRecord,
  'request_hash' | 'request_body' | 'adapter' | 'adapter_version' | 'adapter_options'
>

/** What a record says of the request. */
function requestFields(body: Uint8Array | undefined, rendering: Rendering | undefined, isKept: boolean): RequestFields {
  return {
    ...(body === undefined ? {} : { request_hash: sha256Hex(body) }),
    ...(body === undefined || !isKept ? {} : { request_body: keptText(body) }),
    ...(rendering === undefined
      ? {}
      : { adapter: rendering.renderer.name, adapter_version: rendering.renderer.version }),
    ...(rendering?.plain === undefined ? {} : { adapter_options: rendering.plain }),
  }
}

function notKept(id: string): PactError {
  const message = `There is no attempt ${short(id)} here, or it is kept no more; ctx.attempts() lists those that are.`
  return new PactError('E_NODE_NOT_FOUND', message, { id })
}

function foundTwice(id: string): PactError {
  return new PactError('E_SNAPSHOT_INVALID', `Two of the attempts are called ${id}; each has an id of its own.`, { id })
}

/** Records are small beside what they describe, but a process may run for months. */
const KEPT = 1000
