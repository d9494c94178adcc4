// `pact-context/openai`: Chat Completions, with everyone who speaks its format, and the Responses API, in and out.

import type { From, Receive, To } from '../conversation/define-adapter.js'
import { OPENAI_CHAT, type OpenAIChatOptions, type OpenAIChatRequest } from './chat-format.js'
import type { OpenAIChatInput } from './chat-read.js'
import { OPENAI_RESPONSES, type OpenAIResponsesOptions, type OpenAIResponsesRequest } from './response-format.js'
import type { OpenAIResponsesInput } from './response-read.js'
import type { OpenAIChatReply, OpenAIResponsesReply } from './types.js'

export type { OpenAIChatInput } from './chat-read.js'
export type { OpenAIChatOptions } from './chat-format.js'
export type {
  OpenAIChatCall,
  OpenAIChatMark,
  OpenAIChatMessage,
  OpenAIChatPart,
  OpenAIChatRequest,
  OpenAIChatText,
} from './chat-format.js'
export type { CacheAt, CacheKey } from '../conversation/cache-marks.js'
export type { Repair, RepairCode } from '../conversation/request-writer.js'
export type { RequestFacts, SourceEntry } from '../conversation/request.js'
export type { OpenAIResponsesInput } from './response-read.js'
export type { OpenAIResponsesOptions } from './response-format.js'
export type { OpenAIResponsesItem, OpenAIResponsesPart, OpenAIResponsesRequest } from './response-format.js'
export type { ReplyOptions } from '../conversation/receive.js'
export type { OpenAIChatReply, OpenAIResponsesReply } from './types.js'
export { sendNew } from '../conversation/send-new.js'

/** A context with the messages of a Chat Completions request, committed turn by turn. */
export const fromOpenAIChat: From<OpenAIChatInput> = OPENAI_CHAT.from

/** Takes a chat completion, or the message in it, into the open turn; gives the calls that it asks for. */
export const receiveOpenAIChat: Receive<OpenAIChatReply> = OPENAI_CHAT.receive

/** The Chat Completions request for a context or a snapshot: `client.chat.completions.create({ model, ...toOpenAIChat(ctx) })`. */
export const toOpenAIChat: To<OpenAIChatOptions, OpenAIChatRequest, OpenAIChatReply> = OPENAI_CHAT.to

/**
 * A context with the items of a Responses request, committed turn by turn. `previous_response_id` and `conversation` are in `^sys`, in
 * the attribute `data_request` of a container that says nothing else.
 */
export const fromOpenAIResponses: From<OpenAIResponsesInput> = OPENAI_RESPONSES.from

/** Takes the output of a response into the open turn; gives the calls that it asks for. */
export const receiveOpenAIResponses: Receive<OpenAIResponsesReply> = OPENAI_RESPONSES.receive

/** The Responses request for a context or a snapshot: `client.responses.create({ model, ...toOpenAIResponses(ctx) })`. */
export const toOpenAIResponses: To<OpenAIResponsesOptions, OpenAIResponsesRequest, OpenAIResponsesReply> =
  OPENAI_RESPONSES.to
