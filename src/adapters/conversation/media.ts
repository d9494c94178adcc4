// Images, files and sounds: the same in every format except for the place of their bytes.

import type { MediaPart } from './neutral.js'

type MediaSource = MediaPart['source']

/** The type of an image of an unknown kind. */
export const SOME_IMAGE = 'image/*'

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/

/** The source that a URL stands for: bytes that it carries itself, or an address. */
export function sourceOf(url: string): Readonly<{ source: MediaSource; mediaType: string | undefined }> {
  const match = DATA_URL.exec(url.slice(0, 300))
  if (match === null || !match[2]!.endsWith(';base64')) return { source: { kind: 'url', url }, mediaType: undefined }
  const data = url.slice(match[0].length)
  return { source: { kind: 'base64', data }, mediaType: match[1] === '' ? undefined : match[1] }
}

/** The bytes of a file that is given as a data URL, or as base64 alone. Some servers take an address in their place. */
export function bytesOf(data: string): Readonly<{ source: MediaSource; mediaType: string | undefined }> {
  const { source, mediaType } = sourceOf(data)
  const isBytes = source.kind === 'url' && !/^https?:\/\//.test(data)
  return { source: isBytes ? { kind: 'base64', data } : source, mediaType }
}

/** The place, or a URL that carries the bytes. */
export function urlOf({ source, mediaType }: Pick<MediaPart, 'source' | 'mediaType'>): string {
  if (source.kind === 'url') return source.url
  const type =
    mediaType === undefined || mediaType.endsWith('/*') ? `${mediaType?.slice(0, -2) ?? 'image'}/png` : mediaType
  return `data:${type};base64,${source.data}`
}

export function isImage({ mediaType }: Pick<MediaPart, 'mediaType'>): boolean {
  return mediaType?.startsWith('image/') === true
}

/** True for a sound or a film: providers that read files read documents. */
export function isPlayed({ mediaType }: Pick<MediaPart, 'mediaType'>): boolean {
  return mediaType?.startsWith('audio/') === true || mediaType?.startsWith('video/') === true
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  iVBORw0KGgo: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
  JVBERi0: 'application/pdf',
}

const ENDINGS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
}

/** The type of some media, from how its bytes begin or its address ends where it is not said. */
export function exactType({ source, mediaType }: Pick<MediaPart, 'source' | 'mediaType'>): string | undefined {
  if (mediaType !== undefined && !mediaType.endsWith('/*')) return mediaType
  if (source.kind === 'url') return endingType(source.url, mediaType)
  return Object.entries(BEGINNINGS).find(([start]) => source.data.startsWith(start))?.[1]
}

function endingType(url: string, general: string | undefined): string | undefined {
  const [, ending = ''] = /\.([a-z]+)(?:[?#].*)?$/i.exec(url) ?? []
  const type = Object.hasOwn(ENDINGS, ending.toLowerCase()) ? ENDINGS[ending.toLowerCase()] : undefined
  // An image stays one, whatever its address ends with.
  return general === undefined || type?.startsWith(general.slice(0, -1)) === true ? type : undefined
}

const CHUNK = 0x2000

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))
}

/** True for base64 that every reader takes. */
export function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0
}

/** True for media whose bytes are no base64 of any kind: an edit, such as a redaction, has changed them. Every provider refuses such media. */
export function isBroken({ kind, source }: Readonly<{ kind: string; source?: MediaPart['source'] }>): boolean {
  return kind === 'media' && source?.kind === 'base64' && /[^A-Za-z0-9+/_=\-\s]/.test(source.data)
}
