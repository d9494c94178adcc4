// Taking units out of ^seq for a limit, one after the other, the first that may go in some order (D27, N3). Both stages
// that prune do it: compaction by turns, then pruning by nodes.

import { compareForPruning, type NodeRecord, type PrunedNode, type PruneRule, type PruningKey } from '../core/index.js'
import { childrenOf, sortByPlace, walkRecords, type Draft, type TreeNode } from '../timeline/index.js'
import { cascade } from './cascade.js'
import type { Empties } from './empties.js'
import type { Held } from './expire.js'
import type { Candidate, Frontier } from './pruning-queue.js'
import { textOf, utf8Length } from './tokens.js'
import { Units, type Unit } from './units.js'

/** What to take for a limit, and how much of it. */
export type Errand = Readonly<{
  rule: PruneRule
  frontier: Frontier
  /** Whether candidates are whole segments, whose groups have no say in the order. */
  wholeSegments: boolean
  isDone: () => boolean
  /** Whether taking this one would not help any more. */
  isIdle?: ((record: NodeRecord) => boolean) | undefined
  /** The place of a segment, where that depends on what is in it: one that loses a node may come sooner. */
  placeOf?: ((segment: TreeNode) => PruningKey | undefined) | undefined
}>

export class Taking {
  /** All that went, in the order it did. */
  readonly removed: PrunedNode[] = []
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

  /** How many nodes the segment holds that a node stands in, or is. */
  countBeside(record: NodeRecord): number {
    const segment = this.units.segmentOf(record)
    return segment === undefined ? 0 : childrenOf(this.draft.nodeOf(segment)).count
  }

  /** Takes units until it is enough or nothing more can go, and gives the ids of the candidates that had to stay. */
  run({ rule, frontier, wholeSegments, isDone, isIdle, placeOf }: Errand): readonly string[] {
    const passedOver = new PassedOver(frontier)
    for (let next = frontier.next(); next !== undefined && !isDone(); next = frontier.next()) {
      const { record, key } = next
      if (this.draft.find(record.id) === undefined || isIdle?.(record) === true) continue
      const groupKey = wholeSegments ? key : this.units.groupOf(record).key
      if (compareForPruning(key, groupKey) < 0) {
        frontier.push(record, groupKey)
        continue
      }
      const unit = this.units.of(record)
      if (this.units.isProtected(unit)) {
        passedOver.add(unit, next)
        continue
      }
      const segments = placeOf === undefined ? [] : this.#segmentsOf(unit)
      this.#take(unit, rule, passedOver)
      for (const id of segments) {
        const segment = this.draft.find(id)
        const place = segment && placeOf!(this.draft.nodeOf(segment))
        if (place !== undefined) frontier.push(segment!, place)
      }
    }
    return passedOver.ids
  }

  /** The ids of the segments that members of a unit stand in. */
  #segmentsOf(unit: Unit): Iterable<string> {
    return new Set([...unit.values()].flatMap((record) => this.units.segmentOf(record)?.id ?? []))
  }

  /** Removes a unit and what then goes with it, emptied containers and segments; what that may free is tried again. */
  #take(unit: Unit, rule: PruneRule, passedOver: PassedOver): void {
    for (const record of unit.values()) {
      const segment = this.units.segmentOf(record)
      if (segment !== undefined && record.nodeClass === 'block') this.#bled.add(segment.id)
    }
    for (let next: Unit | undefined = unit; next !== undefined; next = this.#emptiedUnit()) {
      const gone = this.#removeAll(next, rule)
      const cascaded = this.#note(cascade(this.draft, this.#held, 'pruned', this.#empties), rule)
      // The cascade asks nobody's group, so what it takes may change one.
      if (cascaded.some(isTied)) {
        this.units.regroup()
        passedOver.retryAll()
      }
      gone.push(...cascaded)
      for (const { refs } of gone) for (const id of refs) passedOver.retry(id)
      for (const { id } of this.units.joinedBy(gone)) passedOver.retry(id)
    }
  }

  /** The first segment that lost its last block to pruning and that nothing needs, with what must go with it. */
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
    for (const top of tops) draft.remove(top, 'pruned')
    this.#empties.lose(gone)
    return this.#note(gone, rule)
  }

  #note<T extends readonly NodeRecord[]>(gone: T, rule: PruneRule): T {
    for (const { id, priority, cycle, content } of gone) {
      const age = this.draft.cycle - cycle
      this.removed.push(Object.freeze({ id, rule, priority, age, size: utf8Length(textOf(content)) }))
    }
    return gone
  }
}

/** What was protected when its turn came, by every name of its unit: when what kept it goes, it is tried again. */
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
