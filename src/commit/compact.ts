// Stage 2 of a commit, first half: compaction takes whole turns out of ^seq until the limits hold, or the targets if there are any (02 §7,
// D51). A turn with a node that has to stay, or whose call group reaches out of it (N57), is skipped and left to pruning.

import { recordOf, type TreeNode } from '../timeline/index.js'
import type { Budget } from './budget.js'
import { Frontier } from './pruning-queue.js'
import { turnKeyOf, TURNS } from './turn-order.js'

/** Takes turns for every limit that is passed. */
export function compactTurns(budget: Budget): void {
  const { draft } = budget.taking
  for (const limit of budget.limits) {
    const { rule, candidates } = limit
    budget.meet(limit, ({ isDone, isIdle, overfull }) => {
      const frontier = overfull === undefined ? new Frontier(candidates(draft), TURNS) : overfullTurns(overfull)
      return { rule, frontier, byTurn: true, isDone, isIdle, placeOf: TURNS.keyOf }
    })
  }
}

/** No other turn helps where one turn holds too much. */
function overfullTurns(segments: readonly TreeNode[]): Frontier {
  const frontier = new Frontier([], TURNS)
  for (const segment of segments) {
    const key = turnKeyOf(segment)
    if (key !== undefined) frontier.push(recordOf(segment), key)
  }
  return frontier
}
