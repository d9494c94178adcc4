// The replies of OpenAI's two APIs, and of servers that speak their formats.

import type { Loose, Typed } from '../conversation/typed.js'

type ChatMessage = Loose<
  Readonly<{
    role: string
    content?: string | readonly Typed[] | null
    stop_reason?: never
    parts?: never
    toolCalls?: never
  }>
>

/** A chat completion, or the message in it. */
export type OpenAIChatReply =
  | Loose<Readonly<{ choices: readonly Loose<Readonly<{ message: ChatMessage; finishReason?: never }>>[] }>>
  | ChatMessage

/** A response, or the list of its output items. */
export type OpenAIResponsesReply =
  | Loose<Readonly<{ output: readonly Typed[]; choices?: never; steps?: never }>>
  | readonly Typed[]
