// `pact-context/mistral`: conversations with Mistral, in and out.

import type { From, Receive, To } from '../conversation/define-adapter.js'
import { MISTRAL, type MistralOptions } from './format.js'
import type { MistralInput } from './read.js'
import type { MistralReply, MistralRequest } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { MistralOptions } from './format.js'
export type { MistralCall, MistralChunk, MistralMessage, MistralReply, MistralRequest, MistralText } from './types.js'
export type { MistralInput } from './read.js'

/** A context with the messages of a chat request, as the client or the REST API takes it, committed turn by turn. */
export const fromMistral: From<MistralInput> = MISTRAL.from

/** Takes a completion, the message in it, or all events of a stream into the open turn; gives the calls that it asks for. */
export const receiveMistral: Receive<MistralReply> = MISTRAL.receive

/** The request for a context or a snapshot: `client.chat.complete({ model, ...toMistral(ctx) })`. */
export const toMistral: To<MistralOptions, MistralRequest, MistralReply> = MISTRAL.to
