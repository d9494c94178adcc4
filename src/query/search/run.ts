// Runs a plan on one view. A local union is searched part by part (search.ts), a union of ids looks each id up, and everything
// else goes through the matcher on the whole tree.

import type { NodeRecord } from '../../core/index.js'
import { sortByPlace, type View } from '../../timeline/index.js'
import { FlatTree, type Extent } from '../match/flat-tree.js'
import { matchUnion, realRows } from '../match/match.js'
import { inResultOrder } from '../match/result-order.js'
import type { PartMemo } from '../memory/part-memo.js'
import { REMEMBERING } from '../memory/remembering.js'
import type { Visits } from '../match/visits.js'
import type { Group, Plan, Step, Union } from '../plan/plan.js'
import { unionOf } from '../plan/traits.js'
import { joined, Search, type Form } from './search.js'
import { unitOf } from './units.js'

/** The records that a plan selects, in the order of D20 and `@order`; windows are the caller's. */
export function runPlan(view: View, plan: Plan, budget: Visits): readonly NodeRecord[] {
  for (const union of plan.choices) {
    const found = runUnion(view, plan, union, budget)
    if (found.length > 0) return found
  }
  return []
}

/** A memo for each choice of a plan: of records if the plan has an order, else of ids. */
export type Memos = readonly (PartMemo<string> | PartMemo<NodeRecord>)[]

/** The first ids that a plan selects, `most` of them or more; the memos spare the parts of history that were searched before. */
export function idsOfPlan(view: View, plan: Plan, budget: Visits, memos: Memos, most = Infinity): readonly string[] {
  for (const [i, union] of plan.choices.entries()) {
    const found = canRemember(view, plan, union)
      ? rememberedIds(new Search(view, union, plan, budget), memos[i]!, plan.order, most)
      : IDS.of(runUnion(view, plan, union, budget))
    if (found.length > 0) return found
  }
  return []
}

function rememberedIds(search: Search, memo: Memos[0], order: string | undefined, most: number): readonly string[] {
  if (order === undefined) return search.collect(search.remembered(memo as PartMemo<string>, IDS))
  return IDS.of(firstInOrder(search, memo as PartMemo<NodeRecord>, order, most))
}

const IDS: Form<string> = { of: (records) => records.map(({ id }) => id), join: joined }

/** Every part is sorted by itself, so the first results of all are among the first of each. */
function firstInOrder(search: Search, memo: PartMemo<NodeRecord>, order: string, most: number): readonly NodeRecord[] {
  const of = (records: readonly NodeRecord[]): readonly NodeRecord[] => inTurnOrder(records, order)
  const found: NodeRecord[] = []
  for (const { lists } of search.remembered(memo, { of, join: (parts) => of(joined(parts)) })) {
    for (const record of lists[0]!.slice(0, most)) found.push(record)
  }
  return of(found)
}

/** The records that a plan selects, one after another: the caller may stop early. */
export function* iteratePlan(view: View, plan: Plan, budget: Visits): Generator<NodeRecord, void, undefined> {
  for (const union of plan.choices) {
    let isEmpty = true
    for (const record of iterateUnion(view, plan, union, budget)) {
      isEmpty = false
      yield record
    }
    if (!isEmpty) return
  }
}

/** A search part by part needs every group to be local, and an order that the parts can be joined in. */
function isSearched({ isSystem }: View, { order }: Plan, { isLocal }: Union): boolean {
  return REMEMBERING.isOn && !isSystem && isLocal && (order === undefined || !WHOLE_ORDERS.has(order))
}

const WHOLE_ORDERS: ReadonlySet<string> = new Set(['post', 'bfs', 'path'])

function canRemember(view: View, plan: Plan, union: Union): boolean {
  return isSearched(view, plan, union) && union.isLasting && !isOfIds(union)
}

function runUnion(view: View, plan: Plan, union: Union, budget: Visits): readonly NodeRecord[] {
  if (!isSearched(view, plan, union)) return inWhole(view, plan, union, budget)
  if (isOfIds(union)) return byIds(view, plan, union, budget)
  const search = new Search(view, union, plan, budget)
  return inTurnOrder(search.collect(search.records()), plan.order)
}

function* iterateUnion(view: View, plan: Plan, union: Union, budget: Visits): Generator<NodeRecord, void, undefined> {
  const isLazy = isSearched(view, plan, union) && plan.order === undefined && !isOfIds(union)
  if (!isLazy || union.groups.some(({ isKeyed }) => isKeyed) || (plan.dialect === '0.1' && union.groups.length > 1)) {
    yield* runUnion(view, plan, union, budget)
    return
  }
  const seen = new Set<NodeRecord>()
  for (const group of union.groups) {
    for (const { lists } of new Search(view, unionOf([group]), plan, budget).records()) {
      for (const record of lists[0]!) {
        if (seen.has(record)) continue
        if (union.groups.length > 1) seen.add(record)
        yield record
      }
    }
  }
}

/** The matcher on the whole view. */
function inWhole(view: View, plan: Plan, union: Union, budget: Visits): readonly NodeRecord[] {
  const flat = FlatTree.of(view.tree, wholeOf(view))
  budget.spend(flat.size)
  const rows = realRows(flat, matchUnion(flat, union, { view, dialect: plan.dialect, budget }))
  const found = inResultOrder(flat, rows, plan.order).map((row) => flat.records[row]!)
  return view.isSystem ? found.filter(isInSystem) : found
}

function wholeOf({ tree }: View): Extent {
  const { children } = tree.regions[1]
  return { sys: true, head: true, segments: [...children], depth: children.size }
}

/** The system capability sees no root and no regions (D31): they only lead to its nodes. */
function isInSystem({ nodeClass }: NodeRecord): boolean {
  return nodeClass !== 'root' && nodeClass !== 'region'
}

function isOfIds({ groups }: Union): boolean {
  return groups.every(({ traits }) => traits.id !== undefined)
}

function byIds(view: View, plan: Plan, { groups }: Union, budget: Visits): readonly NodeRecord[] {
  const found = [...new Set(groups.flatMap((group) => byId(view, plan, group, budget)))]
  if (found.length < 2) return found
  const isSorted = plan.order !== undefined || plan.dialect === '0.1'
  return isSorted ? inTurnOrder(sortByPlace(view, found), plan.order) : found
}

function byId(view: View, plan: Plan, group: Group, budget: Visits): readonly NodeRecord[] {
  budget.spend(1)
  const record = view.find(group.traits.id!)
  if (record === undefined) return []
  const { plain } = group.traits
  if (plain !== undefined && group.scope === undefined) return passes(plain, record, view) ? [record] : []
  return new Search(view, unionOf([group]), plan, budget).inUnit(unitOf(view, record))
}

/** A node of a view passes all tests of a step. */
export function passes(step: Step, record: NodeRecord, view: View): boolean {
  const depth = step.tests.some(({ sees }) => sees === 'place') ? view.depthOf(record) : undefined
  return step.passes(record, view, depth)
}

/** Sorts records from document order by turn, if the order asks for that. */
function inTurnOrder(found: readonly NodeRecord[], order: string | undefined): readonly NodeRecord[] {
  if (order === undefined || !order.startsWith('turn')) return found
  const sign = order === 'turn:desc' ? -1 : 1
  return found.toSorted((a, b) => sign * (a.cycle - b.cycle))
}
