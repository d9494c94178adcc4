// A message that came from Chat Completions, exactly as the tree holds it.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import type { Message, Part } from '../conversation/neutral.js'
import {
  type PlainObject,
  type PlainValue,
  byKeys,
  isObject,
  plainJson,
  plainObject,
} from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'

type Values = Record<string, PlainValue | undefined>

/** Undefined where nothing is left of it. */
export function heldMessage(message: Message, out: RequestWriter): PlainObject | undefined {
  const { record, role, envelope } = message
  const parts = message.parts.filter((part) => part.kind !== 'gone')
  if (parts.length === 0 && message.parts.length > 0) return undefined
  const values: Values = { ...plainObject(envelope) }
  if (role !== undefined) values['role'] = role
  if (record.nodeClass === 'block') {
    if (message.form !== 'absent') values['content'] = plainJson(contentOf(record))
    const [callId] = record.callIds
    if (role === 'tool' && callId !== undefined && !namesCalls(message)) values['tool_call_id'] = callId
    return out.own(byKeys(CHAT_KEYS, values), record)
  }
  const calls = parts.filter((part) => part.record.kind === 'call')
  const isList = message.form === 'list'
  const refusal = isList ? undefined : parts.find((part) => part.record.kind === 'refusal')
  const said = parts.filter((part) => part !== refusal && !calls.includes(part))
  putContent(values, message, said, out)
  if (refusal?.kind === 'text') values['refusal'] = refusal.text
  putCalls(values, calls, out)
  const made = byKeys(CHAT_KEYS, values)
  if (typeof made['content'] === 'string' && said.length === 1) out.ownAt(made, 'content', said[0]!.record)
  if (refusal !== undefined) out.ownAt(made, 'refusal', refusal.record)
  return made
}

/** True if a tool's message has the ids of its calls among its other keys. */
export function namesCalls({ envelope }: Pick<Message, 'envelope'>): boolean {
  return Object.hasOwn(envelope, 'tool_call_id') || Object.hasOwn(envelope, 'tool_call_ids')
}

function contentOf({ content = '' }: NodeRecord): JsonValue {
  return content
}

function putContent(values: Values, { form }: Message, said: readonly Part[], out: RequestWriter): void {
  const [only] = said
  const isOne = said.length === 1 && only!.record.kind === 'text'
  if (form !== 'list' && isOne) values['content'] = plainJson(contentOf(only!.record))
  else if (form === 'list' || said.length > 0) values['content'] = Object.freeze(said.map((part) => listed(part, out)))
  else if (form !== 'absent') values['content'] = form === 'null' ? null : ''
}

function listed(part: Part, out: RequestWriter): PlainValue {
  const content = contentOf(part.record)
  if (part.kind === 'text' && part.raw === undefined) {
    return out.own(plainObject({ ...part.keys, type: 'text', text: content }), part.record)
  }
  return owned(plainJson(content), part, out)
}

function putCalls(values: Values, calls: readonly Part[], out: RequestWriter): void {
  const made = calls.map((part) => owned(plainJson(contentOf(part.record)), part, out))
  const older = made.filter((call) => isOlder(call))
  if (older.length < made.length) values['tool_calls'] = Object.freeze(made.filter((call) => !older.includes(call)))
  const [first] = older
  if (first !== undefined) values['function_call'] = (first as PlainObject)['function_call']
}

function isOlder(call: PlainValue): boolean {
  return isObject(call) && isObject(call['function_call'])
}

function owned(made: PlainValue, { record }: Part, out: RequestWriter): PlainValue {
  return typeof made === 'object' && made !== null ? out.own(made, record) : made
}

/** In the order in which they are written. */
export const CHAT_KEYS: readonly string[] = [
  'role',
  'content',
  'refusal',
  'name',
  'audio',
  'function_call',
  'tool_calls',
  'tool_call_id',
]

/** Checks of the keys in an envelope. Calls and the ids of results are nodes; in an envelope they are invalid. */
const MAY_BE: Readonly<Record<string, (value: JsonValue, role: string | undefined) => boolean>> = {
  role: () => false,
  content: () => false,
  name: (value) => typeof value === 'string',
  refusal: (value, role) => value === null || (typeof value === 'string' && role === 'assistant'),
  audio: (value, role) =>
    value === null || (isObject(value) && typeof value['id'] === 'string' && role === 'assistant'),
  function_call: (value) => value === null,
  tool_calls: () => false,
  tool_call_id: () => false,
}

/** The other keys of a message that came from this format, without those that would be refused. */
export function chatKeys(message: Message, out: RequestWriter): PlainObject {
  const { envelope, record, role } = message
  const refused = Object.keys(envelope).filter(
    (key) => Object.hasOwn(MAY_BE, key) && !MAY_BE[key]!(envelope[key]!, role),
  )
  if (refused.length === 0) return out.plain(envelope, record) as PlainObject
  out.dropKeys(record, refused, 'it would be refused', 'The message ')
  const kept = Object.fromEntries(Object.entries(envelope).filter(([key]) => !refused.includes(key)))
  return out.plain(kept, record) as PlainObject
}
