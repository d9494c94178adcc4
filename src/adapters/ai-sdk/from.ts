// A list of ModelMessages, or a prompt with its system text beside them, into messages for a context.

import { describe, PactError } from '../../errors/index.js'
import type { JsonValue } from '../../core/index.js'
import { copyJson } from '../../codec/index.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import type { Form } from '../conversation/names.js'
import { isObject } from '../conversation/plain-json.js'
import { PROVIDER_RESULT, readAiSdkPart } from '../parts/ai-sdk.js'
import { tag, unwrapped, wrapped } from './tagged.js'

/** A list of messages, or what generateText takes. */
export type ModelConversation = readonly object[] | Readonly<{ system?: unknown; messages: readonly object[] }>

export function readConversation(conversation: ModelConversation): readonly MessageSpec[] {
  const isList = Array.isArray(conversation)
  const given = (isList ? { messages: conversation } : conversation) as Readonly<{
    system?: unknown
    messages: readonly object[]
  }>
  if (typeof given !== 'object' || given === null || !Array.isArray(given.messages)) {
    throw new PactError('E_CONTENT_INVALID', 'fromModelMessages takes a list of messages, or { system?, messages }.', {
      name: 'messages',
    })
  }
  const system = given.system === undefined || given.system === null ? [] : readSystem(copyJson(tag(given.system)))
  let isLeading = true
  const messages = given.messages.map((message, i) => {
    const spec = readMessage(copyJson(tag(message)), `messages[${i}]`)
    // One whose content is no text can only stand where it stood.
    isLeading &&= spec.role === 'system' && spec.form === 'text'
    return isLeading ? { ...spec, isSystem: true } : spec
  })
  return [...system, ...messages]
}

/** One message; `path` is how an error calls it. */
export function readMessage(given: JsonValue, path: string): MessageSpec {
  const message = unwrapped(given)
  if (!isObject(message) || typeof message['role'] !== 'string') {
    const found = isObject(message) ? 'has no role' : `is ${describe(message)}`
    throw new PactError('E_CONTENT_INVALID', `${path} ${found}; a message is { role, content }.`, { name: path })
  }
  const { role, content, ...envelope } = message
  return {
    role,
    isSystem: false,
    startsTurn: role === 'user',
    format: 'ai-sdk',
    form: formOf(content),
    envelope: wrapped(envelope),
    body: Array.isArray(content)
      ? { parts: content.map((value: JsonValue) => readElement(value, idsRun(role, content))) }
      : { content: content ?? (content === null ? null : '') },
  }
}

/** The ids of calls that the provider ran: their results stand in the same message, and are its own affair. */
function idsRun(role: string, content: readonly JsonValue[]): ReadonlySet<JsonValue | undefined> {
  if (role !== 'assistant') return new Set()
  const calls = content.filter(isObject).filter((part) => part['type'] === 'tool-call')
  return new Set(calls.filter((part) => part['providerExecuted'] === true).map((part) => part['toolCallId']))
}

function readElement(value: JsonValue, run: ReadonlySet<JsonValue | undefined>): PartSpec {
  if (typeof value === 'string') return { content: value, kind: 'string' }
  if (!isObject(value)) return { content: value, kind: 'value' }
  const { text, ...keys } = value
  if (value['type'] === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
  const part = readAiSdkPart(value, undefined)
  if (part?.kind === 'call') return { content: value, kind: 'call', callId: part.callId, toolName: part.name }
  if (part?.kind === 'result' && run.has(part.callId)) return { content: value, kind: PROVIDER_RESULT }
  if (part?.kind === 'result') {
    return { content: value, kind: 'result', callId: part.callId === '' ? undefined : part.callId, toolName: part.name }
  }
  const type = value['type']
  return { content: value, kind: typeof type === 'string' && type !== '' ? type : 'value' }
}

/** The text beside the messages, or the system messages that stand there: one node each. */
function readSystem(system: JsonValue): readonly MessageSpec[] {
  const about = { role: 'system', isSystem: true, startsTurn: false, format: 'ai-sdk', envelope: {} } as const
  if (typeof system === 'string') return [{ ...about, form: undefined, body: { content: system } }]
  const isList = Array.isArray(system)
  return (isList ? (system as readonly JsonValue[]) : [system]).map((each, i) => {
    const path = isList ? `system[${i}]` : 'system'
    return { ...readMessage(each, path), isSystem: true, startsTurn: false, form: isList ? 'list' : 'value' }
  })
}

function formOf(content: JsonValue | undefined): Form | undefined {
  if (content === undefined) return 'absent'
  if (content === null) return 'null'
  if (Array.isArray(content)) return 'list'
  return typeof content === 'string' ? 'text' : 'value'
}
