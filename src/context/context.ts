// Context joins the rooms: it holds the timeline, the open cycle, the clock and the id source, and is the only thing
// here that changes. Every edit and every commit happens whole or not at all.

import { PactError } from '../errors/index.js'
import { Mint, type Dialect, type MintSources, type Node, type Warning, type Zone } from '../core/index.js'
import { decodeSnapshot, specVersionOf, type DecodedSnapshot } from '../codec/index.js'
import { Draft, Frame, growTimeline, newTree, nodeView, Timeline, View, type TreeNode } from '../timeline/index.js'
import {
  addToHead,
  addToSystem,
  checkHeader,
  NO_HEADER,
  type Bench,
  type ContentInput,
  type Header,
  type NodeSpec,
} from '../edit/index.js'
import { commitCycle, TokenCounts, type Commit } from '../commit/index.js'
import { ThreadWriter, type ThreadItem } from '../thread/index.js'
import { Holds, type Hold } from './holds.js'
import { cycleOfLens, timeRef, type Lens, type SnapshotRef } from './lens.js'
import { checkOptions, forkOptions, type ContextOptions } from './options.js'
import { Queries, type SelectOptions } from './query.js'
import { Snapshot, type Edition } from './snapshot.js'

/** A header without what the call itself decides. */
export type RoleHeader = Omit<Header, 'role'>

/** The general form of a new node: where it goes, and with `children` a container. */
export type AddHeader = Header & Readonly<{ zone?: Zone | undefined; children?: readonly NodeSpec[] | undefined }>

/** A fork keeps its parent's options unless told otherwise; its dialect is its parent's. */
export type ForkOptions = Omit<ContextOptions, 'dialect'>

/** Writes at depth < 0, the explicit capability of D31. */
export type SystemRegion = Readonly<{ add(content: ContentInput | undefined, header?: Omit<AddHeader, 'zone'>): Node }>

/** @internal How a context comes into being. */
export type Start = Readonly<{
  options: ContextOptions
  timeline: Timeline
  draft: Draft
  mint: Mint
  edition: Omit<Edition, 'queries'>
  tokens: TokenCounts
  warnings: readonly Warning[]
}>

export class Context {
  readonly id: string
  readonly dialect: Dialect
  /** Writes into `^sys`. */
  readonly system: SystemRegion
  readonly #options: ContextOptions
  readonly #timeline: Timeline
  readonly #edition: Edition
  readonly #tokens: TokenCounts
  readonly #holds = new Holds()
  readonly #queries: Queries
  readonly #warnings: readonly Warning[]
  #draft: Draft
  #mint: Mint
  #forks = 0
  #isBusy = false

  /** @internal Use createContext, importSnapshot or fork. */
  constructor(start: Start) {
    this.id = start.options.id ?? 'context'
    this.dialect = start.edition.dialect
    this.#options = start.options
    this.#timeline = start.timeline
    this.#tokens = start.tokens
    this.#warnings = Object.freeze([...start.warnings])
    this.#draft = start.draft
    this.#mint = start.mint
    this.system = Object.freeze({
      add: (content: ContentInput | undefined, header: Omit<AddHeader, 'zone'> = NO_HEADER) => {
        checkHeader(header, OWN_CONTENT)
        return this.#edit((bench) => addToSystem(bench, { ...header, content }))
      },
    })
    this.#queries = new Queries({
      dialect: this.dialect,
      view: (lens) => this.#viewOf(lens),
      still: () => View.ofWorking(this.#draft.copy()),
      cycles: () => this.snapshots().map((ref) => ref.cycle),
      viewAt: (cycle) => View.ofSnapshot(this.#timeline, cycle),
    })
    this.#edition = { ...start.edition, queries: this.#queries }
    Object.freeze(this)
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#draft.cycle
  }

  get warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** Adds a block with role `user` to the core of the active head. */
  user(content: ContentInput, header: RoleHeader = NO_HEADER): Node {
    return this.#addWithRole('user', content, header)
  }

  /** Adds a block with role `assistant` to the core of the active head. */
  assistant(content: ContentInput, header: RoleHeader = NO_HEADER): Node {
    return this.#addWithRole('assistant', content, header)
  }

  /** Adds a block with role `tool` to the core of the active head. */
  tool(content: ContentInput, header: RoleHeader = NO_HEADER): Node {
    return this.#addWithRole('tool', content, header)
  }

  /** Adds pre-context: before the core of the active head. */
  pre(content: ContentInput, header: Header = NO_HEADER): Node {
    checkHeader(header, OWN_PLACE)
    return this.#edit((bench) => addToHead(bench, { ...header, content }, 'pre'))
  }

  /** Adds post-context: after the core of the active head. */
  post(content: ContentInput, header: Header = NO_HEADER): Node {
    checkHeader(header, OWN_PLACE)
    return this.#edit((bench) => addToHead(bench, { ...header, content }, 'post'))
  }

  /** Adds any node to the active head; a container needs no content. */
  add(content: ContentInput | undefined, header: AddHeader = NO_HEADER): Node {
    checkHeader(header, OWN_CONTENT)
    const { zone, ...rest } = header
    return this.#edit((bench) => addToHead(bench, { ...rest, content }, zone))
  }

  /** Keeps a node from expiry and pruning until the handle is released (D26). */
  hold(id: string): Hold {
    if (this.#draft.find(id) === undefined) {
      throw new PactError('E_NODE_NOT_FOUND', `There is no node ${id} to hold in the working state.`, { id })
    }
    return this.#holds.take(id)
  }

  /** Expires, prunes, seals the active head and gives the new snapshot, `@t0` (03 §7). */
  commit(): Snapshot {
    const { draft, mint, receipt } = this.#tryCommit(this.#mint)
    const { cycle } = draft
    // From here on nothing can fail.
    this.#timeline.append(cycle, draft.tree, draft.changes, receipt)
    this.#draft = Draft.after(this.#timeline, cycle)
    this.#mint = mint.nextCycle()
    this.#queries.touch()
    return this.#snapshotAt(cycle)
  }

  /** The snapshot that `commit` would make now; nothing changes, no id or clock reading is used up. */
  preview(): Snapshot {
    const { draft, receipt } = this.#tryCommit(this.#mint.provisional())
    return new Snapshot(View.ofPreview(draft, receipt), this.#edition)
  }

  /** The node with this id, or undefined; in the working state unless a lens says otherwise. */
  node(id: string, lens: Lens = 'working'): Node | undefined {
    return this.#read(lens).node(id)
  }

  /** Text that selects exactly this node, such as `(d1, 0, 2)` (D17). */
  coordinate(id: string, lens: Lens = 'working'): string {
    return this.#read(lens).coordinate(id)
  }

  /** The ids that a selector finds, in the order of D20. */
  select(selector: string, options?: SelectOptions): readonly string[] {
    return this.#queries.ids(selector, options)
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
    if (lens === 'preview') return this.preview()
    if (lens === 'working') return new Snapshot(View.ofWorking(this.#draft.copy()), this.#edition)
    return this.#snapshotAt(cycleOfLens(lens, this.#timeline))
  }

  /** All snapshots, newest first. */
  snapshots(): readonly SnapshotRef[] {
    const { newest = -1, oldest = 0 } = this.#timeline
    const refs: SnapshotRef[] = []
    for (let cycle = newest; cycle >= oldest; cycle--) refs.push(timeRef(cycle, newest))
    return Object.freeze(refs)
  }

  /** The provider thread as objects; of the working state unless a lens says otherwise. */
  thread(lens: Lens = 'working'): readonly ThreadItem[] {
    return this.#read(lens).thread()
  }

  /** The provider thread as canonical bytes; of the working state unless a lens says otherwise. */
  threadBytes(lens: Lens = 'working'): Uint8Array {
    return this.#read(lens).threadBytes()
  }

  /** The tree in its full form, for keeping and importing. */
  export(lens: Lens = '@t0'): Uint8Array {
    return this.#read(lens).export()
  }

  /** The tree as chapter 08's reference code writes it. */
  referenceBytes(lens: Lens = '@t0'): Uint8Array {
    return this.#read(lens).referenceBytes()
  }

  /** An independent context that shares the past up to a snapshot, or takes the open edits along (D6). */
  fork(lens: Lens = '@t0', options: ForkOptions = {}): Context {
    const name = `f${this.#forks + 1}`
    const { fork: own } = this.#mint.sources
    const fork = own === '' ? name : `${own}.${name}`
    const merged = forkOptions({ ...this.#options, dialect: this.dialect, id: `${this.id}/${name}` }, options)
    const { timeline, draft, indexesGiven, lastNs } = this.#branchOff(lens)
    const counters = { cycle: draft.cycle, idsGiven: 0, indexesGiven, lastNs }
    const { hasForeignIds } = this.#mint.sources
    const sources = mintSources(merged)
    const mint = new Mint(
      { ...sources, dialect: this.dialect, fork, hasForeignIds: hasForeignIds || sources.hasForeignIds },
      counters,
    )
    const sameCounter = merged.countTokens === this.#options.countTokens
    this.#forks++
    return new Context({
      options: merged,
      timeline,
      draft,
      mint,
      edition: { ...this.#edition, writer: new ThreadWriter(this.dialect) },
      tokens: sameCounter ? this.#tokens : new TokenCounts(merged.countTokens),
      warnings: [],
    })
  }

  #viewOf(lens: Lens): View {
    if (lens === 'working') return View.ofWorking(this.#draft)
    if (lens !== 'preview') return View.ofSnapshot(this.#timeline, cycleOfLens(lens, this.#timeline))
    const { draft, receipt } = this.#tryCommit(this.#mint.provisional())
    return View.ofPreview(draft, receipt)
  }

  /** For one call: unlike a snapshot, the working state need not be kept from later edits. */
  #read(lens: Lens): Snapshot {
    return lens === 'working' ? new Snapshot(View.ofWorking(this.#draft), this.#edition) : this.snapshot(lens)
  }

  #branchOff(lens: Lens): { timeline: Timeline; draft: Draft; indexesGiven: number; lastNs: bigint } {
    const { newest } = this.#timeline
    const { lastNs } = this.#mint.counters
    if (lens === 'working' || lens === 'preview') {
      const timeline = newest === undefined ? new Timeline() : new Timeline({ timeline: this.#timeline, cycle: newest })
      const { indexesGiven } = this.#mint.counters
      if (lens === 'working') return { timeline, draft: this.#draft.copy(timeline), indexesGiven, lastNs }
      const { draft, receipt, mint } = this.#tryCommit(this.#mint.provisional())
      timeline.append(draft.cycle, draft.tree, draft.changes, receipt)
      return { timeline, draft: Draft.after(timeline, draft.cycle), indexesGiven: 0, lastNs: mint.counters.lastNs }
    }
    const cycle = cycleOfLens(lens, this.#timeline)
    const timeline = new Timeline({ timeline: this.#timeline, cycle })
    return { timeline, draft: Draft.after(timeline, cycle), indexesGiven: 0, lastNs }
  }

  #addWithRole(role: string, content: ContentInput, header: RoleHeader): Node {
    checkHeader(header, OWN_ROLE)
    return this.#edit((bench) => addToHead(bench, { ...header, content, role }, 'core'))
  }

  #edit(change: (bench: Bench) => TreeNode): Node {
    this.#enter()
    const draft = this.#draft
    const mint = this.#mint.copy()
    draft.mark()
    try {
      const made = change({ draft, mint, dialect: this.dialect })
      this.#mint = mint
      this.#queries.touch()
      return nodeView(new Frame(draft.tree, draft.cycle, true), made)
    } catch (error) {
      draft.rollback()
      throw error
    } finally {
      this.#isBusy = false
    }
  }

  /** Begins a write. The caller's clock, ids and countTokens are asked meanwhile, and must not write themselves. */
  #enter(): void {
    if (this.#isBusy) {
      throw new PactError(
        'E_CONFLICT',
        'This context is in the middle of a write; clock, ids and countTokens cannot write.',
      )
    }
    this.#isBusy = true
  }

  #tryCommit(mint: Mint): Commit {
    this.#enter()
    try {
      return commitCycle({
        draft: this.#draft,
        mint,
        dialect: this.dialect,
        policy: this.#options.prune,
        tokens: this.#tokens,
        held: (id) => this.#holds.has(id),
      })
    } finally {
      this.#isBusy = false
    }
  }

  #snapshotAt(cycle: number): Snapshot {
    return new Snapshot(View.ofSnapshot(this.#timeline, cycle), this.#edition)
  }
}

/** What a call decides itself and its header therefore may not say. */
const OWN_CONTENT: readonly string[] = ['content']
const OWN_PLACE: readonly string[] = ['content', 'children']
const OWN_ROLE: readonly string[] = ['role', 'content', 'children']

/** Makes an empty context, in memory. */
export function createContext(options?: ContextOptions): Context {
  const checked = checkOptions(options)
  const timeline = new Timeline()
  return newContext(checked, timeline, Draft.first(timeline, newTree()), {
    dialect: checked.dialect ?? '1.0',
    lastNs: 0n,
    // Root and regions took the first four of cycle 1 (D37).
    indexesGiven: 4,
  })
}

/** Makes a context whose `@t0` is an exported snapshot, or any tree in the documents' fixture form (D4). */
export function importSnapshot(snapshot: string | Uint8Array | object, options?: ContextOptions): Context {
  const checked = checkOptions(options)
  const decoded = decodeSnapshot(snapshot instanceof Snapshot ? snapshot.export() : snapshot, checked.dialect)
  const { timeline, lastNs } = growTimeline(decoded)
  for (const warning of decoded.warnings) checked.onWarning?.(warning)
  const { dialect, cycle } = decoded
  return newContext(checked, timeline, Draft.after(timeline, cycle), { dialect, lastNs, indexesGiven: 0 }, decoded)
}

function newContext(
  options: ContextOptions,
  timeline: Timeline,
  draft: Draft,
  { dialect, lastNs, indexesGiven }: Readonly<{ dialect: Dialect; lastNs: bigint; indexesGiven: number }>,
  imported?: DecodedSnapshot,
): Context {
  const counters = { cycle: draft.cycle, idsGiven: 0, indexesGiven, lastNs }
  return new Context({
    options,
    timeline,
    draft,
    mint: new Mint(
      {
        ...mintSources(options),
        dialect,
        fork: '',
        hasForeignIds: imported !== undefined || options.ids !== undefined,
      },
      counters,
    ),
    edition: {
      dialect,
      specVersion: imported?.specVersion ?? specVersionOf(dialect),
      writer: new ThreadWriter(dialect),
      extrasAt: (cycle) => (cycle === imported?.cycle ? imported.extras : undefined),
    },
    tokens: new TokenCounts(options.countTokens),
    warnings: imported?.warnings ?? [],
  })
}

function mintSources(options: ContextOptions): Pick<MintSources, 'context' | 'clock' | 'ids' | 'hasForeignIds'> {
  return {
    context: options.id ?? 'context',
    clock: options.clock ?? wallClock,
    ids: options.ids,
    hasForeignIds: options.ids !== undefined,
  }
}

/** Most readings fall into the millisecond of the one before, and making a bigint costs more than looking. */
let latest = { ms: 0, ns: 0n }

function wallClock(): bigint {
  const ms = Date.now()
  if (ms !== latest.ms) latest = { ms, ns: BigInt(ms) * 1_000_000n }
  return latest.ns
}
