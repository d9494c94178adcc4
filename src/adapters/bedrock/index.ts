// `pact-context/bedrock`: conversations with models behind Amazon Bedrock's Converse API, in and out.

import type { AnyContext, Context, ContextOptions, Received, Snapshot } from '../../context/index.js'
import type { ReplyOptions } from '../conversation/receive.js'
import type { HasRenderer } from '../../thread/index.js'
import { BEDROCK, type BedrockOptions, type BedrockRequest } from './format.js'
import type { BedrockConversation } from './read.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { BedrockBlock, BedrockMessage, BedrockOptions, BedrockRequest } from './format.js'
export type { BedrockConversation } from './read.js'

/** A context from a conversation as Converse takes it, committed turn by turn. */
export const fromBedrock: (conversation: BedrockConversation, options?: ContextOptions) => Context = BEDROCK.from

/** Takes the answer of Converse, the message in it, or all events of ConverseStream into the open turn; gives the calls that it asks for. */
export const receiveBedrock: (ctx: AnyContext, reply: object, options?: ReplyOptions) => Received = BEDROCK.receive

/** The request for a context or a snapshot: `new ConverseCommand({ modelId, ...toBedrock(ctx) })`. */
export const toBedrock: HasRenderer & ((source: AnyContext | Snapshot, options?: BedrockOptions) => BedrockRequest) =
  BEDROCK.to
