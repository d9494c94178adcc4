// The parts of a Responses message or output: as they came where they came from this format, else made of what all formats share.

import type { JsonObject, NodeRecord } from '../../core/index.js'
import { isImage, urlOf } from '../conversation/media.js'
import type { MediaPart, OutputPart, Part, TextPart } from '../conversation/neutral.js'
import { isObject, plainObject, type PlainObject } from '../conversation/plain-json.js'
import { OTHERS_KNOW } from '../conversation/write-part.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { passes, type Check } from './item-kinds.js'
import { RESPONSES } from './response-read.js'

/** The keys of parts of input and of output, by type. */
const INPUT: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  input_text: { text: 'text', prompt_cache_breakpoint: 'object' },
  input_image: { image_url: 'text', file_id: 'text', detail: 'text', prompt_cache_breakpoint: 'object' },
  input_file: {
    file_data: 'text',
    file_id: 'text',
    file_url: 'text',
    filename: 'text',
    detail: 'text',
    prompt_cache_breakpoint: 'object',
  },
}
const OUTPUT: typeof INPUT = {
  output_text: { text: 'text', annotations: 'list', logprobs: 'list' },
  refusal: { refusal: 'text' },
}

/** A part of what a role says, undefined for what it may not say. What is in an output of a tool is input. */
export function itemPart(
  part: Part | OutputPart,
  record: NodeRecord,
  isOutput: boolean,
  out: RequestWriter,
): PlainObject | undefined {
  const known = isOutput ? OUTPUT : INPUT
  const { raw } = part
  const type = part.shape === RESPONSES && isObject(raw) ? raw['type'] : undefined
  if (typeof type === 'string' && Object.hasOwn(known, type)) {
    return withKeys(raw as JsonObject, known[type]!, record, out)
  }
  if (part.kind === 'text') return textPart(part, record, isOutput, out)
  return part.kind === 'media' && !isOutput ? mediaPart(part) : undefined
}

/** An object without the keys that the provider refuses. */
export function withKeys(
  value: JsonObject,
  may: Readonly<Record<string, Check>>,
  record: NodeRecord,
  out: RequestWriter,
): PlainObject {
  const isKept = ([key, each]: readonly [string, JsonObject[string]]): boolean =>
    key === 'type' || (Object.hasOwn(may, key) && (each === null || passes(each, may[key]!, key)))
  const entries = Object.entries(value)
  const refused = entries.filter((entry) => !isKept(entry)).map(([key]) => key)
  if (refused.length === 0) return out.plain(value, record) as PlainObject
  out.dropKeys(record, refused, 'it would be refused')
  return out.plain(Object.fromEntries(entries.filter(isKept)), record) as PlainObject
}

function textPart(
  part: Omit<TextPart, 'record'>,
  record: NodeRecord,
  isOutput: boolean,
  out: RequestWriter,
): PlainObject {
  const { text, keys = {} } = part
  if (part.shape !== RESPONSES) out.dropKeys(record, Object.keys(keys), OTHERS_KNOW, 'The text ')
  return plainObject(isOutput ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text })
}

function mediaPart(part: Omit<MediaPart, 'record'>): PlainObject {
  const { source, mediaType, filename } = part
  if (isImage(part)) return plainObject({ type: 'input_image', image_url: urlOf(part), detail: 'auto' })
  if (source.kind === 'url') return plainObject({ type: 'input_file', file_url: source.url })
  const data = urlOf({ source, mediaType: mediaType ?? 'application/pdf' })
  return plainObject({ type: 'input_file', file_data: data, filename: filename ?? 'file' })
}
