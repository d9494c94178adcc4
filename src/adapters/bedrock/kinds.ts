// The content blocks of Bedrock's Converse API: one row for each key, with how it is read, who may say it, and what it needs. Everything else in a
// block of Bedrock's own is passed on.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  asCame,
  byOnlyKey,
  fields,
  listOf,
  matching,
  object,
  oneOf,
  text,
  type Fit,
} from '../conversation/fit.js'
import type { Output, OutputPart } from '../conversation/neutral.js'
import {
  anyFitOf,
  asOutputPart,
  callRow,
  fitsOf,
  keyedReader,
  mediaRow,
  otherRow,
  resultRow,
  rowsOf,
  textIn,
  type PartReader,
  type PartRow,
  type PartTable,
  type ReadMedia,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'
import { wordsIn, wordsRow } from '../conversation/words.js'
import { isBroken } from './bytes.js'

export type Role = 'user' | 'assistant' | 'system'

const call = callRow({ id: 'toolUseId', name: 'name', input: 'input' })
const result = resultRow({ id: 'toolUseId' }, ({ content, status }) => ({
  output: readOutput(content),
  isError: status === 'error',
}))

/** A block in the output of a tool. */
export const OUTPUT_FIT: Fit = byOnlyKey({
  text,
  json: anything,
  image: media('format', 'source'),
  document: media('name', 'source'),
  video: media(),
  searchResult: asCame(object),
})

const KINDS: PartTable<Role> = {
  toolUse: {
    read: unlessServers(call),
    by: ['assistant'],
    fit: fields({ toolUseId: anything, name: anything, input: object }, { type: asCame(text) }),
  },
  toolResult: {
    read: unlessServers(result),
    by: ['user', 'assistant'],
    fit: fields(
      { toolUseId: anything, content: listOf(OUTPUT_FIT) },
      { status: oneOf('success', 'error'), type: asCame(text) },
    ),
  },
  reasoningContent: {
    read: ({ reasoningText: thought }, common) => {
      return { kind: 'reasoning', ...common, text: isObject(thought) ? textIn(thought['text']) : undefined }
    },
    by: ['assistant'],
    fit: object,
  },
  image: {
    read: mediaRow((data) => readMedia(data, 'image')),
    by: ['user', 'assistant'],
    fit: media('format', 'source'),
  },
  video: { read: mediaRow((data) => readMedia(data, 'video')), by: ['user'], fit: media() },
  audio: { read: mediaRow((data) => readMedia(data, 'audio')), by: ['user', 'assistant'], fit: media() },
  document: {
    read: (data, common) => {
      const { source, name = '', context = '' } = data
      const said = isObject(source) ? wordsIn([source['text'] ?? '', source['content'] ?? '']) : ''
      if (said !== '') return wordsRow(() => wordsIn([name, context, said]))(data, common)
      const words = wordsIn(context)
      const part = mediaRow((given) => readMedia(given, 'application'))(data, common)
      return part?.kind === 'media' && words !== '' ? { ...part, words } : part
    },
    by: ['user'],
    fit: media('name', 'source'),
  },
  guardContent: { read: wordsRow(wordsIn), by: ['user', 'system'], fit: asCame(object) },
  cachePoint: { read: otherRow, by: ['user', 'assistant', 'system'], fit: asCame(needs('type')) },
  citationsContent: {
    read: ({ content }, common) => {
      const parts = Array.isArray(content) ? (content as readonly JsonValue[]) : []
      const texts = parts.map((each) => (isObject(each) ? each['text'] : undefined))
      const text = texts.filter((each) => typeof each === 'string').join('')
      return { kind: 'text', ...common, text, keys: undefined }
    },
    by: ['assistant'],
    fit: asCame(object),
  },
  searchResult: { read: wordsRow(wordsIn), by: ['user'], fit: asCame(object) },
  toolAddition: { read: otherRow, by: [], fit: asCame(object) },
  toolRemoval: { read: otherRow, by: [], fit: asCame(object) },
  // Read last: its data is no object.
  text: { by: ['user', 'assistant', 'system'], fit: matching(/\S/) },
}

/** True if a block is of a kind that the table has. */
export const knowsBedrockPart: KnowsPart = knownBy(anyFitOf(KINDS, byOnlyKey))

/** The blocks that a role may say. */
export const blocksBy: (role: Role) => Fit = fitsOf(KINDS, byOnlyKey)

export const readBedrockPart: PartReader = keyedReader('bedrock', rowsOf(KINDS), ({ text }, common) =>
  typeof text === 'string' ? { kind: 'text', ...common, text, keys: undefined } : undefined,
)

/** An object that has these keys, and any others. */
function needs(...keys: readonly string[]): Fit {
  return fields(Object.fromEntries(keys.map((key) => [key, anything])), {}, undefined, anything)
}

/** Media with these keys. */
function media(...keys: readonly string[]): Fit {
  const whole = needs(...keys)
  // A changed one is made of its bytes and its name.
  return asCame((value, dropped) => (isBroken(value) ? undefined : whole(value, dropped)))
}

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
