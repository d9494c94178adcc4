// `pact-context/bedrock`: conversations with models behind Amazon Bedrock's Converse API, in and out.

import type { From, Receive, To } from '../conversation/define-adapter.js'
import { BEDROCK, type BedrockOptions } from './format.js'
import type { BedrockConversation } from './read.js'
import type { BedrockReply, BedrockRequest } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { BedrockOptions } from './format.js'
export type {
  BedrockBlock,
  BedrockDocument,
  BedrockImage,
  BedrockJson,
  BedrockMessage,
  BedrockReply,
  BedrockRequest,
} from './types.js'
export type { BedrockConversation } from './read.js'

/** A context from a conversation as Converse takes it, committed turn by turn. */
export const fromBedrock: From<BedrockConversation> = BEDROCK.from

/** Takes the answer of Converse, the message in it, or all events of ConverseStream into the open turn; gives the calls that it asks for. */
export const receiveBedrock: Receive<BedrockReply> = BEDROCK.receive

/** The request for a context or a snapshot: `new ConverseCommand({ modelId, ...toBedrock(ctx) })`. */
export const toBedrock: To<BedrockOptions, BedrockRequest, BedrockReply> = BEDROCK.to
