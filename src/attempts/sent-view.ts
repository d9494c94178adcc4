// Builds the tree that an attempt sent: puts the nodes of its record on the snapshot that it builds on, as if that cycle were open again. The
// result can be compared with any other tree of the context, like the working state. The cost is that of the listed nodes.

import { PactError } from '../errors/index.js'
import {
  EMPTY_RECEIPT,
  NodeRecord,
  type Cause,
  type Dialect,
  type JsonObject,
  type Maker,
  type Receipt,
  type SentRecord,
} from '../core/index.js'
import { canonicalJson, decodeSnapshot, specVersionOf } from '../codec/index.js'
import {
  Branch,
  causeOfHeir,
  Draft,
  Frame,
  Gone,
  hasKeyOf,
  newTree,
  Sequence,
  Timeline,
  View,
  walkRecords,
  type TreeNode,
} from '../timeline/index.js'
import { cannot, notExact } from './cannot.js'
import { isSamePlace, sentForm } from './sent-nodes.js'

/** Gives the trees and records that a record builds on. */
export type SentBase = Readonly<{
  dialect: Dialect
  /** The snapshot of a cycle; throws if it is missing. */
  snapshotAt: (cycle: number) => View
  record: (id: string) => SentRecord | undefined
}>

/** The tree by itself, for renderings: only the snapshot that it builds on has to be loaded. */
export function sentTree(record: SentRecord, base: SentBase): View {
  const { base_cycle: cycle } = record
  const timeline = Timeline.empty()
  if (cycle === null) return sentView(record, base, timeline)
  const before = base.snapshotAt(cycle)
  const { tree, receipt } = before
  const records = [tree.root, ...tree.regions.flatMap((region) => [...walkRecords(region)])]
  timeline.append(cycle, tree, records, receipt)
  const view = sentView(record, base, timeline)
  return view.isOpen ? view.withPast(before) : view
}

/** Gives the tree; throws if the record does not describe it, or if the snapshot that it builds on is missing. */
export function sentView(record: SentRecord, base: SentBase, timeline: Timeline): View {
  const { lens, base_cycle: cycle } = record
  if (lens !== 'preview' && lens !== 'working') return base.snapshotAt(cycle!)
  if (record.structure === undefined) throw cannot(record, 'no-adapter', 'it was started without for')
  if (cycle !== null) {
    base.snapshotAt(cycle)
    timeline.need(cycle)
  }
  const draft = cycle === null ? Draft.first(timeline, newTree()) : Draft.after(timeline, cycle)
  new Reopened(record, draft, base).apply(recordChain(record, base))
  if (lens === 'working') return View.ofWorking(draft)
  const isClosed = timeline.newest !== undefined && record.cycle_id <= timeline.newest
  return View.ofPreview(draft, isClosed ? receiptIn(draft, timeline.receiptAt(record.cycle_id)) : EMPTY_RECEIPT)
}

/** The part of a cycle's receipt that holds for what was sent before its commit: a later reply may have made a limit take more. */
function receiptIn(draft: Draft, receipt: Receipt): Receipt {
  const removed = receipt.removed.filter(({ id }) => draft.find(id) === undefined)
  if (removed.length === receipt.removed.length) return receipt
  const rules = new Set(removed.map(({ rule }) => rule))
  return { ...receipt, removed, limits: receipt.limits.filter(({ rule }) => rules.has(rule)) }
}

/** A record, the later record that it is a difference from, and so on up to a complete one. */
function recordChain(record: SentRecord, base: Pick<SentBase, 'record'>): readonly SentRecord[] {
  const chain = [record]
  for (let at = record; at.base_attempt !== undefined;) {
    const next = base.record(at.base_attempt)
    if (next === undefined)
      throw cannot(record, 'base-gone', `${at.base_attempt}, which its record builds on, is not kept`)
    chain.push((at = next))
  }
  return chain
}

/** A cycle opened again, as far as a record describes its content. */
class Reopened {
  readonly #record: SentRecord
  readonly #draft: Draft
  readonly #base: SentBase
  readonly #frame: Frame
  /** The listed nodes: the form of each, or null for an absent one, and its parent. */
  readonly #forms = new Map<string, JsonObject | null>()
  readonly #parents = new Map<string, string>()
  /** Lifted, and not yet put in again. */
  readonly #loose = new Map<string, TreeNode>()

  constructor(record: SentRecord, draft: Draft, base: SentBase) {
    this.#record = record
    this.#draft = draft
    this.#base = base
    this.#frame = new Frame(draft.tree, draft.cycle, record.lens === 'working')
  }

  apply(chain: readonly SentRecord[]): void {
    for (const { nodes, absent_ids: absent, structure } of chain.toReversed()) {
      for (const id of [...absent, ...structure!.absent_ids]) this.#forms.set(id, null)
      for (const node of [...nodes, ...structure!.nodes]) this.#forms.set(node['id'] as string, node)
      for (const place of structure!.places) for (const id of place.ids) this.#parents.set(id, place.parent_id)
    }
    const ids = [...new Set([...this.#forms.keys(), ...this.#parents.keys()])]
    const records = this.#records(ids.filter((id) => this.#isThere(id)))
    const heirOf = this.#heirs(records)
    this.#detach(ids, records, heirOf)
    for (const record of records.values()) this.#attach(record, records)
    for (const id of ids) this.#noteSuccessor(id, heirOf)
  }

  #isThere(id: string): boolean {
    return this.#forms.get(id) !== null && (this.#forms.has(id) || this.#draft.find(id) !== undefined)
  }

  #parentOf(id: string): string | undefined {
    return this.#parents.get(id) ?? this.#draft.find(id)?.parentId
  }

  /** The listed nodes that the base does not hold in the same place and form, parents before their children. */
  #records(ids: readonly string[]): ReadonlyMap<string, NodeRecord> {
    const listed = new Set(ids)
    const records = new Map<string, NodeRecord>()
    for (const [id, decoded] of this.#decoded(ids)) {
      if (!listed.has(id)) continue
      const record = this.#versionOf(decoded)
      const before = this.#draft.find(id)
      if (before !== undefined && this.#isSame(before, record)) continue
      if (record.nodeClass === 'root' || record.nodeClass === 'region') throw notExact(this.#record)
      records.set(id, record)
    }
    return records
  }

  /** Reads a tree of the listed nodes and their ancestors only: a whole tree is many times as large. */
  #decoded(ids: readonly string[]): ReadonlyMap<string, NodeRecord> {
    const children = new Map<string, Set<string>>()
    for (const id of ids) {
      for (let [at, up] = [id, this.#parentOf(id)]; up !== undefined; [at, up] = [up, this.#parentOf(up)]) {
        const siblings = children.get(up)
        if (siblings?.has(at) === true) break
        children.set(up, siblings?.add(at) ?? new Set([at]))
      }
    }
    const nest = (id: string): JsonObject => {
      const below = [...(children.get(id) ?? [])].map(nest)
      return { ...(this.#forms.get(id) ?? this.#formOf(id)), ...(below.length === 0 ? {} : { children: below }) }
    }
    const { dialect } = this.#base
    try {
      const root = nest(this.#draft.tree.root.id)
      return decodeSnapshot({ spec_version: specVersionOf(dialect), cycle: this.#draft.cycle, root }, dialect).byId
    } catch (error) {
      if (!PactError.is(error)) throw error
      throw notExact(this.#record, error)
    }
  }

  #formOf(id: string): JsonObject {
    const record = this.#draft.find(id)
    if (record === undefined) throw notExact(this.#record)
    return sentForm(record, this.#frame.ttlOf(record))
  }

  /** The committed version of a node knows its maker. If no version is left, the maker is not known. */
  #versionOf(decoded: NodeRecord): NodeRecord {
    const { timeline, cycle } = this.#draft
    const isClosed = timeline.newest !== undefined && cycle <= timeline.newest
    const kept = isClosed ? timeline.find(decoded.id, cycle) : undefined
    if (kept?.born === cycle && this.#isSame(kept, decoded)) return kept
    return new NodeRecord({ ...decoded, born: cycle, by: kept?.born === cycle ? kept.by : this.#makerOf(decoded) })
  }

  #makerOf({ id, nodeClass, cycle }: NodeRecord): Maker {
    if (nodeClass === 'seg' || nodeClass === 'core') return 'commit'
    return cycle === this.#draft.cycle && this.#draft.find(id) === undefined ? 'add' : 'update'
  }

  #isSame(a: NodeRecord, b: NodeRecord): boolean {
    const text = (record: NodeRecord): string => canonicalJson(sentForm(record, this.#frame.ttlOf(record)))
    return a === b || (a.parentId === b.parentId && text(a) === text(b))
  }

  /** Takes out nodes that are absent or have moved, the deepest first, so that nothing else goes with them. */
  #detach(ids: readonly string[], records: ReadonlyMap<string, NodeRecord>, heirOf: HeirOf): void {
    const leaving = ids.flatMap((id) => {
      const before = this.#draft.find(id)
      const after = records.get(id)
      if (before === undefined || (after !== undefined && isSamePlace(before, after))) return []
      return after === undefined && this.#isThere(id) ? [] : [{ before, depth: this.#depthOf(before) }]
    })
    for (const { before } of leaving.sort((a, b) => b.depth - a.depth)) {
      const { id } = before
      const heir = heirOf(before)
      const cause = heir ? causeOfHeir(heir, id) : before.expiry <= this.#draft.cycle ? 'expired' : CAUSE
      const node = this.#draft.lift(before, this.#departureOf(id)?.cause ?? cause)
      if (this.#isThere(id)) this.#loose.set(id, node)
    }
  }

  #depthOf(record: NodeRecord): number {
    let depth = 0
    for (let up = record.parentId; up !== undefined; up = this.#draft.find(up)?.parentId) depth++
    return depth
  }

  /** Inserts a node, after its parent. */
  #attach(record: NodeRecord, records: ReadonlyMap<string, NodeRecord>): void {
    const { id, parentId } = record
    const parent = records.get(parentId!)
    if (parent !== undefined && this.#draft.find(parentId!) === undefined) this.#attach(parent, records)
    const loose = this.#loose.get(id)
    const there = this.#draft.find(id)
    if (loose === undefined && there !== undefined) {
      if (there !== record) this.#draft.change(record)
      return
    }
    this.#loose.delete(id)
    this.#draft.insert(this.#draft.pathTo(parentId!), loose === undefined ? fresh(record) : withRecord(loose, record))
  }

  /** Finds the listed node that came for another one. */
  #heirs(records: ReadonlyMap<string, NodeRecord>): HeirOf {
    const came = [...records.values()].filter(({ id }) => this.#draft.find(id) === undefined)
    const byName = new Map(came.flatMap((each) => each.names.map((name) => [name, each] as const)))
    const byKey = new Map(came.flatMap((each) => (each.instanceKey === undefined ? [] : [[each.instanceKey, each]])))
    return (record) => {
      const keyed = byKey.get(record.instanceKey ?? '')
      return byName.get(record.id) ?? (keyed !== undefined && hasKeyOf(keyed, record) ? keyed : undefined)
    }
  }

  /** Why the commit of its cycle has not kept a node either; undefined where it has. */
  #departureOf(id: string): Gone | undefined {
    const { timeline, cycle } = this.#draft
    if (timeline.newest === undefined || cycle > timeline.newest) return undefined
    const version = timeline.versionAt(id, cycle)
    return version instanceof Gone ? version : undefined
  }

  #noteSuccessor(id: string, heirOf: HeirOf): void {
    const left = this.#draft.versionOf(id)
    if (!(left instanceof Gone)) return
    const before = this.#draft.timeline.find(id, this.#draft.cycle - 1)
    const { successor = before && heirOf(before)?.id } = this.#departureOf(id) ?? {}
    if (successor !== undefined && this.#draft.find(successor) !== undefined)
      this.#draft.succeed(id, left.cause, successor)
  }
}

type HeirOf = (record: NodeRecord) => NodeRecord | undefined

/** The departure of a node that left before its cycle was over: it was deleted by an edit. */
const CAUSE: Cause = 'edited'

function fresh(record: NodeRecord): TreeNode {
  return record.nodeClass === 'block' ? record : new Branch(record, Sequence.EMPTY)
}

function withRecord(node: TreeNode, record: NodeRecord): TreeNode {
  return node instanceof Branch ? node.withRecord(record) : record
}
