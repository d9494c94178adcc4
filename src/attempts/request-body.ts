// The body of a request: made by an adapter, hashed, kept if somebody asks for it, and given again byte for byte or not at all.

import { callOption, describe, PactError } from '../errors/index.js'
import type { AttemptRecord, Dialect, JsonObject } from '../core/index.js'
import { sha256Hex } from '../codec/index.js'
import { checkRenderer, threadChunks, type Renderer, type RendersRequests } from '../thread/index.js'
import type { View } from '../timeline/index.js'
import { cannot, notExact } from './cannot.js'
import { hasErased } from './sent-tree.js'

/** Who renders a request, and how. */
export type Rendering = Readonly<{
  to: RendersRequests
  renderer: Renderer
  options: object
  /** The options as data; undefined where there are functions in them. */
  plain: JsonObject | undefined
}>

/** The bytes that an adapter makes of a tree. */
export function renderBody({ to, options }: Pick<Rendering, 'to' | 'options'>, tree: unknown): Uint8Array {
  const bytes = callOption('for', () => {
    const made: unknown = (to as unknown as (tree: unknown, options: object) => unknown)(tree, options)
    return (made as Readonly<{ bytes?: unknown }> | null | undefined)?.bytes
  })
  if (bytes instanceof Uint8Array) return bytes
  const message = `The function that for names gives a request with bytes; this one gave ${describe(bytes)} for them.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'for' })
}

/** Bytes as the text that a record keeps. */
export function keptText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    const message = 'keepRequest keeps a body that is text; these bytes are no UTF-8.'
    throw new PactError('E_CONTENT_INVALID', message, { name: 'keepRequest' })
  }
}

/** How a record says it was rendered, once somebody gives the function. */
export function recordedRendering(record: AttemptRecord, to: unknown): Pick<Rendering, 'to' | 'options'> {
  const { adapter, adapter_version: version, adapter_options: options } = record
  if (adapter === undefined) throw noAdapter(record)
  if (to === undefined) throw cannot(record, 'adapter-unknown', `${adapter} made it; give that function as for`)
  const renderer = checkRenderer(to)
  if (renderer.name !== adapter) {
    throw cannot(record, 'adapter-unknown', `${adapter} made it, and for names ${renderer.name}`)
  }
  if (renderer.version !== version) {
    const why = `version ${version} of ${adapter} made it, and this is version ${renderer.version}`
    throw cannot(record, 'renderer-changed', why)
  }
  if (options === undefined) {
    if (record.request_body === null) throw dropped(record)
    throw cannot(record, 'functions', 'there were functions in its options')
  }
  return { to: to as RendersRequests, options }
}

/** Gives a kept body; undefined where there is none. */
export function keptBody({ request_body: body }: AttemptRecord): Uint8Array | undefined {
  return typeof body === 'string' ? new TextEncoder().encode(body) : undefined
}

/** Gives what was rendered again of a tree if it is what was sent. */
export function checkedBody(record: AttemptRecord, body: Uint8Array, view: View, dialect: Dialect): Uint8Array {
  if (sha256Hex(body) === record.request_hash) return body
  if (record.request_body === null) throw dropped(record)
  if (hasErased(view)) throw cannot(record, 'forgotten', 'something that it said was forgotten')
  if (sha256Hex(threadChunks(view, dialect).join('')) !== record.thread_hash) throw notExact(record)
  throw cannot(record, 'own-body', 'what the adapter makes of its tree is not the body that was sent')
}

export function noAdapter(record: AttemptRecord): PactError {
  const { request_hash: hash, request_body: body } = record
  if (body === null) return dropped(record)
  if (hash !== undefined) return cannot(record, 'own-body', 'its body was made elsewhere, and only the hash was kept')
  return cannot(record, 'no-adapter', 'it was started without for; attempt.snapshot.threadBytes() is what it sent')
}

function dropped(record: AttemptRecord): PactError {
  return cannot(record, 'forgotten', 'its body was kept, and dropped when something was forgotten')
}
