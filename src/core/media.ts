// Base64 in contents: images, files and recordings in the part shapes of the providers, data URLs, and the signatures and
// encrypted reasoning that a provider takes back as they are. No model reads any of it as text.

import type { JsonObject, JsonValue } from './json.js'

export type Media = Readonly<{
  kind: 'image' | 'audio' | 'file' | 'opaque'
  /** Its base64; empty where there is only an address. */
  data: string
  /** True if the request asks for low detail. */
  isLow: boolean
}>

/** Everything in a content that is no text to a model. */
export function mediaIn(content: JsonValue): readonly Media[] {
  const found: Media[] = []
  if (typeof content === 'string') {
    const url = dataUrlOf(content)
    if (url !== undefined) found.push(mediaOf(url.type, url.data, {}))
  } else replaced(content, (media) => found.push(media))
  return found
}

/** The content with every such text emptied, for counting the rest; the same value if there is none. */
export function withoutMedia(content: JsonValue): JsonValue {
  if (typeof content === 'string') return dataUrlOf(content) === undefined ? content : ''
  return replaced(content, () => {})
}

/** Walks a value; calls back for each media part and replaces its data by ''. */
function replaced(value: JsonValue, report: (media: Media) => void, parent: JsonObject = NOTHING): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return replacedList(value, report, parent)
  const object = value as JsonObject
  let changed: [string, JsonValue][] | undefined
  for (const [at, [name, each]] of Object.entries(object).entries()) {
    const media = typeof each === 'string' ? mediaAt(name, each, object, parent) : undefined
    if (media !== undefined) report(media)
    const next = media === undefined ? replaced(each, report, object) : ''
    if (next === each) changed?.push([name, each])
    else (changed ??= Object.entries(object).slice(0, at)).push([name, next])
  }
  // fromEntries makes own properties, whatever their names are.
  return changed === undefined ? value : Object.fromEntries(changed)
}

function replacedList(list: readonly JsonValue[], report: (media: Media) => void, parent: JsonObject): JsonValue {
  const next = list.map((each) => replaced(each, report, parent))
  return next.every((each, i) => each === list[i]) ? list : next
}

/** Names under which providers carry base64 next to a media type, or in a part whose own type is a media type. */
const CARRIERS: ReadonlySet<string> = new Set(['data', 'image', 'file_data', 'fileData', 'blob', 'b64_json'])
const TYPE_NAMES = ['media_type', 'mediaType', 'mime_type', 'mimeType'] as const
const MEDIA_PARTS = /^(?:input_|output_)?(?:image|audio|file|media|document|video)(?:_url|-data|_generation_call)?$/
const AUDIO_FORMATS = /^(?:wav|mp3|flac|opus|pcm16|aac|ogg|m4a|webm)$/

/** Data that a provider gave and takes back unread: no text, and no tokens that can be counted. */
const OPAQUE: ReadonlySet<string> = new Set(['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content'])

/** Shorter ones may be words, where nothing but their place says that they are base64. */
const LEAST = 40

function mediaAt(name: string, text: string, object: JsonObject, parent: JsonObject): Media | undefined {
  const around = { ...parent, ...object }
  const url = dataUrlOf(text)
  if (url !== undefined) return mediaOf(url.type, url.data, around)
  const address = addressedType(name, text, object, parent)
  if (address !== undefined) return mediaOf(address, '', around)
  if (!isBase64(text)) return undefined
  if (OPAQUE.has(name) || (name === 'data' && object['type'] === 'redacted_thinking')) {
    return text.length < LEAST ? undefined : { kind: 'opaque', data: '', isLow: false }
  }
  const type = carriedType(name, text, object, parent)
  return type === undefined ? undefined : mediaOf(type, text, around)
}

/** The media type of a base64 text; undefined for ordinary text. */
function carriedType(name: string, text: string, object: JsonObject, parent: JsonObject): string | undefined {
  if (name === 'result' && object['type'] === 'image_generation_call') return 'image'
  // A document may also be given as plain text, under the same names.
  if (!CARRIERS.has(name) || object['type'] === 'text') return undefined
  const said = saidType(object)
  if (said !== undefined) return said
  const type = partType(object) ?? partType(parent) ?? (name === 'b64_json' ? 'image' : undefined)
  return text.length < LEAST ? undefined : type
}

/** The media type of a part that is given by its address, which is no text either. */
function addressedType(name: string, text: string, object: JsonObject, parent: JsonObject): string | undefined {
  if (name === 'fileUri' || name === 'file_uri') return saidType(object)
  if (!/^https?:/.test(text)) return undefined
  if (name === 'image_url' || name === 'image' || name === 'file_url') return partType(object)
  return name === 'url' ? partType(parent) : undefined
}

function saidType(object: JsonObject): string | undefined {
  for (const name of TYPE_NAMES) {
    const type = object[name]
    if (typeof type === 'string' && type !== '') return type
  }
  const { format } = object
  return typeof format === 'string' && AUDIO_FORMATS.test(format) ? 'audio' : undefined
}

/** The type of a part that holds media. */
function partType({ type }: JsonObject): string | undefined {
  return typeof type === 'string' && MEDIA_PARTS.test(type) ? type : undefined
}

function mediaOf(type: string, data: string, around: JsonObject): Media {
  const kind = /image/.test(type) ? 'image' : /audio/.test(type) ? 'audio' : 'file'
  return { kind, data, isLow: around['detail'] === 'low' }
}

/** A whole text that is a data URL in base64. One inside a longer text is sent as text, and is text. */
function dataUrlOf(text: string): Readonly<{ type: string; data: string }> | undefined {
  if (!text.startsWith('data:')) return undefined
  const comma = text.indexOf(',')
  const head = text.slice(5, comma)
  if (comma < 0 || comma > MOST_HEAD || !head.endsWith(';base64')) return undefined
  const data = text.slice(comma + 1)
  return isBase64(data) ? { type: head.slice(0, -7), data } : undefined
}

/** A media type with parameters and a file name; longer texts are no media type. */
const MOST_HEAD = 500

/** True for base64 in either alphabet, with padding, and with line breaks as in mail. */
function isBase64(text: string): boolean {
  return text.length > 0 && /^[A-Za-z0-9+/_\-\r\n]+={0,2}\s*$/.test(text)
}

const NOTHING: JsonObject = {}
