// The data of files. Version 6 of the SDK has it bare: base64, bytes or an address. Version 7 takes that too, and has a tagged form that also holds texts
// and the names by which providers know an uploaded file. A model of version 7 gets the tagged form only, a model of version 6 the bare one.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { byKind, either, fields, oneOf, text, type Fit } from '../conversation/fit.js'
import { sourceOf, toBase64 } from '../conversation/media.js'
import type { ReadMedia } from '../conversation/part-reader.js'
import { isObject, type PlainValue } from '../conversation/plain-json.js'
import { bytesIn, isBrokenTag, isForeign, urlIn } from './tagged.js'

const bytes: Fit = (value) =>
  typeof value === 'string' || (typeof value === 'object' && isForeign(value)) ? value : undefined

/** Version 7 takes a URL here and no text. */
const address: Fit = (value) => {
  if ((value as object | null) instanceof URL) return value
  return typeof value === 'string' && URL.canParse(value) ? (new URL(value) as unknown as PlainValue) : undefined
}

/** The names of an uploaded file by provider. */
const reference: Fit = (value) => {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value) && !isForeign(value)
  return isPlain &&
    !('type' in value) &&
    !isBrokenTag(value) &&
    Object.values(value).every((name) => typeof name === 'string')
    ? value
    : undefined
}

/** Data with a tag. */
export const TAGGED_DATA: Fit = byKind('type', {
  data: fields({ type: oneOf('data'), data: bytes }),
  url: fields({ type: oneOf('url'), url: address }, { originalUrl: text }),
  reference: fields({ type: oneOf('reference'), reference }),
  text: fields({ type: oneOf('text'), text }),
})

/** Data of a file that a user gives. */
export const FILE_DATA: Fit = either(bytes, TAGGED_DATA, reference)

/** Data of an image part. */
export const IMAGE_DATA: Fit = either(bytes, reference)

/** Data of a file that a model made while it thought: no names, no text. */
export const MADE_DATA: Fit = (value, dropped) => {
  const isKnown = isObject(value) && NOT_MADE.has(value['type'])
  return isKnown ? undefined : either(bytes, TAGGED_DATA)(value, dropped)
}

const NOT_MADE: ReadonlySet<unknown> = new Set(['reference', 'text'])

/** The text that a file holds in the place of bytes. */
export function textData(data: JsonValue | undefined): string | undefined {
  if (!isObject(data) || data['type'] !== 'text') return undefined
  return typeof data['text'] === 'string' ? data['text'] : undefined
}

/** Media from their data; undefined if only a provider has them. */
export function readMedia(
  value: JsonObject,
  given: JsonValue | undefined,
  usual: string | undefined,
): ReadMedia | undefined {
  const about = namesIn(value, usual)
  const data = isObject(given) && (given['type'] === 'data' || given['type'] === 'url') ? given[given['type']] : given
  const bare = typeof data === 'string' ? data : undefined
  const url = urlIn(data) ?? (bare !== undefined && /^(?:https?|data):/.test(bare) ? bare : undefined)
  if (url !== undefined) {
    const { source, mediaType = about.mediaType } = sourceOf(url)
    return { ...about, mediaType, source }
  }
  const base64 = bytesIn(data) ?? bare
  return base64 === undefined ? undefined : { ...about, source: { kind: 'base64', data: base64 } }
}

export function namesIn(
  { mediaType, filename }: JsonObject,
  usual: string | undefined,
): Omit<Required<ReadMedia>, 'source'> {
  return {
    mediaType: typeof mediaType === 'string' ? mediaType : usual,
    filename: typeof filename === 'string' ? filename : undefined,
  }
}

type Value = Readonly<Record<string, unknown>>

/** The form of files that a model gets. */
export type FileForm = Readonly<{
  /** True for models of version 7: data has a tag. */
  isTagged: boolean
  /** The provider that knows a file by an id alone. */
  provider: string
}>

/** A part with a file as a model gets it. */
export function promptFile(part: Value, { isTagged }: FileForm): Value {
  const { image, ...rest } = part
  const isImage = part['type'] === 'image'
  const { data, mediaType } = placeOf(isImage ? image : part['data'])
  return {
    ...rest,
    type: isImage ? 'file' : part['type'],
    data: isTagged ? taggedPlace(data) : barePlace(data),
    mediaType: mediaType ?? part['mediaType'] ?? (isTagged ? 'image' : 'image/*'),
  }
}

/** The data without a tag: bytes, base64, a URL, the names of an uploaded file. A text keeps its tag. */
function placeOf(data: unknown): Readonly<{ data: unknown; mediaType?: string | undefined }> {
  if (typeof data === 'string' || data instanceof URL) {
    const { source, mediaType } = sourceOf(String(data))
    if (source.kind === 'base64') return { data: source.data, mediaType }
    return { data: /^https?:/.test(source.url) ? new URL(source.url) : data }
  }
  if (typeof data !== 'object' || data === null || isForeign(data)) return { data }
  const { type, ...held } = data as Value
  return typeof type === 'string' && type !== 'text' ? placeOf(held[type]) : { data }
}

function taggedPlace(data: unknown): unknown {
  if (data instanceof URL) return { type: 'url', url: data }
  if (typeof data !== 'object' || data === null || isForeign(data)) return { type: 'data', data }
  return 'type' in data ? data : { type: 'reference', reference: data }
}

function barePlace(data: unknown): unknown {
  const said = textData(data as JsonValue)
  return said === undefined ? data : new TextEncoder().encode(said)
}

/** The output of a tool as a model gets it: version 7 has one form of files in it, version 6 has one for each kind. */
export function promptOutput(output: Value, form: FileForm): Value {
  if (output['type'] !== 'content' || !Array.isArray(output['value'])) return output
  const value = (output['value'] as readonly Value[]).map((part) =>
    form.isTagged ? taggedOutput(part, form.provider) : bareOutput(part),
  )
  return { ...output, value }
}

function taggedOutput(part: Value, provider: string): Value {
  const { type, data, url, fileId, providerReference, ...rest } = part
  if (typeof type !== 'string' || type === 'text' || type === 'custom' || type === 'file') return part
  const mediaType = type.startsWith('image') ? 'image' : 'application'
  const names = typeof fileId === 'string' ? { [provider]: fileId } : (fileId ?? providerReference)
  const place = data ?? (typeof url === 'string' ? new URL(url) : names)
  return { mediaType, ...rest, type: 'file', data: taggedPlace(place) }
}

function bareOutput(part: Value): Value {
  if (part['type'] !== 'file') return part
  const { data: given, filename, mediaType, ...rest } = part
  const { data } = placeOf(given)
  const said = textData(data as JsonValue)
  if (said !== undefined) return { ...rest, type: 'text', text: said }
  const kind = typeof mediaType === 'string' && mediaType.startsWith('image') ? 'image' : 'file'
  if (data instanceof URL) return { ...rest, type: `${kind}-url`, url: data.href }
  const base64 = data instanceof Uint8Array ? toBase64(data) : data
  if (typeof base64 !== 'string') return { ...rest, type: kind === 'image' ? 'image-file-id' : 'file-id', fileId: data }
  const named = kind === 'image' || filename === undefined ? {} : { filename }
  return { ...rest, ...named, type: `${kind}-data`, data: base64, mediaType }
}
