// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import type { From, Receive, To } from '../conversation/define-adapter.js'
import { AI_SDK, type ModelMessageOptions } from './format.js'
import type { ModelConversation } from './read.js'
import type { ModelPrompt, ModelReply } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { ModelConversation } from './read.js'
export type { CacheAt, CacheMarks } from '../conversation/cache-marks.js'
export {
  type ChatStore,
  type ChatToSave,
  fromUIMessages,
  loadChat,
  saveChat,
  toUIMessages,
  type UIMessagesOptions,
} from './chat.js'
export type { UIMessageLike } from './from-ui.js'
export { contextMiddleware, type CallParams, type ContextMiddleware, type WrappedCall } from './middleware.js'
export type { ModelNames } from './model-call.js'
export { runOn, type ContextRun, type PreparedStep, type RunOptions, type StepToCome, type StepTold } from './run.js'
export type { ModelMessageOptions } from './format.js'
export type {
  AnyModelMessage,
  ModelCall,
  ModelFile,
  ModelJson,
  ModelOptions,
  ModelPrompt,
  ModelReply,
  ModelResult,
  ModelText,
  SystemMessage,
} from './types.js'

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export const fromModelMessages: From<ModelConversation> = AI_SDK.from

/**
 * Takes what generateText gave into the open turn, or the response of it or of streamText; gives the calls that have no result yet.
 * A call that was made with `runOn` has done so itself.
 */
export const receiveModelMessages: Receive<ModelReply> = AI_SDK.receive

/** The prompt for generateText: `{ system?, messages }`, valid unless `repair` is false. */
export const toModelMessages: To<ModelMessageOptions, ModelPrompt, ModelReply> = AI_SDK.to
