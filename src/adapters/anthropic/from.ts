// A conversation with Claude, as it is sent or was logged, into messages for a context.

import { describe, PactError } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { copyJson } from '../../codec/index.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import type { Form } from '../conversation/names.js'
import { isObject } from '../conversation/plain-json.js'
import { readAnthropicPart } from '../parts/anthropic.js'

/** Anything that has the messages of a request; other keys are not looked at. */
export type AnthropicConversation = Readonly<{ system?: unknown; messages: readonly object[] }>

export function readConversation(conversation: AnthropicConversation): readonly MessageSpec[] {
  if (typeof conversation !== 'object' || conversation === null || !Array.isArray(conversation.messages)) {
    throw new PactError(
      'E_CONTENT_INVALID',
      'fromAnthropic takes { system?, messages: […] }, as messages.create does.',
      {
        name: 'messages',
      },
    )
  }
  const { system } = conversation
  return [
    ...(system === undefined ? [] : readSystem(copyJson(system))),
    ...conversation.messages.map((message, i) => readMessage(copyJson(message), `messages[${i}]`)),
  ]
}

/** One message; `path` is how an error calls it. */
export function readMessage(message: JsonValue, path: string): MessageSpec {
  if (!isObject(message) || typeof message['role'] !== 'string') {
    const found = isObject(message) ? 'has no role' : `is ${describe(message)}`
    throw new PactError('E_CONTENT_INVALID', `${path} ${found}; a message is { role, content }.`, { name: path })
  }
  const { role, content, ...envelope } = message
  return {
    role,
    isSystem: false,
    startsTurn: role === 'user' && !isOnlyResults(content),
    format: 'anthropic',
    form: formOf(content),
    envelope,
    body: Array.isArray(content)
      ? { parts: content.map(readElement) }
      : { content: content ?? (content === null ? null : '') },
  }
}

/** A text block keeps its text where selectors find it; any other stays whole. */
function readElement(value: JsonValue): PartSpec {
  if (typeof value === 'string') return { content: value, kind: 'string' }
  if (!isObject(value)) return { content: value, kind: 'value' }
  const { text, ...keys } = value
  if (value['type'] === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
  const part = readAnthropicPart(value, undefined)
  if (part?.kind === 'call') return { content: value, kind: 'call', callId: part.callId, toolName: part.name }
  if (part?.kind === 'result')
    return { content: value, kind: 'result', callId: part.callId === '' ? undefined : part.callId }
  if (part?.kind === 'reasoning') return { content: value, kind: 'reasoning' }
  const type = value['type']
  return { content: value, kind: typeof type === 'string' && type !== '' ? type : 'value' }
}

/** The text beside the messages: one node, or one for each block of a list. */
function readSystem(system: JsonValue): readonly MessageSpec[] {
  const about = { role: 'system', isSystem: true, startsTurn: false, format: 'anthropic', envelope: {} } as const
  if (!Array.isArray(system)) return [{ ...about, form: formOf(system), body: { content: system } }]
  if (system.length === 0) return [{ ...about, form: 'list', body: { parts: [] } }]
  return system.map((value: JsonValue) => ({ ...about, form: 'list', body: readElement(value) }))
}

function formOf(content: JsonValue | undefined): Form | undefined {
  if (content === undefined) return 'absent'
  if (content === null) return 'null'
  if (Array.isArray(content)) return 'list'
  return typeof content === 'string' ? 'text' : 'value'
}

function isOnlyResults(content: JsonValue | undefined): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((value: JsonValue) => (value as JsonObject | null)?.['type'] === 'tool_result')
  )
}
