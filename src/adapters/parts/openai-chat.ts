// The parts of a Chat Completions message, read into what all formats share. A tool call is one of them, and so are the older
// `function_call` (as `{ function_call }`) and a refusal.

import type { JsonObject } from '../../core/index.js'
import { SOME_IMAGE, sourceOf } from '../conversation/media.js'
import type { ReadPart } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'

/** One of these has a part that does not name its type. */
export const CHAT_UNTYPED: readonly string[] = ['function', 'function_call']

export function readChatPart(value: JsonObject, _kind: string | undefined): ReadPart | undefined {
  return readCall(value) ?? readSaid(value) ?? readMedia(value)
}

function readCall(value: JsonObject): ReadPart | undefined {
  const { type, id, function_call: older } = value
  const called = isObject(older) ? older : type === 'custom' ? value['custom'] : value['function']
  if (!isObject(called) || typeof called['name'] !== 'string') return undefined
  const given = called[type === 'custom' ? 'input' : 'arguments']
  return {
    kind: 'call',
    raw: value,
    shape: 'openai-chat',
    callId: typeof id === 'string' && id !== '' ? id : undefined,
    name: called['name'],
    input: typeof given === 'string' ? undefined : given,
    inputText: typeof given === 'string' ? given : undefined,
  }
}

function readSaid(value: JsonObject): ReadPart | undefined {
  if (value['type'] !== 'text' && value['type'] !== 'refusal') return undefined
  const { type, text, refusal, ...keys } = value
  const said = type === 'text' ? text : refusal
  if (typeof said !== 'string') return undefined
  return { kind: 'text', raw: value, shape: 'openai-chat', text: said, keys }
}

function readMedia(value: JsonObject): ReadPart | undefined {
  const { type } = value
  const held = typeof type === 'string' ? value[type] : undefined
  if (!isObject(held)) return undefined
  const shared = { kind: 'media', raw: value, shape: 'openai-chat', filename: undefined } as const
  if (type === 'image_url' && typeof held['url'] === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(held['url'])
    return { ...shared, source, mediaType }
  }
  if (type === 'input_audio' && typeof held['data'] === 'string') {
    const mediaType = held['format'] === 'mp3' ? 'audio/mpeg' : 'audio/wav'
    return { ...shared, source: { kind: 'base64', data: held['data'] }, mediaType }
  }
  if (type === 'file' && typeof held['file_data'] === 'string') {
    const { file_data: data, filename } = held
    const { source, mediaType } = sourceOf(data)
    const bytes = source.kind === 'url' ? ({ kind: 'base64', data } as const) : source
    return { ...shared, source: bytes, mediaType, filename: typeof filename === 'string' ? filename : undefined }
  }
  // A file that the provider has already is nothing to anybody else.
  if (type === 'file' && typeof held['file_id'] === 'string') return { kind: 'other', raw: value, shape: 'openai-chat' }
  return undefined
}
