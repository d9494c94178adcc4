// Taking units out of ^seq for a limit, one after the other, the first that may go in some order (D27, N3). Both stages
// that prune do it: compaction by turns, then pruning by nodes.

import {
  compareForPruning,
  type CutNode,
  type NodeRecord,
  type PrunedNode,
  type PruneRule,
  type PruningKey,
} from '../core/index.js'
import { childrenOf, sortByPlace, walkRecords, type Draft, type TreeNode } from '../timeline/index.js'
import { cascade } from './cascade.js'
import type { Empties } from './empties.js'
import type { Held } from './expire.js'
import { Frontier, NODES, type Candidate } from './pruning-queue.js'
import { contentText, utf8Length } from './tokens.js'
import { isEmptyTurn } from './turn-order.js'
import { Units, type Unit } from './units.js'

/** The candidates to take for a limit, and the amount. */
export type PruneWork = Readonly<{
  rule: PruneRule
  frontier: Frontier
  /** Candidates are turns. A turn with a group that reaches out of it is skipped (N120). */
  byTurn: boolean
  isDone: () => boolean
  /** True if taking this one would not help any more. */
  isIdle?: ((record: NodeRecord) => boolean) | undefined
  /** The place of a segment, if that depends on its content: a segment that loses a node may come sooner. */
  placeOf?: ((segment: TreeNode) => PruningKey | undefined) | undefined
}>

export class Taking {
  /** All departed nodes, in order. */
  readonly removed: PrunedNode[] = []
  /** The calls among them. */
  readonly calls: NodeRecord[] = []
  /** True if a segment stays only for the task. */
  hasSpared = false
  readonly draft: Draft
  readonly units: Units
  readonly #held: Held
  readonly #empties: Empties
  /** Segments that lost a block to pruning and may have none left. */
  readonly #bled = new Set<string>()

  constructor(draft: Draft, protectSegments: number, held: Held, empties: Empties) {
    this.draft = draft
    this.units = new Units(draft, protectSegments, held)
    this.#held = held
    this.#empties = empties
  }

  /** The number of nodes in the segment that a node is in, or is. */
  countBeside(record: NodeRecord): number {
    const segment = this.units.segmentOf(record)
    return segment === undefined ? 0 : childrenOf(this.draft.nodeOf(segment)).count
  }

  /** Takes the units of nodes that a request left out already, but for those that something needs by now. */
  takeCut(cut: readonly CutNode[]): void {
    const nothing = new PassedOver(new Frontier([], NODES))
    for (const { id, rule } of cut) {
      const record = this.draft.find(id)
      const unit = record && this.units.of(record)
      if (unit !== undefined && !this.units.isProtected(unit)) this.#take(unit, rule, nothing)
    }
  }

  /** Takes units until it is enough or nothing more can go, and gives the ids of the candidates that had to stay. */
  run({ rule, frontier, byTurn, isDone, isIdle, placeOf }: PruneWork): readonly string[] {
    const passedOver = new PassedOver(frontier)
    for (let next = frontier.next(); next !== undefined && !isDone(); next = frontier.next()) {
      const { record, key } = next
      if (this.draft.find(record.id) === undefined || isIdle?.(record) === true) continue
      // Groups have no say in the order of whole segments.
      const isSegment = record.nodeClass === 'seg'
      const groupKey = isSegment ? key : this.units.groupOf(record).key
      if (compareForPruning(key, groupKey) < 0) {
        frontier.push(record, groupKey)
        continue
      }
      const unit = this.units.of(record)
      if (!this.#isFree(unit, next, byTurn)) {
        passedOver.add(unit, next)
        // Only the limit of segments asks which of them is next to leave.
        if (rule === 'maxDepth') this.#spare(unit, next, byTurn)
        continue
      }
      const around = placeOf === undefined ? [] : this.#segmentsAround(unit.values())
      const cascaded = this.#take(unit, rule, passedOver)
      if (placeOf === undefined) continue
      for (const id of new Set([...around, ...this.#segmentsAround(cascaded)])) {
        const segment = this.draft.find(id)
        const place = segment && placeOf(this.draft.nodeOf(segment))
        if (place !== undefined) frontier.push(segment!, place)
      }
    }
    return passedOver.ids
  }

  /** Looks at segments in the order they leave in, up to the first that may go or that stays for the task. */
  lookForTask({ frontier, byTurn }: PruneWork): void {
    for (let next = frontier.next(); next !== undefined && !this.hasSpared; next = frontier.next()) {
      const unit = this.units.of(next.record)
      if (this.#isFree(unit, next, byTurn)) return
      this.#spare(unit, next, byTurn)
    }
  }

  /** Notes a segment that would leave if it did not hold the task. It counts for no limit of segments (D59). */
  #spare(unit: Unit, candidate: Candidate, byTurn: boolean): void {
    if (candidate.record.nodeClass !== 'seg' || !this.units.holdsTask(unit)) return
    this.hasSpared ||= this.#isFree(unit, candidate, byTurn, true)
  }

  #isFree(unit: Unit, { record, key }: Candidate, byTurn: boolean, butForTask = false): boolean {
    const staysInside = record.nodeClass === 'seg' && (byTurn || isEmptyTurn(key))
    return !(staysInside && this.#reachesOut(unit, record)) && !this.units.isProtected(unit, butForTask)
  }

  /** A unit has nodes outside the segment that it was made for. */
  #reachesOut(unit: Unit, segment: NodeRecord): boolean {
    return unit.size > 1 + childrenOf(this.draft.nodeOf(segment)).count
  }

  /** The ids of the segments that hold the parents of these nodes, as far as these are there. */
  #segmentsAround(records: Iterable<NodeRecord>): readonly string[] {
    const parents = Array.from(records).flatMap(({ parentId }) => this.draft.find(parentId!) ?? [])
    return parents.flatMap((parent) => this.units.segmentOf(parent)?.id ?? [])
  }

  /**
   * Removes a unit, and the containers and segments that it empties; candidates that this may free are tried again. Gives the
   * nodes that the cascade took.
   */
  #take(unit: Unit, rule: PruneRule, passedOver: PassedOver): readonly NodeRecord[] {
    const all: NodeRecord[] = []
    for (const record of unit.values()) {
      const segment = this.units.segmentOf(record)
      if (segment !== undefined && record.nodeClass === 'block') this.#bled.add(segment.id)
    }
    for (let next: Unit | undefined = unit; next !== undefined; next = this.#emptiedUnit()) {
      const gone = this.#removeAll(next, rule)
      const cascaded = this.#note(cascade(this.draft, this.#held, 'pruned', this.#empties), rule)
      // The cascade does not look at groups, so its removals may change one.
      if (cascaded.some(isTied)) {
        this.units.regroup()
        passedOver.retryAll()
      }
      gone.push(...cascaded)
      all.push(...cascaded)
      for (const { refs } of gone) for (const id of refs) passedOver.retry(id)
      for (const { id } of this.units.joinedBy(gone)) passedOver.retry(id)
    }
    return all
  }

  /** The first segment that lost its last block to pruning and that nothing needs, with the nodes that must go with it. */
  #emptiedUnit(): Unit | undefined {
    const { draft } = this
    const empty: NodeRecord[] = []
    for (const id of this.#bled) {
      const segment = draft.find(id)
      if (segment === undefined || hasBlock(draft.nodeOf(segment))) this.#bled.delete(id)
      else empty.push(segment)
    }
    for (const segment of sortByPlace(draft, empty)) {
      const unit = this.units.of(segment)
      if (!this.units.isProtected(unit)) return unit
    }
    return undefined
  }

  #removeAll(unit: Unit, rule: PruneRule): NodeRecord[] {
    const { draft } = this
    const tops = sortByPlace(
      draft,
      [...unit.values()].filter((record) => !unit.has(record.parentId!)),
    )
    const gone = tops.flatMap((top) => [...walkRecords(draft.nodeOf(top))])
    const segments = tops.flatMap((top) => this.units.segmentOf(top) ?? [])
    for (const top of tops) draft.remove(top, 'pruned')
    this.#empties.lose(gone, segments)
    return this.#note(gone, rule)
  }

  #note<T extends readonly NodeRecord[]>(gone: T, rule: PruneRule): T {
    for (const record of gone) {
      const { id, priority, cycle, content } = record
      if (record.kind === 'call') this.calls.push(record)
      const age = this.draft.cycle - cycle
      this.removed.push(Object.freeze({ id, rule, priority, age, size: utf8Length(contentText(content)) }))
    }
    return gone
  }
}

/** Protected candidates, by every id of their unit: they are tried again when their keeper goes. */
class PassedOver {
  readonly #frontier: Frontier
  readonly #byName = new Map<string, Candidate[]>()

  constructor(frontier: Frontier) {
    this.#frontier = frontier
  }

  add(unit: Unit, candidate: Candidate): void {
    for (const { names } of unit.values()) {
      for (const name of names) {
        const others = this.#byName.get(name)
        if (others === undefined) this.#byName.set(name, [candidate])
        else others.push(candidate)
      }
    }
  }

  retry(name: string): void {
    for (const { record, key } of this.#byName.get(name) ?? []) this.#frontier.push(record, key)
    this.#byName.delete(name)
  }

  retryAll(): void {
    for (const name of this.#byName.keys()) this.retry(name)
  }

  get ids(): readonly string[] {
    return [...new Set([...this.#byName.values()].flatMap((units) => units.map(({ record }) => record.id)))]
  }
}

function isTied({ callIds, kind }: NodeRecord): boolean {
  return callIds.length > 0 || kind === 'call' || kind === 'result' || kind === 'reasoning'
}

function hasBlock(node: TreeNode): boolean {
  for (const record of walkRecords(node)) if (record.nodeClass === 'block') return true
  return false
}
