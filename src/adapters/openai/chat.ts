// OpenAI Chat Completions, and whoever speaks its format: requests into contexts, and back.

import {
  ADAPTER,
  type AnyContext,
  type Context,
  type ContextOptions,
  type Received,
  type Snapshot,
} from '../../context/index.js'
import { asCall } from '../../errors/index.js'
import { RENDERER, type HasRenderer } from '../../thread/index.js'
import { Adapter } from '../conversation/adapter.js'
import { checkMessages, checkRequest } from '../conversation/check-input.js'
import { importMessages } from '../conversation/import-messages.js'
import { receiveReply, type ReplyOptions } from '../conversation/receive.js'
import { CHAT_FORMAT, type OpenAIChatOptions } from './chat-format.js'
import { readChatReply } from './chat-reply.js'
import { chatSpecs } from './chat-specs.js'
import type { OpenAIChatRequest } from './chat-types.js'

/** A request as `fromOpenAIChat` takes it; keys beside `messages` are not looked at. */
export type OpenAIChatInput = Readonly<{ messages: readonly object[] }>

const adapter = new Adapter(CHAT_FORMAT)

/** A context with the messages of a Chat Completions request, committed turn by turn. */
export const fromOpenAIChat: (request: OpenAIChatInput, options?: ContextOptions) => Context = Object.assign(
  function fromOpenAIChat(request: OpenAIChatInput, options?: ContextOptions): Context {
    return asCall(fromOpenAIChat, () => {
      const { messages } = checkRequest(request, '{ messages: […] }')
      return importMessages(chatSpecs(checkMessages(messages, 'messages')), options)
    })
  },
  { [ADAPTER]: { receive: receiveOpenAIChat } },
)

/** Takes a chat completion, or the message in it, into the open turn; gives the calls that it asks for. */
export function receiveOpenAIChat(ctx: AnyContext, reply: object, options?: ReplyOptions): Received {
  return asCall(receiveOpenAIChat, () => receiveReply(ctx, readChatReply(reply), options))
}

/** The Chat Completions request for a context or a snapshot: `client.chat.completions.create({ model, ...toOpenAIChat(ctx) })`. */
export const toOpenAIChat: HasRenderer &
  ((source: AnyContext | Snapshot, options?: OpenAIChatOptions) => OpenAIChatRequest) = Object.assign(
  function toOpenAIChat(source: AnyContext | Snapshot, options?: OpenAIChatOptions): OpenAIChatRequest {
    return asCall(toOpenAIChat, () => adapter.request(source, options) as unknown as OpenAIChatRequest)
  },
  { [RENDERER]: adapter },
)
