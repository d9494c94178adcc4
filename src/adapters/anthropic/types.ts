// The messages of a request to Claude, as its clients have them: those that this package makes. Blocks of other kinds go back as they came.

import type { RequestFacts } from '../conversation/request.js'
import type { Loose, Typed } from '../conversation/typed.js'

export type AnthropicMark = { type: 'ephemeral'; ttl?: '5m' | '1h' }

export type AnthropicText = { type: 'text'; text: string; cache_control?: AnthropicMark }

export type AnthropicImage = {
  type: 'image'
  source:
    | { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string }
    | { type: 'url'; url: string }
  cache_control?: AnthropicMark
}

export type AnthropicDocument = {
  type: 'document'
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'url'; url: string }
  title?: string | null
  context?: string | null
  cache_control?: AnthropicMark
}

/** A block of a message, by its type. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown>; cache_control?: AnthropicMark }
  | {
      type: 'tool_result'
      tool_use_id: string
      content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[]
      is_error?: boolean
      cache_control?: AnthropicMark
    }

export type AnthropicMessage = { role: 'user' | 'assistant'; content: string | AnthropicBlock[] }

export type AnthropicRequest = {
  system?: string | AnthropicText[]
  /** With the option `onlyNew`. */
  thread?: { type: 'create' } | { type: 'continue'; previous_message_id: string }
  messages: AnthropicMessage[]
  /** The container of code that waits for the results of its calls. */
  container?: string
  /** With the option `cache: { at: 'auto' }`. */
  cache_control?: AnthropicMark
} & RequestFacts

/** A reply of Claude, from `messages.create`, from a stream that the client has put together, or in JSON. */
export type AnthropicReply = Loose<
  Readonly<{
    role: string
    content: string | readonly Typed[]
    stop_reason?: string | null
    tool_calls?: never
    refusal?: never
    parts?: never
    choices?: never
    toolCalls?: never
  }>
>
