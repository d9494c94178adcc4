// Stage 2 of a commit: a declared policy takes nodes out of ^seq, in the order priority, age, id, until its limits are
// met (02 §7, D27). What may not be split leaves as a unit; what is protected stays, and the receipt says so.

import { PactError } from '../errors/index.js'
import {
  compareForPruning,
  EMPTY_RECEIPT,
  type NodeRecord,
  type PassedLimit,
  type PrunedNode,
  type PruneRule,
  type Receipt,
  type UnmetLimit,
} from '../core/index.js'
import {
  childrenOf,
  eachRecord,
  isPrunable,
  walkRecords,
  type Draft,
  type Sequence,
  type TreeNode,
  lineOf,
  sortByPlace,
  CallGroups,
  type CallGroup,
} from '../timeline/index.js'
import { cascade } from './cascade.js'
import type { Empties } from './empties.js'
import { isHeld, type Held } from './expire.js'
import { Frontier, type Candidate } from './pruning-queue.js'
import { limitsOf, type Limit } from './measure.js'
import type { PrunePolicy } from './policy.js'
import { textOf, utf8Length, type TokenCounts } from './tokens.js'

/** Applies the policy to the open cycle and tells what it did. */
export function pruneNodes(
  draft: Draft,
  policy: PrunePolicy | undefined,
  tokens: TokenCounts,
  held: Held,
  empties: Empties,
): Receipt {
  if (policy === undefined) return EMPTY_RECEIPT
  const limits = limitsOf(policy, tokens)
  const pruning = new Pruning(draft, policy.protectSegments ?? 1, held, empties)
  for (const limit of limits) pruning.meet(limit)
  if (pruning.passed.length === 0) return EMPTY_RECEIPT
  const measured = pruning.passed.map(({ limit, before, passedOver }): PassedLimit => {
    const { rule, limit: most } = limit
    const after = limit.actual(draft)
    const kept = after > most ? passedOver.filter((id) => draft.find(id) !== undefined).slice(0, MOST_KEPT) : []
    return Object.freeze({ rule, limit: most, before, after, kept: Object.freeze(kept) })
  })
  const unmet = measured
    .filter(({ limit, after }) => after > limit)
    .map(({ rule, limit, after }): UnmetLimit => Object.freeze({ rule, limit, actual: after }))
  if (unmet.length > 0 && policy.unmet === 'error') {
    const { rule, limit, actual } = unmet[0]!
    throw new PactError(
      'E_BUDGET',
      `${rule} is ${limit}, but protection leaves ${actual}; raise the limit or protect less.`,
      {
        unmet,
      },
    )
  }
  return Object.freeze({
    removed: Object.freeze(pruning.removed),
    limits: Object.freeze(measured),
    unmet: Object.freeze(unmet),
  })
}

/** How many of the nodes that protection keeps a receipt names. */
const MOST_KEPT = 10

/** A limit that was exceeded when its turn came, and the nodes it had to leave. */
type Passed = Readonly<{ limit: Limit; before: number; passedOver: readonly string[] }>

class Pruning {
  readonly removed: PrunedNode[] = []
  readonly passed: Passed[] = []
  readonly #draft: Draft
  readonly #protectSegments: number
  readonly #held: Held
  readonly #empties: Empties
  #groups: CallGroups
  /** Segments that lost a block to pruning and may have none left. */
  readonly #bled = new Set<string>()

  constructor(draft: Draft, protectSegments: number, held: Held, empties: Empties) {
    this.#draft = draft
    this.#protectSegments = protectSegments
    this.#held = held
    this.#empties = empties
    this.#groups = new CallGroups(draft)
  }

  /** Takes units until the limit is met or nothing more can go. */
  meet(passed: Limit): void {
    const { rule, limit, actual, candidates, wholeSegments } = passed
    const draft = this.#draft
    const before = actual(draft)
    if (before <= limit) return
    const perSegment = rule === 'maxNodesPerSegment'
    const frontier = perSegment ? this.#allOf(candidates(draft)) : new Frontier(candidates(draft), wholeSegments)
    /** What was protected when its turn came, by every name of its unit: when a reference to one goes, it is tried again. */
    const passedOver = new Map<string, Candidate[]>()
    for (let next = frontier.next(); next !== undefined && actual(draft) > limit; next = frontier.next()) {
      const { record, key } = next
      if (draft.find(record.id) === undefined || (perSegment && this.#segmentCount(record) <= limit)) continue
      const groupKey = wholeSegments ? record : this.#groups.of(record).key
      if (compareForPruning(key, groupKey) < 0) {
        frontier.push(record, groupKey)
        continue
      }
      const unit = this.#unitOf(record)
      if (this.#isProtected(unit)) {
        for (const { names } of unit.values()) {
          for (const name of names) passedOver.set(name, [...(passedOver.get(name) ?? []), next])
        }
        continue
      }
      for (const id of this.#take(unit, rule).flatMap((gone) => gone.refs)) {
        for (const each of passedOver.get(id) ?? []) frontier.push(each.record, each.key)
        passedOver.delete(id)
      }
    }
    const kept = new Set([...passedOver.values()].flatMap((units) => units.map((each) => each.record.id)))
    this.passed.push({ limit: passed, before, passedOver: [...kept] })
  }

  /** Every candidate at the place of its group, whose oldest member may stand in a segment that is not looked at. */
  #allOf(sequences: Iterable<Sequence>): Frontier {
    const frontier = new Frontier([], false)
    for (const sequence of sequences) {
      for (const node of sequence) {
        eachRecord(node, (record) => {
          if (isPrunable(record)) frontier.push(record, this.#groups.of(record).key)
        })
      }
    }
    return frontier
  }

  /** The least set that holds this node and, with each member, its subtree and its whole group. */
  #unitOf(start: NodeRecord): ReadonlyMap<string, NodeRecord> {
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

  #isProtected(unit: ReadonlyMap<string, NodeRecord>): boolean {
    for (const record of unit.values()) {
      if (this.#isOutOfReach(record) || this.#isNeeded(record, unit)) return true
    }
    return false
  }

  /** Whether a node stands in ^sys, ^ah or one of the newest segments. */
  #isOutOfReach(record: NodeRecord): boolean {
    const segment = this.#segmentOf(record)
    if (segment === undefined) return true
    const { children } = this.#draft.region('^seq')
    return children.size - children.rank(segment) <= this.#protectSegments
  }

  #isNeeded(record: NodeRecord, unit: ReadonlyMap<string, NodeRecord>): boolean {
    if (record.rare?.pinned === true || isHeld(this.#draft, record, this.#held)) return true
    for (const referrer of this.#draft.referrersOf(record)) if (!unit.has(referrer.id)) return true
    return false
  }

  /** Removes a unit and what then goes with it, emptied containers and segments, and gives all of it back. */
  #take(unit: ReadonlyMap<string, NodeRecord>, rule: PruneRule): readonly NodeRecord[] {
    for (const record of unit.values()) {
      const segment = this.#segmentOf(record)
      if (segment !== undefined && record.nodeClass === 'block') this.#bled.add(segment.id)
    }
    const gone = this.#removeAll(unit, rule)
    for (;;) {
      const cascaded = this.#note(cascade(this.#draft, this.#held, 'pruned', this.#empties), rule)
      // The cascade asks nobody's group, so what it takes may change one.
      if (cascaded.some(isTied)) this.#groups = new CallGroups(this.#draft)
      gone.push(...cascaded)
      const emptied = this.#emptiedUnit()
      if (emptied === undefined) return gone
      gone.push(...this.#removeAll(emptied, rule))
    }
  }

  /** The first segment that lost its last block to pruning and that nothing needs, with what must go with it. */
  #emptiedUnit(): ReadonlyMap<string, NodeRecord> | undefined {
    const draft = this.#draft
    const empty: NodeRecord[] = []
    for (const id of this.#bled) {
      const segment = draft.find(id)
      if (segment === undefined || hasBlock(draft.nodeOf(segment))) this.#bled.delete(id)
      else empty.push(segment)
    }
    for (const segment of sortByPlace(draft, empty)) {
      const unit = this.#unitOf(segment)
      if (!this.#isProtected(unit)) return unit
    }
    return undefined
  }

  #removeAll(unit: ReadonlyMap<string, NodeRecord>, rule: PruneRule): NodeRecord[] {
    const draft = this.#draft
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
      const age = this.#draft.cycle - cycle
      this.removed.push(Object.freeze({ id, rule, priority, age, size: utf8Length(textOf(content)) }))
    }
    return gone
  }

  #segmentOf(record: NodeRecord): NodeRecord | undefined {
    const [region, segment] = lineOf(this.#draft, record)
    return region?.nodeType === '^seq' ? segment : undefined
  }

  #segmentCount(record: NodeRecord): number {
    const segment = this.#segmentOf(record)
    return segment === undefined ? 0 : childrenOf(this.#draft.nodeOf(segment)).count
  }
}

function isTied({ callIds, kind }: NodeRecord): boolean {
  return callIds.length > 0 || kind === 'call' || kind === 'result'
}

function hasBlock(node: TreeNode): boolean {
  for (const record of walkRecords(node)) if (record.nodeClass === 'block') return true
  return false
}
