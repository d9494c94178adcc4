// The messages of a request to Bedrock, as its client has them: those that this package makes. Blocks of other kinds go back as they came.

import type { RequestFacts } from '../conversation/request.js'
import type { Loose } from '../conversation/typed.js'

/** A value of JSON. */
export type BedrockJson = null | boolean | number | string | BedrockJson[] | { [key: string]: BedrockJson }

/** `bytes` are a `Uint8Array` for the client, and base64 where `JSON.stringify` writes the request. */
export type BedrockImage = { format: 'png' | 'jpeg' | 'gif' | 'webp'; source: { bytes: Uint8Array } }

export type BedrockDocument = {
  format?: 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md'
  name: string
  source: { bytes: Uint8Array }
}

/** A block of a message, by its one key. */
export type BedrockBlock =
  | { text: string }
  | { image: BedrockImage }
  | { document: BedrockDocument }
  | { toolUse: { toolUseId: string; name: string; input: BedrockJson } }
  | {
      toolResult: {
        toolUseId: string
        content: ({ text: string } | { json: BedrockJson } | { image: BedrockImage } | { document: BedrockDocument })[]
        status?: 'success' | 'error'
      }
    }
  | { reasoningContent: { reasoningText: { text: string; signature?: string } } | { redactedContent: Uint8Array } }

export type BedrockMessage = { role: 'user' | 'assistant'; content: BedrockBlock[] }

/** A request of `toBedrock`, to be spread into `new ConverseCommand` or `new ConverseStreamCommand`. */
export type BedrockRequest = { system?: { text: string }[]; messages: BedrockMessage[] } & RequestFacts

/** A reply of Converse, the message in it, or the list of all events of ConverseStream. */
export type BedrockReply =
  | Loose<
      Readonly<{
        output: Readonly<{ message?: unknown }> | undefined
        stopReason?: string | undefined
        choices?: never
        steps?: never
      }>
    >
  | Loose<
      Readonly<{
        role: string | undefined
        content: readonly Loose<Readonly<{ type?: never }>>[] | undefined
        stop_reason?: never
      }>
    >
  | readonly BedrockEvent[]

type BedrockEvent = Loose<
  Readonly<{
    messageStart?: unknown
    contentBlockStart?: unknown
    contentBlockDelta?: unknown
    contentBlockStop?: unknown
    messageStop?: unknown
    metadata?: unknown
    type?: never
    role?: never
  }>
>
