// A context on a server. Edits are collected here, as data, and sent with the next commit. Until then every read sends them too, and shows
// the state that they would give. The server keeps nothing before the commit.

import type {
  Answer,
  DetailedDiffAnswer,
  Dialect,
  DiffOptions,
  Http,
  Input,
  JsonObject,
  JsonValue,
  Lens,
  PageInput,
  PlainDiffAnswer,
  Reading,
  RemoteName,
  RenderedFormat,
  SelectOptions,
} from '../api/index.js'
import { watchEvents } from './events.js'
import { RemoteEdits } from './remote-edits.js'

/** The input of an endpoint without the fields that the context gives itself. */
type Asked<N extends RemoteName, Own extends string = never> = Omit<Input<N>, 'id' | 'base' | 'operations' | Own>

/** A page of cycles, newest first. */
export type Page = Asked<'log'>

export class RemoteContext extends RemoteEdits {
  readonly id: string
  readonly dialect: Dialect
  readonly #http: Http
  #newest: number
  /** The draft on the server: its version, and how many of the edits here it has. */
  #draft = { version: 0, saved: 0 }

  /** @internal Use `open` or `create` of a client. */
  constructor(http: Http, id: string, dialect: Dialect, newest: number) {
    super()
    this.id = id
    this.dialect = dialect
    this.#http = http
    this.#newest = newest
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#newest + 1
  }

  /** The size of the context; afterwards edits build on the newest commit, also if another client made it. */
  async summary(): Promise<Answer<'summary'>> {
    const summary = await this.#http.ask('summary', { id: this.id })
    this.#newest = summary.cycle
    return summary
  }

  /** Commits the edits as one cycle; E_CONFLICT if another commit came first: call `summary()`, and commit again. */
  async commit(options: Readonly<{ key?: string; base?: number; author?: string }> = {}): Promise<Answer<'commit'>> {
    const { version, saved } = this.#draft
    const operations = this.operations().slice(saved)
    const committed = await this.#http.ask('commit', {
      id: this.id,
      base: this.#newest,
      ...options,
      ...(version === 0 ? {} : { draft: version }),
      ...(operations.length === 0 ? {} : { operations }),
    })
    this.#newest = Math.max(this.#newest, committed.cycle)
    this.#draft = { version: 0, saved: 0 }
    this.clear()
    return committed
  }

  /**
   * Keeps the edits on the server, without a commit: `resume` gives them to the next client. E_CONFLICT if another writer has committed
   * or saved.
   */
  async save(): Promise<void> {
    const { version, saved } = this.#draft
    const operations = this.operations().slice(saved)
    if (operations.length === 0) return
    const { id } = this
    const answer = await this.#http.ask('saveDraft', { id, base: this.#newest, version, operations })
    this.#draft = { version: answer.version, saved: saved + operations.length }
  }

  /** Takes up the edits that were saved on the server, and gives their number. It drops the edits here. */
  async resume(): Promise<number> {
    const { version, behind, operations } = await this.#http.ask('draft', { id: this.id })
    this.clear()
    this.apply(operations)
    // A draft that is behind cannot grow: its operations are saved again, after it was dropped.
    this.#draft = behind ? { version: 0, saved: 0 } : { version, saved: operations.length }
    return operations.length
  }

  /** Drops the edits that were saved on the server; the edits here stay. */
  async dropDraft(): Promise<void> {
    await this.#http.send('dropDraft', { id: this.id })
    this.#draft = { version: 0, saved: 0 }
  }

  /** Takes back the last edit; false if there is none, or if it is saved: drop the draft first. */
  override undo(): boolean {
    return this.operations().length > this.#draft.saved && super.undo()
  }

  /** The result that a commit of the edits would have. */
  preview(options: Readonly<{ thread?: boolean }> = {}): Promise<Answer<'preview'>> {
    return this.#http.ask('preview', { id: this.id, base: this.#newest, operations: this.operations(), ...options })
  }

  /** The ids that a selector finds. */
  async select(selector: string, options?: SelectOptions): Promise<readonly string[]> {
    const found = await this.#select(selector, options)
    return 'ids' in found ? found.ids : []
  }

  /** The changes in a range of snapshots. */
  async rangeDiffLatest(selector: string, options?: SelectOptions): Promise<JsonObject> {
    const found = await this.#select(selector, options)
    return 'range' in found ? found.range : {}
  }

  /** The nodes that a selector finds, in the documents' form. */
  async nodes(selector: string, options?: SelectOptions): Promise<readonly JsonObject[]> {
    const found = await this.#select(selector, options, true)
    return 'ids' in found ? (found.nodes ?? []) : []
  }

  /** The number of nodes that a selector finds. */
  async count(selector: string, options?: SelectOptions): Promise<number> {
    return (await this.select(selector, options)).length
  }

  /** The first node that a selector finds, or undefined. */
  async first(selector: string, options?: SelectOptions): Promise<JsonObject | undefined> {
    return (await this.nodes(selector, { ...options, limit: 1 }))[0]
  }

  #select(selector: string, options: SelectOptions | undefined, nodes?: true): Promise<Answer<'select'>> {
    return this.#read('select', { selector, options: options as Input<'select'>['options'], nodes })
  }

  /** One node with its explanation and its life. */
  node(node: string, asked: Asked<'node', 'node'> = {}): Promise<Answer<'node'>> {
    return this.#read('node', { node, ...asked })
  }

  /** The nodes that a summary would take the place of; `compact` takes the plan. */
  planCompaction(options: Asked<'compaction'> = {}): Promise<Answer<'compaction'>> {
    return this.#read('compaction', options)
  }

  /** The original content of a tool result that was shed, or of a node that a summary stands for. */
  async recall(node: string): Promise<JsonValue> {
    return (await this.#read('recall', { node })).content
  }

  /** Why a node is in the tree, and what will happen to it. */
  explain(node: string, lens?: Lens): Promise<Answer<'explain'>> {
    return this.#read('explain', { node, at: lens })
  }

  /** The changes from one tree to another, by id. */
  diff(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Promise<PlainDiffAnswer> {
    const asked = { a, b, selector, options: options as Input<'diff'>['options'] }
    return this.#read('diff', asked) as Promise<PlainDiffAnswer>
  }

  /** The same with values, causes and places. */
  diffDetailed(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Promise<DetailedDiffAnswer> {
    const asked = { a, b, selector, options: options as Input<'diff'>['options'], detailed: true }
    return this.#read('diff', asked) as Promise<DetailedDiffAnswer>
  }

  /** The provider thread as objects. */
  thread(lens?: Lens): Promise<Answer<'thread'>> {
    return this.#read('thread', { lens })
  }

  /** Exactly the bytes of the thread. */
  threadBytes(lens?: Lens): Promise<Uint8Array> {
    return this.#bytes('thread', lens)
  }

  /** The tree in its full form. */
  export(lens?: Lens): Promise<Uint8Array> {
    return this.#bytes('export', lens)
  }

  /** A provider's request as exact text, with the node of every byte range. */
  render(format: RenderedFormat, asked: Asked<'render', 'for'> = {}): Promise<Answer<'render'>> {
    return this.#read('render', { for: format, ...asked })
  }

  /** The common beginning of two renderings. */
  prefix(a?: Lens, b?: Lens, asked: Asked<'prefix', 'a' | 'b'> = {}): Promise<Answer<'prefix'>> {
    return this.#read('prefix', { a, b, ...asked })
  }

  /** The tokens of a tree or a request. */
  tokens(lens?: Lens, asked: Asked<'tokens', 'lens'> = {}): Promise<Answer<'tokens'>> {
    return this.#read('tokens', { lens, ...asked })
  }

  /** Snapshots, newest first, with sizes and receipts. */
  snapshots(page: Page = {}): Promise<Answer<'snapshots'>> {
    return this.#http.ask('snapshots', { id: this.id, ...page })
  }

  /** The changes of each commit and their reasons, newest first. */
  log(page: Page = {}): Promise<Answer<'log'>> {
    return this.#http.ask('log', { id: this.id, ...page })
  }

  /** A window of the tree as rows. */
  tree(asked: Asked<'tree'> = {}): Promise<Answer<'tree'>> {
    return this.#read('tree', asked)
  }

  /** Types, keys, tags, roles, kinds and attributes, with counts; a page has `limit` of each. */
  names(at?: Lens, page: PageInput = {}): Promise<Answer<'names'>> {
    return this.#read('names', { at, ...page })
  }

  /** Columns of cycles. */
  timeline(asked: Asked<'timeline'> = {}): Promise<Answer<'timeline'>> {
    return this.#read('timeline', asked)
  }

  /** One cycle: sizes, receipt, schedules, attempts. */
  at(lens?: Lens): Promise<Answer<'cycle'>> {
    return this.#read('cycle', { at: lens })
  }

  /** Makes a context that shares the history up to a snapshot. */
  async fork(lens: Lens | undefined, { id }: Readonly<{ id: string }>): Promise<RemoteContext> {
    const made = await this.#http.ask('fork', { from: this.id, lens, id })
    return new RemoteContext(this.#http, id, made.dialect, made.cycle)
  }

  /** The records of attempts, oldest first, a page at a time. */
  attempts(asked: Asked<'attempts'> = {}): Promise<Answer<'attempts'>> {
    return this.#http.ask('attempts', { id: this.id, ...asked })
  }

  /** The body of a provider call, byte for byte as it was sent, or the reason why it cannot be given again. */
  sentRequest(attempt: string): Promise<Answer<'sentRequest'>> {
    return this.#http.ask('sentRequest', { id: this.id, attempt })
  }

  /** Records a provider call that has ended. */
  recordAttempt(attempt: Asked<'recordAttempt'>): Promise<Answer<'recordAttempt'>> {
    return this.#read('recordAttempt', attempt)
  }

  /**
   * Every commit of any client after a cycle or after the mark of an event, each once and in order, and every erasure. Continues after the
   * connection breaks.
   */
  watch(
    options: Readonly<{ from?: number | string; signal?: AbortSignal }> = {},
  ): AsyncGenerator<Answer<'watch'>, void, undefined> {
    const { from = this.#newest, signal } = options
    return watchEvents(this.#http, this.id, from, signal)
  }

  /** The open edits, which every read sends. A read without edits may be answered from a cache. */
  #open(): Reading {
    const operations = this.operations()
    return operations.length === 0 ? {} : { base: this.#newest, operations }
  }

  #read<N extends RemoteName>(name: N, asked: Asked<N>): Promise<Answer<N>> {
    return this.#http.ask(name, { id: this.id, ...asked, ...this.#open() })
  }

  async #bytes(name: 'export' | 'thread', lens: Lens | undefined): Promise<Uint8Array> {
    const response = await this.#http.send(name, { id: this.id, lens, ...this.#open() })
    return new Uint8Array(await response.arrayBuffer())
  }
}
