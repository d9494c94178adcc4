// Running a plan on one view. Where a group can be answered unit by unit, it is: by the one record an id names, from the
// depths it names, or once per shape instead of once per segment (see search.ts). Everything else, and every part of
// these, goes through the one matcher.

import type { NodeRecord } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import { arrange, compareSameKey } from '../match/result-order.js'
import type { Budget } from './budget.js'
import type { CompiledGroup, CompiledUnion, Plan, Test } from '../plan/compile.js'
import { extentAt, segmentsOf } from '../match/extent.js'
import { RECORDS, type Pick } from './join.js'
import { Scene, type Extent, type Spot } from '../match/flat-tree.js'
import type { SearchCache } from '../memory/search-cache.js'
import { Search } from './search.js'
import { isReal, uniteWith } from '../match/union.js'

/** What a plan selects, in the order of D20 and `@order`; windows are the caller's. */
export function runPlan<T>(view: View, plan: Plan, cache: SearchCache, budget: Budget, pick: Pick<T>): readonly T[] {
  if (!plan.isSimple || view.isSystem) return runWhole(view, plan, budget).map((spot) => pick.of(spot.record!))
  if (plan.only !== undefined) return runGroup(view, plan.only, plan, cache, budget, pick)
  return firstFound(plan, (union) => {
    if (union.length === 1) return runGroup(view, union[0]!, plan, cache, budget, pick)
    return [...new Set(union.flatMap((group) => runGroup(view, group, plan, cache, budget, pick)))]
  })
}

/** The one group of a plan, if it can be searched for unit by unit. */
export function searchedGroup(plan: Plan): CompiledGroup | undefined {
  const group = plan.only
  return group !== undefined && isSearched(plan, group) ? group : undefined
}

/** The one group of a plan that names a node which decides alone. */
export function directGroup(plan: Plan): CompiledGroup | undefined {
  const group = plan.only
  return group?.analysis.isDirect === true && plan.isSimple ? group : undefined
}

/** The groups of a plan, if each finds in a segment what it found there before and all of them count. */
export function lastingGroups({ choices }: Plan): CompiledUnion | undefined {
  const isLasting = ({ analysis }: CompiledGroup): boolean => analysis.isLasting && analysis.id === undefined
  return choices.length === 1 && choices[0]!.every(isLasting) ? choices[0] : undefined
}

export function searchFor(view: View, group: CompiledGroup, plan: Plan, cache: SearchCache, budget: Budget): Search {
  return new Search(view, group, plan, cache, budget)
}

/** How many nodes a plan selects; where it can be told without their list, none is made. */
export function countPlan(view: View, plan: Plan, cache: SearchCache, budget: Budget): number {
  const group = searchedGroup(plan)
  if (group === undefined) return runPlan(view, plan, cache, budget, RECORDS).length
  return searchFor(view, group, plan, cache, budget).count()
}

/** What a plan selects, one after another: stopping early spares the rest, where the order allows it. */
export function* iteratePlan(
  view: View,
  plan: Plan,
  cache: SearchCache,
  budget: Budget,
): Generator<NodeRecord, void, undefined> {
  if (!plan.isSimple) {
    yield* runPlan(view, plan, cache, budget, RECORDS)
    return
  }
  for (const union of plan.choices) {
    const seen = union.length > 1 ? new Set<NodeRecord>() : undefined
    let isEmpty = true
    for (const group of union) {
      const found =
        isSearched(plan, group) && !group.isKeyed
          ? searchFor(view, group, plan, cache, budget).records()
          : runGroup(view, group, plan, cache, budget, RECORDS)
      for (const record of found) {
        isEmpty = false
        if (seen?.has(record)) continue
        seen?.add(record)
        yield record
      }
    }
    if (!isEmpty) return
  }
}

/** Forgets the lists that a plan has kept. */
export function forgetPlan({ choices }: Plan): void {
  for (const union of choices) for (const group of union) group.answers.dropLists()
}

function firstFound<T>(plan: Plan, run: (union: CompiledUnion) => readonly T[]): readonly T[] {
  for (const union of plan.choices) {
    const found = run(union)
    if (found.length > 0) return found
  }
  return []
}

/** The plain way: the whole view, and the matcher alone. */
function runWhole(view: View, plan: Plan, budget: Budget): readonly Spot[] {
  const scene = new Scene(view.tree, undefined, budget)
  const unite = uniteWith(view, plan)
  const isResult = view.isSystem ? isInSystem : isReal
  for (const union of plan.choices) {
    const found = unite(scene, union).filter(isResult)
    if (found.length > 0) return arrange(found, plan.controls)
  }
  return []
}

/** What the system capability sees (D31): root and regions only lead to it. */
function isInSystem({ record }: Spot): boolean {
  return record !== undefined && record.nodeClass !== 'root' && record.nodeClass !== 'region'
}

function isSearched(plan: Plan, { analysis }: CompiledGroup): boolean {
  return plan.isSimple && analysis.structural !== undefined && analysis.id === undefined
}

function runGroup<T>(
  view: View,
  group: CompiledGroup,
  plan: Plan,
  cache: SearchCache,
  budget: Budget,
  pick: Pick<T>,
): readonly T[] {
  const { id, depths } = group.analysis
  if (id !== undefined) return findById(view, group, plan, id, budget).map(pick.of)
  if (!isSearched(plan, group)) {
    return matchIn(view, depths && extentOf(view, depths), group, plan, budget).map(pick.of)
  }
  const search = searchFor(view, group, plan, cache, budget)
  return group.isKeyed ? sortSameKey(view, search.collect(RECORDS)).map(pick.of) : search.collect(pick)
}

function findById(view: View, group: CompiledGroup, plan: Plan, id: string, budget: Budget): readonly NodeRecord[] {
  budget.spend(1)
  const record = view.find(id)
  if (record === undefined) return []
  if (!group.analysis.isDirect) return matchIn(view, extentOfRecord(view, record), group, plan, budget)
  return passesAll(group.steps[0]!.narrowings as readonly Test[], record, view) ? [record] : []
}

/** Whether a node that was found by its id passes some tests. */
export function passesAll(tests: readonly Test[], record: NodeRecord, view: View): boolean {
  if (tests.length === 0) return true
  const needsPlace = tests.some((each) => each.sees === 'place')
  const depth = needsPlace ? view.depthOf(record) : undefined
  const spot: Spot = { record, node: undefined, parent: undefined, depth, order: 0, last: 0 }
  return tests.every((each) => each.test(spot, view))
}

/** The order of a shared key, by where the nodes stand (001 §3.5.2). */
export function sortSameKey(view: View, records: readonly NodeRecord[]): readonly NodeRecord[] {
  return records
    .map((record) => ({ record, depth: view.depthOf(record) }))
    .sort(compareSameKey)
    .map(({ record }) => record)
}

function matchIn(
  view: View,
  extent: Extent | undefined,
  group: CompiledGroup,
  plan: Plan,
  budget: Budget,
): readonly NodeRecord[] {
  const spots = uniteWith(view, plan)(new Scene(view.tree, extent, budget), [group])
  return spots.flatMap((spot) => spot.record ?? [])
}

function extentOfRecord(view: View, record: NodeRecord): Extent {
  const depth = view.depthOf(record)
  return depth === undefined
    ? { sys: false, head: false, segments: [] }
    : extentAt(view.tree.regions[1].children, depth)
}

function extentOf(view: View, depths: NonNullable<CompiledGroup['analysis']['depths']>): Extent {
  return {
    sys: depths.some(({ from, to }) => from <= -1 && to >= -1),
    head: depths.some(({ from, to }) => from <= 0 && to >= 0),
    segments: segmentsOf(view.tree.regions[1].children, depths),
  }
}
