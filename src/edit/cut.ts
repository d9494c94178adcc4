// prune: nodes that a request of the open turn left out for a token limit. They stay in the working state, and leave in the next commit and in
// every preview before it, so that the requests of a turn go on from one beginning.

import { describe, invalid, isRecord } from '../errors/index.js'
import { isPruneRule, LIMITS, type CutNode } from '../core/index.js'
import type { Draft, TreeNode } from '../timeline/index.js'

export function checkCut(nodes: unknown): readonly CutNode[] {
  if (!Array.isArray(nodes) || nodes.length > LIMITS.nodes) {
    throw invalid('nodes', `nodes is a list such as [{ id, rule: 'maxTokens' }], not ${describe(nodes)}.`)
  }
  return Object.freeze(Array.from(nodes as readonly unknown[], checkOne))
}

function checkOne(given: unknown): CutNode {
  const { id, rule, ...rest }: Partial<CutNode> = isRecord(given) ? given : {}
  const isRight = typeof id === 'string' && isPruneRule(rule)
  if (isRight && Object.keys(rest).length === 0) return Object.freeze({ id, rule })
  throw invalid('nodes', `A node to prune is an object such as { id, rule: 'maxTokens' }, not ${describe(given)}.`)
}

/** Those of the nodes that are there; others need nothing, wherever the edit is made again. */
export function cutNodes(draft: Draft, nodes: readonly CutNode[]): readonly TreeNode[] {
  return nodes.flatMap(({ id }) => {
    const record = draft.find(id)
    return record === undefined ? [] : [draft.nodeOf(record)]
  })
}
