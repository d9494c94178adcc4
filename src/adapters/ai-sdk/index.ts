// `pact-context/ai-sdk`: prompts for generateText, streamText and agents, in and out.

import { asCall } from '../../errors/index.js'
import type { Context, ContextOptions, RangeResults, Snapshot } from '../../context/index.js'
import { RENDERER, type HasRenderer } from '../../thread/index.js'
import { Adapter } from '../conversation/adapter.js'
import { importMessages } from '../conversation/import-messages.js'
import { AI_SDK } from './format.js'
import { readConversation, type ModelConversation } from './from.js'
import type { ModelMessageOptions, ModelPrompt } from './types.js'

export type { ModelConversation } from './from.js'
export type { AnyModelMessage, ModelMessageOptions, ModelPrompt, SystemMessage } from './types.js'

export type { CacheAt, CacheMarks } from '../conversation/cache-options.js'

const adapter = new Adapter<ModelMessageOptions>(AI_SDK)

/** A context from a list of ModelMessages, or from `{ system?, messages }`, committed turn by turn. */
export function fromModelMessages(conversation: ModelConversation, options?: ContextOptions): Context {
  return asCall(fromModelMessages, () => importMessages(readConversation(conversation), options))
}

/** The prompt for generateText: `{ system?, messages }`, valid unless `repair` is false. */
export const toModelMessages: HasRenderer &
  ((ctx: Context<RangeResults> | Snapshot, options?: ModelMessageOptions) => ModelPrompt) = Object.assign(
  function toModelMessages(ctx: Context<RangeResults> | Snapshot, options?: ModelMessageOptions): ModelPrompt {
    return asCall(toModelMessages, () => adapter.request(ctx, options) as unknown as ModelPrompt)
  },
  { [RENDERER]: adapter },
)
