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

export type UnmetLimit = Readonly<{ rule: PruneRule; limit: number; actual: number }>

export type Receipt = Readonly<{ removed: readonly PrunedNode[]; unmet: readonly UnmetLimit[] }>

export const EMPTY_RECEIPT: Receipt = Object.freeze({ removed: Object.freeze([]), unmet: Object.freeze([]) })
