// The part readers of all formats. Those of the package are known without loading what writes them, so that every adapter reads every
// context; `defineAdapter` adds others.

import { readAiSdkPart } from '../ai-sdk/kinds.js'
import { readAnthropicPart } from '../anthropic/kinds.js'
import { readBedrockPart } from '../bedrock/kinds.js'
import { GEMINI_KEYS, readGeminiPart } from '../gemini/kinds.js'
import { readMistralPart } from '../mistral/read-part.js'
import { CHAT_UNTYPED, readChatPart } from '../openai/chat-read-part.js'
import { readResponsesPart } from '../openai/response-read-part.js'
import type { PartReader } from './part-reader.js'

const READERS = new Map<string, PartReader>([
  ['anthropic', readAnthropicPart],
  ['openai-chat', readChatPart],
  ['openai-responses', readResponsesPart],
  ['ai-sdk', readAiSdkPart],
  ['gemini', readGeminiPart],
  ['mistral', readMistralPart],
  ['bedrock', readBedrockPart],
])

/** Readers of parts that name their type, and of those that do not. Where two formats write a part alike, the first one reads it. */
export const READERS_BY_TYPE: readonly PartReader[] = [
  readAnthropicPart,
  readChatPart,
  readResponsesPart,
  readAiSdkPart,
]
export const READERS_BY_KEY: readonly PartReader[] = [readChatPart, readGeminiPart]

/** A part that does not name its type has one of these keys. */
export const UNTYPED_KEYS: ReadonlySet<string> = new Set([...CHAT_UNTYPED, ...GEMINI_KEYS])

/** The reader of a format; undefined for a format that is not known here. */
export function readerOf(format: string): PartReader | undefined {
  return READERS.get(format)
}

/** Makes a format known, so that every adapter reads contexts that came in it. */
export function addReader(format: string, read: PartReader): void {
  READERS.set(format, read)
}
