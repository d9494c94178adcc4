// Every adapter by the name that doors and attempts use.

import type { Context, ContextOptions, Snapshot } from '../context/index.js'
import type { HasRenderer } from '../thread/index.js'
import { fromModelMessages, toModelMessages } from './ai-sdk/index.js'
import { fromAnthropic, toAnthropic } from './anthropic/index.js'
import type { FormatName } from '../formats/index.js'
import type { RequestFacts } from './conversation/request.js'
import { fromGemini, toGemini } from './gemini/index.js'
import { fromOpenAIChat, fromOpenAIResponses, toOpenAIChat, toOpenAIResponses } from './openai/index.js'

/** What every adapter has: a conversation in, a request out. */
export type AdapterPair = Readonly<{
  from: (conversation: never, options?: ContextOptions) => Context
  to: HasRenderer & ((source: Context | Snapshot, options?: object) => object & RequestFacts)
}>

export const ADAPTERS: Readonly<Record<FormatName, AdapterPair>> = {
  'openai-chat': { from: fromOpenAIChat, to: toOpenAIChat },
  'openai-responses': { from: fromOpenAIResponses, to: toOpenAIResponses },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  gemini: { from: fromGemini, to: toGemini },
  'ai-sdk': { from: fromModelMessages, to: toModelMessages },
}
