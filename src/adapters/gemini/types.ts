// The contents of a request to Gemini, as its client has them.

import type { RequestFacts } from '../conversation/request.js'
import type { Loose } from '../conversation/typed.js'

/** A part of a content: one key has its data. Parts with other keys go back as they came. */
export type GeminiPart = {
  text?: string
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> }
  functionResponse?: {
    id?: string
    name?: string
    response?: Record<string, unknown>
    parts?: { inlineData?: GeminiBytes; fileData?: GeminiFile }[]
  }
  inlineData?: GeminiBytes
  fileData?: GeminiFile
  thought?: boolean
  thoughtSignature?: string
}

/** Base64. */
export type GeminiBytes = { data?: string; mimeType?: string; displayName?: string }

export type GeminiFile = { fileUri?: string; mimeType?: string; displayName?: string }

export type GeminiContent = { role?: 'user' | 'model'; parts: GeminiPart[] }

export type GeminiRequest = { systemInstruction?: GeminiContent; contents: GeminiContent[] } & RequestFacts

export type GeminiSdkRequest = {
  contents: GeminiContent[]
  config?: { systemInstruction?: GeminiContent }
} & RequestFacts

/** The response of `generateContent`, or one piece of a stream. */
export type GeminiPiece = Loose<
  Readonly<{
    candidates?: readonly unknown[] | undefined
    promptFeedback?: unknown
    usageMetadata?: unknown
    content?: never
    choices?: never
    output?: never
    steps?: never
    stopReason?: never
  }>
>

/** A reply of Gemini: what `generateContent` gives, the content in it, or the list of all pieces of a stream. */
export type GeminiReply =
  | GeminiPiece
  | readonly GeminiPiece[]
  | Loose<Readonly<{ role?: string; parts: readonly unknown[] }>>

/** An interaction, or the list of all events of a streamed one. */
export type GeminiInteractionsReply =
  | Loose<Readonly<{ status: string; steps?: readonly unknown[] | undefined; output?: never; choices?: never }>>
  | readonly Loose<Readonly<{ event_type?: string; data?: never; type?: never }>>[]
