// The parts of a Chat Completions message and its calls: as they came where they came from this format, else made of what all
// formats share.

import { OTHERS_KNOW, inputText, toolName } from '../conversation/write-part.js'
import { isImage, urlOf } from '../conversation/media.js'
import type { CallPart, MediaPart, OutputPart, Part, TextPart } from '../conversation/neutral.js'
import { isObject, NO_KEYS, plainObject, type PlainObject } from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { NodeRecord } from '../../core/index.js'

export const CHAT = 'openai-chat'

/** A part of the content, if the role may say it; undefined for any other. */
export function contentPart(
  part: Part | OutputPart,
  record: NodeRecord,
  role: string,
  out: RequestWriter,
): PlainObject | undefined {
  if (part.kind === 'text') return textPart(part, record, role, out)
  if (role !== 'user') return undefined
  if (part.kind === 'media') return mediaPart(part, record, out)
  return isUploaded(part) ? (out.plain(part.raw!, record) as PlainObject) : undefined
}

function textPart(
  { text, raw, keys = {}, shape }: Omit<TextPart, 'record'>,
  record: NodeRecord,
  role: string,
  out: RequestWriter,
): PlainObject {
  if (isObject(raw) && raw['type'] === 'refusal' && role === 'assistant')
    return plainObject({ type: 'refusal', refusal: text })
  if (shape === CHAT) return out.plain({ ...keys, type: 'text', text }, record) as PlainObject
  out.dropKeys(record, Object.keys(keys), OTHERS_KNOW, 'The text ')
  return plainObject({ type: 'text', text })
}

function mediaPart(part: Omit<MediaPart, 'record'>, record: NodeRecord, out: RequestWriter): PlainObject | undefined {
  const { source, mediaType = '', filename, raw, shape } = part
  if (shape === CHAT && isObject(raw)) return out.plain(raw, record) as PlainObject
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
export function chatCall(call: CallPart, out: RequestWriter): PlainObject {
  const { raw, record } = call
  const own = call.shape === CHAT && isObject(raw) && !isOlder(call) ? raw : NO_KEYS
  const id = callId(call.callId)
  const name = toolName(call, LONGEST_NAME, out)
  if (id !== call.callId) {
    out.note(
      'renamed-id',
      record,
      `The call ${record.id} and its result have the id ${id}: theirs is longer than the provider takes.`,
    )
  }
  if (own['type'] === 'custom' && isObject(own['custom'])) {
    const custom = { ...own['custom'], name, input: inputText(call) }
    return out.plain({ ...own, id, custom }, record) as PlainObject
  }
  const called = isObject(own['function']) ? own['function'] : {}
  if (isOlder(call)) out.note('converted', record, `The call ${record.id} is a tool call: it stands beside others.`)
  else if (call.shape === CHAT && call.inputText === undefined) {
    out.note(
      'converted',
      record,
      `The arguments of the call ${record.id} are written as text, as the provider has them.`,
    )
  }
  const told = { arguments: inputText(call), name }
  if (own === NO_KEYS) return Object.freeze({ function: Object.freeze(told), id, type: 'function' })
  return out.plain({ ...own, id, type: 'function', function: { ...called, ...told } }, record) as PlainObject
}

/** True if a call has the older form, `function_call`. */
export function isOlder({ raw, shape }: CallPart): boolean {
  return shape === CHAT && isObject(raw) && isObject(raw['function_call'])
}

export function olderCall(call: CallPart, out: RequestWriter): PlainObject {
  return plainObject({ name: toolName(call, LONGEST_NAME, out), arguments: inputText(call) })
}

/** The id of a call and of its result. */
export function callId(id: string): string {
  return id.length > 0 && id.length <= LONGEST_ID ? id : derivedId(id)
}

const LONGEST_ID = 40

export const LONGEST_NAME = 64
