// The conversations that others recorded, in the form of the requests they were. They stand beside the checkout, and
// what they say is data.

import { existsSync, readdirSync, readFileSync } from 'node:fs'

import type { Keyed } from './violations.js'

const FOLDER = new URL('../../../../shared/data/', import.meta.url)

export const NO_RECORDINGS = '../shared/data is not beside this checkout'

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

type Line = Readonly<{ file: string; at: number; record: Keyed }>

/** False where the recordings are not there; a test that needs them is skipped with NO_RECORDINGS as the reason. */
export function hasRecordings(): boolean {
  return existsSync(FOLDER)
}

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
  return lines().map(({ file, at, record }) => ({ name: `${file}:${at + 1}`, record }))
}

export function recordedRaw(format: RawFormat): readonly Recorded<RawConversation>[] {
  return recorded(format, ({ system, messages }) => given({ system, messages }) as RawConversation)
}

let read: readonly Line[] | undefined

function lines(): readonly Line[] {
  if (read !== undefined) return read
  if (!hasRecordings()) throw new Error(`${NO_RECORDINGS}; ask hasRecordings() before.`)
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
  read = files.toSorted().flatMap((file) => {
    const texts = readFileSync(new URL(file, FOLDER), 'utf8').split('\n').filter(Boolean)
    return texts.map((text, at) => ({ file, at, record: JSON.parse(text) as Keyed }))
  })
  return read
}

function recorded<Request>(format: string, requestOf: (record: Keyed) => Request): readonly Recorded<Request>[] {
  const found = lines().filter(({ record }) => record['format'] === format)
  return found.map(({ file, at, record }) => {
    const { source, id, model, tools, response } = record
    const about = { name: `${file}:${at + 1} ${String(id)}`, source, id, model, tools, response }
    return { ...given(about), request: requestOf(record) } as Recorded<Request>
  })
}

/** Without the keys that the recording does not have. */
function given(record: Keyed): Keyed {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
