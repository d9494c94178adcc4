// The items of a Responses request and the parts of its messages, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { SOME_IMAGE, sourceOf } from '../conversation/media.js'
import type { OutputPart, ReadPart } from '../conversation/neutral.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { answeredId, callIdOf, CALLS, ITEM_KINDS } from '../openai/item-kinds.js'

const SHAPE = 'openai-responses'

export function readResponsesPart(value: JsonObject, _kind: string | undefined): ReadPart | undefined {
  const { type } = value
  if (typeof type !== 'string') return undefined
  const callId = callIdOf(value)
  if (callId !== undefined) return readCall(value, type, callId)
  const answered = answeredId(value)
  if (answered !== undefined) return readResult(value, answered)
  if (type === 'reasoning' && Array.isArray(value['summary'])) {
    return { kind: 'reasoning', raw: value, shape: SHAPE, text: summaryOf(value['summary']) }
  }
  return readSaid(value, type) ?? readMedia(value, type) ?? readHosted(value, type)
}

function readCall(value: JsonObject, type: string, callId: string): ReadPart | undefined {
  const { name = type.replace(/_call$/, '') } = value
  const given = value[CALLS[type]!.input]
  if (typeof name !== 'string') return undefined
  const isText = typeof given === 'string'
  return {
    kind: 'call',
    raw: value,
    shape: SHAPE,
    callId,
    name,
    input: isText ? undefined : given,
    inputText: isText ? given : undefined,
  }
}

function readResult(value: JsonObject, callId: string): ReadPart {
  const { output = '' } = value
  const parts = Array.isArray(output) ? output.map((part: JsonValue) => outputPart(part)) : []
  const isParts = Array.isArray(output) && !parts.includes(undefined)
  return {
    kind: 'result',
    raw: value,
    shape: SHAPE,
    callId,
    name: undefined,
    output: isParts
      ? { kind: 'parts', parts: parts as OutputPart[] }
      : typeof output === 'string'
        ? { kind: 'text', text: output }
        : { kind: 'json', value: output },
    isError: false,
  }
}

function outputPart(part: JsonValue): OutputPart | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') return undefined
  return readSaid(part, part['type']) ?? readMedia(part, part['type'])
}

function readSaid(value: JsonObject, type: string): Extract<OutputPart, { kind: 'text' }> | undefined {
  const { type: _type, text, refusal, ...keys } = value
  const said = type === 'input_text' || type === 'output_text' ? text : type === 'refusal' ? refusal : undefined
  return typeof said === 'string' ? { kind: 'text', raw: value, shape: SHAPE, text: said, keys } : undefined
}

function readMedia(value: JsonObject, type: string): Exclude<OutputPart, { kind: 'text' }> | undefined {
  const { image_url: image, file_data: data, file_url: url, file_id: id, filename: name } = value
  const shared = { kind: 'media', raw: value, shape: SHAPE } as const
  const filename = typeof name === 'string' ? name : undefined
  if (type === 'input_image' && typeof image === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(image)
    return { ...shared, source, mediaType, filename }
  }
  if (type === 'input_file' && typeof data === 'string') {
    const { source, mediaType } = sourceOf(data)
    return { ...shared, source: source.kind === 'url' ? { kind: 'base64', data } : source, mediaType, filename }
  }
  if (type === 'input_file' && typeof url === 'string') {
    return { ...shared, source: { kind: 'url', url }, mediaType: undefined, filename }
  }
  // A file that the provider has already is nothing to anybody else.
  const isUploaded = (type === 'input_image' || type === 'input_file') && typeof id === 'string'
  return isUploaded ? { kind: 'other', raw: value, shape: SHAPE } : undefined
}

/** What only this provider's server does; a picture that it made is one for all. */
function readHosted(value: JsonObject, type: string): ReadPart | undefined {
  const { result } = value
  if (type === 'image_generation_call' && typeof result === 'string') {
    const source = { kind: 'base64', data: result } as const
    return { kind: 'media', raw: value, shape: SHAPE, source, mediaType: 'image/png', filename: undefined }
  }
  return Object.hasOwn(ITEM_KINDS, type) ? { kind: 'other', raw: value, shape: SHAPE } : undefined
}

function summaryOf(summary: JsonValue): string | undefined {
  const texts = (summary as readonly JsonValue[]).map((part) => (isObject(part) ? textOf(part['text'] ?? '') : ''))
  return texts.length === 0 ? undefined : texts.join('\n\n')
}
