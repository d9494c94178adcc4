// A rendering in chunks: the thread, or a provider's request. An unchanged chunk is the same object in every rendering, so comparing two
// renderings costs what differs. A chunk is text, which can be handed out without copying; positions count its UTF-8 bytes.

import { describe, PactError } from '../errors/index.js'
import type { Bound } from '../codec/index.js'
import type { JsonObject, JsonValue, NodeRecord } from '../core/index.js'
import type { View } from '../timeline/index.js'

export type Chunk = Readonly<{
  text: string
  /** Of its text in UTF-8. */
  byteLength: number
  /** The bytes of each node, counted from the beginning of the chunk, in order and without overlap. */
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
  bytesOf(view: View, options: object, prompt?: CallPrompt): RenderedBytes
  /** Where that request has cache marks, if the options say so: in the bytes without them. */
  breakpointsOf?(view: View, options: object, prompt?: CallPrompt): readonly Breakpoint[]
  /** The tools of a call in a form to compare: without cache marks. */
  comparableTools?(tools: JsonValue): unknown
  /** The digests of thoughts that have none, by their ids, as if the request of this tree was their beginning (D58). */
  beginningsOf?(view: View, thoughts: readonly NodeRecord[]): ReadonlyMap<string, Bound>
  /** The form of the params of a call with these options; `formOfParams` adds the defaults. */
  params?(options: object): Partial<ParamsForm>
}>

/** The form of a call's params, and their place in the body. */
export type ParamsForm = Readonly<{
  /** The name of the provider in records. */
  provider: string
  /** The param with the name of the model. */
  model: string
  /** False if the provider takes the name of the model outside the body, such as in the URL. */
  sendsModel: boolean
  /** The path to the tools, which providers read before the prompt. */
  tools: readonly string[]
  /** The path to the system text, for trees that have none. */
  system: readonly string[]
  /** A param that requests have too, such as `config`: the body has the keys of both in it. */
  shared: string | undefined
  /** Keys of the request that params of the same name replace. */
  replaced: readonly string[]
  /** Params that a request leaves out: the provider has them from an earlier one. */
  unrepeated(request: JsonObject): readonly string[]
}>

/** The form of the params of a call whose request a renderer makes with these options. */
export function formOfParams(renderer: Renderer, options: object): ParamsForm {
  const {
    provider = renderer.name,
    model = 'model',
    sendsModel = true,
    tools = ['tools'],
    system = ['system'],
    shared,
    replaced = [],
    unrepeated = () => NONE,
  } = renderer.params?.(options) ?? {}
  return { provider, model, sendsModel, tools, system, shared, replaced, unrepeated }
}

const NONE: readonly string[] = Object.freeze([])

/** The part of a call's params that the model reads, before everything that the context renders. */
export type CallPrompt = Readonly<{
  /** Undefined if they are not known. */
  tools: JsonValue | undefined
  system: JsonValue | undefined
  /** The name of the model, if the params have it. */
  model?: string | undefined
}>

/** The call that an attempt made: the renderer of its request, with the options, and its own part of the prompt. */
export type SentCall = Readonly<{ renderer: Renderer; options: object; prompt: CallPrompt }>

/**
 * The end of what a cache is asked to keep: behind which node, at which byte and in which item of the rendering without marks. `least` is there if the
 * model keeps nothing so short: the number of tokens that it takes.
 */
export type Breakpoint = Readonly<{ node: string; byte: number; item: number; least?: number }>

export type HasRenderer = Readonly<{ [RENDERER]: Renderer }>

/** A function that renders, such as `toAnthropic`. */
export type RendersRequests = ((...args: never[]) => unknown) & HasRenderer

/** Known to the compiler alone: no function has this key. */
declare const REPLY: unique symbol

/** A function that renders requests whose replies have this type. */
export type HasReply<Reply> = Readonly<{ [REPLY]?: (reply: Reply) => void }>

/** The type of the replies to the requests of a function. */
export type ReplyTo<To> = To extends HasReply<infer Reply extends object> ? Reply : object

/** The renderer of a function; throws if it has none. */
export function checkRenderer(given: unknown): Renderer {
  const renderer = typeof given === 'function' ? (given as Partial<RendersRequests>)[RENDERER] : undefined
  if (renderer !== undefined) return renderer
  const message = `The option for takes a function that makes requests, such as toAnthropic, and not ${describe(given)}.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'for' })
}

const RENDERERS = new Map<string, RendersRequests>()

/** Makes a function known by the name of its renderer, so that a record alone gives its request again. */
export function addRenderer(to: RendersRequests): void {
  RENDERERS.set(to[RENDERER].name, to)
}

/** The function whose renderer has this name; undefined if its module is not loaded. */
export function rendererNamed(name: string): RendersRequests | undefined {
  return RENDERERS.get(name)
}

/** The renderers that are loaded. */
export function renderersLoaded(): readonly Renderer[] {
  return Array.from(RENDERERS.values(), (to) => to[RENDERER])
}

/** The number of bytes a rendering has. */
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
