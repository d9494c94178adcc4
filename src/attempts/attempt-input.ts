// What a caller may say about an attempt, checked and hashed before anything is noted.

import { describe, PactError, short } from '../errors/index.js'
import { isSentLens, type AttemptError, type ContentInput, type JsonObject, type Lens } from '../core/index.js'
import { canonicalJson, copyJson, sha256Hex } from '../codec/index.js'
import { checkRenderer, type RendersRequests } from '../thread/index.js'
import type { Rendering } from './request-body.js'

/** What is said of a provider call when it starts. */
export type AttemptInput = Readonly<{
  provider: string
  model: string
  /** The parameters of the call, any JSON value; the record keeps their hash. */
  params: ContentInput
  /** The body on the wire, as text, bytes or JSON; the record keeps its hash. */
  request?: ContentInput | undefined
  /** Whose thread is sent: by default the preview where anything is open, else the newest snapshot. */
  lens?: Lens | undefined
  /** Who makes the request, such as `toAnthropic`; then the record tells how to make it again. */
  for?: RendersRequests | undefined
  /** The options of that function: plain JSON, or with `keepRequest` anything that it takes. */
  options?: object | undefined
  /** Keeps the body itself with the record. */
  keepRequest?: boolean | undefined
}>

/** What the provider counted, as far as it said. */
export type AttemptUsage = Readonly<{ tokenIn?: number | undefined; tokenOut?: number | undefined }>

const INPUT_NAMES: readonly string[] = [
  'provider',
  'model',
  'params',
  'request',
  'lens',
  'for',
  'options',
  'keepRequest',
]
const USAGE_NAMES: readonly string[] = ['tokenIn', 'tokenOut']

type Checked = Readonly<{
  provider: string
  model: string
  lens: Lens | undefined
  paramsHash: string
  /** The body, if it was given. */
  body: Uint8Array | undefined
  rendering: Rendering | undefined
  keepRequest: boolean
}>

/** Gives what an attempt keeps of its input, or says what is wrong with it. */
export function checkAttempt(input: AttemptInput): Checked {
  checkNames('attempt', input, INPUT_NAMES, '{ provider, model, params }')
  const { provider, model, params, request, lens, for: to, options, keepRequest = false } = input
  for (const [name, value] of Object.entries({ provider, model })) {
    if (typeof value === 'string' && value !== '') continue
    throw invalid(name, `An attempt needs a ${name}, a string that is not empty, and not ${describe(value)}.`)
  }
  if (params === undefined) throw invalid('params', 'An attempt needs params, any JSON value; {} where there are none.')
  if (lens !== undefined && typeof lens !== 'string')
    throw invalid('lens', `The lens of an attempt is a string, not ${describe(lens)}.`)
  if (isSentLens(lens))
    throw invalid(
      'lens',
      'An attempt sends a snapshot, the working state or the preview; it cannot send another attempt.',
    )
  if (typeof keepRequest !== 'boolean') {
    throw invalid('keepRequest', `The option keepRequest is true or false, not ${describe(keepRequest)}.`)
  }
  if (keepRequest && to === undefined && request === undefined) {
    throw invalid('keepRequest', 'There is no request to keep; give for, or the body as request.')
  }
  return {
    provider,
    model,
    lens,
    paramsHash: sha256Hex(jsonText('params', params)),
    body: request === undefined ? undefined : bytesOf(request),
    rendering: checkRendering(to, options, keepRequest),
    keepRequest,
  }
}

function checkRendering(to: unknown, given: unknown, isKept: boolean): Rendering | undefined {
  if (to === undefined) {
    if (given === undefined) return undefined
    throw invalid('options', 'The options are those of the function that for names; give for, too.')
  }
  const renderer = checkRenderer(to)
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    throw invalid('options', `The options are an object such as { repair: false }, not ${describe(given)}.`)
  }
  const options = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined))
  if (Object.hasOwn(options, 'lens')) {
    throw invalid('lens', "The lens is the attempt's own: give it beside options, and not among them.")
  }
  const plain = plainOptions(options, isKept)
  return { to: to as RendersRequests, renderer, options: plain ?? options, plain }
}

/** Options as data; undefined where they are something else and the body is kept anyway. */
function plainOptions(options: object, isKept: boolean): JsonObject | undefined {
  try {
    return copyJson(options) as JsonObject
  } catch (error) {
    if (!PactError.is(error)) throw error
    if (isKept) return undefined
    const message = `In options: ${error.message} Without keepRequest they are plain JSON, so that the request can be made again.`
    throw invalid('options', message, { ...error.details })
  }
}

/** Gives the two counts, null for what is not known. */
export function checkUsage(usage: AttemptUsage): { tokenIn: number | null; tokenOut: number | null } {
  checkNames('usage', usage, USAGE_NAMES, '{ tokenIn, tokenOut }')
  const { tokenIn = null, tokenOut = null } = usage
  for (const [name, value] of Object.entries({ tokenIn, tokenOut })) {
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue
    throw invalid(name, `${name} is a whole number from 0 up, not ${describe(value)}.`)
  }
  return { tokenIn, tokenOut }
}

function checkNames(what: string, given: unknown, names: readonly string[], form: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(what, `The ${what} is an object such as ${form}, not ${describe(given)}.`)
  }
  for (const name of Object.keys(given)) {
    if (!names.includes(name))
      throw invalid(name, `There is no "${short(name)}" in an ${what}; there are ${names.join(', ')}.`)
  }
}

/** The wire body: text and bytes as they are, anything else as canonical JSON. */
function bytesOf(request: ContentInput): Uint8Array {
  if (ArrayBuffer.isView(request)) {
    return new Uint8Array(request.buffer, request.byteOffset, request.byteLength).slice()
  }
  return new TextEncoder().encode(typeof request === 'string' ? request : jsonText('request', request))
}

function jsonText(name: string, value: unknown): string {
  try {
    return canonicalJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw invalid(name, `In ${name}: ${error.message}`, { ...error.details })
  }
}

/** Name and message of whatever was thrown, even of what cannot be read. The stack stays out, since it names files. */
export function errorOf(error: unknown): AttemptError {
  const [name, message] = ['name', 'message'].map((part) => textIn(error, part))
  return Object.freeze({
    name: name || 'Error',
    message: message ?? (typeof error === 'string' ? error : describe(error)),
  })
}

function textIn(value: unknown, part: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    const text = (value as Readonly<Record<string, unknown>>)[part]
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

function invalid(name: string, message: string, details: Readonly<Record<string, unknown>> = {}): PactError {
  return new PactError('E_CONTENT_INVALID', message, { ...details, name })
}
