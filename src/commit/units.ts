// What leaves as one, and what keeps it (D27): the least set that holds a node and, with each member, its subtree and its
// whole group. One protected member protects all of it.

import type { NodeRecord } from '../core/index.js'
import { CallGroups, childrenOf, lineOf, recordOf, walkRecords, type CallGroup, type Draft } from '../timeline/index.js'
import { isHeld, type Held } from './expire.js'

export type Unit = ReadonlyMap<string, NodeRecord>

export class Units {
  readonly #draft: Draft
  readonly #protectSegments: number
  readonly #held: Held
  #groups: CallGroups

  constructor(draft: Draft, protectSegments: number, held: Held) {
    this.#draft = draft
    this.#protectSegments = protectSegments
    this.#held = held
    this.#groups = new CallGroups(draft)
  }

  groupOf(record: NodeRecord): CallGroup {
    return this.#groups.of(record)
  }

  of(start: NodeRecord): Unit {
    const unit = new Map<string, NodeRecord>()
    const joined = new Set<CallGroup>()
    const queue = [start]
    for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
      if (unit.has(record.id)) continue
      for (const each of walkRecords(this.#draft.nodeOf(record))) {
        if (unit.has(each.id)) continue
        unit.set(each.id, each)
        const group = this.#groups.of(each)
        // One by one: a group may be too large to spread into a call.
        if (!joined.has(group)) for (const member of group.members) queue.push(member)
        joined.add(group)
      }
    }
    return unit
  }

  isProtected(unit: Unit): boolean {
    for (const record of unit.values()) {
      if (this.#isOutOfReach(record) || this.#isNeeded(record, unit)) return true
    }
    return false
  }

  segmentOf(record: NodeRecord): NodeRecord | undefined {
    const [region, segment] = lineOf(this.#draft, record)
    return region?.nodeType === '^seq' ? segment : undefined
  }

  /** Groups what is left anew, where something has gone that asked nobody's group. */
  regroup(): void {
    this.#groups = new CallGroups(this.#draft)
  }

  /**
   * The nodes that a removal has brought together with others in one group: reasoning that stands directly before a call
   * only now (D48). Nothing else that leaves whole changes a group.
   */
  joinedBy(gone: readonly NodeRecord[]): readonly NodeRecord[] {
    const joined = gone.flatMap((record) => this.#neighbours(record))
    for (const record of joined) this.#groups.forget(record)
    return joined.flatMap((record) => this.#groups.of(record).members)
  }

  /** The siblings between which a node stood that parted reasoning from what is behind it. */
  #neighbours(record: NodeRecord): readonly NodeRecord[] {
    const parent = this.#draft.find(record.parentId!)
    if (parent === undefined || record.kind === 'reasoning') return NONE
    const children = childrenOf(this.#draft.nodeOf(parent))
    const at = children.rank(record)
    const [before, after] = [children.at(at - 1), children.at(at)]
    if (before === undefined || after === undefined || recordOf(before).kind !== 'reasoning') return NONE
    return [recordOf(before), recordOf(after)]
  }

  /** Whether a node stands in ^sys, ^ah or one of the newest segments. */
  #isOutOfReach(record: NodeRecord): boolean {
    const segment = this.segmentOf(record)
    if (segment === undefined) return true
    const { children } = this.#draft.region('^seq')
    return children.size - children.rank(segment) <= this.#protectSegments
  }

  #isNeeded(record: NodeRecord, unit: Unit): boolean {
    if (record.rare?.pinned === true || isHeld(this.#draft, record, this.#held)) return true
    for (const referrer of this.#draft.referrersOf(record)) if (!unit.has(referrer.id)) return true
    return false
  }
}

const NONE: readonly NodeRecord[] = []
