// The unit that a node leaves in, and its protection (D27): the smallest set that holds a node and, with each member, its subtree and its
// whole group. One protected member protects all of it.

import type { NodeRecord } from '../core/index.js'
import {
  CallGroups,
  childrenOf,
  lineOf,
  recordOf,
  taskOf,
  walkRecords,
  type CallGroup,
  type Draft,
} from '../timeline/index.js'
import { isHeld, type Held } from './expire.js'

export type Unit = ReadonlyMap<string, NodeRecord>

export class Units {
  readonly #draft: Draft
  readonly #protectSegments: number
  readonly #held: Held
  /** The id of the task, which no limit takes (D59). */
  readonly #task: string | undefined
  #groups: CallGroups

  constructor(draft: Draft, protectSegments: number, held: Held) {
    this.#draft = draft
    this.#protectSegments = protectSegments
    this.#held = held
    this.#task = taskOf(draft.tree)?.id
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

  /** True if a unit stays for the task. */
  holdsTask(unit: Unit): boolean {
    return this.#task !== undefined && unit.has(this.#task)
  }

  isProtected(unit: Unit, butForTask = false): boolean {
    if (!butForTask && this.holdsTask(unit)) return true
    for (const record of unit.values()) {
      if (this.#isOutOfReach(record) || this.#isNeeded(record, unit)) return true
    }
    return false
  }

  segmentOf(record: NodeRecord): NodeRecord | undefined {
    const [region, segment] = lineOf(this.#draft, record)
    return region?.nodeType === '^seq' ? segment : undefined
  }

  /** Groups the remaining nodes again after a removal that did not look at groups. */
  regroup(): void {
    this.#groups = new CallGroups(this.#draft)
  }

  /**
   * The nodes that a removal has joined with others in one group: reasoning that is only now directly before a call (D48). No
   * other removal of a whole unit changes a group.
   */
  joinedBy(gone: readonly NodeRecord[]): readonly NodeRecord[] {
    const joined = gone.flatMap((record) => this.#neighbours(record))
    for (const record of joined) this.#groups.forget(record)
    return joined.flatMap((record) => this.#groups.of(record).members)
  }

  /** The siblings around a removed node that separated reasoning from the node behind it. */
  #neighbours(record: NodeRecord): readonly NodeRecord[] {
    const parent = this.#draft.find(record.parentId!)
    if (parent === undefined || record.kind === 'reasoning') return NONE
    const children = childrenOf(this.#draft.nodeOf(parent))
    const at = children.rank(record)
    const [before, after] = [children.at(at - 1), children.at(at)]
    if (before === undefined || after === undefined || recordOf(before).kind !== 'reasoning') return NONE
    return [recordOf(before), recordOf(after)]
  }

  /** True if a node is in ^sys, ^ah or one of the newest segments. */
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
