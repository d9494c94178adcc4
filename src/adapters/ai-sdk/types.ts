// Prompts for generateText and streamText as plain types: a prompt made of them can be spread into the call.

import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheMarks } from '../conversation/cache-options.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import type { RequestFacts } from '../conversation/request.js'
import type { ThinkingOptions } from '../conversation/thinking.js'

export type ModelMessageOptions = RequestOptions &
  BlocksOptions<'user' | 'system'> &
  ThinkingOptions &
  Readonly<{
    /** System messages in mid-conversation: kept, or given as the user's, since version 7 refuses them by default. */
    systemMessages?: 'keep' | 'user' | undefined
    /** Marks for Claude's prompt cache; other providers do not look at them. */
    cache?: boolean | CacheMarks | undefined
  }>

/** Some message; what its content may be depends on its role, and the SDK names it in its own types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the SDK's ModelMessage, which is not imported here
export type AnyModelMessage = any

/** A system text with options of its own, such as a cache mark. */
// oxlint-disable-next-line typescript/no-explicit-any -- the SDK's ProviderOptions, which are not imported here
export type SystemMessage = { role: 'system'; content: string; providerOptions?: any }

export type ModelPrompt = { system?: string | SystemMessage[]; messages: AnyModelMessage[] } & RequestFacts
