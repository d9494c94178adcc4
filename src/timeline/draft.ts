// The open cycle: a tree that edits change step by step, and the list of what they changed since the last snapshot.
// The tree itself is persistent, so a copy costs the open edits, never the tree: previews and commits work on a copy.

import {
  Gone,
  Schedules,
  type Cause,
  type NodeRecord,
  type Region,
  type Schedule,
  type Version,
} from '../core/index.js'
import type { Erasing } from './erase.js'
import { addTo, copyOf, type IdsByKey } from './ids-by-key.js'
import { Keyed } from './keyed.js'
import { copiedChanges, erasedChanges, erasedStep, noted, tookAny, type OpenEdits, type Step } from './open-edits.js'
import { Links } from './reference-index.js'
import { regionNameOf } from './document-order.js'
import { meantBy, namersOf, referrersTo } from './reference.js'
import { Branch, recordOf, Sequence, type TreeNode } from './sequence.js'
import type { Timeline } from './timeline.js'
import { eachRecord, pathIn, regionOf, withChildrenAt, withSealed, type Tree } from './tree.js'

export class Draft {
  readonly timeline: Timeline
  /** The cycle that is open. */
  readonly cycle: number
  #tree: Tree
  /** Every id that differs from the last snapshot, with what stands there now. */
  #changes: Map<string, Version>
  #links: Links
  #keyed = new Keyed()
  /** Ids that left in this cycle, by the id of the node that took their place: hints, which every reader checks. */
  #leftFor: IdsByKey | undefined
  /** Removable containers that lost their last child in this cycle, some more than once: hints, which every reader checks. */
  #emptied: string[] | undefined
  /** What the edit at hand has changed so far, so that it leaves nothing behind if it fails half-way. */
  #journal: Step['journal'] | undefined
  #marked: Tree
  /** The edits of this cycle, each with the way back. */
  readonly #steps: Step[] = []
  /** How many names were made up for rehearsals. */
  #madeUp = 0

  private constructor(timeline: Timeline, cycle: number, tree: Tree, changes: Map<string, Version>, links: Links) {
    this.timeline = timeline
    this.cycle = cycle
    this.#tree = tree
    this.#marked = tree
    this.#changes = changes
    this.#links = links
  }

  /** A draft of a context without a snapshot. */
  static first(timeline: Timeline, tree: Tree): Draft {
    const draft = new Draft(timeline, 1, tree, new Map(), new Links())
    draft.#note(tree.root)
    for (const region of tree.regions) draft.#note(region.record)
    return draft
  }

  /** A draft of the cycle after a snapshot, with nothing changed yet. */
  static after(timeline: Timeline, cycle: number): Draft {
    const draft = new Draft(timeline, cycle + 1, timeline.treeAt(cycle)!, new Map(), new Links())
    // Only an import leaves anything there but an empty core.
    eachRecord(draft.region('^ah'), (record) => draft.#keyed.note(record))
    return draft
  }

  /** A draft of a cycle as it began: with the tree it began with, and what that changed of the last snapshot. */
  static opened(timeline: Timeline, cycle: number, tree: Tree, versions: readonly Version[]): Draft {
    const isFirst = timeline.newest === undefined
    const draft = isFirst ? new Draft(timeline, cycle, tree, new Map(), new Links()) : Draft.after(timeline, cycle - 1)
    draft.#tree = draft.#marked = tree
    for (const version of versions) draft.#note(version)
    for (const version of versions) {
      // What came along unchanged is told by its key, too, and a successor by whom it left for.
      if (version instanceof Gone) {
        if (version.successor !== undefined) addTo((draft.#leftFor ??= new Map()), version.successor, version.id)
      } else if (version.parentId !== undefined)
        eachRecord(draft.nodeOf(version), (record) => draft.#keyed.note(record))
    }
    return draft
  }

  /** The same open edits over another timeline that holds the same past, or over the same one. */
  copy(timeline: Timeline = this.timeline): Draft {
    // Links are hints that every reader checks, so both may add to the same ones.
    const draft = new Draft(timeline, this.cycle, this.#tree, copiedChanges(this.#changes), this.#links)
    draft.#keyed = this.#keyed.copy()
    draft.#leftFor = copyOf(this.#leftFor)
    draft.#emptied = this.#emptied?.slice()
    return draft
  }

  /** What it has changed, for whoever keeps it without the past; only of a copy, which is not edited any more. */
  get edits(): OpenEdits {
    return {
      cycle: this.cycle,
      tree: this.#tree,
      changes: this.#changes,
      links: this.#links,
      hasBase: this.before !== undefined,
    }
  }

  /** A draft to read, of edits that were kept. */
  static again(timeline: Timeline, { cycle, tree, changes, links }: OpenEdits): Draft {
    return new Draft(timeline, cycle, tree, changes, links)
  }

  /** Whether nothing has changed since the mark. */
  get isAsMarked(): boolean {
    return this.#tree === this.#marked
  }

  /** Sets the point that `rollback` returns to. */
  mark(): void {
    this.#marked = this.#tree
    this.#journal = []
  }

  /** The ids of what was changed since the mark, some more than once. */
  get touched(): readonly string[] {
    return (this.#journal ?? []).filter((_, i) => i % 2 === 0) as string[]
  }

  /** Makes everything since the mark one step that `undo` takes back. */
  keep(): void {
    this.#steps.push({ tree: this.#marked, journal: this.#journal! })
    this.#journal = undefined
  }

  /** Takes back everything since the mark. */
  rollback(): void {
    this.rewind()
    this.#journal = undefined
  }

  /** The same, and what follows can still be taken back to there. */
  rewind(): void {
    this.#return({ tree: this.#marked, journal: this.#journal! })
    this.#journal = []
  }

  /** Takes back the last step of this cycle; false where there is none. */
  undo(): boolean {
    const step = this.#steps.pop()
    if (step !== undefined) this.#return(step)
    return step !== undefined
  }

  #return({ tree, journal }: Step): void {
    this.#tree = tree
    for (let i = journal.length - 2; i >= 0; i -= 2) {
      const id = journal[i] as string
      const before = journal[i + 1] as Version | undefined
      if (before === undefined) this.#changes.delete(id)
      else this.#changes.set(id, before)
      const record = this.find(id)
      if (record !== undefined) this.#keyed.note(record)
    }
  }

  /** Takes out what nodes said, here and in every step that could be taken back (D56). */
  erase(erasing: Erasing): void {
    this.#tree = erasing.tree(this.#tree)
    this.#marked = this.#tree
    this.#changes = erasedChanges(this.#changes, erasing)
    for (const [at, step] of this.#steps.entries()) this.#steps[at] = erasedStep(step, erasing)
  }

  /** The trees that undo leads back to, where these hold nodes that are not there now and that no snapshot holds. */
  get undone(): readonly Tree[] {
    return this.#steps.filter((step) => tookAny(step, (id) => this.versionOf(id) === undefined)).map(({ tree }) => tree)
  }

  get tree(): Tree {
    return this.#tree
  }

  /** What a commit would write into the timeline's index. */
  get changes(): Iterable<Version> {
    return this.#changes.values()
  }

  /** Ids of containers that may have become empty in this cycle, in the order of events; what changed itself is not listed. */
  get mayBeEmpty(): readonly string[] {
    return this.#emptied ?? NONE
  }

  find(id: string): NodeRecord | undefined {
    const version = this.versionOf(id)
    return version instanceof Gone ? undefined : version
  }

  /** What stands there now, or since when and why there is nothing. */
  versionOf(id: string): Version | undefined {
    return this.#changes.get(id) ?? this.timeline.versionAt(id, this.cycle - 1)
  }

  /** Whether an id may not be given out again: this tree or the last snapshot holds it, or a node that stands in for it. */
  holds(id: string): boolean {
    return this.meant(id) !== undefined || this.timeline.find(id, this.cycle - 1) !== undefined
  }

  /**
   * A name for a node that is only tried. No name is given twice: a map that the same name enters and leaves looks past all
   * its earlier places, so n edits would cost n² (that is how V8 keeps the order of entries).
   */
  makeUpId(): string {
    for (;;) {
      const id = `new:${this.#madeUp++}`
      if (!this.holds(id)) return id
    }
  }

  region(region: Region): Branch {
    return regionOf(this.#tree, region)
  }

  /** The branches from a region down to the node with this id. */
  pathTo(id: string): Branch[] {
    return pathIn(this.#tree, id, (each) => this.find(each))
  }

  /** The node with this id and everything under it. */
  nodeOf(record: NodeRecord): TreeNode {
    if (record.nodeClass === 'region') return this.#tree.regions.find((branch) => branch.record.id === record.id)!
    return this.pathTo(record.parentId!).at(-1)!.children.find(record)!
  }

  /** The node that a reference to this id means (D41). */
  meant(id: string): NodeRecord | undefined {
    return meantBy(this, id)
  }

  /** Live nodes whose refs mean this one (D41). */
  referrersOf(record: NodeRecord): Iterable<NodeRecord> {
    return referrersTo(this, record)
  }

  /** Whether the refs of a live node have this very id. */
  isNamed(id: string): boolean {
    for (const _referrer of namersOf(this, id)) return true
    return false
  }

  *mayReferTo(id: string): Generator<string, void, undefined> {
    yield* this.#links.referrersOf(id)
    yield* this.timeline.referrersOf(id)
  }

  *mayStandInFor(id: string): Generator<string, void, undefined> {
    yield* this.#links.standInsOf(id)
    yield* this.timeline.standInsOf(id)
  }

  /** Live nodes that carry this call id. */
  *carriersOf(callId: string): Generator<NodeRecord, void, undefined> {
    const ids = new Set(this.#links.carriersOf(callId))
    for (const id of this.timeline.carriersOf(callId)) ids.add(id)
    for (const id of ids) {
      const carrier = this.find(id)
      if (carrier?.callIds.includes(callId) === true) yield carrier
    }
  }

  /** The live instances of a key in `^ah` or `^sys` that came there in this cycle, or that an import left in the head. */
  shallowWith(key: string): readonly NodeRecord[] {
    return this.#keyed.shallow(key, this.#checked)
  }

  /** All live instances of a key that came to where they stand in this cycle. */
  placedWith(key: string): readonly NodeRecord[] {
    return this.#keyed.all(key, this.#checked)
  }

  get #checked(): Parameters<Keyed['all']>[1] {
    return { find: (id) => this.find(id), isShallow: (record) => regionNameOf(this, record) !== '^seq' }
  }

  /** The tree of the last snapshot, if there is one. */
  get before(): Tree | undefined {
    return this.timeline.treeAt(this.cycle - 1)
  }

  /** Whether the last snapshot holds this id. */
  isCommitted(id: string): boolean {
    return this.timeline.find(id, this.cycle - 1) !== undefined
  }

  /** Puts a node and its subtree under the last branch of the path. */
  insert(path: readonly Branch[], node: TreeNode): void {
    this.#tree = withChildrenAt(this.#tree, path, path[path.length - 1]!.children.insert(node))
    if (node instanceof Branch) eachRecord(node, (record) => this.#noteInserted(record))
    else this.#noteInserted(node)
  }

  #noteInserted(record: NodeRecord): void {
    if (record.born === this.cycle) {
      if (this.#changes.get(record.id) !== record) this.#note(record)
    } else {
      // It came along unchanged from the last snapshot, which knows it.
      if (this.#changes.has(record.id)) this.#forget(record.id)
      this.#keyed.note(record)
    }
  }

  /** Puts a node where another one stood, which leaves with all that the new one does not hold. */
  supersede(target: NodeRecord, node: TreeNode, cause: Cause): void {
    const left = this.#leftIn(target.id)
    this.exchange(target, node, cause)
    const { id, rare } = recordOf(node)
    // What had left for the target has left for its stand-in now.
    for (const gone of left) this.#noteLeft(gone.id, gone.cause, id)
    if (rare?.supersedes !== undefined) this.#noteLeft(rare.supersedes, cause, id)
  }

  /** Puts a node where another one stood, or another form of the same. */
  exchange(target: NodeRecord, node: TreeNode, cause: Cause): void {
    const old = this.lift(target, cause)
    this.insert(this.pathTo(target.parentId!), node)
    this.forsake(old, cause)
  }

  /** Notes that a node which was lifted, by itself or with what it stood in, has left for another one elsewhere. */
  succeed(id: string, cause: Cause, successor: string): void {
    for (const gone of this.#leftIn(id)) this.#noteLeft(gone.id, gone.cause, successor)
    this.#noteLeft(id, cause, successor)
  }

  /** Asks something of this tree with other schedules, and takes back whatever was tried. */
  withSchedules<T>(schedules: readonly Schedule[], ask: () => T): T {
    const tree = this.#tree
    this.schedule(schedules.reduce((all, each) => all.with(each), Schedules.NONE))
    this.mark()
    try {
      return ask()
    } finally {
      this.rollback()
      this.#tree = tree
      this.#marked = tree
    }
  }

  /** Sets what returns in later cycles. */
  schedule(schedules: Schedules): void {
    this.#tree = { ...this.#tree, schedules }
  }

  /** Puts a segment of all that the active head holds into history, and leaves the head empty. */
  seal(segment: Branch): void {
    this.#tree = withSealed(this.#tree, segment, this.before)
    eachRecord(segment, (record) => this.#noteInserted(record))
  }

  /** Puts another version of a node in its place; parent and order headers are the same. */
  change(record: NodeRecord): void {
    const path = this.pathTo(record.parentId!)
    const { children } = path.at(-1)!
    const node = children.find(record)!
    this.#tree = withChildrenAt(
      this.#tree,
      path,
      children.replace(node instanceof Branch ? node.withRecord(record) : record),
    )
    this.#note(record)
  }

  /** Takes a node out for good, with its subtree, and gives it back. */
  remove(record: NodeRecord, cause: Cause): TreeNode {
    const node = this.lift(record, cause)
    this.forsake(node, cause)
    return node
  }

  /** Takes a node out with its subtree, and gives it back to be put in again elsewhere. */
  lift(record: NodeRecord, cause: Cause): TreeNode {
    const path = this.pathTo(record.parentId!)
    const parent = path.at(-1)!
    const node = parent.children.find(record)!
    this.#tree = withChildrenAt(this.#tree, path, parent.children.remove(record))
    if (parent.children.size === 1 && parent.record.isRemovable) (this.#emptied ??= []).push(parent.record.id)
    eachRecord(node, (each) => this.#noteGone(each.id, cause))
    return node
  }

  /** Takes all children of a region out and gives them back; their records are noted by their next insert. */
  takeAll(region: Region): readonly TreeNode[] {
    const branch = this.region(region)
    this.#tree = withChildrenAt(this.#tree, [branch], Sequence.EMPTY)
    return branch.children.toArray()
  }

  #note(version: Version): void {
    this.#remember(version.id)
    this.#changes.set(version.id, version)
    if (version instanceof Gone) return
    this.#links.add(version)
    this.#keyed.note(version)
  }

  #forget(id: string): void {
    this.#remember(id)
    this.#changes.delete(id)
  }

  /** Notes the way back, before an id comes to stand for something else. */
  #remember(id: string): void {
    this.#journal &&= noted(this.#journal, id, this.#changes.get(id))
  }

  #noteGone(id: string, cause: Cause): void {
    this.#remember(id)
    if (!this.isCommitted(id)) this.#changes.delete(id)
    else this.#changes.set(id, new Gone(id, this.cycle, cause))
  }

  /** Notes for whom a node of the last snapshot has left, unless a file claims the name of one that is there. */
  #noteLeft(id: string, cause: Cause, successor: string): void {
    if (!this.isCommitted(id) || this.find(id) !== undefined) return
    this.#note(new Gone(id, this.cycle, cause, successor))
    addTo((this.#leftFor ??= new Map()), successor, id)
  }

  /** What had left for one of these, which nobody will ever see now, has left for the reason that they have (D41). */
  forsake(node: TreeNode, cause: Cause): void {
    if (this.#leftFor === undefined) return
    eachRecord(node, ({ id }) => {
      if (this.find(id) !== undefined || this.isCommitted(id)) return
      for (const gone of this.#leftIn(id)) this.#note(new Gone(gone.id, this.cycle, cause))
    })
  }

  /** What has left in this cycle for this node. */
  #leftIn(successor: string): readonly Gone[] {
    const left: Gone[] = []
    for (const id of this.#leftFor?.get(successor) ?? []) {
      const version = this.#changes.get(id)
      if (version instanceof Gone && version.successor === successor) left.push(version)
    }
    return left
  }
}

const NONE: readonly never[] = []
