// Answering a plan again and again, on one snapshot after another. What can be decided from the plan alone is decided
// once, and what did not change since the last time is not searched again: most questions after a commit concern one
// node, one segment, or find nothing new.

import type { NodeRecord } from '../../core/index.js'
import {
  addRecordsAt,
  appendedItems,
  noteGrowth,
  shapeOf,
  type Branch,
  type Tree,
  type View,
} from '../../timeline/index.js'
import type { Budget } from '../search/budget.js'
import type { CompiledGroup, Plan, Test } from '../plan/compile.js'
import { IDS, joinedAnew } from '../search/join.js'
import { NOWHERE, type Positions } from '../search/pattern.js'
import { directGroup, passesAll, runPlan, searchedGroup, searchFor, sortSameKey } from '../search/run.js'
import type { SearchCache } from './search-cache.js'
import type { Search } from '../search/search.js'

/** Gives the ids that a plan selects in a view; the list of the last time, where they are the same. */
export type Rerun = Readonly<{ ids: (view: View, budget: Budget) => readonly string[] }>

export type Found = Readonly<{ tree: Tree; ids: readonly string[] }>

/** `last` is what the plan found in a tree before. */
export function rerunOf(plan: Plan, cache: SearchCache, last: Found): Rerun {
  const direct = directGroup(plan)
  if (direct !== undefined) return new OneNode(direct)
  const group = searchedGroup(plan)
  if (group === undefined) return { ids: (view, budget) => runPlan(view, plan, cache, budget, IDS) }
  const search: MakeSearch = (view, budget) => searchFor(view, group, plan, cache, budget)
  if (group.isKeyed) return new SameKey(search, group)
  if (group.analysis.isLasting) return new Lasting(search, group, last)
  const depth = segmentDepth(group)
  if (depth !== undefined) return new OneSegment(search, group, depth)
  return { ids: (view, budget) => search(view, budget).collect(IDS) }
}

/** A search is made only where what is known of the shapes is not enough. */
type MakeSearch = (view: View, budget: Budget) => Search

const NONE: readonly string[] = Object.freeze([])

/** A node named by its id. */
class OneNode implements Rerun {
  readonly #id: string
  /** What is asked of the node beside its id. */
  readonly #tests: readonly Test[]
  readonly #found: readonly string[]

  constructor({ analysis, steps }: CompiledGroup) {
    this.#id = analysis.id!
    this.#tests = (steps[0]!.narrowings as readonly Test[]).filter((test) => test.id !== this.#id)
    this.#found = Object.freeze([this.#id])
  }

  ids(view: View, budget: Budget): readonly string[] {
    budget.spend(1)
    const record = view.find(this.#id)
    return record !== undefined && passesAll(this.#tests, record, view) ? this.#found : NONE
  }
}

/** What stands in one segment, counted from the newest. */
class OneSegment implements Rerun {
  readonly #search: MakeSearch
  readonly #group: CompiledGroup
  readonly #depth: number

  constructor(search: MakeSearch, group: CompiledGroup, depth: number) {
    this.#search = search
    this.#group = group
    this.#depth = depth
  }

  ids(view: View, budget: Budget): readonly string[] {
    const { children } = view.tree.regions[1]
    const segment = children.at(children.size - this.#depth) as Branch | undefined
    if (segment === undefined) return NONE
    const shape = shapeOf(segment)
    const { answers, analysis } = this.#group
    const positions = shape && answers.positions.get(shape)
    if (positions === undefined || analysis.residue.length > 0)
      return this.#search(view, budget).inUnit(segment, IDS, this.#depth)
    noteGrowth(children)
    return idsAt(segment, positions)
  }
}

/** What a group finds that finds in each segment what it found there before. */
class Lasting implements Rerun {
  readonly #search: MakeSearch
  readonly #group: CompiledGroup
  #tree: Tree
  #ids: readonly string[]
  /** What the last search of a whole tree was put together from, and what was found in segments added since. */
  #lists: readonly (readonly string[])[] | undefined
  #since: string[] = []
  /** Whether some of them may stand in the head. */
  #isInHead = true

  constructor(search: MakeSearch, group: CompiledGroup, { tree, ids }: Found) {
    this.#search = search
    this.#group = group
    this.#tree = tree
    this.#ids = ids
  }

  ids(view: View, budget: Budget): readonly string[] {
    const found = this.#added(view, budget)
    if (found === undefined) this.#searchAll(view, budget)
    else if (found.length > 0) this.#append(view, found, budget)
    this.#tree = view.tree
    noteGrowth(view.tree.regions[1].children)
    return this.#ids
  }

  #searchAll(view: View, budget: Budget): void {
    const lists = this.#search(view, budget).idLists()
    const ids = joinedAnew(lists)
    budget.spend(ids.length)
    const isInHead = this.#idsIn(view, view.tree.regions[2], 0, budget).length > 0
    // Nothing is kept before all of it is there: the budget may end at any look.
    this.#lists = lists
    this.#ids = ids
    this.#isInHead = isInHead
    this.#since = []
  }

  #append(view: View, found: readonly string[], budget: Budget): void {
    // What is in the head comes last; and every so often the lists of the chunks that are full by now are shorter.
    if (this.#lists === undefined || this.#isInHead || this.#since.length > MAX_SINCE) {
      this.#searchAll(view, budget)
      return
    }
    this.#since.push(...found)
    this.#ids = joinedAnew([...this.#lists, this.#since])
  }

  /** What is found in the segments that a view has more than the last tree; undefined where more than these differs. */
  #added(view: View, budget: Budget): readonly string[] | undefined {
    const { root, regions: old } = this.#tree
    const { tree } = view
    const { regions } = tree
    if (root !== tree.root || old[0] !== regions[0] || old[1].record !== regions[1].record) return undefined
    // A head that is empty again is as good as the same one.
    const isSameHead = old[2].record === regions[2].record && old[2].children === regions[2].children
    if (!isSameHead && (this.#isInHead || this.#idsIn(view, regions[2], 0, budget).length > 0)) return undefined
    const segments = appendedItems(old[1].children, regions[1].children, MAX_ADDED)
    if (segments === undefined) return undefined
    let found = NONE
    for (let i = 0; i < segments.length; i++) {
      const ids = this.#idsIn(view, segments[i] as Branch, segments.length - i, budget)
      if (ids.length > 0) found = found.length === 0 ? ids : [...found, ...ids]
    }
    return found
  }

  #idsIn(view: View, unit: Branch, depth: number, budget: Budget): readonly string[] {
    const shape = shapeOf(unit)
    const positions = shape && this.#group.answers.positions.get(shape)
    if (positions === NOWHERE) return NONE
    if (positions === undefined || this.#group.analysis.residue.length > 0)
      return this.#search(view, budget).inUnit(unit, IDS, depth)
    return idsAt(unit, positions)
  }
}

/** Beyond this many new segments, or ids in segments added since, it is as well to start anew. */
const MAX_ADDED = 32
const MAX_SINCE = 1024

function idsAt(unit: Branch, positions: Positions): readonly string[] {
  const records: NodeRecord[] = []
  addRecordsAt(unit, positions, records)
  return records.map(({ id }) => id)
}

/** What a step for one key finds comes in an order of its own. */
class SameKey implements Rerun {
  readonly #search: MakeSearch
  readonly #isLasting: boolean

  constructor(search: MakeSearch, { analysis }: CompiledGroup) {
    this.#search = search
    this.#isLasting = analysis.isLasting
  }

  ids(view: View, budget: Budget): readonly string[] {
    const search = this.#search(view, budget)
    const ids = this.#isLasting ? search.idLists().flat() : search.collect(IDS)
    budget.spend(ids.length)
    return sortSameKey(
      view,
      ids.map((id) => view.find(id)!),
    ).map((record) => record.id)
  }
}

/** The one segment that a group looks at, as its depth; undefined where there may be more than this one. */
function segmentDepth({ analysis: { depths } }: CompiledGroup): number | undefined {
  const only = depths?.length === 1 ? depths[0]! : undefined
  return only !== undefined && only.from === only.to && only.from >= 1 ? only.from : undefined
}
