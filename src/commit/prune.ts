// Stage 2 of a commit, second half: pruning takes nodes out of ^seq, in the order priority, age, id, until the limits of a declared policy
// are met (02 §7, D27), or their targets (D51). Empty turns go before all nodes (N120). Nodes that may not be split leave as a unit;
// protected nodes stay, and the receipt names them.

import { childrenOf, eachRecord, isPrunable, type TreeNode } from '../timeline/index.js'
import type { Budget } from './budget.js'
import { Frontier, NODES, SEGMENTS } from './pruning-queue.js'
import type { Taking } from './taking.js'
import { emptyKeyOf, emptyTurns } from './turn-order.js'

/** Takes nodes for every limit that is passed. */
export function pruneNodes(budget: Budget): void {
  const { taking } = budget
  for (const limit of budget.limits) {
    const { rule, candidates } = limit
    budget.meet(limit, ({ isDone, isIdle, overfull }) => {
      const byTurn = false
      if (overfull !== undefined) return { rule, frontier: allIn(overfull, taking), byTurn, isDone, isIdle }
      const sequences = [...candidates(taking.draft)]
      const frontier = new Frontier(sequences, rule === 'maxDepth' ? SEGMENTS : NODES)
      for (const sequence of sequences) {
        for (const { record, key } of emptyTurns(sequence)) frontier.push(record, key)
      }
      return { rule, frontier, byTurn, isDone, isIdle, placeOf: emptyKeyOf }
    })
  }
}

/** Each candidate is at the place of its group, whose oldest member may be in a segment that is not searched. */
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
