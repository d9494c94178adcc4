// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import { asCall } from '../../errors/index.js'
import type { Context, ContextOptions, Snapshot } from '../../context/index.js'
import { Adapter } from '../conversation/adapter.js'
import { importMessages } from '../conversation/import-messages.js'
import { AI_SDK } from './format.js'
import { readConversation, type ModelConversation } from './from.js'
import type { ModelMessageOptions, ModelPrompt } from './types.js'

export type { ModelConversation } from './from.js'
export type { AnyModelMessage, ModelMessageOptions, ModelPrompt } from './types.js'

const adapter = new Adapter<ModelMessageOptions>(AI_SDK, ['systemMessages'])

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export function fromModelMessages(conversation: ModelConversation, options?: ContextOptions): Context {
  return asCall(fromModelMessages, () => importMessages(readConversation(conversation), options))
}

/** The prompt for generateText: `{ system?, messages }`, valid unless `repair` is false. */
export function toModelMessages(ctx: Context | Snapshot, options?: ModelMessageOptions): ModelPrompt {
  return asCall(toModelMessages, () => adapter.request(ctx, options) as unknown as ModelPrompt)
}
