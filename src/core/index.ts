export type { JsonObject, JsonValue } from './json.js'
export { LIMITS } from './limits.js'
export { compareForPruning, compareSiblings, compareText, type PruningKey, type SiblingKey } from './order.js'
