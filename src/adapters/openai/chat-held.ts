// A message that came from Chat Completions, exactly as the tree holds it.

import {
  isObject,
  byKeys,
  plainJson,
  plainObject,
  type PlainObject,
  type PlainValue,
} from '../conversation/plain-json.js'
import type { JsonValue, NodeRecord } from '../../core/index.js'
import type { Message, Part } from '../conversation/neutral.js'
import type { Pen } from '../conversation/request-format.js'
import { CHAT_KEYS } from './chat-keys.js'

type Values = Record<string, PlainValue | undefined>

/** Undefined where nothing is left of it. */
export function heldMessage(message: Message, pen: Pen): PlainObject | undefined {
  const { record, role, envelope } = message
  const parts = message.parts.filter((part) => part.kind !== 'gone')
  if (parts.length === 0 && message.parts.length > 0) return undefined
  const values: Values = { ...plainObject(envelope) }
  if (role !== undefined) values['role'] = role
  if (record.nodeClass === 'block') {
    if (message.form !== 'absent') values['content'] = plainJson(contentOf(record))
    const [callId] = record.callIds
    if (role === 'tool' && callId !== undefined && !namesCalls(message)) values['tool_call_id'] = callId
    return pen.own(byKeys(CHAT_KEYS, values), record)
  }
  const calls = parts.filter((part) => part.record.kind === 'call')
  const isList = message.form === 'list'
  const refusal = isList ? undefined : parts.find((part) => part.record.kind === 'refusal')
  const said = parts.filter((part) => part !== refusal && !calls.includes(part))
  putContent(values, message, said, pen)
  if (refusal?.kind === 'text') values['refusal'] = refusal.text
  putCalls(values, calls, pen)
  const made = byKeys(CHAT_KEYS, values)
  if (typeof made['content'] === 'string' && said.length === 1) pen.ownAt(made, 'content', said[0]!.record)
  if (refusal !== undefined) pen.ownAt(made, 'refusal', refusal.record)
  return made
}

/** Whether a tool's message has the ids of its calls among its other keys. */
export function namesCalls({ envelope }: Pick<Message, 'envelope'>): boolean {
  return Object.hasOwn(envelope, 'tool_call_id') || Object.hasOwn(envelope, 'tool_call_ids')
}

function contentOf({ content = '' }: NodeRecord): JsonValue {
  return content
}

function putContent(values: Values, { form }: Message, said: readonly Part[], pen: Pen): void {
  const [only] = said
  const isOne = said.length === 1 && only!.record.kind === 'text'
  if (form !== 'list' && isOne) values['content'] = plainJson(contentOf(only!.record))
  else if (form === 'list' || said.length > 0) values['content'] = Object.freeze(said.map((part) => listed(part, pen)))
  else if (form !== 'absent') values['content'] = form === 'null' ? null : ''
}

function listed(part: Part, pen: Pen): PlainValue {
  const content = contentOf(part.record)
  if (part.kind === 'text' && part.raw === undefined) {
    return pen.own(plainObject({ ...part.keys, type: 'text', text: content }), part.record)
  }
  return owned(plainJson(content), part, pen)
}

function putCalls(values: Values, calls: readonly Part[], pen: Pen): void {
  const made = calls.map((part) => owned(plainJson(contentOf(part.record)), part, pen))
  const older = made.filter((call) => isOlder(call))
  if (older.length < made.length) values['tool_calls'] = Object.freeze(made.filter((call) => !older.includes(call)))
  const [first] = older
  if (first !== undefined) values['function_call'] = (first as PlainObject)['function_call']
}

function isOlder(call: PlainValue): boolean {
  return isObject(call) && isObject(call['function_call'])
}

function owned(made: PlainValue, { record }: Part, pen: Pen): PlainValue {
  return typeof made === 'object' && made !== null ? pen.own(made, record) : made
}
