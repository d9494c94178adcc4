// Pictures in a content. The first bytes tell the type, so one look serves the forms of all providers. Only types that run nothing: no SVG.

import type { JsonValue } from '../../api/index.js'

export type Picture = Readonly<{ type: string; base64: string }>

const STARTS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]
/** A text of this length or less that starts like a picture is a word. */
const LEAST = 40
/** The number of pictures to show. */
const MOST = 8

export function picturesIn(value: JsonValue | undefined): readonly Picture[] {
  if (typeof value === 'string') return [pictureOf(value)].filter((each) => each !== undefined)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(picturesIn).slice(0, MOST)
}

function pictureOf(text: string): Picture | undefined {
  const base64 = text.slice(0, 100).startsWith('data:image/') ? text.slice(text.indexOf(',') + 1) : text
  const type = STARTS.find(([start]) => base64.startsWith(start))?.[1]
  if (type === undefined || base64.length <= LEAST || /[^A-Za-z0-9+/=\s]/.test(base64)) return undefined
  return { type, base64 }
}

/** The bytes of a picture; undefined if they are not base64. */
export function pictureBytes({ base64 }: Picture): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
