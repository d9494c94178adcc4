// Messages of every format that `pctx import` knows, as blocks with texts. It reads only what a bill needs: roles, texts, calls with their ids,
// results, thoughts. Anything else in a message counts as its JSON text.

import { isObject, type JsonObject, type JsonValue } from '../core/index.js'
import type { CostRole, TextMessage } from './messages.js'

type Block = TextMessage['blocks'][number]

const ROLES: Readonly<Record<string, CostRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  reasoning: 'assistant',
  function_call: 'assistant',
  tool: 'tool',
  toolResult: 'tool',
  observation: 'tool',
  function: 'tool',
  function_call_output: 'tool',
}

const CALL = /^(?:tool_?use|tool-?call|function_?call|.+_call)$/i
const RESULT =
  /^(?:tool_?result|tool-result|toolResult|function_?response|function_call_output|.+_call_output|.+_tool_result)$/i
const THOUGHT = /^(?:thinking|redacted_thinking|reasoning|reasoningContent)$/
const MEDIA = /^(?:image|image_url|input_image|input_audio|document|file|input_file|inlineData|fileData|audio|video)$/

/** Tokens of a picture or a file whose size is not known. */
const MEDIA_TOKENS = 1500

const CALL_IDS = ['tool_use_id', 'tool_call_id', 'toolCallId', 'toolUseId', 'call_id', 'id']

/** A message of a recording. A reply that was interrupted at once has no blocks. */
export function readMessage(message: JsonObject): TextMessage {
  const named = message['role'] ?? message['from'] ?? message['type']
  const given = ROLES[typeof named === 'string' ? named : ''] ?? 'user'
  const blocks = blocksOf(message, given)
  // Results come under the role of the user with some providers.
  const role = given === 'user' && blocks.length > 0 && blocks.every(({ kind }) => kind === 'result') ? 'tool' : given
  const at = timeOf(message['timestamp'] ?? message['created_at'])
  return { role, blocks, ...(at === undefined ? {} : { at }) }
}

/** The system text of a request, which some formats keep outside the messages. */
export function readSystem(record: JsonObject): TextMessage | undefined {
  const { system, instructions, systemInstruction, system_instruction: other, tools } = record
  const said = [system, instructions, systemInstruction ?? other].filter((each) => each !== undefined && each !== null)
  const blocks = said.map((each): Block => ({ kind: 'text', text: textOf(each) }))
  // Tools are part of the prefix that is cached, before everything else.
  if (Array.isArray(tools) && tools.length > 0) blocks.unshift({ kind: 'text', text: JSON.stringify(tools) })
  return blocks.length === 0 ? undefined : { role: 'system', blocks }
}

/** A recorded time in milliseconds: a number of them, or of seconds, or ISO text. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value > 1e11 ? value : value * 1000
  if (typeof value !== 'string') return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at
}

function blocksOf(message: JsonObject, role: CostRole): readonly Block[] {
  const { type, tool_calls: calls, function_call: call } = message
  // An item of the Responses API is a call or a result itself.
  if (typeof type === 'string' && message['role'] === undefined && message['from'] === undefined && type !== 'message')
    return [partOf(message, role)]
  const said = message['parts'] ?? message['content'] ?? message['value'] ?? ''
  const parts = (Array.isArray(said) ? said : [said]).filter(
    (part) => part !== '' && part !== null && part !== undefined,
  )
  const blocks = parts.map((part) => (isObject(part) ? partOf(part, role) : textPart(textOf(part), role)))
  const made = [...(Array.isArray(calls) ? calls : []), ...(isObject(call) ? [call] : [])].filter(isObject)
  blocks.push(...made.map((each): Block => ({ kind: 'call', text: callText(each), call: idOf(each) })))
  return role === 'tool' ? blocks.map((block) => asResult(block, message)) : blocks.filter(({ text }) => text !== '')
}

function partOf(part: JsonObject, role: CostRole): Block {
  const type = part['type']
  const name = typeof type === 'string' ? type : (Object.keys(part)[0] ?? '')
  const inner = isObject(part[name]) ? { ...part, ...part[name] } : part
  if (RESULT.test(name)) return { kind: 'result', text: resultText(inner), call: idOf(inner) }
  if (CALL.test(name)) return { kind: 'call', text: callText(inner), call: idOf(inner) }
  if (THOUGHT.test(name)) return { kind: 'thought', text: thoughtText(inner) }
  if (MEDIA.test(name)) return { kind: 'text', text: name, media: MEDIA_TOKENS }
  return textPart(textOf(part), role)
}

function textPart(text: string, role: CostRole): Block {
  return { kind: role === 'tool' ? 'result' : 'text', text }
}

/** A message of the role `tool` names its call itself; SWE-agent has a list of them. */
function asResult(block: Block, message: JsonObject): Block {
  const { tool_call_ids: ids } = message
  const own = Array.isArray(ids) && typeof ids[0] === 'string' ? ids[0] : idOf(message)
  return { ...block, kind: 'result', call: block.call === undefined || block.call === '' ? own : block.call }
}

function idOf(part: JsonObject): string {
  for (const key of CALL_IDS) if (typeof part[key] === 'string') return part[key]
  const { name } = part
  return typeof name === 'string' ? name : ''
}

function callText(call: JsonObject): string {
  const made = isObject(call['function']) ? call['function'] : call
  const { name = '', toolName = name, value, input = value, arguments: given = input, args = given } = made
  return `${textOf(toolName)} ${textOf(args ?? {})}`
}

function resultText(part: JsonObject): string {
  const said = part['content'] ?? part['output'] ?? part['response'] ?? part['result'] ?? part['value'] ?? ''
  return textOf(said)
}

function thoughtText(part: JsonObject): string {
  const { thinking, text, data, reasoningText, encrypted_content: sealed, summary } = part
  return textOf(thinking ?? text ?? reasoningText ?? data ?? sealed ?? summary ?? '')
}

/** Texts as they are, lists of texts joined, anything else as JSON, without the bytes of pictures. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (isObject(value) && typeof value['text'] === 'string') return value['text']
  if (isObject(value) && typeof value['value'] === 'string') return value['value']
  if (isObject(value) && typeof value['type'] === 'string' && MEDIA.test(value['type'])) return value['type']
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
}
