// Answering a plan again and again, on one snapshot after another. What can be decided from the plan alone is decided
// once, and what did not change since the last time is not searched again: most questions after a commit concern one
// node, one segment, or find nothing new.

import type { NodeRecord } from '../core/index.js'
import { appendedItems, type Branch, type Sequence, type View } from '../timeline/index.js'
import type { SearchCache } from './columns.js'
import type { CompiledGroup, Plan, Test } from './compile.js'
import { IDS } from './lists.js'
import { directGroup, passesAll, runPlan, searchedGroup, searchFor, sortSameKey } from './run.js'
import type { Search } from './search.js'

/** Gives the ids that a plan selects in a view; the list of the last time, where they are the same. */
export type Rerun = Readonly<{ ids: (view: View) => readonly string[] }>

export function rerunOf(plan: Plan, cache: SearchCache): Rerun {
  const direct = directGroup(plan)
  if (direct !== undefined) return new OneNode(direct)
  const group = searchedGroup(plan)
  if (group === undefined) return { ids: (view) => runPlan(view, plan, cache, IDS) }
  const search = (view: View): Search => searchFor(view, group, plan, cache)
  if (group.isKeyed) return new SameKey(search, group)
  if (group.analysis.isLasting) return new Lasting(search)
  const depth = segmentDepth(group)
  if (depth !== undefined) return { ids: (view) => search(view).idsAtDepth(depth) }
  return { ids: (view) => search(view).collect(IDS) }
}

type MakeSearch = (view: View) => Search

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

  ids(view: View): readonly string[] {
    const record = view.find(this.#id)
    return record !== undefined && passesAll(this.#tests, record, view) ? this.#found : NONE
  }
}

/** What a group finds that finds in each segment what it found there before. */
class Lasting implements Rerun {
  readonly #search: MakeSearch
  #root: NodeRecord | undefined
  #sys: Branch | undefined
  #seq: Branch | undefined
  #head: Branch | undefined
  /** Whether it found something in the head. */
  #isInHead = false
  #ids: readonly string[] = NONE

  constructor(search: MakeSearch) {
    this.#search = search
  }

  ids(view: View): readonly string[] {
    const { root, regions } = view.tree
    const sys = regions[0]
    const seq = regions[1]
    const head = regions[2]
    const search = this.#search(view)
    const isAbove = root === this.#root && sys === this.#sys && seq.record === this.#seq?.record
    const isInHead = head === this.#head ? this.#isInHead : search.idsIn(head, 0).length > 0
    const isHead = head === this.#head || (!isInHead && !this.#isInHead)
    if (!isAbove || !isHead || !addsNothing(search, this.#seq!.children, seq.children)) this.#ids = search.collectIds()
    this.#root = root
    this.#sys = sys
    this.#seq = seq
    this.#head = head
    this.#isInHead = isInHead
    return this.#ids
  }
}

/** Beyond this many new segments, it is as well to start anew. */
const MAX_ADDED = 32

/** Whether a sequence has nothing but more segments at its end, and none of them holds a result. */
function addsNothing(search: Search, old: Sequence, grown: Sequence): boolean {
  const added = appendedItems(old, grown, MAX_ADDED)
  if (added === undefined) return false
  for (let i = 0; i < added.length; i++) {
    if (search.idsIn(added[i] as Branch, added.length - i).length > 0) return false
  }
  return true
}

/** What a step for one key finds comes in an order of its own. */
class SameKey implements Rerun {
  readonly #search: MakeSearch
  readonly #isLasting: boolean

  constructor(search: MakeSearch, { analysis }: CompiledGroup) {
    this.#search = search
    this.#isLasting = analysis.isLasting
  }

  ids(view: View): readonly string[] {
    const search = this.#search(view)
    const ids = this.#isLasting ? search.collectIds() : search.collect(IDS)
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
