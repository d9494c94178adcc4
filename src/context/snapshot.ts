// One tree that never changes again, with the calls that read it. A committed snapshot, a preview and a still of the
// working state all read alike.

import { describe, PactError, short, showCallers } from '../errors/index.js'
import {
  addOwn,
  INSPECT,
  ownGetters,
  type JsonObject,
  type Node,
  type NodeRecord,
  type Receipt,
} from '../core/index.js'
import { schedulesToJson, withoutBigints } from '../codec/index.js'
import { coordinateOf, exportPieces, joinPieces, nodeView, referenceText, type View } from '../timeline/index.js'
import { outlineOf, outlineText, type OutlineLine, type OutlineOptions } from '../outline/index.js'
import {
  encodeTexts,
  rangesOf,
  threadChunks,
  threadItems,
  threadPlace,
  threadRendered,
  type ByteRange,
  type ThreadItem,
  type ThreadPlace,
} from '../thread/index.js'
import { nodeTokens, type SourceEntry } from './node-tokens.js'
import type { SnapshotRef } from '../diff/index.js'
import { KeptSource, type Edition, type Home, type Source } from './edition.js'
import { cycleRef } from './lens.js'
import type { SelectOptions } from './select-options.js'
import type { TokensBy, TokensOptions, TokenTable, TokenTotal } from './token-report.js'

export class Snapshot {
  readonly cycle: number
  /** What pruning did at the commit that made it. */
  readonly receipt: Receipt
  readonly #source: Source

  /** @internal Contexts make snapshots. */
  constructor(source: Source, { cycle, receipt }: View = source.view) {
    this.cycle = cycle
    this.receipt = receipt
    this.#source = source
  }

  /** @internal As callers hold it: frozen, with its tree among its own properties, and holding on to nothing else. */
  static handOut(view: View, home: Home): Snapshot {
    const snapshot = addOwn(new Snapshot(new KeptSource(view, home), view), Snapshot.#own)
    Object.freeze(snapshot)
    return snapshot
  }

  get #view(): View {
    return this.#source.view
  }

  get #edition(): Edition {
    return this.#source.edition
  }

  /** @internal The tree it shows. */
  static viewOf(snapshot: Snapshot): View {
    return snapshot.#view
  }

  /** @internal What it has in common with the other snapshots of its context. */
  static editionOf(snapshot: Snapshot): Edition {
    return snapshot.#edition
  }

  /** @internal The text of `export` in pieces. */
  static exportPieces(snapshot: Snapshot): Generator<string, void, undefined> {
    const { specVersion, extrasAt } = snapshot.#edition
    return exportPieces(snapshot.#view, { specVersion, extras: extrasAt(snapshot.cycle) })
  }

  static readonly #own = ownGetters(Snapshot.prototype, ['root', 'schedules'])

  static {
    showCallers(this.prototype)
  }

  get ref(): SnapshotRef {
    return cycleRef(this.cycle)
  }

  get root(): Node {
    return nodeView(this.#view, this.#view.tree.root)
  }

  /** What returns in later cycles, in the specification's form, by key. */
  get schedules(): readonly JsonObject[] {
    return Object.freeze(schedulesToJson(this.#view.tree.schedules))
  }

  /** The node with this id, or undefined. */
  node(id: string): Node | undefined {
    const record = this.#view.find(checkId(id))
    if (record === undefined) return undefined
    return record.nodeClass === 'root' ? this.root : nodeView(this.#view, this.#view.nodeOf(record))
  }

  /** Text that selects exactly this node, such as `(d1, 0, 2)`. */
  coordinate(id: string): string {
    return coordinateOf(this.#view, this.#get(id))
  }

  /** The ids that a selector finds here, in document order unless it says otherwise; facets such as `[age<=3]` need no time prefix. */
  select(selector: string, options?: SelectOptions): readonly string[] {
    return this.#edition.queries.ids(selector, options, this.#view)
  }

  /** The nodes that a selector finds. */
  nodes(selector: string, options?: SelectOptions): readonly Node[] {
    return this.#edition.queries.nodes(selector, options, this.#view)
  }

  /** How many nodes a selector finds. */
  count(selector: string, options?: SelectOptions): number {
    return this.#edition.queries.count(selector, options, this.#view)
  }

  /** The first node that a selector finds, or undefined. */
  first(selector: string, options?: SelectOptions): Node | undefined {
    return this.#edition.queries.first(selector, options, this.#view)
  }

  /** The nodes that a selector finds, one after another; for results too large to hold at once. */
  iterate(selector: string, options?: SelectOptions): Generator<Node, void, undefined> {
    return this.#edition.queries.iterate(selector, options, this.#view)
  }

  /** The provider thread as objects. */
  thread(): readonly ThreadItem[] {
    return threadItems(this.#view, this.#edition.dialect)
  }

  /** Which item of the thread a node is, and which of its bytes are the node's; undefined for one that is none. */
  threadPlace(id: string): ThreadPlace | undefined {
    return threadPlace(this.#view, this.#edition.dialect, this.#get(id))
  }

  /** Which of the thread's bytes are whose, in order, and how many tokens they are. */
  threadMap(): readonly SourceEntry[] {
    const tokensOf = nodeTokens(this.#view, this.#edition)
    const entry = (range: ByteRange): SourceEntry => Object.freeze({ ...range, tokens: tokensOf(range.node) })
    return Object.freeze(rangesOf(threadRendered(this.#view, this.#edition.dialect)).map(entry))
  }

  /** The provider thread as canonical bytes: identical for identical snapshots. */
  threadBytes(): Uint8Array {
    return encodeTexts(this.threadChunks())
  }

  /** The same text in ASCII pieces, shared with earlier threads where nothing changed; for streaming without a copy. */
  threadChunks(): readonly string[] {
    return threadChunks(this.#view, this.#edition.dialect)
  }

  /** How many tokens there are, as the context counts them; with `by`, told apart. */
  tokens(options?: TokensOptions<undefined>): TokenTotal
  tokens(options: TokensOptions<TokensBy>): TokenTable
  tokens(options?: TokensOptions): TokenTotal | TokenTable
  tokens(options?: TokensOptions): TokenTotal | TokenTable {
    return this.#edition.tokens(this.#view, options)
  }

  /** The whole tree in its full form; importing it gives the same bytes again. */
  export(): Uint8Array {
    return joinPieces(Snapshot.exportPieces(this))
  }

  /** The tree as the specification's reference code writes it, without keys, tags and custom attributes. */
  referenceBytes(): Uint8Array {
    return encodeTexts([referenceText(this.#view)])
  }

  #get(id: string): NodeRecord {
    const record = this.#view.find(checkId(id))
    if (record === undefined) throw new PactError('E_NODE_NOT_FOUND', `There is no node ${short(id)} here.`, { id })
    return record
  }

  /** The tree as lines of text for people, in pieces that say how to paint them; `String(snapshot)` is the same as text. */
  outline(options?: OutlineOptions): readonly OutlineLine[] {
    return outlineOf(this.#view, options)
  }

  toString(): string {
    return outlineText(this.#view)
  }

  /** @internal What console.log prints. */
  [INSPECT](depth: number): string {
    const name = `Snapshot ${this.ref.label}${this.#view.isWorking ? ', working' : ''}`
    return depth < 0 ? `[${name}]` : `${name}\n${outlineText(this.#view)}`
  }

  /** The same in the specification's form, with plain numbers, so that JSON.stringify works; it can be imported, too. */
  toJSON(): JsonObject {
    const { specVersion, extrasAt } = this.#edition
    const snapshot = {
      // As own properties, whatever their names are; they are none of the others.
      ...Object.fromEntries([...(extrasAt(this.cycle) ?? [])].map(([name, value]) => [name, withoutBigints(value)])),
      spec_version: specVersion,
      cycle: this.cycle,
      root: this.root.toJSON(),
      schedules: withoutBigints(this.schedules),
    }
    return this.#view.isWorking ? { ...snapshot, lens: 'working' } : snapshot
  }
}

/** An id as a call takes it. */
export function checkId(id: unknown): string {
  if (typeof id === 'string') return id
  throw new PactError('E_CONTENT_INVALID', `An id is a string, not ${describe(id)}.`, { name: 'id' })
}
