// A tree as seen through a lens. The same tree shows another ttl in the working state than in its snapshot (D24).

import { short } from '../errors/index.js'
import { EMPTY_RECEIPT, Gone, NEVER, type NodeRecord, type Receipt, type Version } from '../core/index.js'
import { Draft } from './draft.js'
import type { OpenEdits } from './open-edits.js'
import { depthOf, lineOf, regionNameOf } from './document-order.js'
import { meantBy, referrersTo } from './reference.js'
import { isSurelyFirst } from './not-loaded.js'
import { childrenOf, recordOf, renderedIn, Sequence, type Branch, type TreeNode } from './sequence.js'
import { Timeline } from './timeline.js'
import { recordsOf, type Tree } from './tree.js'

/** The state that a public node needs. It keeps nothing alive but the tree. */
export class Frame {
  readonly tree: Tree
  readonly cycle: number
  /** True for the open cycle, in which ttls read as in the last snapshot. */
  readonly isWorking: boolean

  constructor(tree: Tree, cycle: number, isWorking: boolean) {
    this.tree = tree
    this.cycle = cycle
    this.isWorking = isWorking
  }

  /** The frame alone, without the timeline of a view, for nodes that a program may keep. */
  get bare(): Frame {
    return this
  }

  ttlOf(record: NodeRecord): number | null {
    if (record.ttl === null) return null
    if (this.isWorking && record.ttlFrom === this.cycle) return record.ttl
    // In this order no sum can leave the safe integers, whatever ttl a file has.
    return Math.max(0, record.ttl - (this.shown - record.ttlFrom))
  }

  /** The last cycle whose commit shows here: ttls have run up to it. */
  get shown(): number {
    return this.isWorking ? this.cycle - 1 : this.cycle
  }
}

export class View extends Frame {
  readonly #receipt: Receipt | undefined
  readonly #timeline: Timeline
  /** The open cycle, if it is one: working or as a commit would leave it. */
  readonly #draft: Draft | undefined
  #bare: Frame | undefined
  /** True if only `^sys` is visible (D31). */
  readonly isSystem: boolean
  /** Nodes that only this view has. */
  #more: readonly NodeRecord[] = []
  /** The timeline of earlier snapshots, if the view's own begins with the last of them. */
  #past: Timeline | undefined

  private constructor(
    tree: Tree,
    cycle: number,
    isWorking: boolean,
    receipt: Receipt | undefined,
    timeline: Timeline,
    draft?: Draft,
    isSystem: boolean = false,
  ) {
    super(tree, cycle, isWorking)
    this.#receipt = receipt
    this.#timeline = timeline
    this.#draft = draft
    this.isSystem = isSystem
  }

  override get bare(): Frame {
    return (this.#bare ??= new Frame(this.tree, this.cycle, this.isWorking))
  }

  static ofSnapshot(timeline: Timeline, cycle: number): View {
    const tree = timeline.treeAt(cycle)
    if (tree !== undefined) return new View(tree, cycle, false, undefined, timeline)
    const island = timeline.holding(cycle)!
    return new View(island.treeAt(cycle)!, cycle, false, undefined, island)
  }

  /** A view of the open cycle; it stays true only while the draft is not edited, so hand out a copy's view. */
  static ofWorking(draft: Draft): View {
    return new View(draft.tree, draft.cycle, true, EMPTY_RECEIPT, draft.timeline, draft)
  }

  /** A view of the open cycle with `^sys` alone, for the system capability (D31). */
  static ofSystem(draft: Draft): View {
    const { tree } = draft
    const [sys, seq, ah] = tree.regions
    const regions = [sys, seq.withChildren(Sequence.EMPTY), ah.withChildren(Sequence.EMPTY)] as const
    return new View({ ...tree, regions }, draft.cycle, true, EMPTY_RECEIPT, draft.timeline, draft, true)
  }

  /** A view of a draft that a commit has been tried on, as the snapshot it would become. */
  static ofPreview(draft: Draft, receipt: Receipt): View {
    return new View(draft.tree, draft.cycle, false, receipt, draft.timeline, draft)
  }

  /** A view of a tree without its past. */
  static alone({ tree, cycle, isWorking }: Frame, receipt: Receipt): View {
    const timeline = Timeline.empty()
    timeline.append(cycle, tree, recordsOf(tree), receipt)
    return new View(tree, cycle, isWorking, receipt, timeline)
  }

  /** A view of a tree that was kept; undefined if the timeline does not have its past any more. */
  static again(frame: Frame, receipt: Receipt, timeline: Timeline, edits: OpenEdits | undefined): View | undefined {
    const { tree, cycle, isWorking } = frame
    if (edits === undefined) return timeline.holding(cycle) === undefined ? undefined : View.ofSnapshot(timeline, cycle)
    const isKnown = !edits.hasBase || timeline.treeAt(cycle - 1) !== undefined
    return isKnown ? new View(tree, cycle, isWorking, receipt, timeline, Draft.again(timeline, edits)) : undefined
  }

  /** The same view of a tree that has some more nodes. */
  withTree(tree: Tree, more: readonly NodeRecord[]): View {
    const view = new View(tree, this.cycle, this.isWorking, this.#receipt, this.#timeline, this.#draft, this.isSystem)
    view.#more = more
    view.#past = this.#past
    return view
  }

  /** The same view, with the earlier snapshots of another view. */
  withPast(earlier: View): View {
    const view = this.withTree(this.tree, this.#more)
    view.#past = earlier.#timeline
    return view
  }

  /** The tree of an earlier snapshot, if it is here. */
  treeAt(cycle: number): Tree | undefined {
    return (this.#past ?? this.#timeline).holding(cycle)?.treeAt(cycle)
  }

  /** The removal of a node at the commit of a cycle, or at the one that this view is of; undefined if it is not known. */
  departureAt(id: string, cycle: number): Gone | undefined {
    if (cycle >= this.cycle) return this.departureOf(id)
    const version = (this.#past ?? this.#timeline).holding(cycle)?.versionAt(id, cycle)
    return version instanceof Gone ? version : undefined
  }

  /** True if it is no snapshot: the open cycle, a preview of its commit, or a tree that was sent while it was open. */
  get isOpen(): boolean {
    return this.#draft !== undefined
  }

  /** The open edits; undefined for a snapshot. */
  get edits(): OpenEdits | undefined {
    return this.#draft?.edits
  }

  /** The pruning receipt of the commit that made the tree. */
  get receipt(): Receipt {
    return this.#receipt ?? this.#timeline.receiptAt(this.cycle)
  }

  /** The pruning receipt of an earlier commit, or of this view's own. */
  receiptAt(cycle: number): Receipt {
    return cycle >= this.cycle ? this.receipt : this.#timeline.receiptAt(cycle)
  }

  /** The author of an earlier commit; undefined if none was given, or if its cycle is not loaded. */
  authorAt(cycle: number): string | undefined {
    if (cycle < this.cycle && this.#timeline.lacks(cycle)) return undefined
    return this.receiptAt(cycle).author
  }

  find(id: string): NodeRecord | undefined {
    const own = this.#more.find((each) => each.id === id)
    if (own !== undefined) return own
    if (this.#draft === undefined) return this.#timeline.find(id, this.cycle)
    const record = this.#draft.find(id)
    return this.isSystem && record !== undefined && !this.#isSeen(record) ? undefined : record
  }

  #isSeen(record: NodeRecord): boolean {
    if (record.nodeClass === 'root' || record.nodeClass === 'region') return true
    return regionNameOf(this.#draft!, record) === '^sys'
  }

  /** The version of an id: a node, or its removal. */
  versionOf(id: string): Version | undefined {
    return this.#draft ? this.#draft.versionOf(id) : this.#timeline.versionAt(id, this.cycle)
  }

  /** The removal of an id that an earlier snapshot has. */
  departureOf(id: string): Gone | undefined {
    const version = this.versionOf(id)
    return version instanceof Gone ? version : undefined
  }

  /** The removal of a node that another view has, if it went since then: it may have gone before and come back. */
  departureSince(id: string, { isOpen, cycle }: View): Gone | undefined {
    const gone = this.departureOf(id)
    return gone !== undefined && gone.born >= (isOpen ? cycle : cycle + 1) ? gone : undefined
  }

  /** The version at the end of an earlier cycle, or of this view's own. */
  versionAt(id: string, cycle: number): Version | undefined {
    return cycle >= this.cycle ? this.versionOf(id) : this.#timeline.versionAt(id, cycle)
  }

  /** The version before another one. A provably first version needs no older history. */
  versionBefore(version: NodeRecord): Version | undefined {
    const cycle = version.born - 1
    if (this.#timeline.lacks(cycle) && this.#timeline.isSurelyFirst(version)) return undefined
    return this.versionAt(version.id, cycle)
  }

  /** The version that a call made. Versions of commits that only dropped earlier ids (D41) are skipped. */
  written(record: NodeRecord): NodeRecord {
    let version = record
    while (version.by === 'commit' && !version.isFirst) {
      const before = this.versionBefore(version)
      if (before === undefined || before instanceof Gone) break
      version = before
    }
    return version
  }

  /** True if this version is provably the first of its node, without older snapshots. */
  isSurelyFirst(version: Version): boolean {
    return !(version instanceof Gone) && isSurelyFirst(version, this.tree.root)
  }

  /** Refuses to report that a node never existed, if a snapshot that is not loaded may have it. */
  checkWhole(id: string, lens: string): void {
    if (this.#timeline.isWhole) return
    const what = `There is no node ${short(id)} in ${lens}, and what came before cycle ${this.#timeline.oldest} is`
    throw this.#timeline.lacking(what, this.#timeline.oldest! - 1, '@*', { id, lens })
  }

  /** The first version of a node; undefined if no snapshot has it any more (D56). */
  firstVersionOf(record: NodeRecord): NodeRecord | undefined {
    let version = record
    for (;;) {
      const before = this.versionBefore(version)
      if (before === undefined && this.#timeline.isBacked) return version
      if (before === undefined && !this.#timeline.knowsBefore(version.born))
        return version.isFirst ? version : undefined
      if (before === undefined || before instanceof Gone) return version
      version = before
    }
  }

  /** The node that a reference to this id means (D41). */
  meant(id: string): NodeRecord | undefined {
    return meantBy(this.#draft ?? this, id)
  }

  /** The nodes of this view whose refs mean this one (D41). */
  referrersOf(record: NodeRecord): Iterable<NodeRecord> {
    return referrersTo(this.#draft ?? this, record)
  }

  /** The nodes of this view that carry a call id. */
  *carriersOf(callId: string): Generator<NodeRecord, void, undefined> {
    if (this.#draft !== undefined) return yield* this.#draft.carriersOf(callId)
    for (const id of new Set(this.#timeline.carriersOf(callId))) {
      const carrier = this.find(id)
      if (carrier?.callIds.includes(callId) === true) yield carrier
    }
  }

  /** Ids of nodes that carried a call id in this view or before it; some are gone. */
  everCarried(callId: string): Iterable<string> {
    return this.#timeline.carriersOf(callId)
  }

  mayReferTo(id: string): Iterable<string> {
    return this.#timeline.referrersOf(id)
  }

  mayStandInFor(id: string): Iterable<string> {
    return this.#timeline.standInsOf(id)
  }

  /**
   * Every id whose version may differ between this view and an older one of the same context, some more than once.
   * Undefined if there are more than `most`.
   */
  changedSince(older: View, most: number): string[] | undefined {
    const ids: string[] = []
    for (let cycle = older.#committed + 1; cycle <= this.#committed; cycle++) {
      for (const version of this.#timeline.changesAt(cycle)) ids.push(version.id)
      if (ids.length > most) return undefined
    }
    for (const version of older.#draft?.changes ?? NO_CHANGES) ids.push(version.id)
    for (const version of this.#draft?.changes ?? NO_CHANGES) ids.push(version.id)
    return ids
  }

  /** The versions that came in a cycle and in those after it, oldest cycle first, as far as they are loaded. */
  *changesFrom(cycle: number): Generator<Version, void, undefined> {
    for (let at = Math.max(cycle, this.#timeline.oldest ?? 0); at <= this.#committed; at++) {
      yield* this.#timeline.changesAt(at)
    }
    yield* this.#draft?.changes ?? NO_CHANGES
  }

  /** The log of the one commit between an older view and this one; undefined if there is more between them. */
  changesSince(older: View): readonly Version[] | undefined {
    const areSnapshots = this.#timeline === older.#timeline && this.#draft === undefined && older.#draft === undefined
    return areSnapshots && this.cycle === older.cycle + 1 ? this.#timeline.changesAt(this.cycle) : undefined
  }

  /** The cycle of the last snapshot that this view builds on. */
  get #committed(): number {
    return this.#draft ? this.cycle - 1 : this.cycle
  }

  /** True if the ttl of any node runs. */
  get hasMortals(): boolean {
    const { root, regions } = this.tree
    return root.ttl !== null || regions.some(({ record, children }) => record.ttl !== null || children.due !== NEVER)
  }

  /** Adds the ids of all nodes with a finite ttl; the sums in the tree lead there. */
  addMortals(ids: string[]): void {
    if (!this.hasMortals) return
    const { root, regions } = this.tree
    if (root.ttl !== null) ids.push(root.id)
    for (const { record, children } of regions) {
      if (record.ttl !== null) ids.push(record.id)
      if (children.due !== NEVER) addMortalsIn(children, ids)
    }
  }

  /** The index of a node in the provider thread; undefined if it has no item (D36). */
  threadIndexOf(record: NodeRecord): number | undefined {
    if (!record.isRendered) return undefined
    const own = ({ isRendered }: NodeRecord): number => (isRendered ? 1 : 0)
    return this.sumBefore(record, own, (part) => (part instanceof Sequence ? part.rendered : renderedIn(part)))
  }

  /** A sum over all nodes before a node in document order: its ancestors, and whole parts before them. */
  sumBefore(
    record: NodeRecord,
    ofRecord: (record: NodeRecord, isSystem: boolean) => number,
    ofPart: (part: Sequence | TreeNode, isSystem: boolean) => number,
  ): number {
    const { root, regions } = this.tree
    if (record.nodeClass === 'root') return 0
    const [top, ...below] = lineOf(this, record)
    let sum = ofRecord(root, false)
    for (const [at, region] of regions.entries()) {
      const isSystem = at === 0
      if (region.record.id !== top!.id) {
        sum += ofRecord(region.record, isSystem) + ofPart(region.children, isSystem)
        continue
      }
      let node: TreeNode = region
      for (const each of below) {
        const { children } = node as Branch
        sum += ofRecord(recordOf(node), isSystem) + children.sumBefore(each, (part) => ofPart(part, isSystem))
        node = children.find(each)!
      }
      return sum
    }
    return sum
  }

  /** True if a node is in `^sys`. */
  isInSystem(record: NodeRecord): boolean {
    return record.nodeClass !== 'root' && lineOf(this, record)[0]!.nodeType === '^sys'
  }

  /** The node with everything under it. */
  nodeOf(record: NodeRecord): TreeNode {
    // A block is its record and nothing else.
    if (record.nodeClass === 'block') return record
    const [top, ...below] = lineOf(this, record)
    let node: TreeNode = this.tree.regions.find((branch) => branch.record.id === top!.id)!
    for (const each of below) node = (node as Branch).children.find(each)!
    return node
  }

  /** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
  depthOf(record: NodeRecord): number | undefined {
    return depthOf(this, record)
  }
}

const NO_CHANGES: readonly Version[] = []

/** Skips chunks in which no ttl ends. */
function addMortalsIn(sequence: Sequence, ids: string[]): void {
  for (const chunk of sequence.chunks ?? []) if (chunk.due !== NEVER) addMortalsIn(chunk, ids)
  for (const item of sequence.items ?? []) {
    const { id, ttl } = recordOf(item)
    if (ttl !== null) ids.push(id)
    const below = childrenOf(item)
    if (below.due !== NEVER) addMortalsIn(below, ids)
  }
}
