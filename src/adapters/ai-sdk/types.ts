// The messages of a call of the AI SDK: forms that its versions 6 and 7 both take. Parts of other kinds go back as they came.

import type { RequestFacts } from '../conversation/request.js'
import type { Loose } from '../conversation/typed.js'

/** A value of JSON. */
export type ModelJson = null | string | number | boolean | ModelJson[] | { [key: string]: ModelJson | undefined }

/** Options by provider, such as a cache mark. */
export type ModelOptions = Record<string, { [key: string]: ModelJson | undefined }>

type Optional = { providerOptions?: ModelOptions }

export type ModelText = { type: 'text'; text: string } & Optional

/** A picture or a file: base64, an address or bytes. */
export type ModelFile =
  | ({ type: 'file'; data: string | URL | Uint8Array; mediaType: string; filename?: string } & Optional)
  | ({ type: 'image'; image: string | URL | Uint8Array; mediaType?: string } & Optional)

export type ModelCall = {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: ModelJson
  providerExecuted?: boolean
} & Optional

export type ModelResult = {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output:
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'json' | 'error-json'; value: ModelJson }
    | { type: 'execution-denied'; reason?: string }
    | {
        type: 'content'
        value: (ModelText | { type: 'file-data'; data: string; mediaType: string; filename?: string })[]
      }
} & Optional

/** A message that both versions take. */
export type AnyModelMessage =
  | SystemMessage
  | ({ role: 'user'; content: string | (ModelText | ModelFile)[] } & Optional)
  | ({
      role: 'assistant'
      content:
        | string
        | (
            | ModelText
            | Extract<ModelFile, { type: 'file' }>
            | ({ type: 'reasoning'; text: string } & Optional)
            | ModelCall
            | ModelResult
            | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
          )[]
    } & Optional)
  | ({
      role: 'tool'
      content: (
        | ModelResult
        | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
      )[]
    } & Optional)

/** A system text with options of its own, such as a cache mark. */
export type SystemMessage = { role: 'system'; content: string } & Optional

export type ModelPrompt = { system?: string | SystemMessage[]; messages: AnyModelMessage[] } & RequestFacts

type ReplyMessage = Loose<
  Readonly<{
    role: string
    content: string | readonly unknown[]
    stop_reason?: never
    tool_calls?: never
    refusal?: never
  }>
>

/** A reply: what `generateText` gives, the response of a stream, or the messages in it. */
export type ModelReply =
  | Loose<Readonly<{ response: Readonly<{ messages: readonly unknown[] }>; choices?: never }>>
  | Loose<Readonly<{ responseMessages: readonly unknown[] }>>
  | Loose<Readonly<{ messages: readonly unknown[] }>>
  | ReplyMessage
  | readonly ReplyMessage[]
