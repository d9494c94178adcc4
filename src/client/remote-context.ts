// A context on a server. Edits are noted here, as data, and go out with the next commit; reads meanwhile send them along, and so show the
// state that they would give. Nothing is kept on the server until the commit.

import type {
  AttemptList,
  AttemptRecord,
  AttemptsInput,
  Committed,
  ContextSummary,
  CycleAnswer,
  CyclePage,
  Dialect,
  DiffAnswer,
  DiffOptions,
  ExplainAnswer,
  JsonObject,
  Lens,
  Names,
  NodeAnswer,
  NodeInput,
  Operation,
  PageAsked,
  PrefixAnswer,
  PrefixInput,
  Previewed,
  RecordAttemptInput,
  Rendered,
  RenderInput,
  Selected,
  SelectOptions,
  SnapshotPage,
  ThreadItem,
  Timeline,
  TimelineInput,
  TokensAnswer,
  TokensInput,
  Tree,
  TreeInput,
  WatchedEvent,
} from '../commands/index.js'
import { segment, type Http, type Query } from './http.js'
import { watchEvents } from './events.js'
import { RemoteEdits } from './remote-edits.js'

/** The input of a command without what the context itself says. */
type Asked<Input> = Omit<Input, 'id' | 'base' | 'operations'>

export type Page = Readonly<{ limit?: number; before?: number }>

export class RemoteContext extends RemoteEdits {
  readonly id: string
  readonly dialect: Dialect
  readonly #http: Http
  readonly #path: string
  #newest: number

  /** @internal Use `open` or `create` of a client. */
  constructor(http: Http, id: string, dialect: Dialect, newest: number) {
    super()
    this.id = id
    this.dialect = dialect
    this.#http = http
    this.#path = `/v1/contexts/${segment(id)}`
    this.#newest = newest
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#newest + 1
  }

  /** How large it is, and what of it there is; afterwards edits build on the newest commit, whoever made it. */
  async summary(): Promise<ContextSummary> {
    const summary = await this.#http.get<ContextSummary>(this.#path)
    this.#newest = summary.cycle
    return summary
  }

  /** Commits the edits as one cycle; E_CONFLICT where somebody else was first: `summary()`, and commit again. */
  async commit(options: Readonly<{ key?: string; base?: number }> = {}): Promise<Committed> {
    const { key, base = this.#newest } = options
    const operations = this.operations()
    const committed = await this.#http.post<Committed>(`${this.#path}/commit`, {
      base,
      operations,
      ...(key === undefined ? {} : { key }),
    })
    this.#newest = Math.max(this.#newest, committed.cycle)
    this.clear()
    return committed
  }

  /** What a commit of the edits would give. */
  preview(options: Readonly<{ thread?: boolean }> = {}): Promise<Previewed> {
    return this.#http.post(`${this.#path}/preview`, { base: this.#newest, operations: this.operations(), ...options })
  }

  /** The ids that a selector finds. */
  async select(selector: string, options?: SelectOptions): Promise<readonly string[]> {
    const found = await this.#select(selector, options, false)
    return 'ids' in found ? found.ids : []
  }

  /** What changed in a range of snapshots. */
  async rangeDiffLatest(selector: string, options?: SelectOptions): Promise<JsonObject> {
    const found = await this.#select(selector, options, false)
    return 'range' in found ? found.range : {}
  }

  /** The nodes that a selector finds, in the documents' form. */
  async nodes(selector: string, options?: SelectOptions): Promise<readonly JsonObject[]> {
    const found = await this.#select(selector, options, true)
    return 'ids' in found ? (found.nodes ?? []) : []
  }

  /** How many nodes a selector finds. */
  async count(selector: string, options?: SelectOptions): Promise<number> {
    return (await this.select(selector, options)).length
  }

  /** The first node that a selector finds, or undefined. */
  async first(selector: string, options?: SelectOptions): Promise<JsonObject | undefined> {
    return (await this.nodes(selector, { ...options, limit: 1 }))[0]
  }

  #select(selector: string, options: SelectOptions | undefined, nodes: boolean): Promise<Selected> {
    const asked = { selector, ...(options === undefined ? {} : { options }), ...(nodes ? { nodes } : {}) }
    return this.#http.post(`${this.#path}/select`, { ...asked, ...this.#open() })
  }

  /** One node with its explanation and its life. */
  node(node: string, asked: Omit<Asked<NodeInput>, 'node'> = {}): Promise<NodeAnswer> {
    return this.#read(`nodes/${segment(node)}`, asked)
  }

  /** Why a node is there and what will happen to it. */
  explain(node: string, lens?: Lens): Promise<ExplainAnswer> {
    return this.#read(`explain/${segment(node)}`, { at: lens })
  }

  /** What changed from one tree to another, by id. */
  diff(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Promise<DiffAnswer> {
    return this.#http.post(`${this.#path}/diff`, { a, b, ...some({ selector, options }), ...this.#open() })
  }

  /** The same with values, causes and places. */
  diffDetailed(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Promise<DiffAnswer> {
    const asked = { a, b, detailed: true, ...some({ selector, options }) }
    return this.#http.post(`${this.#path}/diff`, { ...asked, ...this.#open() })
  }

  /** The provider thread as objects. */
  thread(lens?: Lens): Promise<readonly ThreadItem[]> {
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

  /** A provider's request as exact text, and whose bytes are whose. */
  render(format: RenderInput['for'], asked: Omit<Asked<RenderInput>, 'for'> = {}): Promise<Rendered> {
    return this.#read('render', { for: format, ...asked })
  }

  /** How much of one rendering is the beginning of another. */
  prefix(a?: Lens, b?: Lens, asked: Omit<Asked<PrefixInput>, 'a' | 'b'> = {}): Promise<PrefixAnswer> {
    return this.#read('prefix', { a, b, ...asked })
  }

  /** How many tokens a tree or a request has. */
  tokens(lens?: Lens, asked: Omit<Asked<TokensInput>, 'lens'> = {}): Promise<TokensAnswer> {
    return this.#read('tokens', { lens, ...asked })
  }

  /** Snapshots, newest first, with sizes and receipts. */
  snapshots(page: Page = {}): Promise<SnapshotPage> {
    return this.#http.get(`${this.#path}/snapshots`, page)
  }

  /** What each commit changed and why, newest first. */
  log(page: Page = {}): Promise<CyclePage> {
    return this.#http.get(`${this.#path}/log`, page)
  }

  /** The tree as rows, a window of them. */
  tree(asked: Asked<TreeInput> = {}): Promise<Tree> {
    return this.#read('tree', asked)
  }

  /** Types, keys, tags, roles, kinds and attributes, with counts; a page has so many of each. */
  names(at?: Lens, page: PageAsked = {}): Promise<Names> {
    return this.#read('names', { at, ...page })
  }

  /** Columns of cycles. */
  timeline(asked: Asked<TimelineInput> = {}): Promise<Timeline> {
    return this.#read('timeline', asked)
  }

  /** One cycle: sizes, receipt, schedules, attempts. */
  at(lens?: Lens): Promise<CycleAnswer> {
    return this.#read('cycle', { at: lens })
  }

  /** Makes a context that shares the past up to a snapshot. */
  async fork(lens: Lens | undefined, { id }: Readonly<{ id: string }>): Promise<RemoteContext> {
    const made = await this.#http.post<ContextSummary>(`${this.#path}/fork`, { id, ...some({ lens }) })
    return new RemoteContext(this.#http, id, made.dialect, made.cycle)
  }

  /** The records of attempts, oldest first, a page at a time. */
  attempts(asked: Asked<AttemptsInput> = {}): Promise<AttemptList> {
    return this.#http.get(`${this.#path}/attempts`, asked)
  }

  /** Notes a provider call that has ended. */
  recordAttempt(attempt: Asked<RecordAttemptInput>): Promise<AttemptRecord> {
    return this.#http.post(`${this.#path}/attempts`, { ...attempt, ...this.#open() })
  }

  /**
   * Every commit after a cycle or after the mark of an event, whoever makes it, each once and in order, and what was erased; goes on by itself where
   * the connection breaks.
   */
  watch(
    options: Readonly<{ from?: number | string; signal?: AbortSignal }> = {},
  ): AsyncGenerator<WatchedEvent, void, undefined> {
    const { from = this.#newest, signal } = options
    return watchEvents(this.#http, `${this.#path}/events`, from, signal)
  }

  /** What is open goes along; without it, a read may be answered from a cache. */
  #open(): Readonly<{ base?: number; operations?: readonly Operation[] }> {
    const operations = this.operations()
    return operations.length === 0 ? {} : { base: this.#newest, operations }
  }

  async #read<T>(name: string, asked: object): Promise<T> {
    return (await (await this.#send(name, asked)).json()) as T
  }

  async #bytes(name: string, lens: Lens | undefined): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#send(name, { lens })).arrayBuffer())
  }

  #send(name: string, asked: object): Promise<Response> {
    const open = this.#open()
    const path = `${this.#path}/${name}`
    if (open.operations === undefined) return this.#http.send('GET', path, { query: asked as Query })
    return this.#http.send('POST', path, { body: { ...some(asked), ...open } })
  }
}

/** Without what is undefined. */
function some(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
