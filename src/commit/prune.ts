// Stage 2 of a commit, second half: pruning takes nodes out of ^seq, in the order priority, age, id, until the limits of a
// declared policy are met (02 §7, D27), or their targets (D51). What may not be split leaves as a unit; what is protected
// stays, and the receipt says so.

import { childrenOf, eachRecord, isPrunable, type TreeNode } from '../timeline/index.js'
import type { Budget } from './budget.js'
import { Frontier, NODES, SEGMENTS } from './pruning-queue.js'
import type { Taking } from './taking.js'

/** Takes nodes for every limit that is passed. */
export function pruneNodes(budget: Budget): void {
  const { taking } = budget
  for (const limit of budget.limits) {
    const { rule, candidates } = limit
    budget.meet(limit, ({ isDone, isIdle, overfull }) => {
      const wholeSegments = rule === 'maxDepth'
      const frontier =
        overfull === undefined
          ? new Frontier(candidates(taking.draft), wholeSegments ? SEGMENTS : NODES)
          : allIn(overfull, taking)
      return { rule, frontier, wholeSegments, isDone, isIdle }
    })
  }
}

/** Every candidate at the place of its group, whose oldest member may stand in a segment that is not looked at. */
function allIn(segments: readonly TreeNode[], { units }: Taking): Frontier {
  const frontier = new Frontier([], NODES)
  for (const segment of segments) {
    for (const node of childrenOf(segment)) {
      eachRecord(node, (record) => {
        if (isPrunable(record)) frontier.push(record, units.groupOf(record).key)
      })
    }
  }
  return frontier
}
