// What a union may select in a snapshot and not in the next newer one. Most of a tree is the same in both, and a group
// that asks each node by itself, or each segment, finds there what it found before; so only what the later commit
// changed or took away is looked at.

import type { NodeRecord } from '../../core/index.js'
import type { Version, View } from '../../timeline/index.js'
import { unsharedUnits } from './select-between.js'
import type { Budget } from './budget.js'
import type { CompiledGroup, CompiledUnion, Plan, Test } from '../plan/compile.js'
import { RECORDS } from './join.js'
import { passesAll, runPlan, searchFor } from './run.js'
import type { SearchCache } from '../memory/search-cache.js'

/** A union whose groups can be asked one by one: the plan of each has nothing else. */
export class Earlier {
  readonly #plans: readonly Plan[]
  readonly #cache: SearchCache
  readonly #budget: Budget

  constructor(plans: readonly Plan[], cache: SearchCache, budget: Budget) {
    this.#plans = plans
    this.#cache = cache
    this.#budget = budget
  }

  /** Whether it is worth asking for less than all that a snapshot holds. */
  static isWorthIt(union: CompiledUnion): boolean {
    return union.some(({ analysis }) => analysis.isLasting)
  }

  /** In no order, some perhaps twice, some perhaps selected in the newer view as well. */
  recordsIn(view: View, newer: View): readonly NodeRecord[] {
    this.#budget.spend(1)
    const changes = newer.changesSince(view)
    return this.#plans.flatMap((plan) => {
      const group = plan.only!
      const { isLasting, plain } = group.analysis
      if (!isLasting) return runPlan(view, plan, this.#cache, this.#budget, RECORDS)
      if (plain === undefined || changes === undefined) return this.#inUnits(view, newer, plan, group)
      return this.#changed(view, changes, group)
    })
  }

  /** Where each node answers for itself: the versions that the later commit replaced or took away. */
  #changed(view: View, changes: readonly Version[], { steps }: CompiledGroup): readonly NodeRecord[] {
    this.#budget.spend(changes.length)
    const tests = steps[0]!.narrowings as readonly Test[]
    const found: NodeRecord[] = []
    for (const { id } of changes) {
      const record = view.find(id)
      if (record !== undefined && passesAll(tests, record, view)) found.push(record)
    }
    return found
  }

  /** Where each segment answers for itself: those that the newer view has not, or not like this. */
  #inUnits(view: View, newer: View, plan: Plan, group: CompiledGroup): readonly NodeRecord[] {
    const search = searchFor(view, group, plan, this.#cache, this.#budget)
    const [units] = unsharedUnits(view, newer)
    const found = units.flatMap((unit) => search.inUnit(unit, RECORDS))
    return hasSameTop(view, newer) ? found : [...search.inTop(RECORDS), ...found]
  }
}

function hasSameTop({ tree: older }: View, { tree: newer }: View): boolean {
  return older.root === newer.root && older.regions[1].record === newer.regions[1].record
}
