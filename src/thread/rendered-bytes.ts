// A rendering in chunks, whoever made it: the thread, or a provider's request. A chunk of what did not change is one and the same
// object in every rendering that has it, so two renderings are compared at the price of what differs. It is text, which can be handed out
// without copying; places in it are those of its UTF-8.

import { describe, PactError } from '../errors/index.js'
import type { View } from '../timeline/index.js'

export type Chunk = Readonly<{
  text: string
  /** Of its text in UTF-8. */
  byteLength: number
  /** Which of its bytes are a node's own, from its own beginning, in order and apart. */
  ranges: readonly ByteRange[]
  /** Where the items of the list begin in it: messages, thread items. */
  items: readonly number[]
}>

export type ByteRange = Readonly<{ node: string; start: number; end: number }>

/** All chunks in order; the last one closes what the others opened, and is no part of any prefix. */
export type RenderedBytes = readonly Chunk[]

/** Under this symbol the function of an adapter says how it renders, for calls that take it as `for`. */
export const RENDERER: unique symbol = Symbol.for('pact-context.renderer') as never

export type Renderer = Readonly<{
  /** The name that doors and attempts use. */
  name: string
  /** Goes up whenever one tree gives other bytes. */
  version: number
  /** The bytes of a tree's request, with cache marks if the options say so; `options` are the adapter's own. */
  bytesOf(view: View, options: object): RenderedBytes
  /** Where that request has cache marks, if the options say so: in the bytes without them. */
  breakpointsOf?(view: View, options: object): readonly Breakpoint[]
}>

/** The end of what a cache is asked to keep: behind which node, at which byte and in which item of the rendering without marks. */
export type Breakpoint = Readonly<{ node: string; byte: number; item: number }>

export type HasRenderer = Readonly<{ [RENDERER]: Renderer }>

/** A function that renders, such as `toAnthropic`. */
export type RendersRequests = ((...args: never[]) => unknown) & HasRenderer

/** How a function renders, if it is one that does. */
export function checkRenderer(given: unknown): Renderer {
  const renderer = typeof given === 'function' ? (given as Partial<RendersRequests>)[RENDERER] : undefined
  if (renderer !== undefined) return renderer
  const message = `The option for takes a function that makes requests, such as toAnthropic, and not ${describe(given)}.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'for' })
}

/** How many bytes a rendering has. */
export function byteLengthOf(chunks: RenderedBytes): number {
  let length = 0
  for (let i = 0; i < chunks.length; i++) length += chunks[i]!.byteLength
  return length
}

/** Texts in one buffer, which is of the given length; for ASCII that need not be said. */
export function encodeTexts(texts: readonly string[], byteLength: number = charactersIn(texts)): Uint8Array {
  const bytes = new Uint8Array(byteLength)
  let at = 0
  for (const text of texts) at += encoder.encodeInto(text, bytes.subarray(at)).written
  return bytes
}

const encoder = new TextEncoder()

function charactersIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}
