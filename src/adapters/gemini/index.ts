// `pact-context/gemini`: conversations with Gemini, in and out.

import type { AnyContext, Snapshot } from '../../context/index.js'
import type { HasRenderer } from '../../thread/index.js'
import type { From, Receive } from '../conversation/define-adapter.js'
import { GEMINI, type GeminiOptions, type GeminiRequest, type GeminiSdkRequest } from './format.js'
import type { GeminiConversation } from './read.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { GeminiConversation } from './read.js'
export type { GeminiContent, GeminiOptions, GeminiPart, GeminiRequest, GeminiSdkRequest } from './format.js'

/** A context from a conversation as `generateContent` takes it, committed turn by turn. */
export const fromGemini: From<GeminiConversation> = GEMINI.from

/**
 * Takes a reply of Gemini into the open turn, or the list of all pieces of a streamed one; gives the calls that it asks for. If
 * Gemini said nothing, as for a blocked prompt, nothing is added.
 */
export const receiveGemini: Receive = GEMINI.receive

/** The body for `generateContent`: `{ systemInstruction?, contents }`, valid for the provider unless `repair` is false. */
export const toGemini: HasRenderer & ToGemini = GEMINI.to

type ToGemini = {
  (ctx: AnyContext | Snapshot, options: GeminiOptions & Readonly<{ form: 'sdk' }>): GeminiSdkRequest
  (ctx: AnyContext | Snapshot, options?: GeminiOptions): GeminiRequest
}
