// Stage 2 of a commit, first half: compaction takes whole turns out of ^seq until the limits hold, or the targets where
// there are some (02 §7, D51). A turn with a node in it that has to stay, stays; what that leaves is for pruning.

import { recordOf, type TreeNode } from '../timeline/index.js'
import type { Budget } from './budget.js'
import { Frontier } from './pruning-queue.js'
import { EMPTY_AND_TURNS, keepTurnOrder, turnKeyOf, TURNS } from './turn-order.js'

/** Takes turns for every limit that is passed. */
export function compactTurns(budget: Budget): void {
  const { draft } = budget.taking
  keepTurnOrder(draft.region('^seq').children)
  for (const limit of budget.limits) {
    const { rule, candidates, counts } = limit
    budget.meet(limit, ({ isDone, isIdle, overfull }) => {
      // A turn that holds no block has no tokens to give.
      const order = counts === 'tokens' ? TURNS : EMPTY_AND_TURNS
      const frontier = overfull === undefined ? new Frontier(candidates(draft), order) : overfullTurns(overfull)
      return { rule, frontier, wholeSegments: true, isDone, isIdle, placeOf: order.keyOf }
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
