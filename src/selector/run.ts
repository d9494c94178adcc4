// Running a plan on one view: groups into unions, unions into the first that finds something.

import type { View } from '../timeline/index.js'
import { arrange, compareSameKey } from './arrange.js'
import type { CompiledGroup, CompiledUnion, Plan } from './compile.js'
import { findsSomething, inOrder, matchGroup } from './match.js'
import { Scene, type Spot } from './scene.js'

/** What a plan selects, in the order of D20 and `@order`; windows are the caller's. */
export function runPlan(view: View, plan: Plan): readonly Spot[] {
  const scene = new Scene(view)
  const found = plan.choices.map((union) => uniteGroups(scene, union, plan)).find(findsSomething)
  const real = (found ?? []).filter((spot) => spot.record !== undefined)
  return arrange(real, plan.controls)
}

/** 0.1 sorts a union as a whole, 1.0 joins its groups from left to right; each node where it is first seen (D20). */
function uniteGroups(scene: Scene, union: CompiledUnion, plan: Plan): readonly Spot[] {
  const lists = union.map((group) => groupIn(scene, group, plan))
  if (lists.length === 1) return lists[0]!
  const unique = [...new Set(lists.flat())]
  return plan.dialect === '0.1' ? inOrder(unique) : unique
}

function groupIn(scene: Scene, group: CompiledGroup, plan: Plan): readonly Spot[] {
  const found = matchGroup(scene, group, (within, union) => uniteGroups(within, union, plan))
  return group.isKeyed ? found.filter((spot) => spot.record !== undefined).toSorted(compareSameKey) : found
}
