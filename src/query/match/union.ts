// How the groups of a union become one list: 0.1 sorts a union as a whole, 1.0 joins its groups from left to right; each
// node where it is first seen (D20).

import type { Dialect } from '../../core/index.js'
import type { View } from '../../timeline/index.js'
import type { Visits } from '../search/visits.js'
import type { FlatTree } from './flat-tree.js'
import { inOrder, matchGroup, type Matching, type Rows } from './match.js'
import { inKeyOrder } from './result-order.js'
import { RightKinds } from './right-kinds.js'

/** The matcher by itself, without columns. */
export function plainMatching(view: View, dialect: Dialect, budget: Visits): Matching {
  const unite: Matching['unite'] = (flat, union, matching) => {
    const lists = union.groups.map((group) => {
      const rows = matchGroup(flat, group, matching)
      return group.isKeyed ? inKeyOrder(flat, realRows(flat, rows)) : rows
    })
    if (lists.length === 1) return lists[0]!
    const unique = [...new Set(lists.flat())]
    return dialect === '0.1' ? inOrder(unique) : unique
  }
  return { view, budget, kinds: new RightKinds(view), unite, told: undefined }
}

/** A virtual core only leads on; it is no result (D12). */
export function realRows({ records }: FlatTree, rows: Rows): Rows {
  return rows.filter((row) => records[row] !== undefined)
}
