// `pact-context/anthropic`: conversations with Claude, in and out.

import { asCall } from '../../errors/index.js'
import {
  ADAPTER,
  type AnyContext,
  type Context,
  type ContextOptions,
  type Received,
  type Snapshot,
} from '../../context/index.js'
import { RENDERER, type HasRenderer } from '../../thread/index.js'
import { Adapter } from '../conversation/adapter.js'
import { importMessages } from '../conversation/import-messages.js'
import { receiveReply, type ReplyOptions } from '../conversation/receive.js'
import { ANTHROPIC } from './format.js'
import { readConversation, type AnthropicConversation } from './from.js'
import { readAnthropicReply } from './reply.js'
import type { AnthropicOptions, AnthropicRequest } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { AnthropicConversation } from './from.js'
export type { AnthropicBlock, AnthropicMessage, AnthropicOptions, AnthropicRequest, AnthropicText } from './types.js'

export type { CacheAt, CacheMarks } from '../conversation/cache-options.js'

const adapter = new Adapter<AnthropicOptions>(ANTHROPIC, ['systemMessages', 'thinking'])

/** A context from a conversation as `messages.create` takes it, committed turn by turn. */
export const fromAnthropic: (conversation: AnthropicConversation, options?: ContextOptions) => Context = Object.assign(
  function fromAnthropic(conversation: AnthropicConversation, options?: ContextOptions): Context {
    return asCall(fromAnthropic, () => importMessages(readConversation(conversation), options))
  },
  { [ADAPTER]: { receive: receiveAnthropic } },
)

/** Takes a message of Claude into the open turn; gives the calls that it asks for. */
export function receiveAnthropic(ctx: AnyContext, reply: object, options?: ReplyOptions): Received {
  return asCall(receiveAnthropic, () => receiveReply(ctx, readAnthropicReply(reply), options))
}

/** The request for `messages.create`: `{ system?, messages }`, valid for the provider unless `repair` is false. */
export const toAnthropic: HasRenderer & ((ctx: AnyContext | Snapshot, options?: AnthropicOptions) => AnthropicRequest) =
  Object.assign(
    function toAnthropic(ctx: AnyContext | Snapshot, options?: AnthropicOptions): AnthropicRequest {
      return asCall(toAnthropic, () => adapter.request(ctx, options) as unknown as AnthropicRequest)
    },
    { [RENDERER]: adapter },
  )
