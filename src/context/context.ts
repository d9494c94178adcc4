// Context joins the rooms: it holds the timeline, the open cycle, the clock and the id source, and is the only thing
// here that changes. Every edit and every commit happens whole or not at all.

import { PactError, short, showCallers } from '../errors/index.js'
import { addOwn, INSPECT, oneLine, ownGetters, type Dialect, type JsonObject } from '../core/index.js'
import type { Node, Warning } from '../core/index.js'
import { View, type Timeline } from '../timeline/index.js'
import {
  NO_HEADER,
  type Changes,
  type ContentInput,
  type DeleteOptions,
  type Header,
  type Position,
  type RedactOptions,
  type Replacement,
} from '../edit/index.js'
import type { TokenCounts } from '../commit/index.js'
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
import type { AttemptInput } from './attempt-input.js'
import { Attempts, type Attempt, type AttemptRecord, type Sent } from './attempts.js'
import { forkStart } from './branch.js'
import { CommitWarnings } from './commit-warnings.js'
import { Editor, type AddHeader, type InsertSpec, type SystemRegion } from './editor.js'
import { explain } from './explain.js'
import type { Explanation } from './explanation.js'
import { Gate } from './write-gate.js'
import { Holds, type Hold } from './hold.js'
import { cycleOfLens, timeRef, type Lens } from './lens.js'
import { lifeOf, type Life } from './life.js'
import type { AnyOptions, ContextOptions, ListOptions } from './options.js'
import { OpenCycle } from './open-cycle.js'
import { pastOf, type PastCycle } from './past.js'
import { Queries } from './query.js'
import type { SelectOptions } from './select-options.js'
import type { RangeResults, SelectResult } from './select-result.js'
import { checkId, Snapshot, type Edition } from './snapshot.js'
import type { Start } from './start.js'
import { Tracing } from './tracing.js'
import { Warnings } from './warnings.js'
import { contextText } from './words.js'

/** A header without what the call itself decides. */
export type RoleHeader = Omit<Header, 'role'>

/** A fork keeps its parent's options unless told otherwise; its dialect is its parent's. */
export type ForkOptions = Omit<ContextOptions, 'dialect'>

type AnyForkOptions = Omit<AnyOptions, 'dialect'>

/** `Ranges` says whether a selector over a range gives what changed in it, or a flat list of ids. */
export class Context<Ranges extends RangeResults = 'diff'> {
  readonly id: string
  readonly dialect: Dialect
  readonly #options: AnyOptions
  readonly #timeline: Timeline
  readonly #edition: Edition
  readonly #tokens: TokenCounts
  readonly #holds = new Holds()
  readonly #gate = new Gate()
  readonly #tracing: Tracing
  readonly #attempts: Attempts
  readonly #queries: Queries
  readonly #warnings: Warnings
  readonly #commitWarnings: CommitWarnings
  readonly #open: OpenCycle
  readonly #editor: Editor
  #system: SystemRegion | undefined
  #forks = 0
  /** The newest snapshot, once somebody has asked for it or a commit has made it. */
  #latest: View | undefined

  /** @internal Use createContext, importSnapshot or fork. */
  constructor(start: Start) {
    this.id = start.options.id ?? 'context'
    this.dialect = start.edition.dialect
    this.#options = start.options
    this.#timeline = start.timeline
    this.#tokens = start.tokens
    this.#warnings = new Warnings(start.warnings, start.options.onWarning, this.#gate)
    this.#commitWarnings = new CommitWarnings(this.#warnings)
    this.#queries = new Queries({
      dialect: this.dialect,
      rangesAreDiffs: start.options.selectRangeReturnsDiff !== false,
      view: (lens) => this.#viewOf(lens),
      still: () => this.#still('working'),
      bounds: () => this.#timeline.bounds,
      newest: () => this.#newest(),
      viewAt: (cycle) => View.ofSnapshot(this.#timeline, cycle),
      warn: (subject, message, details) => this.#warnings.once(subject, message, details),
    })
    this.#edition = { ...start.edition, queries: this.#queries }
    const { options, timeline, draft, mint, tokens } = start
    this.#open = new OpenCycle({
      options,
      timeline,
      draft,
      mint,
      tokens,
      dialect: this.dialect,
      holds: this.#holds,
      gate: this.#gate,
      instancesOf: (view, key, deepest) => this.#queries.instancesOf(view, key, deepest),
      onWrite: () => this.#queries.touch(),
      warn: (message, details) => this.#warnings.add(message, details),
    })
    if (start.opens) this.#open.begin()
    this.#editor = new Editor(this.#open, this.#queries)
    const { fork } = start.mint.sources
    this.#tracing = new Tracing(options.tracer, this.id, this.#gate)
    this.#attempts = new Attempts({ fork, options, tracing: this.#tracing, send: (lens) => this.#send(lens) })
    Object.freeze(addOwn(this, Context.#own))
  }

  // What a context holds, among its own properties: so contexts with other contents are not equal.
  static readonly #own = ownGetters(Context.prototype, ['cycle', 'working', 'past'])

  static {
    showCallers(this.prototype)
  }

  /** Writes into `^sys`. */
  get system(): SystemRegion {
    return (this.#system ??= this.#editor.system())
  }

  /** The open cycle: 1 before the first commit. */
  get cycle(): number {
    return this.#open.draft.cycle
  }

  /** The working state as it is now; it never changes again. */
  get working(): Snapshot {
    return this.snapshot('working')
  }

  /** What each commit changed, oldest first. */
  get past(): readonly PastCycle[] {
    return pastOf(this.#timeline)
  }

  /** What was worth knowing but no error, oldest first; the newest thousand. */
  get warnings(): readonly Warning[] {
    return this.#warnings.list
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
    return this.#editor.add('pre', header, OWN_PLACE, { content }, 'pre')
  }

  /** Adds post-context: after the core of the active head. */
  post(content: ContentInput, header: Header = NO_HEADER): Node {
    return this.#editor.add('post', header, OWN_PLACE, { content }, 'post')
  }

  /** Adds any node to the active head; a container needs no content. */
  add(content: ContentInput | undefined, header: AddHeader = NO_HEADER): Node {
    return this.#editor.addAnywhere(content, header)
  }

  /** Replaces the key's instance in the active head, or adds one; `zone` and `offset` say where a first one goes. */
  put(key: string, content: ContentInput | undefined, header: Omit<AddHeader, 'key'> = NO_HEADER): Node {
    return this.#editor.put(key, content, header)
  }

  /** Keeps one live instance of the key, in the active head: every other one leaves for it. For plans and memories. */
  set(key: string, content: ContentInput | undefined, header: Omit<AddHeader, 'key'> = NO_HEADER): Node {
    return this.#editor.set(key, content, header)
  }

  /** Makes a node at a position: `'(d2, end)'`, `'(d0, 0, +1)'`, `{ depth: k }`, `{ parent }` (004 §6.1, D19). */
  insert(spec: InsertSpec, position: Position): Node {
    return this.#editor.insert('ordinary', spec, position)
  }

  /** Changes nodes of the open cycle in place, and supersedes those of history (004 §6.2); gives what stands there now. */
  replace(selector: string, spec: Replacement): readonly Node[] {
    return this.#editor.replace('ordinary', selector, spec)
  }

  /** Puts nodes elsewhere, with their ids and all that they hold (004 §6.3). */
  move(selector: string, position: Position): readonly Node[] {
    return this.#editor.move('ordinary', selector, position)
  }

  /** Drops nodes of the open cycle, and puts markers in the place of history's (004 §6.4). */
  delete(selector: string, options?: DeleteOptions): readonly Node[] {
    return this.#editor.delete('ordinary', selector, options)
  }

  /** Changes headers that may change while a node lives, at any depth; gives the nodes that the selector matches. */
  update(selector: string, changes: Changes): readonly Node[] {
    return this.#editor.update('ordinary', selector, changes)
  }

  /**
   * Takes a text out of nodes instead of the nodes out of the tree; gives the nodes that had it. Nothing keeps or tells
   * what was searched for.
   */
  redact(selector: string, options: RedactOptions): readonly Node[] {
    return this.#editor.redact('ordinary', selector, options)
  }

  /** Takes back the last edit of the open cycle, any number of them back to the last commit; false where there is none. */
  undo(): boolean {
    return this.#open.undo()
  }

  /** Keeps a node from expiry and pruning until the handle is released (D26). */
  hold(id: string): Hold {
    if (this.#open.draft.find(checkId(id)) === undefined) {
      throw new PactError('E_NODE_NOT_FOUND', `There is no node ${short(id)} to hold in the working state.`, { id })
    }
    return this.#holds.take(id)
  }

  /** Expires, prunes, seals the active head and gives the new snapshot, `@t0` (03 §7). */
  commit(): Snapshot {
    return this.#tracing.commit(this.cycle, () => {
      this.#latest = this.#queries.settle(View.ofSnapshot(this.#timeline, this.#open.commit()))
      this.#commitWarnings.tell(this.#timeline, this.#latest.cycle)
      return Snapshot.handOut(this.#latest, this.#edition)
    })
  }

  /** The snapshot that `commit` would make now; nothing changes, no id or clock reading is used up. */
  preview(): Snapshot {
    return this.snapshot('preview')
  }

  /** Notes that a thread goes to a provider: telemetry, which no tree, snapshot or byte shows (03 §6, D32). */
  startAttempt(input: AttemptInput): Attempt {
    return this.#attempts.start(input)
  }

  /** The records of this context's attempts, oldest first; the newest `keepAttempts` of them. */
  attempts(): readonly AttemptRecord[] {
    return this.#attempts.list()
  }

  /** The node with this id, or undefined; in the working state unless a lens says otherwise. */
  node(id: string, lens: Lens = 'working'): Node | undefined {
    return this.#read(lens).node(id)
  }

  /** Text that selects exactly this node, such as `(d1, 0, 2)` (D17). */
  coordinate(id: string, lens: Lens = 'working'): string {
    return this.#read(lens).coordinate(id)
  }

  /** Why a node is where it is and what will happen to it, as data and in words; also for one that is gone. */
  explain(id: string, lens: Lens = 'working'): Explanation {
    const { prune: policy } = this.#options
    return explain(checkId(id), { lens, view: this.#viewOf(lens), holds: this.#holds, policy })
  }

  /** The runs of cycles whose snapshots hold a node, and what happened to it when. */
  life(id: string): Life {
    return lifeOf(checkId(id), this.#open.draft)
  }

  /** The ids that a selector finds, in the order of D20; for a range of snapshots, what changed in it. */
  select<const S extends string>(selector: S, options?: SelectOptions): SelectResult<S, Ranges> {
    return this.#queries.select(selector, options) as SelectResult<S, Ranges>
  }

  /** What changed in a range of snapshots: `@t-3..@t0 .summary` (04 §4). */
  rangeDiffLatest(selector: string, options?: SelectOptions): RangeDiffLatestResult {
    return this.#queries.rangeDiff(selector, options)
  }

  /** What changed from one tree to another, by id; of what a selector selects in them, if there is one (D38). */
  diff(a: Lens, b: Lens, selector?: string): Diff {
    const [from, to] = [this.#viewOf(a), this.#viewOf(b)]
    return diffViews(from, to, this.#selection(from, to, selector))
  }

  /** The same with values, causes, and places in the provider thread. */
  diffDetailed(a: Lens, b: Lens, selector?: string): DetailedDiff {
    const [from, to] = [this.#viewOf(a), this.#viewOf(b)]
    return diffDetailed({ lens: a, view: from }, { lens: b, view: to }, this.#selection(from, to, selector))
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
    return Snapshot.handOut(this.#still(lens), this.#edition)
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

  /** Which item of the thread a node is, and which of its bytes are the node's; undefined for one that is none. */
  threadPlace(id: string, lens: Lens = 'working'): ThreadPlace | undefined {
    return this.#read(lens).threadPlace(id)
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
  fork(lens: Lens, options: Omit<ListOptions<true>, 'dialect'>): Context
  fork(lens: Lens, options: Omit<ListOptions<false>, 'dialect'>): Context<'list'>
  fork(lens: Lens, options: Omit<ListOptions, 'dialect'>): Context<RangeResults>
  fork(lens?: Lens, options?: ForkOptions): Context<Ranges>
  fork(lens: Lens = '@t0', options: AnyForkOptions = {}): Context<RangeResults> {
    const parent = {
      id: this.id,
      options: this.#options,
      timeline: this.#timeline,
      open: this.#open,
      edition: this.#edition,
      tokens: this.#tokens,
      forks: this.#forks,
    }
    const made = new Context<RangeResults>(forkStart(parent, lens, options))
    this.#forks++
    return made
  }

  /** What it is, and the tree as it stands; `export` and `snapshot` give what can be imported again. */
  toJSON(): JsonObject {
    const { id, dialect, cycle, working } = this
    return { context: id, dialect, cycle, snapshots: this.#timeline.size, working: working.toJSON() }
  }

  toString(): string {
    const { id, dialect, cycle } = this
    return contextText({ id, dialect, cycle, snapshots: this.#timeline.size }, this.#viewOf('working'))
  }

  /** @internal What console.log prints. */
  [INSPECT](depth: number): string {
    return depth < 0 ? `[Context ${oneLine(this.id)}]` : this.toString()
  }

  #viewOf(lens: Lens): View {
    if (lens === 'working') return View.ofWorking(this.#open.draft)
    if (lens !== 'preview') return View.ofSnapshot(this.#timeline, cycleOfLens(lens, this.#timeline))
    const { draft, receipt } = this.#open.tryCommit(this.#open.mint.provisional())
    return View.ofPreview(draft, receipt)
  }

  #newest(): View | undefined {
    const { newest } = this.#timeline
    if (newest === undefined) return undefined
    return (this.#latest ??= View.ofSnapshot(this.#timeline, newest))
  }

  /** A view that stays as it is, whatever is written later. */
  #still(lens: Lens): View {
    return lens === 'working' ? View.ofWorking(this.#open.draft.copy()) : this.#viewOf(lens)
  }

  #send(lens: Lens): Sent {
    const view = this.#still(lens)
    const base = lens === 'working' || lens === 'preview' ? this.#timeline.newest : view.cycle
    return {
      cycle: this.cycle,
      snapshot: Snapshot.handOut(view, this.#edition),
      view,
      base: base === undefined ? undefined : View.ofSnapshot(this.#timeline, base),
    }
  }

  #selection(from: View, to: View, selector: string | undefined): Selection {
    const { older, newer } = sidesOf(from, to)
    return selector === undefined ? undefined : this.#queries.selection(older, newer, selector)
  }

  /** For one call: unlike a snapshot, the working state need not be kept from later edits. */
  #read(lens: Lens): Snapshot {
    return new Snapshot(this.#viewOf(lens), this.#edition)
  }

  #addWithRole(role: 'user' | 'assistant' | 'tool', content: ContentInput, header: RoleHeader): Node {
    return this.#editor.add(role, header, OWN_ROLE, { content, role }, 'core')
  }
}

/** What a call decides itself and its header therefore may not say. */
const OWN_PLACE: readonly string[] = ['content', 'children']
const OWN_ROLE: readonly string[] = ['role', 'content', 'children']
