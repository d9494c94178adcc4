// Requests to Claude's Messages API as plain JSON types: a request made of them can be spread into the client's call.

import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheMarks } from '../conversation/cache-options.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import type { RequestFacts } from '../conversation/request.js'
import type { ThinkingOptions } from '../conversation/thinking.js'

export type AnthropicOptions = RequestOptions &
  BlocksOptions<'user' | 'system'> &
  ThinkingOptions &
  Readonly<{
    /** System messages in mid-conversation: kept for models that take them, or given as the user's. */
    systemMessages?: 'keep' | 'user' | undefined
    /** Marks where the prompt cache should keep what comes before them. */
    cache?: boolean | CacheMarks | undefined
  }>

export type AnthropicText = {
  type: 'text'
  text: string
  cache_control?: { type: 'ephemeral'; ttl?: '5m' | '1h' }
}

export type AnthropicMessage = { role: 'user' | 'assistant'; content: string | AnthropicBlock[] }

/** Some block of a message; what it holds depends on its type. */
// oxlint-disable-next-line typescript/no-explicit-any -- each client names its blocks in its own types
export type AnthropicBlock = any

export type AnthropicRequest = { system?: string | AnthropicText[]; messages: AnthropicMessage[] } & RequestFacts
