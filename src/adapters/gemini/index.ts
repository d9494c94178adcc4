// `pact-context/gemini`: Gemini's generateContent and its Interactions API, in and out.

import type { AnyContext, Snapshot } from '../../context/index.js'
import type { HasRenderer, HasReply } from '../../thread/index.js'
import type { From, Receive, To } from '../conversation/define-adapter.js'
import {
  GEMINI_INTERACTIONS,
  type GeminiInteractionsOptions,
  type GeminiInteractionsRequest,
} from './interaction-format.js'
import type { GeminiInteractionsInput } from './interaction-read.js'
import { GEMINI, type GeminiOptions } from './format.js'
import type { GeminiConversation } from './read.js'
import type { GeminiInteractionsReply, GeminiReply, GeminiRequest, GeminiSdkRequest } from './types.js'

export { sendNew } from '../conversation/send-new.js'
export type { ReplyOptions } from '../conversation/receive.js'
export type { GeminiConversation } from './read.js'
export type { GeminiInteractionsInput } from './interaction-read.js'
export type {
  GeminiInteractionsOptions,
  GeminiInteractionsRequest,
  GeminiStep,
  GeminiStepContent,
} from './interaction-format.js'
export type { GeminiOptions } from './format.js'
export type {
  GeminiBytes,
  GeminiContent,
  GeminiFile,
  GeminiInteractionsReply,
  GeminiPart,
  GeminiPiece,
  GeminiReply,
  GeminiRequest,
  GeminiSdkRequest,
} from './types.js'

/** A context from a conversation as `generateContent` takes it, committed turn by turn. */
export const fromGemini: From<GeminiConversation> = GEMINI.from

/**
 * Takes a reply of Gemini into the open turn, or the list of all pieces of a streamed one; gives the calls that it asks for. If
 * Gemini said nothing, as for a blocked prompt, nothing is added.
 */
export const receiveGemini: Receive<GeminiReply> = GEMINI.receive

/** The body for `generateContent`: `{ systemInstruction?, contents }`, valid for the provider unless `repair` is false. */
export const toGemini: HasRenderer & HasReply<GeminiReply> & ToGemini = GEMINI.to

type ToGemini = {
  (ctx: AnyContext | Snapshot, options: GeminiOptions & Readonly<{ form: 'sdk' }>): GeminiSdkRequest
  (ctx: AnyContext | Snapshot, options?: GeminiOptions): GeminiRequest
}

/**
 * A context from a request as `interactions.create` takes it, or from an interaction as `interactions.get` gives it, committed turn by turn.
 * `previous_interaction_id` is in `^sys`, in the attribute `data_request` of a container that says nothing else.
 */
export const fromGeminiInteractions: From<GeminiInteractionsInput> = GEMINI_INTERACTIONS.from

/** Takes the steps of an interaction into the open turn, or the list of all events of a streamed one; gives the calls that it asks for. */
export const receiveGeminiInteractions: Receive<GeminiInteractionsReply> = GEMINI_INTERACTIONS.receive

/** The request for the Interactions API: `client.interactions.create({ model, ...toGeminiInteractions(ctx) })`. */
export const toGeminiInteractions: To<GeminiInteractionsOptions, GeminiInteractionsRequest, GeminiInteractionsReply> =
  GEMINI_INTERACTIONS.to
