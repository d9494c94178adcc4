// The tokens of a request besides its texts, by provider, as plain numbers: copy a row, change the numbers of your model, and give it to a
// counter. Providers document little of it; `calibrated` finds out the rest.

import { asCall, describe, invalid } from '../errors/index.js'
import { deepFreeze, type Media } from '../core/index.js'
import { imageSize, type ImageSize } from './image-size.js'
import { pdfPages } from './pdf-pages.js'

/** The tokens of an image: by its area, or by the square tiles that cover it. */
export type ImageTokens = Readonly<{
  /** Pixels for one token; leave it out where tiles are counted. */
  pixelsPerToken?: number | undefined
  /** The edge of a tile in pixels, and the tokens of each. */
  tile?: number | undefined
  perTile?: number | undefined
  /** For every image of any size. */
  base?: number | undefined
  /** An image whose edges are both no longer than this is one tile. */
  small?: number | undefined
  /** Larger images are made smaller first: to this longer edge, then to this shorter one. */
  longEdge?: number | undefined
  shortEdge?: number | undefined
  /** The tokens at low detail. */
  low?: number | undefined
  /** The tokens if the size is not known: for an address instead of bytes, or a format without a known header. */
  unknown: number
}>

/** The tokens that a provider adds to those of the texts. */
export type Overhead = Readonly<{
  /** For each message. */
  message: number
  /** For each message with a name. */
  name: number
  /** Once for each request. */
  request: number
  /** Once for a request that has tools, in addition to the text of their definitions. */
  tools: number
  image: ImageTokens
  /** For each page of a PDF whose pages can be counted, and for each other document and each recording, whose length is not known. */
  file: number
  audio: number
}>

/** One row for each provider, as far as it is documented. */
export const OVERHEADS: Readonly<Record<'openai' | 'anthropic' | 'gemini', Overhead>> = deepFreeze({
  openai: {
    message: 3,
    name: 1,
    request: 3, // the reply is primed
    tools: 0,
    image: { base: 85, tile: 512, perTile: 170, longEdge: 2048, shortEdge: 768, low: 85, unknown: 765 },
    file: 1500,
    audio: 600,
  },
  anthropic: {
    message: 3,
    name: 0,
    request: 0,
    tools: 346, // a hidden prompt
    image: { pixelsPerToken: 750, longEdge: 1568, unknown: 1600 },
    file: 2000,
    audio: 600,
  },
  gemini: {
    message: 0,
    name: 0,
    request: 0,
    tools: 0,
    image: { tile: 768, perTile: 258, small: 384, unknown: 258 },
    file: 258, // a page
    audio: 1920, // a minute
  },
})

/** The provider of each adapter; a prompt of the AI SDK may go to any provider. */
const PROVIDERS: Readonly<Record<string, keyof typeof OVERHEADS>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'gemini-interactions': 'gemini',
}

/** The row for the requests of an adapter, by its name, or one of your own; where the provider is not known, nothing is added. */
export function overheadFor(adapter: string, own?: Overhead): Overhead {
  return asCall(overheadFor, () => {
    if (own !== undefined) return checkOverhead(own)
    const provider = Object.hasOwn(PROVIDERS, adapter) ? PROVIDERS[adapter] : undefined
    return provider === undefined ? contentOnly(OVERHEADS.openai) : OVERHEADS[provider]
  })
}

/** The tokens of something that is no text. */
export function mediaTokens(media: Media, overhead: Overhead): number {
  if (media.kind === 'file') return overhead.file * (pdfPages(media.data) ?? 1)
  if (media.kind === 'audio') return overhead.audio
  if (media.kind === 'opaque') return 0
  return imageTokens(overhead.image, imageSize(media.data), media.isLow)
}

export function imageTokens(rule: ImageTokens, size: ImageSize | undefined, isLow: boolean): number {
  if (isLow && rule.low !== undefined) return rule.low
  if (size === undefined) return rule.unknown
  const { width, height } = fitted(size, rule)
  const { base = 0, small = 0, pixelsPerToken, tile, perTile = 0 } = rule
  if (pixelsPerToken !== undefined) return base + Math.ceil((width * height) / pixelsPerToken)
  if (tile === undefined || (size.width <= small && size.height <= small)) return base + perTile
  return base + perTile * Math.ceil(width / tile) * Math.ceil(height / tile)
}

/** The size after the provider has made it smaller; nothing is made larger. */
function fitted(size: ImageSize, { longEdge = Infinity, shortEdge = Infinity }: ImageTokens): ImageSize {
  const inside = scaled(size, longEdge / Math.max(size.width, size.height))
  return scaled(inside, shortEdge / Math.min(inside.width, inside.height))
}

function scaled({ width, height }: ImageSize, factor: number): ImageSize {
  if (factor >= 1) return { width, height }
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

const PLAIN = ['message', 'name', 'request', 'tools', 'file', 'audio'] as const

/** A row of which only the media count: nothing around messages and requests. */
export function contentOnly(row: Overhead): Overhead {
  return Object.freeze({ ...row, message: 0, name: 0, request: 0, tools: 0 })
}

/** A row as a caller gives it, in a copy. */
export function checkOverhead(overhead: unknown): Overhead {
  if (typeof overhead !== 'object' || overhead === null) {
    throw invalid('overhead', `overhead is a row such as OVERHEADS.openai, not ${describe(overhead)}.`)
  }
  const row = { ...overhead } as Record<string, unknown>
  for (const name of PLAIN) checkNumber(name, row[name])
  const { image } = row
  if (typeof image !== 'object' || image === null) {
    throw invalid('image', `overhead.image is an object such as { pixelsPerToken: 750 }, not ${describe(image)}.`)
  }
  const rule = { ...image } as Record<string, unknown>
  checkNumber('unknown', rule['unknown'])
  for (const [name, value] of Object.entries(rule)) if (value !== undefined) checkNumber(name, value)
  for (const name of ['pixelsPerToken', 'tile'])
    if (rule[name] === 0) throw invalid(name, `overhead.image.${name} is 0.`)
  return Object.freeze({ ...row, image: Object.freeze(rule) }) as Overhead
}

function checkNumber(name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return
  throw invalid(name, `${name} of an overhead is a number from 0 up, not ${describe(value)}.`)
}
