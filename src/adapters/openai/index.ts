// The public surface of `pact-context/openai`: what is listed here is promised, and nothing else is.

export { fromOpenAIChat, receiveOpenAIChat, toOpenAIChat, type OpenAIChatInput } from './chat.js'
export type { OpenAIChatOptions } from './chat-format.js'
export type {
  OpenAIChatCall,
  OpenAIChatMark,
  OpenAIChatMessage,
  OpenAIChatPart,
  OpenAIChatRequest,
  OpenAIChatText,
} from './chat-types.js'
export type { CacheAt, CacheKey } from '../conversation/cache-options.js'
export type { Repair, RepairCode } from '../conversation/repairs.js'
export type { RequestFacts, SourceEntry } from '../conversation/request.js'
export {
  fromOpenAIResponses,
  receiveOpenAIResponses,
  toOpenAIResponses,
  type OpenAIResponsesInput,
} from './responses.js'
export type { OpenAIResponsesOptions } from './response-format.js'
export type { OpenAIResponsesItem, OpenAIResponsesPart, OpenAIResponsesRequest } from './response-types.js'
export type { ReplyOptions } from '../conversation/receive.js'
