// What a union may select in a snapshot and not in the next newer one. Most of a tree is the same in both, and a group
// that asks each node by itself, or each segment, finds there what it found before; so only what the later commit
// changed or took away is looked at.

import type { NodeRecord } from '../../core/index.js'
import type { Version, View } from '../../timeline/index.js'
import { unsharedUnits } from './select-between.js'
import type { Visits } from './visits.js'
import type { Plan, Test, Union } from '../plan/plan.js'
import { passesAll, RECORDS, runPlan } from './run.js'
import type { FlatTrees } from '../memory/flat-trees.js'
import { Search } from './search.js'

/** A union whose groups can be asked one by one: the plan of each has nothing else. */
export class Earlier {
  readonly #plans: readonly Plan[]
  readonly #trees: FlatTrees
  readonly #budget: Visits

  constructor(plans: readonly Plan[], trees: FlatTrees, budget: Visits) {
    this.#plans = plans
    this.#trees = trees
    this.#budget = budget
  }

  /** Whether it is worth asking for less than all that a snapshot holds. */
  static isWorthIt({ groups }: Union): boolean {
    return groups.some(({ traits }) => traits.isLasting)
  }

  /** In no order, some perhaps twice, some perhaps selected in the newer view as well. */
  recordsIn(view: View, newer: View): readonly NodeRecord[] {
    this.#budget.spend(1)
    const changes = newer.changesSince(view)
    return this.#plans.flatMap((plan) => {
      const group = plan.only!
      const { isLasting, plain } = group.traits
      if (!isLasting) return runPlan(view, plan, this.#trees, this.#budget, RECORDS)
      if (plain === undefined || changes === undefined) return this.#inUnits(view, newer, plan)
      return this.#changed(view, changes, plain)
    })
  }

  /** Where each node answers for itself: the versions that the later commit replaced or took away. */
  #changed(view: View, changes: readonly Version[], tests: readonly Test[]): readonly NodeRecord[] {
    this.#budget.spend(changes.length)
    const found: NodeRecord[] = []
    for (const version of changes) {
      // An id that the last snapshot holds is given to nobody else, so what came with the commit was not there before.
      if (view.isSurelyFirst(version)) continue
      const record = view.find(version.id)
      if (record !== undefined && passesAll(tests, record, view)) found.push(record)
    }
    return found
  }

  /** Where each segment answers for itself: those that the newer view has not, or not like this. */
  #inUnits(view: View, newer: View, plan: Plan): readonly NodeRecord[] {
    const search = new Search(view, plan.choices[0]!, plan, this.#trees, this.#budget)
    const [units] = unsharedUnits(view, newer)
    const found = units.flatMap((unit) => search.inUnit(unit))
    return hasSameTop(view, newer) ? found : [...search.inUnit(undefined), ...found]
  }
}

function hasSameTop({ tree: older }: View, { tree: newer }: View): boolean {
  return older.root === newer.root && older.regions[1].record === newer.regions[1].record
}
