// Candidates that a union selects in a snapshot and not in the next newer one. The two trees share most of their nodes, and a
// lasting group finds the same in what they share, so only nodes that the later commit changed or removed are tested.

import type { NodeRecord } from '../../core/index.js'
import type { Version, View } from '../../timeline/index.js'
import type { Visits } from '../match/visits.js'
import type { Plan, Step, Union } from '../plan/plan.js'
import { passes, runPlan } from './run.js'
import { Search } from './search.js'
import { unsharedUnits } from './units.js'

/** Each plan is one group of the union by itself. */
export class Earlier {
  readonly #plans: readonly Plan[]
  readonly #budget: Visits

  constructor(plans: readonly Plan[], budget: Visits) {
    this.#plans = plans
    this.#budget = budget
  }

  /** Pays off if at least one group is lasting. */
  static isWorthIt({ groups }: Union): boolean {
    return groups.some(({ traits }) => traits.isLasting)
  }

  /** A superset in no order: records may come twice, or be selected in the newer view too. */
  recordsIn(view: View, newer: View): readonly NodeRecord[] {
    this.#budget.spend(1)
    const changes = newer.changesSince(view)
    return this.#plans.flatMap((plan) => {
      const { isLasting, plain } = plan.choices[0]!.groups[0]!.traits
      if (!isLasting) return runPlan(view, plan, this.#budget)
      if (plain === undefined || changes === undefined) return this.#inUnits(view, newer, plan)
      return this.#changed(view, changes, plain)
    })
  }

  /** For groups that test nodes one by one: the versions that the later commit replaced or removed. */
  #changed(view: View, changes: readonly Version[], step: Step): readonly NodeRecord[] {
    this.#budget.spend(changes.length)
    const found: NodeRecord[] = []
    for (const version of changes) {
      // The version is the first of its id, so the older view has no node of that id.
      if (view.isSurelyFirst(version)) continue
      const record = view.find(version.id)
      if (record !== undefined && passes(step, record, view)) found.push(record)
    }
    return found
  }

  /** For other lasting groups: the units that the newer view lacks or has in another version. */
  #inUnits(view: View, newer: View, plan: Plan): readonly NodeRecord[] {
    const search = new Search(view, plan.choices[0]!, plan, this.#budget)
    const [units] = unsharedUnits(view, newer)
    const found = units.flatMap((unit) => search.inUnit(unit))
    return hasSameTop(view, newer) ? found : [...search.inUnit(undefined), ...found]
  }
}

function hasSameTop({ tree: older }: View, { tree: newer }: View): boolean {
  return older.root === newer.root && older.regions[1].record === newer.regions[1].record
}
