// The size of an image, read from the first bytes of its base64: the headers of PNG, GIF, WebP and JPEG contain it. Nothing else is
// decoded, and an unknown format has no size.

import { decodeBase64 } from './base64.js'

export type ImageSize = Readonly<{ width: number; height: number }>

/** The number of characters to read: a JPEG may carry a thumbnail and a colour profile before its size. */
export const MOST_SEARCHED = 400_000

/** The size of an image given as base64. */
export function imageSize(data: string): ImageSize | undefined {
  const head = bytesOf(data, 0, 32)
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(data, head)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function pngSize(head: Uint8Array): ImageSize | undefined {
  if (head.length < 24 || !startsWith(head, 0, '\x89PNG')) return undefined
  return { width: number32(head, 16), height: number32(head, 20) }
}

function gifSize(head: Uint8Array): ImageSize | undefined {
  if (head.length < 10 || !startsWith(head, 0, 'GIF8')) return undefined
  return { width: little(head, 6, 2), height: little(head, 8, 2) }
}

function webpSize(head: Uint8Array): ImageSize | undefined {
  if (head.length < 30 || !startsWith(head, 0, 'RIFF') || !startsWith(head, 8, 'WEBP')) return undefined
  if (startsWith(head, 12, 'VP8 ')) return { width: little(head, 26, 2) & 0x3fff, height: little(head, 28, 2) & 0x3fff }
  if (startsWith(head, 12, 'VP8X')) return { width: little(head, 24, 3) + 1, height: little(head, 27, 3) + 1 }
  if (!startsWith(head, 12, 'VP8L')) return undefined
  const bits = little(head, 21, 4)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** A JPEG is a list of segments, each with its length; the segment that begins a frame contains the size. */
function jpegSize(data: string, head: Uint8Array): ImageSize | undefined {
  if (head.length < 4 || head[0] !== 0xff || head[1] !== 0xd8) return undefined
  for (let at = 2; (at * 4) / 3 < Math.min(data.length, MOST_SEARCHED);) {
    const segment = bytesOf(data, at, 9)
    if (segment.length < 9 || segment[0] !== 0xff) return undefined
    const marker = segment[1]!
    if (marker === 0xff) at++
    else if (isFrame(marker)) return { width: number16(segment, 7), height: number16(segment, 5) }
    else at += 2 + Math.max(2, number16(segment, 2))
  }
  return undefined
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Decodes bytes from base64 of either alphabet; gives fewer if the text ends or is no base64. */
function bytesOf(data: string, from: number, length: number): Uint8Array {
  const group = Math.floor(from / 3)
  const last = Math.ceil((from + length) / 3)
  const bytes = Uint8Array.from(decodeBase64(data.slice(4 * group, 4 * last)), (char) => char.charCodeAt(0))
  const skipped = from - 3 * group
  return bytes.subarray(skipped, skipped + length)
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

function number16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}

function number32(bytes: Uint8Array, at: number): number {
  return number16(bytes, at) * 0x10000 + number16(bytes, at + 2)
}

function little(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let i = length - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!
  return value
}
