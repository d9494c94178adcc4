// Chat Completions messages, their parts and their calls: as they came where they came in this format, else made of what all formats share.

import type { JsonValue, NodeRecord } from '../../core/index.js'
import { isImage, isPlayed, urlOf } from '../conversation/media.js'
import type { CallPart, MediaPart, Message, OutputPart, Part, ResultPart, TextPart } from '../conversation/neutral.js'
import {
  byKeys,
  isObject,
  NO_KEYS,
  plainJson,
  type PlainObject,
  plainObject,
  type PlainValue,
  textOf,
} from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import {
  callId,
  CarryingWriter,
  hasNoKeys,
  inputText,
  OTHERS_KNOW,
  toolName,
  validName,
  type CarryingForm,
  type IdRule,
} from '../conversation/write-part.js'
import type { OpenAIChatText } from './chat-format.js'
import { CHAT_KEYS, knownKeys, knownPart } from './chat-known.js'

type Values = Record<string, PlainValue | undefined>

export class ChatMessages extends CarryingWriter {
  /** Ids of calls in the older form; their results are of the older form, too. */
  readonly #older = new Set<string>()
  readonly #calls = new Set<string>()

  constructor(out: RequestWriter) {
    super(CHAT_FORM, out)
  }

  /** A message: its parts between results, and each result by itself. */
  add(message: Message): void {
    let said: Part[] = []
    for (const part of message.parts) {
      if (part.kind !== 'result') said.push(part)
      else {
        this.#said(message, said)
        said = []
        this.#result(message, part)
      }
    }
    this.#said(message, said)
  }

  #said(message: Message, parts: readonly Part[]): void {
    if (parts.length === 0) return
    this.flush()
    const keys = this.#keys(message)
    const role = this.role(message)
    const calls = parts.filter((part) => part.kind === 'call')
    const said = parts.filter((part) => part.kind !== 'call' && part.kind !== 'gone' && !isEmpty(part))
    const values: Values = { ...keys, role }
    const text = this.#content(values, message, role, said)
    const owned = this.#putCalls(values, calls)
    if (!saysSomething(values)) {
      const { record } = message
      return this.out.note('left-out', record, `The message ${record.id} is left out: it has nothing to say here.`)
    }
    const made = byKeys(CHAT_KEYS, values)
    if (parts.every(({ record }) => record === message.record)) this.out.own(made, message.record)
    else {
      if (text !== undefined) this.out.ownAt(made, 'content', text.record)
      if (owned !== undefined) this.out.ownAt(made, 'function_call', owned.record)
    }
    this.put(made)
  }

  #result(message: Message, part: ResultPart): void {
    const isWhole = message.parts.length === 1
    const keys = isWhole ? this.#keys(message) : NO_KEYS
    const content = this.#output(part)
    if (message.format === CHAT && isWhole && !isSameOutput(part.record.content, content)) {
      this.out.note(
        'converted',
        part.record,
        `The result ${part.record.id} is sent as text: tools give nothing else here.`,
      )
    }
    const isOlderCall = this.#isOlder(message, part)
    if (message.format === CHAT && !isOlderCall && !namesCall(message, part)) {
      this.out.note('added', part.record, `The result ${part.record.id} is sent with the id of its call.`)
    }
    const answer = isOlderCall
      ? { role: 'function', content: textIn(content), name: validName(part.name ?? '', LONGEST_NAME) }
      : { role: 'tool', content, tool_call_id: callId(part, ID, this.out) }
    this.put(this.out.own(byKeys(CHAT_KEYS, { ...keys, ...answer }), part.record))
  }

  /** A result whose call is in an earlier turn, right before it, has the form of its own message. */
  #isOlder({ role, format }: Message, { callId: id }: ResultPart): boolean {
    return this.#calls.has(id) ? this.#older.has(id) : role === 'function' && format === CHAT
  }

  #keys(message: Message): PlainObject {
    if (message.envelope === NO_KEYS) return NO_KEYS
    if (message.format === CHAT) return chatKeys(message, this.out)
    this.out.dropKeys(message.record, Object.keys(message.envelope), OTHERS_KNOW, 'The message ')
    return NO_KEYS
  }

  /** Gives the part whose words the content is, where it is one text. */
  #content(values: Values, { form }: Message, role: string, parts: readonly Part[]): Part | undefined {
    const refusal = form === 'list' ? undefined : parts.find(({ record }) => record.kind === 'refusal')
    const said = parts.filter((part) => part !== refusal)
    const [only] = said
    const isText = form !== 'list' && said.length === 1 && only?.kind === 'text' && hasNoKeys(only)
    const list = isText ? [] : this.parts(said, role)
    if (isText) values['content'] = only.text
    else if (list.length > 0) values['content'] = Object.freeze(list)
    else if (form === 'text' || form === 'null' || form === 'list') values['content'] = form === 'text' ? '' : null
    if (refusal?.kind === 'text') values['refusal'] = refusal.text
    return isText ? only : undefined
  }

  /** The call in the older form, if there is one. */
  #putCalls(values: Values, calls: readonly CallPart[]): CallPart | undefined {
    const [first] = calls
    if (first === undefined) return undefined
    for (const call of calls) this.#calls.add(call.callId)
    if (calls.length > 1 || !isOlder(first)) {
      values['tool_calls'] = Object.freeze(calls.map((call) => this.out.own(chatCall(call, this.out), call.record)))
      return undefined
    }
    values['function_call'] = olderCall(first, this.out)
    this.#older.add(first.callId)
    return first
  }

  #output({ output, record }: ResultPart): PlainValue {
    if (output.kind === 'text') return output.text
    if (output.kind === 'json') return textOf(output.value)
    const said = output.parts.filter((part) => part.kind !== 'text' || part.text !== '')
    const list = this.parts(said, 'tool', record)
    return list.length === 0 ? '' : Object.freeze(list)
  }
}

/** No content at all, as a message without any holds it. */
function isEmpty(part: Part): boolean {
  return part.kind === 'other' && (part.raw === null || part.raw === '')
}

/** True if a result came with the id under which it is sent. */
function namesCall({ role, envelope }: Message, { callId: id, record }: ResultPart): boolean {
  return role === 'tool' && record.callIds[0] === id && (!namesCalls({ envelope }) || envelope['tool_call_id'] === id)
}

/** True if the content of a result is sent as it came. */
function isSameOutput(held: JsonValue | undefined, content: PlainValue): boolean {
  return Array.isArray(held) && Array.isArray(content) ? held.length === content.length : held === content
}

function saysSomething(values: Values): boolean {
  const { role, content } = values
  if (content !== undefined && content !== null && content !== '') return true
  return role === 'assistant' && SPEAKING.some((key) => (values[key] ?? null) !== null)
}

const SPEAKING: readonly string[] = ['tool_calls', 'function_call', 'audio', 'refusal']

/** The texts of a result, as one. */
function textIn(content: PlainValue): string {
  if (typeof content === 'string') return content
  const parts = content as readonly OpenAIChatText[]
  return parts.map(({ text }) => text).join('\n')
}

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
function namesCalls({ envelope }: Pick<Message, 'envelope'>): boolean {
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
  const older = made.filter((call) => isObject(call) && isObject(call['function_call']))
  if (older.length < made.length) values['tool_calls'] = Object.freeze(made.filter((call) => !older.includes(call)))
  const [first] = older
  if (first !== undefined) values['function_call'] = (first as PlainObject)['function_call']
}

function owned(made: PlainValue, { record }: Part, out: RequestWriter): PlainValue {
  return typeof made === 'object' && made !== null ? out.own(made, record) : made
}

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
function chatKeys(message: Message, out: RequestWriter): PlainObject {
  const { envelope, record, role } = message
  const refused = Object.keys(envelope).filter(
    (key) => Object.hasOwn(MAY_BE, key) && !MAY_BE[key]!(envelope[key]!, role),
  )
  if (refused.length === 0) return knownKeys(out.plain(envelope, record) as PlainObject, record, out)
  out.dropKeys(record, refused, 'it would be refused', 'The message ')
  const kept = Object.fromEntries(Object.entries(envelope).filter(([key]) => !refused.includes(key)))
  return knownKeys(out.plain(kept, record) as PlainObject, record, out)
}

export const CHAT = 'openai-chat'

/** A part of the content, if the role may say it. */
const CHAT_FORM: CarryingForm = {
  name: 'Chat Completions',
  part: (part, record, role, out) => {
    if (part.kind === 'text') return textPart(part, record, role, out)
    // A part of a kind that compatible servers have; read-part.ts may take it for a thought of another provider.
    if (isUnknown(part, record) && out.keepsUnknown(record)) return out.plain(part.raw!, record) as PlainObject
    if (role !== 'user') return undefined
    if (part.kind === 'media') return mediaPart(part, record, out)
    return isUploaded(part)
      ? knownPart(out.plain(part.raw!, record) as PlainObject, record, out, 'The part ')
      : undefined
  },
  user: (content) => byKeys(CHAT_KEYS, { role: 'user', content }),
}

function textPart(
  { text, raw, keys = {}, shape }: Omit<TextPart, 'record'>,
  record: NodeRecord,
  role: string,
  out: RequestWriter,
): PlainObject {
  if (isObject(raw) && raw['type'] === 'refusal' && role === 'assistant')
    return plainObject({ type: 'refusal', refusal: text })
  if (shape === CHAT) {
    return knownPart(out.plain({ ...keys, type: 'text', text }, record) as PlainObject, record, out, 'The text ')
  }
  return plainObject({ type: 'text', text })
}

function mediaPart(part: Omit<MediaPart, 'record'>, record: NodeRecord, out: RequestWriter): PlainObject | undefined {
  const { source, mediaType = '', filename, raw, shape } = part
  if (shape === CHAT && isObject(raw)) return knownPart(out.plain(raw, record) as PlainObject, record, out, 'The part ')
  if (isImage(part)) return plainObject({ type: 'image_url', image_url: { url: urlOf(part) } })
  if (source.kind === 'url') return undefined
  const format = SOUNDS[mediaType]
  if (format !== undefined) return plainObject({ type: 'input_audio', input_audio: { data: source.data, format } })
  if (isPlayed(part)) return undefined
  return plainObject({
    type: 'file',
    file: { file_data: urlOf({ source, mediaType: mediaType || 'application/pdf' }), filename: filename ?? 'file' },
  })
}

function isUnknown({ kind, raw }: Part | OutputPart, record: NodeRecord): boolean {
  if ((kind !== 'other' && kind !== 'reasoning') || record.kind === 'call') return false
  return isObject(raw) && typeof raw['type'] === 'string'
}

/** A file that the provider has already. */
function isUploaded({ kind, raw, shape }: Part | OutputPart): boolean {
  return kind === 'other' && shape === CHAT && isObject(raw) && raw['type'] === 'file' && isObject(raw['file'])
}

const SOUNDS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

/** A call as this format has it, with an id and a name that it takes. */
function chatCall(call: CallPart, out: RequestWriter): PlainObject {
  const { raw, record } = call
  const own = call.shape === CHAT && isObject(raw) && !isOlder(call) ? raw : NO_KEYS
  const name = toolName(call, LONGEST_NAME, out)
  const id = callId(call, ID, out)
  if (own['type'] === 'custom' && isObject(own['custom'])) {
    const custom = { ...own['custom'], name, input: inputText(call) }
    return knownPart(out.plain({ ...own, id, custom }, record) as PlainObject, record, out, 'The call ')
  }
  const called = isObject(own['function']) ? own['function'] : {}
  if (isOlder(call))
    out.note('converted', record, `The call ${record.id} is sent as a tool call: there are others in its message.`)
  else if (call.shape === CHAT && call.inputText === undefined) {
    out.note(
      'converted',
      record,
      `The arguments of the call ${record.id} are written as text, as the provider has them.`,
    )
  }
  const told = { arguments: inputText(call), name }
  const made = { ...own, id, type: 'function', function: { ...called, ...told } }
  return knownPart(out.plain(made, record) as PlainObject, record, out, 'The call ')
}

/** True if a call has the older form, `function_call`. */
function isOlder({ raw, shape }: CallPart): boolean {
  return shape === CHAT && isObject(raw) && isObject(raw['function_call'])
}

function olderCall(call: CallPart, out: RequestWriter): PlainObject {
  return plainObject({ name: toolName(call, LONGEST_NAME, out), arguments: inputText(call) })
}

const ID: IdRule = { fits: /^.{1,40}$/s, why: 'theirs is longer than the provider takes' }

const LONGEST_NAME = 64
