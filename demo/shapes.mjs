// @ts-check
// Which format a conversation has: by the name that it gives, or by what only one format has. What no adapter reads is refused by
// its name instead of being read with holes.

/**
 * @typedef {string | number | boolean | null | Json[] | { [name: string]: Json }} Json
 * @typedef {{ [name: string]: Json | undefined }} JsonObject
 * @typedef {'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk' | 'sharegpt' | 'llamafactory-v1' | 'pi-agent'} Format
 */

/** For every refusal: what would have been read. */
export const READ_SHAPES =
  'The demo reads OpenAI Chat Completions and Responses, Anthropic, Gemini, AI SDK, ShareGPT, LLaMA-Factory and pi conversations.'

/** @type {Readonly<Record<string, Format>>} */
const NAMED = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'google-gemini': 'gemini',
  'ai-sdk': 'ai-sdk',
  sharegpt: 'sharegpt',
  'llamafactory-v1': 'llamafactory-v1',
  'pi-agent': 'pi-agent',
}

/** Items and parts of the Responses API. */
const RESPONSES_ITEM =
  /^(?:.+_call|.+_call_output|.+_list_tools|.+_approval_(?:request|response)|reasoning|item_reference|compaction)$/
const RESPONSES_PART = /^(?:input_(?:text|image|file)|output_text|summary_text)$/
const ANTHROPIC_PART = /^(?:tool_use|tool_result|thinking|redacted_thinking|document|server_tool_use|.+_tool_result)$/
const AI_SDK_PART = /^(?:tool-(?:call|result|approval-request|approval-response)|reasoning|file)$/
const UI_PART = /^(?:tool-.+|dynamic-tool|step-start|source-.+|data-.+)$/

/**
 * What a conversation is, or the name of what it is that cannot be read here.
 * @param {JsonObject} record
 * @param {Json[]} messages
 * @returns {{ format: Format } | { other: string }}
 */
export function shapeOf(record, messages) {
  const named = record['format']
  if (typeof named === 'string') return NAMED[named] === undefined ? { other: `"${named}"` } : { format: NAMED[named] }
  const list = messages.filter(isObject)
  if (list.some(isUiMessage))
    return { other: 'UI messages of the AI SDK, which convertToModelMessages turns into others' }
  if (record['contents'] !== undefined || list.some(({ parts }) => Array.isArray(parts))) return { format: 'gemini' }
  if (list.some((message) => 'from' in message)) return { format: 'sharegpt' }
  if (list.some(({ role }) => role === 'toolResult')) return { format: 'pi-agent' }
  const parts = list.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isObject)
  const types = parts.map(({ type }) => (typeof type === 'string' ? type : ''))
  if (parts.length > 0 && parts.every(({ value }) => typeof value === 'string')) return { format: 'llamafactory-v1' }
  if (record['input'] !== undefined || record['output'] !== undefined || list.some(isItem))
    return { format: 'openai-responses' }
  if (types.some((type) => RESPONSES_PART.test(type))) return { format: 'openai-responses' }
  if (record['system'] !== undefined || types.some((type) => ANTHROPIC_PART.test(type))) return { format: 'anthropic' }
  return { format: types.some((type) => AI_SDK_PART.test(type)) ? 'ai-sdk' : 'openai-chat' }
}

/** @param {JsonObject} message */
function isItem({ type, role }) {
  return role === undefined && typeof type === 'string' && RESPONSES_ITEM.test(type)
}

/** @param {JsonObject} message */
function isUiMessage({ parts, toolInvocations, experimental_attachments: attachments }) {
  if (toolInvocations !== undefined || attachments !== undefined) return true
  const types = (Array.isArray(parts) ? parts : []).map((part) => (isObject(part) ? part['type'] : undefined))
  return types.some((type) => typeof type === 'string' && (UI_PART.test(type) || type === 'text'))
}

/**
 * @param {Json | undefined} value
 * @returns {value is { [name: string]: Json }}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
