// Compares the results of a plan in two trees without searching the units that both trees share: a lasting group finds the same
// in a segment at any depth. The results are sets, without an order.

import type { Branch, View } from '../../timeline/index.js'
import type { Visits } from '../match/visits.js'
import type { Plan } from '../plan/plan.js'
import { Search } from './search.js'
import { unitOf, unsharedUnits } from './units.js'

export type Apart = Readonly<{
  /** The ids selected in the units that only one tree has; ids in both lists are selected in both trees. */
  older: readonly string[]
  newer: readonly string[]
  /** Both trees select this node, which both hold. */
  isInBoth: (id: string) => boolean
}>

/** Undefined for a plan whose results depend on more than each segment by itself. */
export function selectApart(older: View, newer: View, plan: Plan, budget: Visits): Apart | undefined {
  const [union] = plan.choices
  if (plan.choices.length > 1 || !union!.isLasting) return undefined
  const [before, after] = [older, newer].map((view) => new Side(view, new Search(view, union!, plan, budget))) as [
    Side,
    Side,
  ]
  const [olderUnits, newerUnits] = unsharedUnits(older, newer)
  return {
    older: olderUnits.flatMap((unit) => [...before.idsIn(unit)]),
    newer: newerUnits.flatMap((unit) => [...after.idsIn(unit)]),
    isInBoth: (id) => after.selects(id) && before.selects(id),
  }
}

/** One tree, with the ids found in its units so far. */
class Side {
  readonly #view: View
  readonly #search: Search
  readonly #found = new Map<Branch | undefined, ReadonlySet<string>>()

  constructor(view: View, search: Search) {
    this.#view = view
    this.#search = search
  }

  /** The ids selected in a unit; without a unit, the root and `^seq` if they are selected. */
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
