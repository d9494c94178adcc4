// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import { asCall } from '../../errors/index.js'
import { ADAPTER, type AnyContext, type Context, type ContextOptions, type Received } from '../../context/index.js'
import { importMessages } from '../conversation/import-messages.js'
import { receiveReply, type ReplyOptions } from '../conversation/receive.js'
import { readConversation, type ModelConversation } from './from.js'
import { readModelReply } from './reply.js'

export type { ReplyOptions } from '../conversation/receive.js'
export type { ModelConversation } from './from.js'
export type { CacheAt, CacheMarks } from '../conversation/cache-options.js'
export { contextMiddleware, type CallParams, type ContextMiddleware } from './middleware.js'
export { runOn, type ContextRun, type PreparedStep, type RunOptions, type StepToCome, type StepTold } from './run.js'
export { toModelMessages } from './to.js'
export type { AnyModelMessage, ModelMessageOptions, ModelPrompt, SystemMessage } from './types.js'

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export const fromModelMessages: (conversation: ModelConversation, options?: ContextOptions) => Context = Object.assign(
  function fromModelMessages(conversation: ModelConversation, options?: ContextOptions): Context {
    return asCall(fromModelMessages, () => importMessages(readConversation(conversation), options))
  },
  { [ADAPTER]: { receive: receiveModelMessages } },
)

/**
 * Takes what generateText gave into the open turn, or the response of it or of streamText; gives the calls that have no result yet.
 * A call that was made with `runOn` has done so itself.
 */
export function receiveModelMessages(ctx: AnyContext, reply: object, options?: ReplyOptions): Received {
  return asCall(receiveModelMessages, () => receiveReply(ctx, readModelReply(reply), options))
}
