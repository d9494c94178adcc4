// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import type { AnyContext, Context, ContextOptions, Received, Snapshot } from '../../context/index.js'
import type { ReplyOptions } from '../conversation/receive.js'
import type { HasRenderer } from '../../thread/index.js'
import { AI_SDK } from './format.js'
import type { ModelConversation } from './read.js'
import type { ModelMessageOptions, ModelPrompt } from './types.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { ModelConversation } from './read.js'
export type { CacheAt, CacheMarks } from '../conversation/cache-options.js'
export { contextMiddleware, type CallParams, type ContextMiddleware, type WrappedCall } from './middleware.js'
export type { ModelNames } from './model-call.js'
export { runOn, type ContextRun, type PreparedStep, type RunOptions, type StepToCome, type StepTold } from './run.js'
export type { AnyModelMessage, ModelMessageOptions, ModelPrompt, SystemMessage } from './types.js'

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export const fromModelMessages: (conversation: ModelConversation, options?: ContextOptions) => Context = AI_SDK.from

/**
 * Takes what generateText gave into the open turn, or the response of it or of streamText; gives the calls that have no result yet.
 * A call that was made with `runOn` has done so itself.
 */
export const receiveModelMessages: (ctx: AnyContext, reply: object, options?: ReplyOptions) => Received = AI_SDK.receive

/** The prompt for generateText: `{ system?, messages }`, valid unless `repair` is false. */
export const toModelMessages: HasRenderer &
  ((ctx: AnyContext | Snapshot, options?: ModelMessageOptions) => ModelPrompt) = AI_SDK.to
