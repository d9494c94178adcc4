// The open cycle: a tree that edits replace step by step, and every version that differs from the last snapshot. Trees are persistent, so a
// copy of a draft costs the open edits and not the tree. Previews and commits work on a copy.

import { Gone, Schedules } from '../core/index.js'
import type { Cause, NodeRecord, Region, Schedule, Version } from '../core/index.js'
import type { Erasing } from './erase.js'
import { Keyed, LeftFor } from './keyed.js'
import {
  erasedChanges,
  erasedStep,
  sortedChanges,
  undoneBy,
  type OpenEdits,
  type Step,
  type Undone,
} from './open-edits.js'
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
  /** The current version of every id that differs from the last snapshot. */
  #changes: Map<string, Version>
  #links: Links
  #keyed = new Keyed()
  #leftFor = new LeftFor()
  /** Removable containers that lost their last child in this cycle, some more than once. Hints: every reader checks them. */
  #emptied: string[] | undefined
  /** The changes of the current edit so far, to take them back if it fails half-way. */
  #journal: Step['journal'] | undefined
  #marked: Tree
  /** The edits of this cycle with their undo data. */
  readonly #steps: Step[] = []
  /** The number of ids that were made up for rehearsals. */
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
      // Unchanged nodes of a moved subtree are noted by key too, and removals by their successor.
      if (version instanceof Gone) {
        if (version.successor !== undefined) draft.#leftFor.note(version.id, version.successor)
      } else if (version.parentId !== undefined)
        eachRecord(draft.nodeOf(version), (record) => draft.#keyed.note(record))
    }
    return draft
  }

  /** The same open edits over another timeline that holds the same past, or over the same one. */
  copy(timeline: Timeline = this.timeline): Draft {
    // Links are hints that every reader checks, so both may add to the same ones.
    const draft = new Draft(timeline, this.cycle, this.#tree, new Map(this.#changes), this.#links)
    draft.#keyed = this.#keyed.copy()
    draft.#leftFor = this.#leftFor.copy()
    draft.#emptied = this.#emptied?.slice()
    return draft
  }

  /** The open edits, to be kept without the past. Only for a copy that is not edited any more. */
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

  /** True if nothing has changed since the mark. */
  get isAsMarked(): boolean {
    return this.#tree === this.#marked
  }

  /** Sets the point that `rollback` returns to. */
  mark(): void {
    this.#marked = this.#tree
    this.#journal = []
  }

  /** The ids that were changed since the mark, some more than once. */
  get touched(): readonly string[] {
    return (this.#journal ?? []).map(([id]) => id)
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

  /** Takes back everything since the mark, and keeps the mark. */
  rewind(): void {
    this.#return({ tree: this.#marked, journal: this.#journal! })
    this.#journal = []
  }

  /** Takes back the last step of this cycle; false if there is none. */
  undo(): boolean {
    const step = this.#steps.pop()
    if (step !== undefined) this.#return(step)
    return step !== undefined
  }

  #return({ tree, journal }: Step): void {
    this.#tree = tree
    for (const [id, before] of journal.toReversed()) {
      if (before === undefined) this.#changes.delete(id)
      else this.#changes.set(id, before)
      const record = this.find(id)
      if (record !== undefined) this.#keyed.note(record)
    }
  }

  reorder(ids: readonly string[]): void {
    this.#changes = sortedChanges(this.#changes, ids)
  }

  /** Erases the texts of nodes, here and in every step that undo leads back to (D56). */
  erase(erasing: Erasing): void {
    this.#tree = erasing.tree(this.#tree)
    this.#marked = this.#tree
    this.#changes = erasedChanges(this.#changes, erasing)
    for (const [at, step] of this.#steps.entries()) this.#steps[at] = erasedStep(step, erasing)
  }

  /** The nodes, versions and schedules that only undo leads back to. */
  get undone(): Undone {
    return undoneBy(this.#steps, this.#tree, (id) => this.versionOf(id))
  }

  get tree(): Tree {
    return this.#tree
  }

  /** The versions that a commit adds to the timeline. */
  get changes(): Iterable<Version> {
    return this.#changes.values()
  }

  /** Ids of containers that may have become empty in this cycle, in the order of events, without those that changed themselves. */
  get mayBeEmpty(): readonly string[] {
    return this.#emptied ?? NONE
  }

  find(id: string): NodeRecord | undefined {
    const version = this.versionOf(id)
    return version instanceof Gone ? undefined : version
  }

  /** The current version of an id: a node, or its removal. */
  versionOf(id: string): Version | undefined {
    return this.#changes.get(id) ?? this.timeline.versionAt(id, this.cycle - 1)
  }

  /** True if an id must not be minted again: this tree or the last snapshot has it, or has a stand-in for it. */
  holds(id: string): boolean {
    return this.meant(id) !== undefined || this.timeline.find(id, this.cycle - 1) !== undefined
  }

  /**
   * An id for a node of a rehearsal. No id is used twice: a Map that gets and loses the same key over and over skips all its
   * earlier entries, and n edits would cost n².
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

  /** True if a live node has this id in its refs. */
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

  /** The live instances of a key in `^ah` or `^sys` that were placed in this cycle, or that an import left in the head. */
  shallowWith(key: string): readonly NodeRecord[] {
    return this.#keyed.shallow(key, this.#checked)
  }

  /** All live instances of a key that were placed in this cycle. */
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

  /** True if the last snapshot has this id. */
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
      // An unchanged node of the last snapshot.
      if (this.#changes.has(record.id)) this.#forget(record.id)
      this.#keyed.note(record)
    }
  }

  /** Puts a node in the place of another one, which leaves with all descendants that the new one does not take over. */
  supersede(target: NodeRecord, node: TreeNode, cause: Cause): void {
    const left = this.#leftFor.of(target.id, this.#changes)
    const old = this.exchange(target, node, cause)
    const { id, rare } = recordOf(node)
    // The descendants left together with the target. If its stand-in leaves too, they get that cause.
    eachRecord(old, ({ id: gone }) => {
      const version = this.#changes.get(gone)
      if (version instanceof Gone && version.successor === undefined) this.#leftFor.note(gone, id)
    })
    this.#pass(left, cause, id, true)
    if (rare?.supersedes !== undefined) this.#noteLeft(rare.supersedes, cause, id)
  }

  /** Replaces a node by another one, or by another form of itself, and returns the old node. */
  exchange(target: NodeRecord, node: TreeNode, cause: Cause): TreeNode {
    const old = this.lift(target, cause)
    this.insert(this.pathTo(target.parentId!), node)
    this.forsake(old, cause, recordOf(node).id)
    return old
  }

  /** Notes that a lifted node, or a node in a lifted subtree, has left for a successor elsewhere. */
  succeed(id: string, cause: Cause, successor: string): void {
    this.#pass(this.#leftFor.of(id, this.#changes), cause, successor, true)
    this.#noteLeft(id, cause, successor)
  }

  /** Runs `ask` on this tree with other schedules, and rolls back all changes. */
  withSchedules<T>(schedules: readonly Schedule[], ask: () => T): T {
    const tree = this.#tree
    this.schedule(Schedules.of(schedules))
    this.mark()
    try {
      return ask()
    } finally {
      this.rollback()
      this.#tree = tree
      this.#marked = tree
    }
  }

  /** Sets the schedules. */
  schedule(schedules: Schedules): void {
    this.#tree = { ...this.#tree, schedules }
  }

  /** Moves the content of the active head into history as a segment, and leaves the head empty. */
  seal(segment: Branch): void {
    this.#tree = withSealed(this.#tree, segment, this.before)
    eachRecord(segment, (record) => this.#noteInserted(record))
  }

  /** Replaces a node by another version with the same parent and order headers. */
  change(record: NodeRecord): void {
    const path = this.pathTo(record.parentId!)
    const { children } = path.at(-1)!
    const node = children.find(record)!
    const changed = node instanceof Branch ? node.withRecord(record) : record
    this.#tree = withChildrenAt(this.#tree, path, children.replace(changed))
    this.#note(record)
  }

  /** Removes a node for good with its subtree, and returns it. */
  remove(record: NodeRecord, cause: Cause): TreeNode {
    const node = this.lift(record, cause)
    this.forsake(node, cause)
    return node
  }

  /** Removes a node with its subtree, and returns it to be inserted elsewhere. */
  lift(record: NodeRecord, cause: Cause): TreeNode {
    const path = this.pathTo(record.parentId!)
    const parent = path.at(-1)!
    const node = parent.children.find(record)!
    this.#tree = withChildrenAt(this.#tree, path, parent.children.remove(record))
    if (parent.children.size === 1 && parent.record.isRemovable) (this.#emptied ??= []).push(parent.record.id)
    eachRecord(node, (each) => this.#noteGone(each.id, cause))
    return node
  }

  /** Removes all children of a region and returns them. Their records are noted by their next insert. */
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

  /** Notes the undo data before the version of an id changes. */
  #remember(id: string): void {
    this.#journal?.push([id, this.#changes.get(id)])
  }

  #noteGone(id: string, cause: Cause): void {
    if (this.isCommitted(id)) this.#note(new Gone(id, this.cycle, cause))
    else this.#forget(id)
  }

  /** Notes the successor of a node of the last snapshot, unless a file claims the id of a live node. */
  #noteLeft(id: string, cause: Cause, successor: string): void {
    if (!this.isCommitted(id) || this.find(id) !== undefined) return
    this.#note(new Gone(id, this.cycle, cause, successor))
    this.#leftFor.note(id, successor)
  }

  /** Nodes that left for a node which no snapshot will have get its cause, and its successor (D41). */
  #pass(left: readonly Gone[], cause: Cause, successor: string | undefined, isHeir: boolean): void {
    for (const { id, successor: before } of left) {
      if (isHeir && before !== undefined) this.#noteLeft(id, cause, successor!)
      else {
        this.#note(new Gone(id, this.cycle, cause, undefined, true))
        if (successor !== undefined) this.#leftFor.note(id, successor)
      }
    }
  }

  /** The same for nodes that left for the nodes of a removed subtree; `successor` took the place of its top, if given. */
  forsake(node: TreeNode, cause: Cause, successor?: string): void {
    if (this.#leftFor.isEmpty) return
    eachRecord(node, ({ id }) => {
      if (this.find(id) !== undefined || this.isCommitted(id)) return
      this.#pass(this.#leftFor.of(id, this.#changes), cause, successor, false)
    })
  }
}

const NONE: readonly never[] = []
