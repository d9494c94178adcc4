// `pact-context/gemini`: conversations with Gemini, in and out.

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
import { GEMINI } from './format.js'
import { readConversation, type GeminiConversation } from './from.js'
import { readGeminiReply } from './reply.js'
import type { GeminiOptions, GeminiRequest, GeminiSdkRequest } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { GeminiConversation } from './from.js'
export type { GeminiContent, GeminiOptions, GeminiPart, GeminiRequest, GeminiSdkRequest } from './types.js'

const adapter = new Adapter<GeminiOptions>(GEMINI, ['form', 'signatures'])

/** A context from a conversation as `generateContent` takes it, committed turn by turn. */
export const fromGemini: (conversation: GeminiConversation, options?: ContextOptions) => Context = Object.assign(
  function fromGemini(conversation: GeminiConversation, options?: ContextOptions): Context {
    return asCall(fromGemini, () => importMessages(readConversation(conversation), options))
  },
  { [ADAPTER]: { receive: receiveGemini } },
)

/**
 * Takes a reply of Gemini into the open turn, or the list of all pieces of a streamed one; gives the calls that it asks for. Where
 * Gemini said nothing, as of a blocked prompt, nothing is added.
 */
export function receiveGemini(ctx: AnyContext, reply: object, options?: ReplyOptions): Received {
  return asCall(receiveGemini, () => receiveReply(ctx, readGeminiReply(ctx, reply), options))
}

/** The body for `generateContent`: `{ systemInstruction?, contents }`, valid for the provider unless `repair` is false. */
export const toGemini: HasRenderer & ToGemini = Object.assign(
  function toGemini(ctx: AnyContext | Snapshot, options?: GeminiOptions): GeminiRequest & GeminiSdkRequest {
    return asCall(toGemini, () => adapter.request(ctx, options) as unknown as GeminiRequest & GeminiSdkRequest)
  },
  { [RENDERER]: adapter },
)

type ToGemini = {
  (ctx: AnyContext | Snapshot, options: GeminiOptions & Readonly<{ form: 'sdk' }>): GeminiSdkRequest
  (ctx: AnyContext | Snapshot, options?: GeminiOptions): GeminiRequest
}
