// The registry: every adapter by the name that doors and attempts use.

import type { Context, ContextOptions, Snapshot } from '../context/index.js'
import type { CallPrompt, HasRenderer } from '../thread/index.js'
import type { FormatName } from '../formats/index.js'
import { AI_SDK } from './ai-sdk/format.js'
import { ANTHROPIC } from './anthropic/format.js'
import { BEDROCK } from './bedrock/format.js'
import type { MessageSpec } from './conversation/import-messages.js'
import type { RequestFacts } from './conversation/request.js'
import { GEMINI } from './gemini/format.js'
import { GEMINI_INTERACTIONS } from './gemini/interaction-format.js'
import { MISTRAL } from './mistral/format.js'
import { OPENAI_CHAT } from './openai/chat-format.js'
import { OPENAI_RESPONSES } from './openai/response-format.js'

export { addMessage, specOf } from './conversation/import-messages.js'

/** An adapter reads a conversation, as a context or as its messages, and writes a request. */
export type AdapterPair = Readonly<{
  from: (conversation: never, options?: ContextOptions) => Context
  read: (conversation: never) => readonly MessageSpec[]
  to: HasRenderer & ((source: Context | Snapshot, options?: object, prompt?: CallPrompt) => object & RequestFacts)
}>

export const ADAPTERS: Readonly<Record<FormatName, AdapterPair>> = {
  'openai-chat': OPENAI_CHAT,
  'openai-responses': OPENAI_RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  'gemini-interactions': GEMINI_INTERACTIONS,
  'ai-sdk': AI_SDK,
  mistral: MISTRAL,
  bedrock: BEDROCK,
}
