// What a context tells: nodes, selections, diffs, snapshots, threads and bytes, of the tree that a lens names. None of it
// changes anything.

import { showCallers } from '../errors/index.js'
import {
  INSPECT,
  oneLine,
  type AttemptRecord,
  type Dialect,
  type JsonObject,
  type Lens,
  type Node,
  type Warning,
} from '../core/index.js'
import type { View } from '../timeline/index.js'
import {
  diffDetailed,
  diffViews,
  sidesOf,
  type DetailedDiff,
  type Diff,
  type RangeDiffLatestResult,
  type Selection,
  type SnapshotRef,
} from '../diff/index.js'
import type { ThreadItem, ThreadPlace } from '../thread/index.js'
import type { AttemptInput } from '../attempts/index.js'
import { explain, lifeOf, type Explanation, type Life } from '../explain/index.js'
import type { Attempt, Parts } from './parts.js'
import type { SourceEntry } from './node-tokens.js'
import { pastOf, type PastCycle } from './past.js'
import { comparePrefix, prefixSides, type Prefix, type PrefixOptions } from './prefix.js'
import type { Queries } from './query.js'
import { checkRequestOf, type RequestOfOptions } from './request-of.js'
import { checkDiffOptions, type DiffOptions, type SelectOptions } from './select-options.js'
import type { RangeResults, SelectResult } from './select-result.js'
import { checkId, Snapshot } from './snapshot.js'
import { listSnapshots, type SnapshotsOptions } from './snapshot-list.js'
import type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './token-report.js'
import type { Views } from './views.js'
import { contextText } from './words.js'

/** `Ranges` says whether a selector over a range gives what changed in it, or a flat list of ids. */
export abstract class ContextReads<Ranges extends RangeResults> {
  readonly id: string
  readonly dialect: Dialect
  #parts: Parts
  #queries: Queries
  #views: Views

  /** @internal */
  constructor(parts: Parts) {
    this.id = parts.id
    this.dialect = parts.home.edition.dialect
    this.#parts = parts
    this.#queries = parts.queries
    this.#views = parts.views
  }

  static {
    showCallers(this.prototype)
  }

  /** @internal For whoever commits in another way, or writes down what there is. */
  static partsOf(ctx: ContextReads<RangeResults> | ContextReads<'diff'> | ContextReads<'list'>): Parts {
    return ctx.#parts
  }

  /** @internal Goes on with other parts, as one call. */
  static goOn(ctx: ContextReads<RangeResults>, parts: Parts): void {
    ctx.#parts = parts
    ctx.#queries = parts.queries
    ctx.#views = parts.views
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#parts.open.draft.cycle
  }

  /** The working state as it is now; it never changes again. */
  get working(): Snapshot {
    return this.snapshot('working')
  }

  /** What each commit changed, oldest first. */
  get past(): readonly PastCycle[] {
    return pastOf(this.#parts.timeline)
  }

  /** What was worth knowing but no error, oldest first; the newest thousand. */
  get warnings(): readonly Warning[] {
    return this.#parts.warnings.list
  }

  /** The snapshot that `commit` would make now; nothing changes, no id or clock reading is used up. */
  preview(): Snapshot {
    return this.snapshot('preview')
  }

  /** Notes that a thread goes to a provider: telemetry, which no tree, snapshot or byte shows. */
  startAttempt(input: AttemptInput): Attempt {
    return this.#parts.attempts.start(input)
  }

  /** The records of this context's attempts, oldest first; the newest `keepAttempts` of them. */
  attempts(): readonly AttemptRecord[] {
    return this.#parts.attempts.list()
  }

  /**
   * The body of an attempt's request, byte for byte as it was sent, from the attempt's record: kept, or made again by the
   * function that made it. Where it cannot be given again, an E_CONFLICT says why.
   */
  requestOf(attemptId: string, options: RequestOfOptions = {}): Uint8Array {
    return this.#parts.attempts.requestOf(checkId(attemptId), checkRequestOf(options))
  }

  /** The node with this id, or undefined; in the working state unless a lens says otherwise. */
  node(id: string, lens: Lens = 'working'): Node | undefined {
    return this.#read(lens).node(id)
  }

  /** Text that selects exactly this node, such as `(d1, 0, 2)`. */
  coordinate(id: string, lens: Lens = 'working'): string {
    return this.#read(lens).coordinate(id)
  }

  /** Why a node is where it is and what will happen to it, as data and in words; also for one that is gone. */
  explain(id: string, lens: Lens = 'working'): Explanation {
    const { options, holds } = this.#parts
    const reach = options.prune && { protectedSegments: options.prune.protectSegments ?? 1 }
    return explain(checkId(id), { lens, view: this.#views.of(lens), isHeld: (name) => holds.has(name), reach })
  }

  /** The runs of cycles whose snapshots hold a node, and what happened to it when. */
  life(id: string): Life {
    const { draft, mint } = this.#parts.open
    return lifeOf(checkId(id), draft, mint.sources.hasForeignIds)
  }

  /** The ids that a selector finds, in document order unless it says otherwise; for a range of snapshots, what changed in it. */
  select<const S extends string>(selector: S, options?: SelectOptions): SelectResult<S, Ranges> {
    return this.#queries.select(selector, options) as SelectResult<S, Ranges>
  }

  /** What changed in a range of snapshots: `@t-3..@t0 .summary`. */
  rangeDiffLatest(selector: string, options?: SelectOptions): RangeDiffLatestResult {
    return this.#queries.rangeDiff(selector, options)
  }

  /** What changed from one tree to another, by id; of what a selector selects in them, if there is one. */
  diff(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Diff {
    const [from, to] = this.#views.pair(a, b)
    return diffViews(from, to, this.#selection(from, to, selector, options))
  }

  /** The same with values, causes, and places in the provider thread. */
  diffDetailed(a: Lens, b: Lens, selector?: string, options?: DiffOptions): DetailedDiff {
    const [from, to] = this.#views.pair(a, b)
    return diffDetailed({ lens: a, view: from }, { lens: b, view: to }, this.#selection(from, to, selector, options))
  }

  /** The nodes that a selector finds. */
  nodes(selector: string, options?: SelectOptions): readonly Node[] {
    return this.#queries.nodes(selector, options)
  }

  /** How many nodes a selector finds. */
  count(selector: string, options?: SelectOptions): number {
    return this.#queries.count(selector, options)
  }

  /** The first node that a selector finds, or undefined. */
  first(selector: string, options?: SelectOptions): Node | undefined {
    return this.#queries.first(selector, options)
  }

  /** The nodes that a selector finds, one after another; for results too large to hold at once. */
  iterate(selector: string, options?: SelectOptions): Generator<Node, void, undefined> {
    return this.#queries.iterate(selector, options)
  }

  /** One tree that never changes again; the latest snapshot by default. */
  snapshot(lens: Lens = '@t0'): Snapshot {
    return Snapshot.handOut(this.#views.still(lens), this.#parts.home)
  }

  /** All snapshots, newest first; with `limit` and `before` a page of them. */
  snapshots(options?: SnapshotsOptions): readonly SnapshotRef[] {
    return listSnapshots(this.#parts.timeline, options)
  }

  /** The provider thread as objects; of the working state unless a lens says otherwise. */
  thread(lens: Lens = 'working'): readonly ThreadItem[] {
    return this.#read(lens).thread()
  }

  /** The provider thread as canonical bytes; of the working state unless a lens says otherwise. */
  threadBytes(lens: Lens = 'working'): Uint8Array {
    return this.#read(lens).threadBytes()
  }

  /** Which item of the thread a node is, and which of its bytes are the node's; undefined for one that is none. */
  threadPlace(id: string, lens: Lens = 'working'): ThreadPlace | undefined {
    return this.#read(lens).threadPlace(id)
  }

  /**
   * How much of what was sent last is still there at the beginning of what would be sent now, which a prompt cache can use
   * again, and what ended it; of the two trees that lenses name.
   */
  prefix(earlier?: Lens, later?: Lens, options?: PrefixOptions): Prefix {
    const [before, view] = prefixSides(this.#parts, earlier, later)
    return comparePrefix(before, view, this.#parts.home.edition, options).prefix
  }

  /** Which bytes of the thread are whose, and how many tokens they are. */
  threadMap(lens?: Lens): readonly SourceEntry[] {
    return this.#read(lens ?? 'working').threadMap()
  }

  /** How many tokens a tree has, as pruning counts them; of the working state unless a lens says otherwise. With `by`, told apart. */
  tokens(lens?: Lens, options?: TokensOptions<undefined>): TokenTotal
  tokens(lens: Lens | undefined, options: TokensOptions<TokensBy>): TokenTable
  tokens(lens?: Lens, options?: TokensOptions): TokenTotal | TokenTable
  tokens(lens: Lens = 'working', options?: TokensOptions): TokenTotal | TokenTable {
    return this.#read(lens).tokens(options)
  }

  /** The tree in its full form, for keeping and importing. */
  export(lens: Lens = '@t0'): Uint8Array {
    return this.#read(lens).export()
  }

  /** The tree as the specification's reference code writes it, without keys, tags and custom attributes. */
  referenceBytes(lens: Lens = '@t0'): Uint8Array {
    return this.#read(lens).referenceBytes()
  }

  /** What it is, and the tree as it stands; `export` and `snapshot` give what can be imported again. */
  toJSON(): JsonObject {
    const { id, dialect, cycle, working } = this
    return { context: id, dialect, cycle, snapshots: this.#parts.timeline.size, working: working.toJSON() }
  }

  toString(): string {
    const { id, dialect, cycle } = this
    return contextText({ id, dialect, cycle, snapshots: this.#parts.timeline.size }, this.#views.of('working'))
  }

  /** @internal What console.log prints. */
  [INSPECT](depth: number): string {
    return depth < 0 ? `[Context ${oneLine(this.id)}]` : this.toString()
  }

  #selection(from: View, to: View, selector: string | undefined, options: DiffOptions | undefined): Selection {
    checkDiffOptions(options)
    const { older, newer } = sidesOf(from, to)
    return selector === undefined ? undefined : this.#queries.selection(older, newer, selector, options)
  }

  /** For one call: unlike a snapshot, the working state need not be kept from later edits. */
  #read(lens: Lens): Snapshot {
    return new Snapshot({ view: this.#views.of(lens), edition: this.#parts.home.edition })
  }
}
