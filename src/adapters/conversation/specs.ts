// Messages with a list of parts, as a context takes them: one rule for every format that has such messages.

import { SUMMARY, type JsonObject, type JsonValue } from '../../core/index.js'
import { describe, invalid } from '../../errors/index.js'
import type { MessageSpec, PartSpec } from './import-messages.js'
import type { Form, ReadPart } from './neutral.js'
import { isObject } from './plain-json.js'

/** The form of a content: a list of parts, one text, null, nothing at all, or another value. */
export function formOf(content: JsonValue | undefined): Form {
  if (content === undefined) return 'absent'
  if (content === null) return 'null'
  if (Array.isArray(content)) return 'list'
  return typeof content === 'string' ? 'text' : 'value'
}

/** The content of a block, which always has one; the form tells what it stands for. */
export function heldContent(content: JsonValue | undefined): JsonValue {
  return content ?? (content === null ? null : '')
}

/** A message `{ role, content }` with other keys; `path` is how an error calls it, `element` reads an element of a list. A list of results begins no turn. */
export function messageSpec(
  message: JsonValue,
  path: string,
  format: string,
  element: (value: JsonValue) => PartSpec,
  isResult?: (part: JsonObject) => boolean,
): MessageSpec {
  if (!isObject(message) || typeof message['role'] !== 'string') {
    const found = isObject(message) ? 'has no role' : `is ${describe(message)}`
    throw invalid(path, `${path} ${found}; a message is { role, content }.`)
  }
  const { role, content, ...envelope } = message
  const body = Array.isArray(content) ? { parts: content.map(element) } : { content: heldContent(content) }
  const startsTurn = role === 'user' && !(isResult !== undefined && isListOf(content, isResult))
  return { role, isSystem: false, startsTurn, format, form: formOf(content), envelope, body }
}

/** System texts next to the messages: one node, or one for each element of a list. */
export function systemSpecs(
  system: JsonValue | undefined,
  format: string,
  element: (value: JsonValue) => PartSpec,
): readonly MessageSpec[] {
  if (system === undefined) return []
  const about = { role: 'system', isSystem: true, startsTurn: false, format, envelope: {} } as const
  if (!Array.isArray(system)) return [{ ...about, form: formOf(system), body: { content: system } }]
  if (system.length === 0) return [{ ...about, form: 'list', body: { parts: [] } }]
  return system.map((value: JsonValue) => ({ ...about, form: 'list', body: element(value) }))
}

/** One element of a list. A text keeps its text where selectors find it; every other part stays whole. `kindOf` names parts that are neither. */
export function elementSpec(
  value: JsonValue,
  part: ReadPart | undefined,
  kindOf: (value: JsonObject) => JsonValue | undefined = ({ type }) => type,
): PartSpec {
  if (typeof value === 'string') return { content: value, kind: 'string' }
  if (!isObject(value)) return { content: value, kind: 'value' }
  const { text, ...keys } = value
  if (part?.kind === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
  if (part?.kind === 'call') return { content: value, kind: 'call', callId: part.callId, toolName: part.name }
  if (part?.kind === 'result') {
    return { content: value, kind: 'result', callId: part.callId === '' ? undefined : part.callId, toolName: part.name }
  }
  if (part?.kind === 'reasoning') return { content: value, kind: 'reasoning' }
  if (part?.kind === 'other' && part.isSummary === true) return { content: value, kind: SUMMARY, isSummary: true }
  const kind = kindOf(value)
  return { content: value, kind: typeof kind === 'string' && kind !== '' ? kind : 'value' }
}

/** True if a content is a list of nothing but parts that pass. */
export function isListOf(content: JsonValue | undefined, passes: (part: JsonObject) => boolean): boolean {
  if (!Array.isArray(content) || content.length === 0) return false
  return content.every((part: JsonValue) => isObject(part) && passes(part))
}
