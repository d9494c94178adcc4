// The content blocks of Bedrock's Converse API, read into what all formats share.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { Output, OutputPart } from '../conversation/neutral.js'
import {
  asOutputPart,
  callRow,
  keyedReader,
  mediaRow,
  otherRow,
  resultRow,
  textIn,
  type PartReader,
  type PartRow,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'

const call = callRow({ id: 'toolUseId', name: 'name', input: 'input' })
const result = resultRow({ id: 'toolUseId' }, ({ content, status }) => ({
  output: readOutput(content),
  isError: status === 'error',
}))

export const readBedrockPart: PartReader = keyedReader(
  'bedrock',
  {
    toolUse: unlessServers(call),
    toolResult: unlessServers(result),
    reasoningContent: ({ reasoningText: thought }, common) => {
      return { kind: 'reasoning', ...common, text: isObject(thought) ? textIn(thought['text']) : undefined }
    },
    image: mediaRow((data) => readMedia(data, 'image')),
    video: mediaRow((data) => readMedia(data, 'video')),
    audio: mediaRow((data) => readMedia(data, 'audio')),
    document: (data, common) => {
      const { source } = data
      const text = isObject(source) ? source['text'] : undefined
      if (typeof text === 'string') return { kind: 'text', ...common, text, keys: undefined }
      return mediaRow((given) => readMedia(given, 'application'))(data, common)
    },
    guardContent: otherRow,
    cachePoint: otherRow,
    citationsContent: ({ content }, common) => {
      const texts = Array.isArray(content)
        ? content.map((each: JsonValue) => (isObject(each) ? each['text'] : undefined))
        : []
      return {
        kind: 'text',
        ...common,
        text: texts.filter((text) => typeof text === 'string').join(''),
        keys: undefined,
      }
    },
    searchResult: otherRow,
    toolAddition: otherRow,
    toolRemoval: otherRow,
  },
  ({ text }, common) => (typeof text === 'string' ? { kind: 'text', ...common, text, keys: undefined } : undefined),
)

/** A tool that runs at the provider means nothing to others. */
function unlessServers(row: PartRow): PartRow {
  return (data, common) => (data['type'] === undefined ? row(data, common) : { kind: 'other', ...common })
}

function readOutput(content: JsonValue | undefined): Output {
  const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : []
  const [only] = blocks
  if (blocks.length === 1 && isObject(only) && only['json'] !== undefined) return { kind: 'json', value: only['json'] }
  if (blocks.length === 1 && isObject(only) && typeof only['text'] === 'string')
    return { kind: 'text', text: only['text'] }
  return blocks.length === 0 ? { kind: 'text', text: '' } : { kind: 'parts', parts: blocks.map(readOutputPart) }
}

function readOutputPart(raw: JsonValue): OutputPart {
  const common = { raw, shape: 'bedrock' }
  if (!isObject(raw)) return { kind: 'text', ...common, text: textOf(raw), keys: undefined }
  if (raw['json'] !== undefined) return { kind: 'text', ...common, text: textOf(raw['json']), keys: undefined }
  return asOutputPart(readBedrockPart(raw, undefined)) ?? { kind: 'other', ...common }
}

/** Bytes; a file in S3 is the caller's own. */
function readMedia({ format, source, name }: JsonObject, kind: string): ReadMedia | undefined {
  const bytes = isObject(source) ? source['bytes'] : undefined
  if (typeof bytes !== 'string') return undefined
  const type = typeof format === 'string' ? (MEDIA_TYPES[format] ?? `${kind}/${format}`) : undefined
  return { source: { kind: 'base64', data: bytes }, mediaType: type, filename: textIn(name) }
}

/** Types of media that are not called like their format. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  three_gp: 'video/3gpp',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
}
