// The parts of a Chat Completions message and its calls: as they came where they came from this format, else made of what all
// formats share.

import { inputText } from '../conversation/call-input.js'
import { isImage, urlOf } from '../conversation/media.js'
import type { CallPart, MediaPart, OutputPart, Part, TextPart } from '../conversation/neutral.js'
import { isObject, NO_KEYS, plainObject, type PlainObject } from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'
import { plainOf, type Pen } from '../conversation/request-format.js'
import type { NodeRecord } from '../../core/index.js'

export const CHAT = 'openai-chat'

/** A part of the content, if the role may say it; undefined for any other. */
export function contentPart(
  part: Part | OutputPart,
  record: NodeRecord,
  role: string,
  pen: Pen,
): PlainObject | undefined {
  if (part.kind === 'text') return textPart(part, record, role, pen)
  if (role !== 'user') return undefined
  if (part.kind === 'media') return mediaPart(part, record, pen)
  return isUploaded(part) ? (plainOf(part.raw!, record, pen) as PlainObject) : undefined
}

function textPart(
  { text, raw, keys = {}, shape }: Omit<TextPart, 'record'>,
  record: NodeRecord,
  role: string,
  pen: Pen,
): PlainObject {
  if (isObject(raw) && raw['type'] === 'refusal' && role === 'assistant')
    return plainObject({ type: 'refusal', refusal: text })
  if (shape === CHAT) return plainOf({ ...keys, type: 'text', text }, record, pen) as PlainObject
  if (Object.keys(keys).length > 0) {
    pen.note(
      'dropped-key',
      record,
      `The text ${record.id} is sent without ${Object.keys(keys).join(', ')}: only another provider knows it.`,
    )
  }
  return plainObject({ type: 'text', text })
}

function mediaPart(part: Omit<MediaPart, 'record'>, record: NodeRecord, pen: Pen): PlainObject | undefined {
  const { source, mediaType = '', filename, raw, shape } = part
  if (shape === CHAT && isObject(raw)) return plainOf(raw, record, pen) as PlainObject
  if (isImage(part)) return plainObject({ type: 'image_url', image_url: { url: urlOf(part) } })
  if (source.kind === 'url') return undefined
  const format = SOUNDS[mediaType]
  if (format !== undefined) return plainObject({ type: 'input_audio', input_audio: { data: source.data, format } })
  return plainObject({
    type: 'file',
    file: { file_data: urlOf({ source, mediaType: mediaType || 'application/pdf' }), filename: filename ?? 'file' },
  })
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
export function chatCall(call: CallPart, pen: Pen): PlainObject {
  const { raw, record } = call
  const own = call.shape === CHAT && isObject(raw) && !isOlder(call) ? raw : NO_KEYS
  const id = callId(call.callId)
  const name = toolName(call, pen)
  if (id !== call.callId) {
    pen.note(
      'renamed-id',
      record,
      `The call ${record.id} and its result have the id ${id}: theirs is longer than the provider takes.`,
    )
  }
  if (own['type'] === 'custom' && isObject(own['custom'])) {
    return plainOf(
      { ...own, id, custom: { ...own['custom'], name, input: inputText(call) } },
      record,
      pen,
    ) as PlainObject
  }
  const called = isObject(own['function']) ? own['function'] : {}
  if (isOlder(call)) pen.note('converted', record, `The call ${record.id} is a tool call: it stands beside others.`)
  else if (call.shape === CHAT && call.inputText === undefined) {
    pen.note(
      'converted',
      record,
      `The arguments of the call ${record.id} are written as text, as the provider has them.`,
    )
  }
  const told = { arguments: inputText(call), name }
  if (own === NO_KEYS) return Object.freeze({ function: Object.freeze(told), id, type: 'function' })
  return plainOf({ ...own, id, type: 'function', function: { ...called, ...told } }, record, pen) as PlainObject
}

/** Whether a call stands in the older form, `function_call`. */
export function isOlder({ raw, shape }: CallPart): boolean {
  return shape === CHAT && isObject(raw) && isObject(raw['function_call'])
}

export function olderCall(call: CallPart, pen: Pen): PlainObject {
  return plainObject({ name: toolName(call, pen), arguments: inputText(call) })
}

/** The id of a call and of its result. */
export function callId(id: string): string {
  return id.length > 0 && id.length <= LONGEST_ID ? id : derivedId(id)
}

const LONGEST_ID = 40

function toolName({ name, record }: CallPart, pen: Pen): string {
  const made = validName(name)
  if (made !== name)
    pen.note('converted', record, `The call ${record.id} is of the tool ${made}: its own name would be refused.`)
  return made
}

export function validName(name: string): string {
  if (VALID_NAME.test(name)) return name
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'tool'
}

const VALID_NAME = /^[a-zA-Z0-9_-]{1,64}$/
