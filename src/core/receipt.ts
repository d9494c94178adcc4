// What pruning did at a commit, kept with the snapshot so that nobody has to guess why a node is gone (02 §7).

/** The limit that was exceeded, as a policy names it. */
export type PruneRule = 'maxDepth' | 'maxNodesPerSegment' | 'maxNodes' | 'maxTokens' | `maxTokens ${string}`

export type PrunedNode = Readonly<{
  id: string
  rule: PruneRule
  priority: number
  /** In cycles, since the one it was made in. */
  age: number
  /** Of the content, in UTF-8 bytes of its text. */
  size: number
}>

/** A limit that was exceeded, so that pruning had something to do. */
export type PassedLimit = Readonly<{
  rule: PruneRule
  limit: number
  /** How far down it was to be brought, where the policy has a target for it. */
  target?: number
  /** What was measured when its turn came: limits that came before it may have taken something already. */
  before: number
  /** What is left in the snapshot. */
  after: number
  /** Where it is unmet: the first nodes, in the order of pruning, that it came to and had to leave; pins never come up. */
  kept: readonly string[]
}>

export type UnmetLimit = Readonly<{ rule: PruneRule; limit: number; actual: number }>

export type Receipt = Readonly<{
  /** The nodes that left, in the order they did. */
  removed: readonly PrunedNode[]
  /** Every limit that was exceeded, met since or not, in the order they are met. */
  limits: readonly PassedLimit[]
  /** The limits that are still exceeded. */
  unmet: readonly UnmetLimit[]
}>

export const EMPTY_RECEIPT: Receipt = Object.freeze({
  removed: Object.freeze([]),
  limits: Object.freeze([]),
  unmet: Object.freeze([]),
})
