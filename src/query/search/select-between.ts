// What a plan selects in one of two trees and not in the other, without looking at what both trees share: a lasting group
// finds the same in a segment wherever the segment stands. Only the set matters here, no order.

import type { NodeRecord } from '../../core/index.js'
import { lineOf, unsharedItems, type Branch, type View } from '../../timeline/index.js'
import type { Visits } from './visits.js'
import type { Plan } from '../plan/plan.js'
import type { FlatTrees } from '../memory/flat-trees.js'
import { Search } from './search.js'

export type Apart = Readonly<{
  /** What is selected in the parts that only one tree has; ids that stand in both lists are selected in both trees. */
  older: readonly string[]
  newer: readonly string[]
  /** Whether both trees select a node that both hold. */
  isInBoth: (id: string) => boolean
}>

/** Undefined for a plan whose answers depend on more than each segment by itself. */
export function selectApart(older: View, newer: View, plan: Plan, trees: FlatTrees, budget: Visits): Apart | undefined {
  const [union] = plan.choices
  if (plan.choices.length > 1 || !union!.isLasting) return undefined
  const [before, after] = [older, newer].map(
    (view) => new Side(view, new Search(view, union!, plan, trees, budget)),
  ) as [Side, Side]
  const [olderUnits, newerUnits] = unsharedUnits(older, newer)
  return {
    older: olderUnits.flatMap((unit) => [...before.idsIn(unit)]),
    newer: newerUnits.flatMap((unit) => [...after.idsIn(unit)]),
    isInBoth: (id) => after.selects(id) && before.selects(id),
  }
}

/** One tree, with what has been found in its units so far. */
class Side {
  readonly #view: View
  readonly #search: Search
  readonly #found = new Map<Branch | undefined, ReadonlySet<string>>()

  constructor(view: View, search: Search) {
    this.#view = view
    this.#search = search
  }

  /** The ids in a unit; without one, whether the root and `^seq` themselves are selected. */
  idsIn(unit: Branch | undefined): ReadonlySet<string> {
    let ids = this.#found.get(unit)
    if (ids === undefined) {
      ids = new Set(this.#search.inUnit(unit).map(({ id }) => id))
      this.#found.set(unit, ids)
    }
    return ids
  }

  selects(id: string): boolean {
    const record = this.#view.find(id)
    return record !== undefined && this.idsIn(unitOf(this.#view, record)).has(id)
  }
}

/** The units that one of two trees has, and the other has not as the same version. */
export function unsharedUnits(older: View, newer: View): readonly [older: readonly Branch[], newer: readonly Branch[]] {
  const [olderSys, olderSeq, olderHead] = older.tree.regions
  const [newerSys, newerSeq, newerHead] = newer.tree.regions
  const [before, after] = unsharedItems(olderSeq.children, newerSeq.children) as [readonly Branch[], readonly Branch[]]
  const isSameSys = olderSys === newerSys
  const isSameHead = olderHead === newerHead
  return [
    [...(isSameSys ? [] : [olderSys]), ...before, ...(isSameHead ? [] : [olderHead])],
    [...(isSameSys ? [] : [newerSys]), ...after, ...(isSameHead ? [] : [newerHead])],
  ]
}

/** The segment, `^sys` or `^ah` that a node stands in; the root and `^seq` are in none. */
function unitOf(view: View, record: NodeRecord): Branch | undefined {
  if (record.nodeClass === 'root') return undefined
  const [sys, seq, ah] = view.tree.regions
  const [region, segment] = lineOf(view, record)
  if (region!.id === sys.record.id) return sys
  if (region!.id === ah.record.id) return ah
  return segment === undefined ? undefined : (seq.children.find(segment) as Branch)
}
