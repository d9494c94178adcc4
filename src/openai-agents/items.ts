// Items of the Agents SDK and the nodes that hold them. An item that the Responses API has too becomes the node that `fromOpenAIResponses` makes of
// it, with the other keys of the item in an attribute; every other item is the content of its node, verbatim.

import type { AgentInputItem } from '@openai/agents-core'

import { ADAPTERS, specOf } from '../adapters/index.js'
import { canonicalJson, copyJson } from '../codec/index.js'
import type { JsonObject, JsonValue, Node } from '../core/index.js'
import type { Replacement } from '../edit/index.js'
import { invalid, isRecord } from '../errors/index.js'

/** On a node of a session: the keys of its item that the node does not say; true if its content is the item. */
export const ITEM = 'data_agent_item'

/** Attributes of adapters: the other keys of a message, and the id of a call. */
const [MESSAGE, CALL_ID] = ['data_message', 'data_call_id']

/** An item as the Responses API has it, and what that leaves out. */
type Wire = Readonly<{ wire: JsonObject; rest: JsonObject }>

/** A copy of an item; what is not JSON is refused. */
export function readItem(given: unknown): JsonObject {
  if (!isRecord(given)) throw invalid('items', 'An item of a session is an object such as { role, content }.')
  return copyJson(given) as JsonObject
}

/** The node of an item: its content, and its header. */
export function nodeOf(item: JsonObject): Replacement {
  const found = wireOf(item)
  if (found === undefined || canonicalJson(itemOf(found)) !== canonicalJson(item)) {
    return { content: item, role: roleOf(item), kind: typeOf(item), [ITEM]: true }
  }
  const [message] = ADAPTERS['openai-responses'].read({ input: [found.wire] } as never)
  return { ...specOf(message!), offset: undefined, [ITEM]: found.rest }
}

/** The item of a node; undefined if the node is none that an agent can take. Text that was written by other means is a message. */
export function itemIn({ nodeType, role, kind, content = '', attributes }: Node): AgentInputItem | undefined {
  const rest = attributes[ITEM]
  const message = attributes[MESSAGE] as JsonObject | undefined
  if (isObject(rest) && kind === 'message')
    return agentItem(itemOf({ wire: { ...message, role: role!, content }, rest }))
  if (isObject(rest) && isObject(content)) return agentItem(itemOf({ wire: content, rest }))
  if (rest === true && isObject(content)) return agentItem(content)
  if (nodeType !== 'block' || typeof content !== 'string' || content === '') return undefined
  // A result whose content was shed.
  if (isObject(rest) && kind === 'result') {
    const { name = '' } = rest
    return agentItem({ type: RESULT[0], callId: attributes[CALL_ID]!, name, status: 'completed', output: content })
  }
  if (role === 'assistant') return { role, status: 'completed', content: [{ type: 'output_text', text: content }] }
  return { role: role === 'system' ? role : 'user', content }
}

/** Items come back as they were given, which is all that can be known about their type. */
function agentItem(item: JsonValue): AgentInputItem {
  return structuredClone(item) as unknown as AgentInputItem
}

function roleOf(item: JsonObject): string {
  const { role } = item
  if (typeof role === 'string' && role !== '') return role
  return /_(?:result|output)$/.test(typeOf(item)) ? 'tool' : 'assistant'
}

/** The type of an item or of a part; messages may leave it out. */
function typeOf({ type }: JsonObject): string {
  return typeof type === 'string' && type !== '' ? type : 'message'
}

/** The keys of each kind of item that the Responses API has under the same name. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content', 'id', 'status'],
  function_call: ['type', 'name', 'arguments', 'id', 'status'],
  function_call_result: ['output', 'id', 'status'],
  reasoning: ['type', 'id'],
  compaction: ['type', 'id', 'encrypted_content', 'created_by'],
}

/** Names that differ: `[Agents SDK, Responses API]`. */
const RESULT = ['function_call_result', 'function_call_output'] as const

/** The item for the Responses API; undefined if that has no such item. `itemOf` gives it back. */
function wireOf(item: JsonObject): Wire | undefined {
  const type = typeOf(item)
  const shared = Object.hasOwn(SHARED, type) ? SHARED[type] : undefined
  if (shared === undefined) return undefined
  const wire: Record<string, JsonValue> = {}
  const rest: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(item)) (shared.includes(key) ? wire : rest)[key] = value
  if (type === 'function_call' || type === RESULT[0]) {
    wire['call_id'] = item['callId'] ?? null
    delete rest['callId']
  }
  if (type === RESULT[0]) {
    wire['type'] = RESULT[1]
    delete rest['type']
    const { output } = item
    if (isObject(output) && output['type'] === 'text') {
      wire['output'] = output['text'] ?? null
      rest['output'] = 'text'
    }
    if (typeof wire['output'] !== 'string') return undefined
  }
  if (type === 'reasoning') {
    const texts = partsOf(item['content'], ['input_text'])
    if (texts === undefined || typeof item['id'] !== 'string') return undefined
    delete rest['content']
    wire['summary'] = texts.parts.map(({ text }) => ({ type: 'summary_text', text: text ?? null }))
    if (texts.data !== undefined) rest['parts'] = texts.data
  }
  if (type === 'message' && typeof item['content'] !== 'string') {
    const found = partsOf(item['content'], ['input_text', 'output_text', 'refusal'])
    if (found === undefined) return undefined
    wire['content'] = found.parts
    if (found.data !== undefined) rest['parts'] = found.data
  }
  return { wire, rest }
}

/** The item that `wireOf` was given. */
function itemOf({ wire, rest: { parts: data, output: form, ...rest } }: Wire): JsonObject {
  const { call_id: callId, ...shared } = wire
  switch (typeOf(wire)) {
    case 'message':
      return { ...shared, ...rest, content: withData(wire['content'] ?? '', data) }
    case 'function_call':
      return { ...shared, ...rest, callId: callId ?? '' }
    case RESULT[1]: {
      const output = form === 'text' ? { type: 'text', text: wire['output'] ?? '' } : (wire['output'] ?? '')
      return { ...shared, ...rest, type: RESULT[0], callId: callId ?? '', output }
    }
    case 'reasoning': {
      const { summary, ...thought } = shared
      const found = Array.isArray(summary) ? summary : []
      const texts = found.map(({ text }: JsonObject) => ({ type: 'input_text', text: text ?? '' }))
      return { ...thought, ...rest, content: withData(texts, data) }
    }
    default:
      return { ...shared, ...rest }
  }
}

/** Parts of these types without what only the SDK has, which is `data`, one entry for each part. */
function partsOf(
  content: JsonValue | undefined,
  types: readonly string[],
): Readonly<{ parts: readonly JsonObject[]; data: readonly JsonValue[] | undefined }> | undefined {
  if (!Array.isArray(content) || !content.every((part) => isObject(part) && types.includes(typeOf(part)))) {
    return undefined
  }
  const data = content.map(({ providerData }: JsonObject) => providerData ?? null)
  const parts = content.map(({ providerData: _data, ...part }: JsonObject) => part)
  return { parts, data: data.every((entry) => entry === null) ? undefined : data }
}

function withData(content: JsonValue, data: JsonValue | undefined): JsonValue {
  if (!Array.isArray(content) || !Array.isArray(data)) return content
  return content.map((part: JsonObject, n) => (data[n] === null ? part : { ...part, providerData: data[n] ?? null }))
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value)
}
