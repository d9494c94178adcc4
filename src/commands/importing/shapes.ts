// The format of a conversation, by its name or by a field that only one format has. What nothing here reads is refused by
// its name instead of being read with holes.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { IMPORT_FORMATS, type ImportFormat } from '../../formats/index.js'

/** For every refusal: what would have been read. */
export const READ_SHAPES =
  'Conversations of OpenAI Chat Completions and Responses, Anthropic, Gemini (generateContent and Interactions), the AI SDK, Mistral and Bedrock are read, those of ShareGPT and LLaMA-Factory, sessions of pi, Claude Code and Codex, and exports of this package.'

/** The names that recordings give themselves, where they are not those above. */
const ALSO_CALLED: Readonly<Record<string, ImportFormat>> = {
  'google-gemini': 'gemini',
  pi: 'pi-agent',
  'bedrock-converse': 'bedrock',
}

/** Steps of Gemini's Interactions API. */
const INTERACTION_STEP = /^(?:user_input|model_output|thought|function_result)$/

/** Items and parts of the Responses API. */
const RESPONSES_ITEM =
  /^(?:.+_call|.+_call_output|.+_list_tools|.+_approval_(?:request|response)|reasoning|item_reference|compaction)$/
const RESPONSES_PART = /^(?:input_(?:text|image|file)|output_text|summary_text)$/
const ANTHROPIC_PART = /^(?:tool_use|tool_result|thinking|redacted_thinking|document|server_tool_use|.+_tool_result)$/
const AI_SDK_PART = /^(?:tool-(?:call|result|approval-request|approval-response)|reasoning|file)$/
const BEDROCK_KEYS: readonly string[] = ['toolUse', 'toolResult', 'reasoningContent', 'cachePoint', 'citationsContent']
const UI_PART = /^(?:tool-.+|dynamic-tool|step-start|source-.+|data-.+)$/

/** The shape of a conversation, or the name of one that cannot be read. */
export function shapeOf(
  record: JsonObject,
  messages: readonly JsonObject[],
): Readonly<{ format: ImportFormat }> | Readonly<{ other: string }> {
  const named = record['format']
  if (typeof named === 'string') {
    const format = formatNamed(named)
    return format === undefined ? { other: `"${named}"` } : { format }
  }
  if (messages.some(isUiMessage))
    return { other: 'UI messages of the AI SDK, which convertToModelMessages turns into others' }
  if (record['contents'] !== undefined || messages.some(({ parts }) => Array.isArray(parts)))
    return { format: 'gemini' }
  if (messages.some(isInteractionStep)) return { format: 'gemini-interactions' }
  if (messages.some((message) => 'from' in message)) return { format: 'sharegpt' }
  if (messages.some(({ role }) => role === 'toolResult')) return { format: 'pi-agent' }
  // In the words of its SDK; with those of its HTTP API it reads like Chat Completions.
  if (messages.some((message) => 'toolCalls' in message || 'toolCallId' in message)) return { format: 'mistral' }
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isObject)
  const types = parts.map(({ type }) => (typeof type === 'string' ? type : ''))
  if (parts.length > 0 && parts.every(({ value }) => typeof value === 'string')) return { format: 'llamafactory-v1' }
  if (record['input'] !== undefined || record['output'] !== undefined || messages.some(isItem))
    return { format: 'openai-responses' }
  if (types.some((type) => RESPONSES_PART.test(type))) return { format: 'openai-responses' }
  if (parts.some(isBedrockBlock)) return { format: 'bedrock' }
  if (record['system'] !== undefined || types.some((type) => ANTHROPIC_PART.test(type))) return { format: 'anthropic' }
  return { format: types.some((type) => AI_SDK_PART.test(type)) ? 'ai-sdk' : 'openai-chat' }
}

/** A block of Bedrock's Converse API has one key, which says what it is. */
function isBedrockBlock(part: JsonObject): boolean {
  return part['type'] === undefined && BEDROCK_KEYS.some((key) => isObject(part[key]))
}

function formatNamed(name: string): ImportFormat | undefined {
  if (Object.hasOwn(ALSO_CALLED, name)) return ALSO_CALLED[name]
  return IMPORT_FORMATS.find((format) => format === name)
}

/** True for an export of this package. */
export function isExport(value: JsonValue): value is JsonObject {
  return isObject(value) && isObject(value['root'])
}

function isInteractionStep({ type, role }: JsonObject): boolean {
  return role === undefined && typeof type === 'string' && INTERACTION_STEP.test(type)
}

function isItem({ type, role }: JsonObject): boolean {
  return role === undefined && typeof type === 'string' && RESPONSES_ITEM.test(type)
}

function isUiMessage(message: JsonObject): boolean {
  const { parts, toolInvocations, experimental_attachments: attachments } = message
  if (toolInvocations !== undefined || attachments !== undefined) return true
  const types = (Array.isArray(parts) ? parts : []).map((part) => (isObject(part) ? part['type'] : undefined))
  return types.some((type) => typeof type === 'string' && (UI_PART.test(type) || type === 'text'))
}

/** True if nothing is lost without it. */
export function saysNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
