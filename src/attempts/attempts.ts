// Provider calls as telemetry (03 §6, D32): the sent tree, the times, and the outcome. Attempts are separate from the tree and use none of
// its ids, indexes or clock readings, so a context has the same bytes with and without them (N20).

import { callOption, invalid, PactError, short } from '../errors/index.js'
import {
  defined,
  type AttemptId,
  type Clock,
  type Dialect,
  type JsonObject,
  type KeptAttempts,
  type Lens,
  type OpenNodes,
  type SentRecord,
  type SentStructure,
} from '../core/index.js'
import { isoTime, sha256Hex } from '../codec/index.js'
import type { Erasing, Timeline, View } from '../timeline/index.js'
import { threadChunks, type RendersRequests, type SentCall } from '../thread/index.js'
import { Attempt, type End, type Forgotten, type ReplyReaders, type SentRequest } from './attempt.js'
import { withAppended } from './appended.js'
import { checkAttempt, type AttemptInput, type RequestInput } from './attempt-input.js'
import { erasedAttempt, withoutQuotes } from './erased-attempt.js'
import {
  bytesOfBody,
  callOf,
  checkedBody,
  keptBody,
  keptText,
  noAdapter,
  paramsForgotten,
  recordedRendering,
  renderBody,
  type MadeBody,
  type RecordedRendering,
  type Rendering,
} from './request-body.js'
import { openNodes, openNodesBefore, type SentThread } from './sent-nodes.js'
import { openStructure, structureBefore } from './sent-structure.js'
import { sentTree, sentView, type SentBase } from './sent-view.js'
import type { Tracing } from './tracing.js'

/**
 * The tree that an attempt sends, as callers hold it and as it is read here; with its lens, the open cycle, and the snapshot that
 * the tree builds on.
 */
export type Sent<Tree> = Readonly<{ lens: Lens; cycle: number; snapshot: Tree; view: View; base: View | undefined }>

/** The parts of a context that attempts need. */
export type AttemptHost<Tree> = Readonly<{
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  dialect: Dialect
  /** The option attemptClock, or its default. */
  clock: Clock
  /** The option keepAttempts. */
  keep: number | undefined
  tracing: Tracing
  forgotten: Forgotten
  /** Without a lens, what would be sent now (D47), for which results may be shed first (D61). */
  send: (lens: Lens | undefined, rendering: RecordedRendering | undefined, mayShed: boolean) => Sent<Tree>
  /** Runs foreign code that may read the context and not write to it. */
  reading: <T>(run: () => T) => T
  snapshotAt: (cycle: number) => View
  viewOf: (tree: Tree) => View
  /** A tree that was built again, as adapters take it. */
  treeOf: (view: View) => unknown
  /** The tokens of a tree, or of the request that an adapter makes of it. */
  tokens: (tree: Tree, rendering: RecordedRendering | undefined) => ReturnType<SentRequest['tokens']>
}>

/**
 * Called at every start and every end with the records that are new or changed: at a start the new record, and the one before it
 * if that is now stored as a difference from the new one. A listener that writes records by id has everything that the list has
 * or had. It is not called for erasures, since a store erases by itself. It must not throw.
 */
export type AttemptListener = (changed: readonly SentRecord[]) => void

/** The attempts of one context. */
export class Attempts<Tree> {
  readonly #host: AttemptHost<Tree>
  /** By id, oldest first. Snapshots are not kept here; only the caller's handle holds one. */
  #kept: Map<string, SentRecord> | undefined
  #listeners: Set<AttemptListener> | undefined
  /** The tree of the newest attempt, while its cycle is open. */
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

  /** The tree of the newest attempt. After its cycle is closed it comes from the record, if the attempt was started with `for`. */
  get sentLast(): View | undefined {
    if (this.#sent !== undefined) return this.#sent
    const record = this.#newest
    return record?.adapter === undefined ? undefined : this.#treeOf(record)
  }

  /** The cycle of the snapshot that this tree is, or is a difference from. */
  get sentLastFrom(): number | undefined {
    const record = this.#newest
    return record?.adapter === undefined ? undefined : (record.base_cycle ?? undefined)
  }

  /** The call of the newest attempt, as far as its record describes it. */
  get sentLastCall(): SentCall | undefined {
    const record = this.#newest
    return record && callOf(record)
  }

  /** Not the one before it, where it cannot be read. */
  get #newest(): SentRecord | undefined {
    if (this.#newestDamage !== undefined) throw this.#newestDamage
    return [...(this.#kept?.values() ?? [])].at(-1)
  }

  #treeOf(record: SentRecord): View {
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

  /** The call of an attempt, as far as its record describes it. */
  callOf(id: string): SentCall | undefined {
    const record = this.#find(id)
    return record && callOf(record)
  }

  /** Everything that a restored context needs of its attempts. */
  get kept(): KeptAttempts {
    const damage = this.#damaged === undefined ? {} : { damaged: this.#damaged, newestDamage: this.#newestDamage }
    return { records: this.list(), cycle: this.#cycle, started: this.#startedInCycle, ...damage }
  }

  /** A record, if it is kept; throws where it is, and cannot be read any more. */
  #find(id: string): SentRecord | undefined {
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
   * Records the end of an attempt that was started in a context which this one continues. If another attempt has its id by now,
   * it is listed with the name of its writer appended.
   */
  hear({ attempt_id: id, ...record }: SentRecord, writer: string): void {
    const names = [`${id}~${writer}`, id]
    const name = names.find((each) => this.#kept?.get(each)?.started_at === record.started_at)
    const { status, ended_at, token_in, token_out, reported, error } = record
    if (name !== undefined) this.#amend(name, defined({ status, ended_at, token_in, token_out, reported, error }))
  }

  /** Made by the first attempt: there may be thousands of contexts without one. */
  get #records(): Map<string, SentRecord> {
    return (this.#kept ??= new Map())
  }

  /** `readers` read replies to a request that an adapter made. */
  start<Received>(
    input: AttemptInput | RequestInput<RendersRequests, object>,
    readers?: ReplyReaders<Received>,
  ): Attempt<Tree, unknown, Received> {
    const {
      lens: asked,
      paramsHash,
      body: given,
      rendering,
      append,
      keepRequest,
      provider,
      model,
    } = checkAttempt(input)
    const started = this.#now()
    const sent = this.#host.send(asked, rendering, append === undefined)
    const { lens } = sent
    const threadHash = sha256Hex(threadChunks(sent.view, this.#host.dialect).join(''))
    const made = rendering && this.#made(rendering, this.#with(append, sent.snapshot, sent.view))
    const body = made?.body
    const bytes = given ?? (body && bytesOfBody(body))
    const request = {
      request_hash: bytes && sha256Hex(bytes),
      request_body: bytes && keepRequest ? keptText(bytes) : undefined,
      adapter: rendering?.renderer.name,
      adapter_version: rendering?.renderer.version,
      adapter_options: rendering?.plain,
    }
    if (sent.cycle !== this.#cycle) this.endCycle()
    const isOpen = lens === 'preview' || lens === 'working'
    const chain = rendering === undefined ? lens : `${lens} for`
    const last = this.#last?.get(chain)
    const tree = openTree(sent, last, isOpen && rendering !== undefined)
    const earlier = last && differenceFrom(tree, last)
    // From here on nothing can fail, and no code of the caller runs until the record is kept.
    const details = defined({
      attempt_id: this.#nextId(sent.cycle),
      cycle_id: sent.cycle,
      status: 'running' as const,
      started_at: isoTime(started),
      ended_at: null,
      provider,
      model,
      params_hash: paramsHash,
      params: rendering && this.#shared(rendering.params, paramsHash),
      ...(append === undefined ? {} : { append }),
      token_in: null,
      token_out: null,
      thread_hash: threadHash,
      ...request,
      lens,
      base_cycle: sent.base?.cycle ?? null,
      ...tree.open,
      structure: tree.structure,
    })
    const record: SentRecord = Object.freeze(details)
    this.#records.set(record.attempt_id, record)
    this.#newestDamage = undefined
    this.#sent = sent.view
    const amended = earlier && this.#amend(last.id, { ...earlier, base_attempt: record.attempt_id })
    if (isOpen) (this.#last ??= new Map()).set(chain, { ...tree, id: record.attempt_id })
    this.#letGo()
    this.#notify(amended === undefined ? [record] : [record, amended])
    const endSpan = this.#host.tracing.attempt(record)
    const end: End = (ending, current) => {
      const now = this.#now()
      // A wall clock may be set back while a call runs.
      const changes = { ...ending, ended_at: isoTime(now > started ? now : started) }
      const ended = Object.freeze({ ...current, ...changes })
      this.#notify([this.#amend(ended.attempt_id, changes) ?? ended])
      return { ended, endSpan: () => endSpan(ended) }
    }
    const sentRequest = this.#sentRequest(sent.snapshot, rendering, made)
    return new Attempt(record, sent.snapshot, this.#host.forgotten, end, sentRequest, readers)
  }

  /** The params of the newest attempt where they are equal, in the same order: a loop sends the same tools again and again. */
  #shared(params: JsonObject, hash: string): JsonObject {
    const last = this.#newestDamage === undefined ? this.#newest : undefined
    if (last?.params_hash !== hash || !last.params) return params
    return JSON.stringify(last.params) === JSON.stringify(params) ? last.params : params
  }

  /** The body of an attempt's request from its record alone; `to` is the function that made it. */
  requestOf(id: string, to: unknown): Uint8Array {
    const record = this.#find(id)
    if (record === undefined) throw notKept(id)
    const kept = keptBody(record)
    if (kept !== undefined) return kept
    const { dialect, treeOf } = this.#host
    if (record.append === null) throw paramsForgotten(record)
    const rendering = recordedRendering(record, to)
    const view = this.#treeOf(record)
    return checkedBody(
      record,
      bytesOfBody(this.#render(rendering, this.#with(record.append, treeOf(view), view))),
      view,
      dialect,
    )
  }

  /** The params are those of the record, so that a handle does not keep what is forgotten. */
  #sentRequest(tree: Tree, rendering: Rendering | undefined, sent: MadeBody | undefined): SentRequest {
    const made = rendering && { to: rendering.to, renderer: rendering.renderer, options: rendering.options }
    return {
      body: sent?.body,
      repairs: sent?.repairs ?? NO_REPAIRS,
      bytes: (record) => {
        const kept = keptBody(record)
        if (kept !== undefined) return kept
        if (made === undefined) throw noAdapter(record)
        const { params } = record
        if (params === null || record.append === null) throw paramsForgotten(record)
        const { viewOf, dialect } = this.#host
        const sent = this.#with(record.append, tree, viewOf(tree))
        const again = this.#render({ ...made, ...(params === undefined ? {} : { params }) }, sent)
        return checkedBody(record, bytesOfBody(again), viewOf(tree), dialect)
      },
      tokens: ({ params, append }) => {
        const sent = this.#with(append, tree, this.#host.viewOf(tree)) as Tree
        return this.#host.tokens(sent, made && { ...made, params: params ?? undefined })
      },
    }
  }

  /** The tree that adapters get: with the appended message, if there is one. */
  #with(append: string | null | undefined, tree: unknown, view: View): unknown {
    const { dialect, treeOf } = this.#host
    return typeof append === 'string' ? treeOf(withAppended(view, append, dialect)) : tree
  }

  #render(rendering: RecordedRendering, tree: unknown): JsonObject {
    return this.#made(rendering, tree).body
  }

  #made(rendering: RecordedRendering, tree: unknown): MadeBody {
    return this.#host.reading(() => renderBody(rendering, tree))
  }

  /** A tree that was sent from a closed cycle need not be kept. */
  endCycle(): void {
    this.#sent = undefined
    this.#last = undefined
  }

  /** Takes out what nodes said; the hashes stay, of what was sent (D56). */
  erase(erasing: Erasing): void {
    this.endCycle()
    for (const [id, record] of this.#kept ?? []) this.#records.set(id, erasedAttempt(record, erasing))
  }

  /** Drops kept request bodies and error messages of attempts whose snapshot, given by its cycle, is gone. */
  dropQuotes(isGone: (cycle: number) => boolean): void {
    for (const [id, record] of this.#kept ?? []) {
      const { base_cycle: base } = record
      if (base !== null && isGone(base)) this.#records.set(id, withoutQuotes(record))
    }
  }

  /** Gives the record as it is now; undefined for one that is kept no more. */
  #amend(id: string, changes: Partial<SentRecord>): SentRecord | undefined {
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

  #notify(changed: readonly SentRecord[]): void {
    for (const listener of this.#listeners ?? []) listener(changed)
  }

  list(): readonly SentRecord[] {
    return Object.freeze([...(this.#kept?.values() ?? [])])
  }

  #nextId(cycle: number): AttemptId {
    if (cycle !== this.#cycle) this.#startedInCycle = 0
    this.#cycle = cycle
    const { fork } = this.#host
    return `attempt:${fork === '' ? '' : `${fork}:`}${cycle}-${this.#startedInCycle++}`
  }

  #now(): bigint {
    const now: unknown = callOption('attemptClock', this.#host.clock)
    if (typeof now === 'bigint') return now
    const message = 'The option attemptClock must give nanoseconds as a bigint.'
    throw invalid('attemptClock', message)
  }
}

const NO_REPAIRS: MadeBody['repairs'] = () => NONE
const NONE = Object.freeze([])

/** The tree that one attempt sent of the open cycle, with its difference from the base. */
type OpenTree = SentThread & Readonly<{ structure: SentStructure | undefined }>
type SentOpen = OpenTree & Readonly<{ id: string }>

function openTree({ view, base }: Sent<unknown>, last: SentThread | undefined, isWhole: boolean): OpenTree {
  return { view, open: openNodes(view, base, last), structure: isWhole ? openStructure(view, base) : undefined }
}

/** The difference of an earlier attempt from the next one of its chain. */
function differenceFrom(later: OpenTree, earlier: OpenTree): OpenNodes & Readonly<{ structure?: SentStructure }> {
  const nodes = openNodesBefore(later, earlier)
  if (later.structure === undefined || earlier.structure === undefined) return nodes
  const [next, here] = [
    { ...later, structure: later.structure },
    { ...earlier, structure: earlier.structure },
  ]
  return { ...nodes, structure: structureBefore(next, here) }
}

function notKept(id: string): PactError {
  const message = `There is no attempt ${short(id)} here. An import has none, and a context keeps its newest ones (keepAttempts).`
  return new PactError('E_NODE_NOT_FOUND', message, { id })
}

function foundTwice(id: string): PactError {
  return new PactError('E_SNAPSHOT_INVALID', `Two of the attempts are called ${id}; each has an id of its own.`, { id })
}

/** Records are small compared with what they describe, but a process may run for months. */
const KEPT = 1000
