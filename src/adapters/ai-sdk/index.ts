// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import { asCall } from '../../errors/index.js'
import type { Context, ContextOptions } from '../../context/index.js'
import { importMessages } from '../conversation/import-messages.js'
import { readConversation, type ModelConversation } from './from.js'

export type { ModelConversation } from './from.js'
export type { CacheAt, CacheMarks } from '../conversation/cache-options.js'
export { contextMiddleware, type CallParams, type ContextMiddleware } from './middleware.js'
export { runOn, type ContextRun, type PreparedStep, type RunOptions, type StepToCome, type StepTold } from './run.js'
export { toModelMessages } from './to.js'
export type { AnyModelMessage, ModelMessageOptions, ModelPrompt, SystemMessage } from './types.js'

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export function fromModelMessages(conversation: ModelConversation, options?: ContextOptions): Context {
  return asCall(fromModelMessages, () => importMessages(readConversation(conversation), options))
}
