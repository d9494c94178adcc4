// The reads of a context: nodes, selections, diffs, snapshots, threads and bytes of the tree that a lens names. No read changes anything.

import { showCallers } from '../errors/index.js'
import {
  INSPECT,
  oneLine,
  type AttemptRecord,
  type Dialect,
  type Due,
  type JsonObject,
  type JsonValue,
  type Lens,
  type Node,
  type Warning,
} from '../core/index.js'
import type { View } from '../timeline/index.js'
import { protectedSegments } from '../commit/index.js'
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
import { shownRecord } from '../attempts/index.js'
import {
  comparePrefix,
  contextText,
  explain,
  lifeOf,
  pastOf,
  type Explanation,
  type Life,
  type PastCycle,
  type Prefix,
  type PrefixOptions,
  type SourceEntry,
  type TokensBy,
  type TokensOptions,
  type TokenTable,
  type TokenTotal,
} from '../reports/index.js'
import type { Parts } from './parts.js'
import { prefixSides } from './prefix-sides.js'
import type { ReceivedCall } from './receive.js'
import { checkRequestOf, type RequestOfOptions } from './request-of.js'
import { checkDiffOptions, type DiffOptions, type SelectOptions } from './select-options.js'
import { oneNode } from './one-node.js'
import { recall, sheddingIn } from './recall.js'
import type { RangeResults, SelectResult } from './select-result.js'
import { checkId, Snapshot } from './snapshot.js'
import { turnReader, type TurnState } from './turn.js'
import { listSnapshots, type SnapshotsOptions } from './snapshot-list.js'

/** `Ranges` is 'diff' if a selector over a range gives the changes in it, 'list' if it gives a flat list of ids. */
export abstract class ContextReads<Ranges extends RangeResults> {
  readonly id: string
  readonly dialect: Dialect
  #parts: Parts

  /** @internal */
  constructor(parts: Parts) {
    this.id = parts.id
    this.dialect = parts.home.edition.dialect
    this.#parts = parts
  }

  static {
    showCallers(this.prototype)
  }

  /** @internal For contexts that commit in their own way, and for stores. */
  static partsOf(ctx: ContextReads<RangeResults> | ContextReads<'diff'> | ContextReads<'list'>): Parts {
    return ctx.#parts
  }

  /** @internal True for contexts, false for objects that only look like one. */
  static isContext(ctx: unknown): ctx is ContextReads<RangeResults> {
    return typeof ctx === 'object' && ctx !== null && #parts in ctx
  }

  /** @internal Continues with other parts, as one call. */
  static goOn(ctx: ContextReads<RangeResults>, parts: Parts): void {
    ctx.#parts = parts
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#parts.open.draft.cycle
  }

  /** The working state as it is now; it never changes again. */
  get working(): Snapshot {
    return this.snapshot('working')
  }

  /** The changes of each commit, oldest first. */
  get past(): readonly PastCycle[] {
    return pastOf(this.#parts.timeline)
  }

  /** The newest thousand warnings, oldest first. */
  get warnings(): readonly Warning[] {
    return this.#parts.warnings.list
  }

  /** The snapshot that `commit` would make now; nothing changes, no id or clock reading is used up. */
  preview(): Snapshot {
    return this.snapshot('preview')
  }

  /** The records of this context's attempts, oldest first; the newest `keepAttempts` of them. */
  attempts(): readonly AttemptRecord[] {
    return Object.freeze(this.#parts.attempts.list().map(shownRecord))
  }

  /**
   * The body of an attempt's request, byte for byte as it was sent, from the attempt's record: kept, or made again by the
   * function that made it, which need not be given if it is loaded. Where it cannot be given again, an E_CONFLICT says why.
   */
  requestOf(attemptId: string, options: RequestOfOptions = {}): Uint8Array {
    return this.#parts.attempts.requestOf(checkId(attemptId), checkRequestOf(options))
  }

  /**
   * The next thing to come in the open cycle: `'user'` (the turn has not begun), `'calls'` (calls wait for a result), `'reply'` (the model has to
   * speak) or `'nothing'` (the model has ended its turn, or a person has to approve a call). The tree alone says it, so a loop that was killed
   * goes on where it was. A reply that paused is `'reply'`; one that was refused, withheld or cut off is `'nothing'`.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   * import { toAnthropic } from 'pact-context/anthropic'
   *
   * const ctx = createContext()
   * ctx.due() // → 'user'
   * ctx.user('Hello.')
   * ctx.due() // → 'reply'
   * toAnthropic(ctx).messages // → [{ role: 'user', content: 'Hello.' }]
   * ctx.assistant('Hello. How can I help?')
   * ctx.due() // → 'nothing'
   * ```
   */
  due(): Due {
    return this.#turn.due
  }

  /**
   * The calls of the model's newest reply that wait for a result, in the same form for all providers. Calls that were cut off, that the
   * provider makes itself, or that wait for an approval are not among them.
   */
  openCalls(): readonly ReceivedCall[] {
    return this.#turn.calls
  }

  get #turn(): TurnState {
    return turnReader().stateOf(this.#parts.open.draft.tree)
  }

  /** The node with this id, or undefined; in the working state unless a lens says otherwise. */
  node(id: string, lens: Lens = 'working'): Node | undefined {
    return this.#read(lens).node(id)
  }

  /**
   * The original content of a tool result whose content was shed, without what was redacted since. The id is that of the original, which the
   * line in its place names, or of the node with the line. Of a result that was not shed it is the content that the node has. A node that a
   * summary stands for answers too: with the content that travels with the summary, or that its snapshot holds.
   */
  recall(id: string): JsonValue {
    return recall(checkId(id), this.#parts.open.draft)
  }

  /** Text that selects exactly this node, such as `(d1, 0, 2)`. */
  coordinate(id: string, lens: Lens = 'working'): string {
    return this.#read(lens).coordinate(id)
  }

  /**
   * The reason that a node is where it is, and its future, as data and in words; also for a departed node. Takes an id, or a selector
   * without a time that finds one node in the tree of the lens, such as `#plan`.
   */
  explain(node: string, lens: Lens = 'working'): Explanation {
    const { options, holds } = this.#parts
    const takesSegments = options.emptySegments === 'remove'
    const reach = options.prune && { protectedSegments: protectedSegments(options.prune, true) }
    const view = this.#parts.views.of(lens)
    return explain(oneNode(view, checkId(node), lens, this.#parts.queries), {
      lens,
      view,
      isHeld: (name) => holds.has(name),
      reach,
      takesSegments,
      sheddingOf: sheddingIn(this.#parts, view),
    })
  }

  /** The runs of cycles whose snapshots hold a node, and its changes by cycle. */
  life(id: string): Life {
    const { draft, mint } = this.#parts.open
    return lifeOf(checkId(id), draft, mint.sources.hasForeignIds)
  }

  /**
   * The ids that a selector finds, in document order unless it asks for another; for a range of snapshots, the changes in it.
   *
   * @example
   * ```ts
   * import { createContext } from 'pact-context'
   *
   * const ctx = createContext()
   * const { id } = ctx.user('Hello.', { tags: ['greeting'] })
   * ctx.select("+greeting[role='user']")[0] === id // → true
   * ```
   */
  select<const S extends string>(selector: S, options?: SelectOptions): SelectResult<S, Ranges> {
    return this.#parts.queries.select(selector, options) as SelectResult<S, Ranges>
  }

  /** The changes in a range of snapshots, such as `@t-3..@t0 .summary`. */
  rangeDiffLatest(selector: string, options?: SelectOptions): RangeDiffLatestResult {
    return this.#parts.queries.rangeDiff(selector, options)
  }

  /** The changes from one tree to another, by id; with a selector, only of the nodes that it selects. */
  diff(a: Lens, b: Lens, selector?: string, options?: DiffOptions): Diff {
    const [from, to] = this.#parts.views.pair(a, b)
    return diffViews(from, to, this.#selection(from, to, selector, options))
  }

  /** The same diff with values, causes, and places in the provider thread. */
  diffDetailed(a: Lens, b: Lens, selector?: string, options?: DiffOptions): DetailedDiff {
    const [from, to] = this.#parts.views.pair(a, b)
    return diffDetailed({ lens: a, view: from }, { lens: b, view: to }, this.#selection(from, to, selector, options))
  }

  /** The nodes that a selector finds. */
  nodes(selector: string, options?: SelectOptions): readonly Node[] {
    return this.#parts.queries.nodes(selector, options)
  }

  /** The number of nodes that a selector finds. */
  count(selector: string, options?: SelectOptions): number {
    return this.#parts.queries.count(selector, options)
  }

  /** The first node that a selector finds, or undefined. */
  first(selector: string, options?: SelectOptions): Node | undefined {
    return this.#parts.queries.first(selector, options)
  }

  /** The nodes that a selector finds, one after another; for results too large to hold at once. */
  iterate(selector: string, options?: SelectOptions): Generator<Node, void, undefined> {
    return this.#parts.queries.iterate(selector, options)
  }

  /** One tree that never changes again; the latest snapshot by default. */
  snapshot(lens: Lens = '@t0'): Snapshot {
    return Snapshot.handOut(this.#parts.views.still(lens), this.#parts.home)
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

  /** The item of the thread that a node is in, and the node's own bytes; undefined for a node that is not in the thread. */
  threadPlace(id: string, lens: Lens = 'working'): ThreadPlace | undefined {
    return this.#read(lens).threadPlace(id)
  }

  /**
   * The common beginning of the request that was sent last and the one that would be sent now, which a prompt cache can reuse,
   * and the reason for its end. Lenses can name two other trees.
   */
  prefix(earlier?: Lens, later?: Lens, options?: PrefixOptions): Prefix {
    const [before, after] = prefixSides(this.#parts, earlier, later)
    return comparePrefix(before, after, this.#parts.home.edition, options).prefix
  }

  /** The byte ranges of nodes in the thread, with their tokens. */
  threadMap(lens?: Lens): readonly SourceEntry[] {
    return this.#read(lens ?? 'working').threadMap()
  }

  /** The tokens of a tree, as pruning counts them; of the working state unless you name a lens. With `by`, grouped. */
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

  /** The name, dialect and cycle of the context, and its working tree. To import a context again, use `export` or `snapshot`. */
  toJSON(): JsonObject {
    const { id, dialect, cycle, working } = this
    return { context: id, dialect, cycle, snapshots: this.#parts.timeline.size, working: working.toJSON() }
  }

  toString(): string {
    const { id, dialect, cycle } = this
    return contextText({ id, dialect, cycle, snapshots: this.#parts.timeline.size }, this.#parts.views.of('working'))
  }

  /** @internal The text for console.log. */
  [INSPECT](depth: number): string {
    return depth < 0 ? `[Context ${oneLine(this.id)}]` : this.toString()
  }

  #selection(from: View, to: View, selector: string | undefined, options: DiffOptions | undefined): Selection {
    checkDiffOptions(options)
    const { older, newer } = sidesOf(from, to)
    return selector === undefined ? undefined : this.#parts.queries.selection(older, newer, selector, options)
  }

  /** For one call: unlike a snapshot, the working state need not be kept from later edits. */
  #read(lens: Lens): Snapshot {
    return new Snapshot({ view: this.#parts.views.of(lens), edition: this.#parts.home.edition })
  }
}
