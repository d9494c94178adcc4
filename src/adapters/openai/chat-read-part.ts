// The parts of a Chat Completions message, read into what all formats share. A tool call is one of them, and so are the older
// `function_call` (as `{ function_call }`) and a refusal.

import type { JsonObject } from '../../core/index.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import type { ReadPart } from '../conversation/neutral.js'
import { callPart, textRow, typedReader, type PartOrigin, type PartReader } from '../conversation/part-reader.js'
import { isObject } from '../conversation/plain-json.js'

/** One of these has a part that does not name its type. */
export const CHAT_UNTYPED: readonly string[] = ['function', 'function_call']

const readTyped = typedReader('openai-chat', {
  text: textRow('text', true),
  refusal: textRow('refusal', true),
  image_url: readMedia,
  input_audio: readMedia,
  file: readMedia,
})

export const readChatPart: PartReader = (value, kind) => {
  const { type, id, function_call: older } = value
  const called = isObject(older) ? older : type === 'custom' ? value['custom'] : value['function']
  if (!isObject(called) || typeof called['name'] !== 'string') return readTyped(value, kind)
  const given = called[type === 'custom' ? 'input' : 'arguments']
  return callPart({ raw: value, shape: 'openai-chat' }, id, called['name'], given, true)
}

function readMedia(value: JsonObject, common: PartOrigin): ReadPart | undefined {
  const type = value['type'] as string
  const held = value[type]
  if (!isObject(held)) return undefined
  const { url, data, format, file_data: file, file_id: id, filename } = held
  const media = { kind: 'media', ...common, filename: undefined } as const
  if (type === 'image_url' && typeof url === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(url)
    return { ...media, source, mediaType }
  }
  if (type === 'input_audio' && typeof data === 'string') {
    return { ...media, source: { kind: 'base64', data }, mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav' }
  }
  if (type === 'file' && typeof file === 'string') {
    return { ...media, ...bytesOf(file), filename: typeof filename === 'string' ? filename : undefined }
  }
  // A file that the provider has already means nothing to others.
  return type === 'file' && typeof id === 'string' ? { kind: 'other', ...common } : undefined
}
