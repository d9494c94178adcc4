// The cost of conversations: prices, cache models, strategies, and their replay on recorded sessions.

export type { KnownCall } from './call-breaks.js'
export { beginsWithReply, faultOf, type Fault } from './faults.js'
export { exchangesOf, withoutLoose, type Exchange, type Stretch } from './history.js'
export { Messages, type CostBlock, type CostMessage, type CostRole, type TextMessage } from './messages.js'
export { ours, oursCompacted, type OurCompaction, type OurPolicy } from './ours.js'
export { PromptCache } from './prompt-cache.js'
export { readMessage, readSystem, timeOf } from './read-message.js'
export { Billing, ended, replay, type Bill, type CacheBreak, type ReplayOptions } from './replay.js'
export { CACHE_RULES, priceOf, rulesNamed, type CacheRules, type Split } from './rules.js'
export {
  costOfSession,
  STRATEGIES,
  type CostOptions,
  type Recorded,
  type SessionCost,
  type SessionInput,
} from './session-cost.js'
export { TextMarks } from './shrink.js'
export { clearToolUses, fullHistory, slidingWindow, summarise, type Outgoing, type Strategy } from './strategy.js'
export { readUsage, type Usage } from './usage.js'
export { WholeMessages, type CacheModel } from './whole-messages.js'
