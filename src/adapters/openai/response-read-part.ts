// The items of a Responses request and the parts of its messages, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import type { OutputPart, ReadPart } from '../conversation/neutral.js'
import {
  asOutputPart,
  callPart,
  textRow,
  typedReader,
  type PartOrigin,
  type PartReader,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { answeredId, callIdOf, CALLS, ITEM_KINDS } from './item-kinds.js'

const SHAPE = 'openai-responses'

const readSaid = typedReader(SHAPE, {
  input_text: textRow('text', true),
  output_text: textRow('text', true),
  refusal: textRow('refusal', true),
  input_image: readMedia,
  input_file: readMedia,
})

export const readResponsesPart: PartReader = (value, kind) => {
  const { type, name, summary } = value
  if (typeof type !== 'string') return undefined
  const common = { raw: value, shape: SHAPE }
  const callId = callIdOf(value)
  if (callId !== undefined) {
    const called = name === undefined ? type.replace(/_call$/, '') : name
    return typeof called === 'string' ? callPart(common, callId, called, value[CALLS[type]!.input], true) : undefined
  }
  const answered = answeredId(value)
  if (answered !== undefined) return readResult(value, answered)
  if (type === 'reasoning' && Array.isArray(summary)) return { kind: 'reasoning', ...common, text: summaryOf(summary) }
  return readSaid(value, kind) ?? readHosted(value, type)
}

function readResult(value: JsonObject, callId: string): ReadPart {
  const { output = '' } = value
  const parts = Array.isArray(output) ? output.map(outputPart) : [undefined]
  const common = { kind: 'result', raw: value, shape: SHAPE, callId, name: undefined, isError: false } as const
  if (!parts.includes(undefined)) return { ...common, output: { kind: 'parts', parts: parts as OutputPart[] } }
  return {
    ...common,
    output: typeof output === 'string' ? { kind: 'text', text: output } : { kind: 'json', value: output },
  }
}

function outputPart(part: JsonValue): OutputPart | undefined {
  return isObject(part) ? asOutputPart(readSaid(part, undefined)) : undefined
}

function readMedia(value: JsonObject, common: PartOrigin): ReadPart | undefined {
  const { type, image_url: image, file_data: data, file_url: url, file_id: id, filename: name } = value
  const media = { kind: 'media', ...common, filename: typeof name === 'string' ? name : undefined } as const
  if (type === 'input_image' && typeof image === 'string') {
    const { source, mediaType = SOME_IMAGE } = sourceOf(image)
    return { ...media, source, mediaType }
  }
  if (type === 'input_file' && typeof data === 'string') return { ...media, ...bytesOf(data) }
  if (type === 'input_file' && typeof url === 'string') {
    return { ...media, source: { kind: 'url', url }, mediaType: undefined }
  }
  // A file that the provider has already means nothing to others.
  return typeof id === 'string' ? { kind: 'other', ...common } : undefined
}

/** An item that only this provider's server makes; a picture among them is one for all. */
function readHosted(value: JsonObject, type: string): ReadPart | undefined {
  const common = { raw: value, shape: SHAPE }
  const { result } = value
  if (type === 'image_generation_call' && typeof result === 'string') {
    const source = { kind: 'base64', data: result } as const
    return { kind: 'media', ...common, source, mediaType: 'image/png', filename: undefined }
  }
  return Object.hasOwn(ITEM_KINDS, type) ? { kind: 'other', ...common } : undefined
}

function summaryOf(summary: readonly JsonValue[]): string | undefined {
  const texts = summary.map((part) => (isObject(part) ? textOf(part['text'] ?? '') : ''))
  return texts.length === 0 ? undefined : texts.join('\n\n')
}
