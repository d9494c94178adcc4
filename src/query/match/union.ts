// How the groups of a union become one list: 0.1 sorts a union as a whole, 1.0 joins its groups from left to right; each
// node where it is first seen (D20).

import type { View } from '../../timeline/index.js'
import { compareSameKey } from './result-order.js'
import type { CompiledUnion, Plan } from '../plan/compile.js'
import { inOrder, matchGroup, type Unite } from './match.js'
import type { Scene, Spot } from './flat-tree.js'

export function uniteWith(view: View, plan: Plan): Unite {
  const unite = (scene: Scene, union: CompiledUnion): readonly Spot[] => {
    const lists = union.map((group) => {
      const found = matchGroup(scene, view, group, unite)
      return group.isKeyed ? found.filter(isReal).toSorted(compareSameKey) : found
    })
    if (lists.length === 1) return lists[0]!
    const unique = [...new Set(lists.flat())]
    return plan.dialect === '0.1' ? inOrder(unique) : unique
  }
  return unite
}

/** A virtual core only leads on; it is no result (D12). */
export function isReal(spot: Spot): boolean {
  return spot.record !== undefined
}
