export { commitCycle, type Commit, type CommitInput } from './commit-cycle.js'
export type { Held } from './expire.js'
export { checkPolicy, type CountTokens, type PrunePolicy } from './policy.js'
export { TokenCounts } from './tokens.js'
