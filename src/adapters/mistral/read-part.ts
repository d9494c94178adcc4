// The chunks of a Mistral message and its calls, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import {
  callPart,
  mediaRow,
  otherRow,
  textIn,
  textRow,
  typedReader,
  type PartReader,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject } from '../conversation/plain-json.js'

const readTyped = typedReader('mistral', {
  text: textRow('text', true),
  image_url: mediaRow(({ imageUrl }) => readUrl(isObject(imageUrl) ? imageUrl['url'] : imageUrl, SOME_IMAGE)),
  document_url: mediaRow(({ documentUrl, documentName }) => {
    const media = readUrl(documentUrl, undefined)
    return media && { ...media, filename: textIn(documentName) }
  }),
  input_audio: mediaRow(({ inputAudio }) => {
    return typeof inputAudio === 'string' ? { source: bytesOf(inputAudio).source, mediaType: 'audio/mpeg' } : undefined
  }),
  thinking: ({ thinking }, common) => ({ kind: 'reasoning', ...common, text: textsIn(thinking) }),
  file: otherRow,
  reference: otherRow,
})

export const readMistralPart: PartReader = (value, kind) => {
  const { id, function: called } = value
  if (!isObject(called) || typeof called['name'] !== 'string') return readTyped(value, kind)
  return callPart({ raw: value, shape: 'mistral' }, id, called['name'], called['arguments'], true)
}

function readUrl(url: JsonValue | undefined, usual: string | undefined): ReadMedia | undefined {
  if (typeof url !== 'string') return undefined
  const { source, mediaType = usual } = sourceOf(url)
  return { source, mediaType }
}

function textsIn(thinking: JsonValue | undefined): string | undefined {
  if (!Array.isArray(thinking)) return typeof thinking === 'string' ? thinking : undefined
  const texts = thinking.map((chunk: JsonValue) => (chunk as JsonObject | null)?.['text'])
  return texts.filter((text) => typeof text === 'string').join('')
}
