// The messages of a request to Mistral, as its client has them; with `form: 'rest'` their keys are those of the REST API.

import type { RequestFacts } from '../conversation/request.js'
import type { Loose, Typed } from '../conversation/typed.js'

export type MistralText = { type: 'text'; text: string }

/** A part of what a user or a tool says. Chunks of other kinds go back as they came. */
export type MistralChunk =
  | MistralText
  | { type: 'image_url'; imageUrl: string | { url: string } }
  | { type: 'document_url'; documentUrl: string; documentName?: string }
  | { type: 'input_audio'; inputAudio: string }

/** A call of a tool; `arguments` is JSON text as the model wrote it. */
export type MistralCall = { id: string; type?: 'function'; function: { name: string; arguments: string } }

export type MistralMessage =
  | { role: 'system'; content: string | MistralText[] }
  | { role: 'user'; content: string | MistralChunk[] }
  | {
      role: 'assistant'
      content?: string | (MistralText | { type: 'thinking'; thinking: MistralText[] })[] | null
      toolCalls?: MistralCall[]
      /** True: the answer goes on from here. */
      prefix?: boolean
    }
  | { role: 'tool'; content: string | MistralChunk[]; toolCallId: string; name?: string }

/** A request of `toMistral`, to be spread into `client.chat.complete`. */
export type MistralRequest = { messages: MistralMessage[] } & RequestFacts

/** A completion of Mistral, as its client or the REST API gives it, the message in it, or the list of all events of a stream. */
export type MistralReply =
  | Loose<Readonly<{ choices: readonly unknown[] }>>
  | Loose<
      Readonly<{
        role?: string
        content?: string | readonly Typed[] | null | undefined
        choices?: never
        stop_reason?: never
        stopReason?: never
        parts?: never
        response?: never
        output?: never
        candidates?: never
        steps?: never
      }>
    >
  | readonly Loose<Readonly<{ data: unknown }> | Readonly<{ choices: readonly unknown[] }>>[]
