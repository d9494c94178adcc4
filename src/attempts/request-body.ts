// The body of a request: made by an adapter, hashed, kept on request, and given again byte for byte or not at all.

import { callOption, describe, invalid, isRecord, type PactError } from '../errors/index.js'
import { deepFreeze, type SentRecord, type Dialect, type JsonObject, type NodeRecord } from '../core/index.js'
import { ERASED, sha256Hex } from '../codec/index.js'
import {
  checkRenderer,
  formOfParams,
  RENDERER,
  rendererNamed,
  threadChunks,
  type CallPrompt,
  type Renderer,
  type RendersRequests,
  type SentCall,
} from '../thread/index.js'
import { eachRecord, type View } from '../timeline/index.js'
import type { SentRequest } from './attempt.js'
import { cannot, notExact } from './cannot.js'
import { isMuted } from './erased-attempt.js'
import { joinedBody, promptIn } from './joined-body.js'

/** The renderer of a request, and its options. */
export type Rendering = Readonly<{
  to: RendersRequests
  renderer: Renderer
  options: object
  /** The options as data; undefined where there are functions in them. */
  plain: JsonObject | undefined
  /** The params of the call, frozen. */
  params: JsonObject
}>

/** A rendering as a record describes it; records of earlier releases have no params. */
export type RecordedRendering = Pick<Rendering, 'to' | 'renderer' | 'options'> &
  Readonly<{ params?: JsonObject | undefined }>

/** The body of a request, and the repairs that the adapter listed. */
export type MadeBody = Readonly<{ body: JsonObject; repairs: SentRequest['repairs'] }>

/** The body that an adapter makes of a tree and the params; the adapter sees the tools and the system text of the params. */
export function renderBody({ to, renderer, options, params }: RecordedRendering, tree: unknown): MadeBody {
  const form = formOfParams(renderer, options)
  const prompt = promptOf({ renderer, options, params })
  const made = callOption('for', () => (to as unknown as Renders)(tree, options, prompt))
  if (!isRecord(made)) {
    throw invalid('for', `The function that for names gives a request, and this one gave ${describe(made)}.`)
  }
  const body = params === undefined ? deepFreeze({ ...made } as JsonObject) : joinedBody(params, made, form)
  // Adapters work them out when they are asked for.
  return { body, repairs: () => (made as Partial<Listed>).repairs ?? NO_REPAIRS }
}

type Listed = Readonly<{ repairs: ReturnType<SentRequest['repairs']> }>

const NO_REPAIRS: Listed['repairs'] = Object.freeze([])

/** The part of the prompt that is in the params of a call, if they are known. */
export function promptOf({ renderer, options, params }: Omit<RecordedRendering, 'to'>): CallPrompt | undefined {
  return params && promptIn(params, formOfParams(renderer, options))
}

type Renders = (tree: unknown, options: object, prompt: CallPrompt | undefined) => unknown

/** The call that a record describes; undefined if no adapter made its request, or a module that is not loaded, or its params were forgotten. */
export function callOf({ adapter, adapter_options: options = {}, params }: SentRecord): SentCall | undefined {
  const renderer = adapter === undefined ? undefined : rendererNamed(adapter)?.[RENDERER]
  const prompt = renderer && params ? promptOf({ renderer, options, params }) : undefined
  return renderer && prompt && { renderer, options, prompt }
}

export function bytesOfBody(body: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body))
}

/** Bytes as the text that a record keeps. */
export function keptText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    const message = 'keepRequest keeps a body that is text; these bytes are no UTF-8.'
    throw invalid('keepRequest', message)
  }
}

/** The rendering that a record describes; `given` is the function that a caller names, if it does. */
export function recordedRendering(record: SentRecord, given: unknown): RecordedRendering {
  const { adapter, adapter_version: version, adapter_options: options, params } = record
  if (adapter === undefined) throw noAdapter(record)
  if (isMuted(record)) throw cannot(record, 'forgotten', 'something that it may have held was erased')
  const to = given ?? rendererNamed(adapter)
  if (to === undefined) {
    throw cannot(record, 'adapter-unknown', `${adapter} made it, which is not loaded here; give that function as for`)
  }
  const renderer = checkRenderer(to)
  if (renderer.name !== adapter) {
    throw cannot(record, 'adapter-unknown', `${adapter} made it, and for names ${renderer.name}`)
  }
  if (renderer.version !== version) {
    const why = `version ${version} of ${adapter} made it, and this is version ${renderer.version}`
    throw cannot(record, 'renderer-changed', why)
  }
  if (params === null) throw paramsForgotten(record)
  if (options === undefined) {
    if (record.request_body === null) throw dropped(record)
    throw cannot(record, 'functions', 'there were functions in its options')
  }
  const known = params === undefined ? {} : { params }
  return { to: to as RendersRequests, renderer, options, ...known }
}

/** Gives a kept body; undefined if there is none. */
export function keptBody({ request_body: body }: SentRecord): Uint8Array | undefined {
  return typeof body === 'string' ? new TextEncoder().encode(body) : undefined
}

/** Gives what was rendered again of a tree if it is what was sent. */
export function checkedBody(record: SentRecord, body: Uint8Array, view: View, dialect: Dialect): Uint8Array {
  if (sha256Hex(body) === record.request_hash) return body
  if (record.request_body === null) throw dropped(record)
  if (hasErased(view)) throw cannot(record, 'forgotten', 'something that it said was forgotten')
  if (sha256Hex(threadChunks(view, dialect).join('')) !== record.thread_hash) throw notExact(record)
  throw cannot(record, 'own-body', 'what the adapter makes of its tree is not the body that was sent')
}

/** True if anything of a tree was erased. */
function hasErased({ tree }: View): boolean {
  let isErased = false
  const look = ({ rare }: NodeRecord): void => void (isErased ||= rare?.attributes?.has(ERASED) === true)
  look(tree.root)
  for (const region of tree.regions) eachRecord(region, look)
  return isErased
}

export function noAdapter(record: SentRecord): PactError {
  const { request_hash: hash, request_body: body } = record
  if (body === null) return dropped(record)
  if (hash !== undefined) return cannot(record, 'own-body', 'its body was made elsewhere, and only the hash was kept')
  return cannot(record, 'no-adapter', 'it was started without for; attempt.snapshot.threadBytes() is what it sent')
}

export function paramsForgotten(record: SentRecord): PactError {
  return cannot(record, 'forgotten', 'its params were dropped when something was forgotten')
}

function dropped(record: SentRecord): PactError {
  return cannot(record, 'forgotten', 'its body was kept, and dropped when something was forgotten')
}
