// The chunks of a Mistral message and its calls, and the two spellings of their keys: the client's and that of the REST API.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  asCame,
  byKind,
  either,
  fields,
  flag,
  listOf,
  nullable,
  number,
  object,
  text,
  type Fit,
} from '../conversation/fit.js'
import { bytesOf, SOME_IMAGE, sourceOf } from '../conversation/media.js'
import {
  anyFitOf,
  callPart,
  fitsOf,
  mediaRow,
  otherRow,
  type PartKind,
  type PartReader,
  type PartRow,
  type PartTable,
  type ReadMedia,
  rowsOf,
  textIn,
  textRow,
  typedReader,
} from '../conversation/part-reader.js'
import { isObject } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'

export type ChunkRole = 'user' | 'assistant' | 'tool' | 'system'

const ALL: readonly ChunkRole[] = ['user', 'assistant', 'tool']
const GIVEN: readonly ChunkRole[] = ['user', 'tool']

const KINDS: PartTable<ChunkRole> = {
  text: chunk(textRow('text', true), [...ALL, 'system'], { text }),
  image_url: chunk(
    mediaRow(({ imageUrl }) => readUrl(isObject(imageUrl) ? imageUrl['url'] : imageUrl, SOME_IMAGE)),
    GIVEN,
    { imageUrl: either(text, fields({ url: text }, { detail: nullable(text) })) },
  ),
  document_url: chunk(
    mediaRow(({ documentUrl, documentName }) => {
      const media = readUrl(documentUrl, undefined)
      return media && { ...media, filename: textIn(documentName) }
    }),
    GIVEN,
    { documentUrl: text },
    { documentName: nullable(text) },
  ),
  input_audio: chunk(
    mediaRow(({ inputAudio: data }) =>
      typeof data === 'string' ? { source: bytesOf(data).source, mediaType: 'audio/mpeg' } : undefined,
    ),
    ['user'],
    { inputAudio: text },
  ),
  thinking: chunk(
    ({ thinking }, common) => ({ kind: 'reasoning', ...common, text: textsIn(thinking) }),
    ['assistant', 'system'],
    { thinking: asCame(listOf(object)) },
    { signature: nullable(text), closed: flag },
  ),
  file: chunk(otherRow, GIVEN, { fileId: text }),
  reference: chunk(otherRow, ALL, { referenceIds: listOf(either(text, number)) }),
}

const knowsChunk = knownBy(anyFitOf(KINDS, (fits) => byKind('type', fits)))

/** True if every key of a chunk is one of the table; of a call, only what we write is sent. */
export const knowsMistralPart: KnowsPart = (part) => isCall(part.content) || knowsChunk(part)

function isCall(content: JsonValue): boolean {
  return isObject(content) && isObject(content['function'])
}

/** The chunks that a role may say. */
export const chunksBy: (role: ChunkRole) => Fit = fitsOf(KINDS, (fits) => byKind('type', fits))

const readTyped = typedReader('mistral', rowsOf(KINDS))

/** `needs` and `may` are the keys of a chunk next to its type. */
function chunk(
  read: PartRow,
  by: readonly ChunkRole[],
  needs: Readonly<Record<string, Fit>>,
  may: Readonly<Record<string, Fit>> = {},
): PartKind<ChunkRole> {
  return { read, by, fit: fields({ type: text, ...needs }, may) }
}

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

const SNAKE: Readonly<Record<string, string>> = {
  toolCalls: 'tool_calls',
  toolCallId: 'tool_call_id',
  imageUrl: 'image_url',
  documentUrl: 'document_url',
  documentName: 'document_name',
  inputAudio: 'input_audio',
  fileId: 'file_id',
  referenceIds: 'reference_ids',
}
const CAMEL: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SNAKE).map(([camel, snake]) => [snake, camel]),
)

/** A message with its keys, and those of its chunks, as the client spells them. */
export function camelKeys({ content, ...message }: JsonObject): JsonObject {
  const spelled = respelled(message, CAMEL)
  if (content === undefined) return spelled
  if (!Array.isArray(content)) return { ...spelled, content }
  return { ...spelled, content: content.map((chunk: JsonValue) => (isObject(chunk) ? respelled(chunk, CAMEL) : chunk)) }
}

/** An object of a request with its keys as the REST API spells them. */
export function snakeKeys<T extends JsonObject>(value: T): T {
  return respelled(value, SNAKE) as T
}

function respelled(value: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(value)
  if (!entries.some(([key]) => Object.hasOwn(names, key))) return value
  return Object.fromEntries(entries.map(([key, each]) => [Object.hasOwn(names, key) ? names[key]! : key, each]))
}
