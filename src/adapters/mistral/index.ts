// `pact-context/mistral`: conversations with Mistral, in and out.

import type { AnyContext, Context, ContextOptions, Received, Snapshot } from '../../context/index.js'
import type { ReplyOptions } from '../conversation/receive.js'
import type { HasRenderer } from '../../thread/index.js'
import { MISTRAL, type MistralOptions, type MistralRequest } from './format.js'
import type { MistralInput } from './read.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { MistralMessage, MistralOptions, MistralRequest } from './format.js'
export type { MistralInput } from './read.js'

/** A context with the messages of a chat request, as the client or the REST API takes it, committed turn by turn. */
export const fromMistral: (request: MistralInput, options?: ContextOptions) => Context = MISTRAL.from

/** Takes a completion, the message in it, or all events of a stream into the open turn; gives the calls that it asks for. */
export const receiveMistral: (ctx: AnyContext, reply: object, options?: ReplyOptions) => Received = MISTRAL.receive

/** The request for a context or a snapshot: `client.chat.complete({ model, ...toMistral(ctx) })`. */
export const toMistral: HasRenderer & ((source: AnyContext | Snapshot, options?: MistralOptions) => MistralRequest) =
  MISTRAL.to
