// The receipt of pruning at a commit, kept with the snapshot, so that the reason for a missing node is known (02 §7).

/** The limit that was exceeded, as a policy names it. */
export type PruneRule = 'maxDepth' | 'maxNodesPerSegment' | 'maxNodes' | 'maxTokens' | `maxTokens ${string}`

/** True for the name of a limit; the part behind `maxTokens` is a region. */
export function isPruneRule(rule: unknown): rule is PruneRule {
  return typeof rule === 'string' && /^(?:maxDepth|maxNodesPerSegment|maxNodes|maxTokens(?: [^]+)?)$/.test(rule)
}

export type PrunedNode = Readonly<{
  id: string
  rule: PruneRule
  priority: number
  /** In cycles, since the one it was made in. */
  age: number
  /** The size of the content, in UTF-8 bytes of its text. */
  size: number
}>

/** A node that a request of the open turn left out, which leaves in the next commit. */
export type CutNode = Readonly<{ id: string; rule: PruneRule }>

/** A limit that was exceeded, so that pruning had something to do. */
export type PassedLimit = Readonly<{
  rule: PruneRule
  limit: number
  /** The goal for this limit, if the policy has a target. */
  target?: number
  /** The amount when this limit was checked: earlier limits may have removed nodes already. */
  before: number
  /** The amount in the snapshot. */
  after: number
  /** For an unmet limit: the first nodes, in the order of pruning, that had to stay; pinned nodes are not listed. */
  kept: readonly string[]
}>

/** A tool's result whose content was shed in the cycle, by the commit or before it. */
export type ShedNode = Readonly<{
  /** The id of the original, by which `recall` gives its content. */
  id: string
  /** The id of the node with the line: the same one where the result was shed in place. */
  standIn: string
  /** The size of the original content, in UTF-8 bytes of its text. */
  size: number
}>

/** A summary that was made in the cycle. */
export type SummaryNode = Readonly<{
  id: string
  /** The number of nodes that it stands for, and the tokens that these had. */
  nodes: number
  tokens: number
}>

export type UnmetLimit = Readonly<{ rule: PruneRule; limit: number; actual: number }>

export type Receipt = Readonly<{
  /** The author of the commit, if one was given. */
  author?: string
  /** The nodes that left, in the order they did. */
  removed: readonly PrunedNode[]
  /** The results that were shed in this cycle and are in the snapshot, in its order. */
  shed: readonly ShedNode[]
  /** The summaries that were made in this cycle and are in the snapshot, in its order; left out if there are none. */
  compacted?: readonly SummaryNode[]
  /** Every limit that was exceeded, met since or not, in the order they are met. */
  limits: readonly PassedLimit[]
  /** The limits that are still exceeded. */
  unmet: readonly UnmetLimit[]
}>

export const EMPTY_RECEIPT: Receipt = Object.freeze({
  removed: Object.freeze([]),
  shed: Object.freeze([]),
  limits: Object.freeze([]),
  unmet: Object.freeze([]),
})
