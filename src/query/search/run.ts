// Running a plan on one view. Where its groups can be answered unit by unit, they are: by the one record an id names, from
// the depths they name, or by a search (see search.ts). Everything else goes through the one matcher, on the whole tree.

import type { NodeRecord } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import { extentAt, extentOf } from '../match/extent.js'
import { FlatTree, type Extent } from '../match/flat-tree.js'
import type { Rows } from '../match/match.js'
import { inResultOrder } from '../match/result-order.js'
import { plainMatching, realRows } from '../match/union.js'
import type { FlatTrees } from '../memory/flat-trees.js'
import { REMEMBERING } from '../memory/remembering.js'
import type { Group, Plan, Spot, Test, Union } from '../plan/plan.js'
import { unionOf } from '../plan/traits.js'
import type { Visits } from './visits.js'
import { joined } from './join.js'
import { plainlyIn, segmentAt } from './in-segment.js'
import { recordsOf, Search, takeIds, takeRecords, type Taker } from './search.js'

/** What a result is made of: the record itself, or its id. */
export type Picking<T> = Readonly<{
  of: (record: NodeRecord) => T
  take: Taker<T>
  /** All of them in another way, where that is shorter. */
  all?: (search: Search) => readonly (readonly T[])[] | undefined
}>

export const RECORDS: Picking<NodeRecord> = { of: (record) => record, take: takeRecords }
export const IDS: Picking<string> = { of: ({ id }) => id, take: takeIds, all: (search) => search.idsOfKinds() }

/** What a plan selects, in the order of D20 and `@order`; windows are the caller's. */
export function runPlan<T>(view: View, plan: Plan, trees: FlatTrees, budget: Visits, pick: Picking<T>): readonly T[] {
  // One segment that is named by its depth is looked at without setting up anything.
  const depth = plan.only?.traits.depth
  if (depth !== undefined && isUsual(view, plan)) {
    const segment = segmentAt(view, depth)
    const found = segment && plainlyIn(segment, depth, plan.only!, view, budget)
    if (found !== undefined) return found.map(pick.of)
  }
  const run = new Run(view, plan, trees, budget)
  for (const union of plan.choices) {
    const found = run.union(union, pick)
    if (found.length > 0) return found
  }
  return []
}

/** How many nodes a plan selects; where it can be told without their list, none is made. */
export function countPlan(view: View, plan: Plan, trees: FlatTrees, budget: Visits): number {
  const run = new Run(view, plan, trees, budget)
  for (const union of plan.choices) {
    const count = run.count(union)
    if (count > 0) return count
  }
  return 0
}

/** What a plan selects, one after another: stopping early spares the rest, where the order allows it. */
export function* iteratePlan(
  view: View,
  plan: Plan,
  trees: FlatTrees,
  budget: Visits,
): Generator<NodeRecord, void, undefined> {
  const run = new Run(view, plan, trees, budget)
  for (const union of plan.choices) {
    let isEmpty = true
    for (const record of run.each(union)) {
      isEmpty = false
      yield record
    }
    if (!isEmpty) return
  }
}

/** Sorts what was found in document order by the turn, if an order asks for that. */
export function inTurnOrder(found: readonly NodeRecord[], order: string | undefined): readonly NodeRecord[] {
  if (order === undefined || !order.startsWith('turn')) return found
  // Most histories are sorted already, and a list that is costs one look at each.
  const sorted = found.toSorted((a, b) => a.cycle - b.cycle)
  return order === 'turn:desc' ? turnsReversed(sorted) : sorted
}

/** The last turn first, each turn as it is. */
function turnsReversed(sorted: readonly NodeRecord[]): readonly NodeRecord[] {
  const reversed: NodeRecord[] = []
  for (let end = sorted.length; end > 0;) {
    const { cycle } = sorted[end - 1]!
    let start = end - 1
    while (start > 0 && sorted[start - 1]!.cycle === cycle) start--
    for (let i = start; i < end; i++) reversed.push(sorted[i]!)
    end = start
  }
  return reversed
}

/** Whether short cuts may be taken, and what is found is in order. */
function isUsual({ isSystem }: View, { order, only }: Plan): boolean {
  return REMEMBERING.isOn && !isSystem && order === undefined && only?.isKeyed === false && only.traits.id === undefined
}

/** One plan on one view. */
class Run {
  readonly #view: View
  readonly #plan: Plan
  readonly #trees: FlatTrees
  readonly #budget: Visits
  #whole: FlatTree | undefined

  constructor(view: View, plan: Plan, trees: FlatTrees, budget: Visits) {
    this.#view = view
    this.#plan = plan
    this.#trees = trees
    this.#budget = budget
  }

  union<T>(union: Union, pick: Picking<T>): readonly T[] {
    const { order, dialect } = this.#plan
    if (this.#isPlain || !union.isLocal) return this.#inWhole(union, pick)
    if (this.#plan.isSearched) {
      if (order === undefined) return collect(this.#search(union), pick)
      return inTurnOrder(collect(this.#search(union), RECORDS), order).map(pick.of)
    }
    if (order !== undefined || (dialect === '0.1' && union.groups.length > 1)) return this.#inWhole(union, pick)
    if (union.groups.length === 1) return this.#group(union.groups[0]!, pick)
    return [...new Set(union.groups.flatMap((group) => this.#group(group, pick)))]
  }

  count(union: Union): number {
    if (this.#isPlain || !this.#plan.isSearched) return this.union(union, RECORDS).length
    return this.#search(union).count()
  }

  *each(union: Union): Generator<NodeRecord, void, undefined> {
    const { groups } = union
    const isListed = this.#isPlain || !union.isLocal || this.#plan.order !== undefined || this.#plan.dialect === '0.1'
    if (isListed && groups.length > 1) {
      yield* this.union(union, RECORDS)
      return
    }
    const seen = groups.length > 1 ? new Set<NodeRecord>() : undefined
    for (const group of groups) {
      for (const record of this.#eachOf(group)) {
        if (seen?.has(record)) continue
        seen?.add(record)
        yield record
      }
    }
  }

  *#eachOf(group: Group): Generator<NodeRecord, void, undefined> {
    const union = unionOf([group])
    if (this.#isPlain || !union.isSearched || group.isKeyed || this.#plan.order !== undefined) {
      yield* this.union(union, RECORDS)
      return
    }
    // Taken out of each part at once: the rows may be lent to another tree before the next record is asked for.
    for (const part of this.#search(union).parts()) yield* recordsOf(part)
  }

  /** Whether the matcher is to be asked alone. */
  get #isPlain(): boolean {
    return this.#view.isSystem || !REMEMBERING.isOn
  }

  #search(union: Union): Search {
    return new Search(this.#view, union, this.#plan, this.#trees, this.#budget)
  }

  /** The plain way: the whole view, and the matcher alone. */
  #inWhole<T>(union: Union, pick: Picking<T>): readonly T[] {
    const flat = (this.#whole ??= this.#flat(undefined))
    const rows = realRows(flat, this.#match(flat, union))
    const seen = this.#view.isSystem ? rows.filter((row) => isInSystem(flat.records[row]!)) : rows
    return picked(flat, inResultOrder(flat, seen, this.#plan.order), pick)
  }

  #group<T>(group: Group, pick: Picking<T>): readonly T[] {
    const { traits } = group
    if (traits.id !== undefined) return this.#byId(group, traits.id).map(pick.of)
    if (traits.isSearched) return collect(this.#search(unionOf([group])), pick)
    const { depths } = traits
    return this.#in(depths && extentOf(this.#view.tree, depths), group, pick)
  }

  #byId(group: Group, id: string): readonly NodeRecord[] {
    this.#budget.spend(1)
    const view = this.#view
    const record = view.find(id)
    if (record === undefined) return []
    const { plain } = group.traits
    if (plain !== undefined && group.scope === undefined) return passesAll(plain, record, view) ? [record] : []
    const depth = view.depthOf(record)
    const extent = depth === undefined ? TOP : extentAt(view.tree.regions[1].children, depth)
    return this.#in(extent, group, RECORDS)
  }

  #in<T>(extent: Extent | undefined, group: Group, pick: Picking<T>): readonly T[] {
    const flat = this.#flat(extent)
    return picked(flat, realRows(flat, this.#match(flat, unionOf([group]))), pick)
  }

  #flat(extent: Extent | undefined): FlatTree {
    const flat = FlatTree.of(this.#view.tree, extent)
    this.#budget.spend(flat.size)
    return flat
  }

  #match(flat: FlatTree, union: Union): Rows {
    const matching = plainMatching(this.#view, this.#plan.dialect, this.#budget)
    return matching.unite(flat, union, matching)
  }
}

const TOP: Extent = { sys: false, head: false, segments: [] }

/** Everything that is found, in its order: part by part, and joined once, since long arrays are costly to grow. */
function collect<T>(search: Search, pick: Picking<T>): readonly T[] {
  const all = pick.all?.(search)
  if (all !== undefined) return joined(all)
  const lists = Array.from({ length: search.width }, (): (readonly T[])[] => [])
  const before = Array.from({ length: search.width }, (): (readonly T[])[] => [])
  for (const part of search.parts()) {
    for (let i = 0; i < part.lists.length; i++) {
      if (part.lists[i]!.length === 0) continue
      const to = part.place === 'before' && search.isBeforeLast(i) ? before[i]! : lists[i]!
      to.push(pick.take(part, i))
    }
  }
  return joined(lists.flatMap((list, i) => [...list, ...before[i]!]))
}

function picked<T>({ records }: FlatTree, rows: Rows, pick: Picking<T>): readonly T[] {
  return rows.map((row) => pick.of(records[row]!))
}

/** What the system capability sees (D31): root and regions only lead to it. */
function isInSystem({ nodeClass }: NodeRecord): boolean {
  return nodeClass !== 'root' && nodeClass !== 'region'
}

/** Whether a node that was found by its id passes some tests. */
export function passesAll(tests: readonly Test[], record: NodeRecord, view: View): boolean {
  if (tests.length === 0) return true
  const needsPlace = tests.some((each) => each.sees === 'place')
  const spot: Spot = { record, depth: needsPlace ? view.depthOf(record) : undefined }
  return tests.every((each) => each.test(spot, view))
}
