// One tree that never changes again, with the calls that read it. A committed snapshot, a preview and a still of the
// working state all read alike.

import { describe, invalid, PactError, short, showCallers } from '../errors/index.js'
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
import {
  outlineOf,
  outlineText,
  type OutlineLine,
  type OutlineOptions,
  type SourceEntry,
  type TokensBy,
  type TokensOptions,
  type TokenTable,
  type TokenTotal,
} from '../reports/index.js'
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
import type { SnapshotRef } from '../diff/index.js'
import { KeptSource, type Edition, type Home, type Source } from './edition.js'
import { cycleRef } from './lens.js'
import type { SelectOptions } from './select-options.js'

export class Snapshot {
  readonly cycle: number
  /** The nodes that pruning removed at the commit that made it, and the limits. */
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

  /** @internal The properties that all snapshots of its context share. */
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

  /** The schedules of keys that return in later cycles, in the specification's form, by key. */
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

  /** The number of nodes that a selector finds. */
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

  /** The item of the thread that a node is in, and the node's own bytes; undefined for a node that is not in the thread. */
  threadPlace(id: string): ThreadPlace | undefined {
    return threadPlace(this.#view, this.#edition.dialect, this.#get(id))
  }

  /** The byte ranges of nodes in the thread, in order, with their tokens. */
  threadMap(): readonly SourceEntry[] {
    const tokensOf = this.#edition.tokens.byNode(this.#view)
    const entry = (range: ByteRange): SourceEntry => Object.freeze({ ...range, tokens: tokensOf(range.node) })
    return Object.freeze(rangesOf(threadRendered(this.#view, this.#edition.dialect)).map(entry))
  }

  /** The provider thread as canonical bytes: identical for identical snapshots. */
  threadBytes(): Uint8Array {
    return encodeTexts(this.threadChunks())
  }

  /** The text of `threadBytes` in ASCII pieces, shared with earlier threads as far as nothing changed; for streaming without a copy. */
  threadChunks(): readonly string[] {
    return threadChunks(this.#view, this.#edition.dialect)
  }

  /** The number of tokens, as the context counts them; with `by`, grouped. */
  tokens(options?: TokensOptions<undefined>): TokenTotal
  tokens(options: TokensOptions<TokensBy>): TokenTable
  tokens(options?: TokensOptions): TokenTotal | TokenTable
  tokens(options?: TokensOptions): TokenTotal | TokenTable {
    return this.#edition.tokens.of(this.#view, options)
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

  /** @internal The text for console.log. */
  [INSPECT](depth: number): string {
    const name = `Snapshot ${this.ref.label}${this.#view.isWorking ? ', working' : ''}`
    return depth < 0 ? `[${name}]` : `${name}\n${outlineText(this.#view)}`
  }

  /** The snapshot in the specification's form, with plain numbers, so that JSON.stringify works. It can be imported. */
  toJSON(): JsonObject {
    const { specVersion, extrasAt } = this.#edition
    const snapshot = {
      spec_version: specVersion,
      // fromEntries makes own properties, whatever their names are; only the version of an imported file can be one of the others.
      ...Object.fromEntries([...(extrasAt(this.cycle) ?? [])].map(([name, value]) => [name, withoutBigints(value)])),
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
  throw invalid('id', `An id is a string, not ${describe(id)}.`)
}
