// Recorded conversations (test/recordings) in the form of the requests that they were.

import { readRecordings, type Recording } from '../../recordings/read.mjs'
import type { Keyed } from './violations.js'

export type Recorded<Request> = Readonly<{
  /** The file, the line in it and the id in the recording: unique, where ids are not. */
  name: string
  source: string
  id: string
  model?: string
  tools?: unknown
  response?: unknown
  request: Request
}>

export type ChatRequest = Readonly<{ messages: readonly Keyed[] }>
export type ResponsesRequest = Readonly<{ instructions?: string; input: readonly Keyed[] }>
export type AnthropicRequest = Readonly<{ system?: string | readonly Keyed[]; messages: readonly Keyed[] }>
export type GeminiRequest = Readonly<{ systemInstruction?: Keyed; contents: readonly Keyed[] }>
export type RawConversation = Readonly<{ system?: unknown; messages: readonly Keyed[] }>

export type RawFormat = 'pi-agent' | 'sharegpt' | 'llamafactory-v1' | 'bedrock-converse' | 'cohere-v2'

export function recordedChats(): readonly Recorded<ChatRequest>[] {
  return recorded('openai-chat', ({ messages }) => ({ messages }) as ChatRequest)
}

export function recordedResponses(): readonly Recorded<ResponsesRequest>[] {
  return recorded('openai-responses', ({ instructions, messages }) => {
    return given({ instructions, input: messages }) as ResponsesRequest
  })
}

export function recordedAnthropic(): readonly Recorded<AnthropicRequest>[] {
  return recorded('anthropic', ({ system, messages }) => given({ system, messages }) as AnthropicRequest)
}

export function recordedGemini(): readonly Recorded<GeminiRequest>[] {
  return recorded('google-gemini', ({ systemInstruction, messages }) => {
    return given({ systemInstruction, contents: messages }) as GeminiRequest
  })
}

/** Every recording as its line has it, whatever its format. */
export function recordedLines(): readonly Readonly<{ name: string; record: Keyed }>[] {
  return readRecordings().map((recording) => ({ name: nameOf(recording), record: recording.record }))
}

export function recordedRaw(format: RawFormat): readonly Recorded<RawConversation>[] {
  return recorded(format, ({ system, messages }) => given({ system, messages }) as RawConversation)
}

function recorded<Request>(format: string, requestOf: (record: Keyed) => Request): readonly Recorded<Request>[] {
  const found = readRecordings().filter(({ record }) => record['format'] === format)
  return found.map((recording) => {
    const { source, id, model, tools, response } = recording.record
    const about = { name: `${nameOf(recording)} ${String(id)}`, source, id, model, tools, response }
    return { ...given(about), request: requestOf(recording.record) } as Recorded<Request>
  })
}

function nameOf({ file, line }: Recording): string {
  return `${file}:${line}`
}

/** Without the keys that the recording does not have. */
function given(record: Keyed): Keyed {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
