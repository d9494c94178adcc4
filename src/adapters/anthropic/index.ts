// `pact-context/anthropic`: conversations with Claude, in and out.

import type { From, Receive, To } from '../conversation/define-adapter.js'
import { ANTHROPIC, type AnthropicOptions } from './format.js'
import type { AnthropicConversation } from './read.js'
import type { AnthropicReply, AnthropicRequest } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { AnthropicConversation } from './read.js'
export type { AnthropicCache, AnthropicOptions } from './format.js'
export type {
  AnthropicBlock,
  AnthropicDocument,
  AnthropicImage,
  AnthropicMark,
  AnthropicMessage,
  AnthropicReply,
  AnthropicRequest,
  AnthropicText,
} from './types.js'
export type { AutomaticCacheAt, CacheAt, CacheMarks } from '../conversation/cache-marks.js'
export { leastCached } from './least.js'
export { sendNew } from '../conversation/send-new.js'

/** A context from a conversation as `messages.create` takes it, committed turn by turn. */
export const fromAnthropic: From<AnthropicConversation> = ANTHROPIC.from

/** Takes a message of Claude into the open turn; gives the calls that it asks for. */
export const receiveAnthropic: Receive<AnthropicReply> = ANTHROPIC.receive

/** The request for `messages.create`: `{ system?, messages }`, valid for the provider unless `repair` is false. */
export const toAnthropic: To<AnthropicOptions, AnthropicRequest, AnthropicReply> = ANTHROPIC.to
