// What a caller may say about an attempt, checked and hashed before anything is noted.

import { describe, PactError } from '../errors/index.js'
import type { AttemptError, ContentInput, Lens } from '../core/index.js'
import { canonicalJson, sha256Hex } from '../codec/index.js'

/** What is said of a provider call when it starts. */
export type AttemptInput = Readonly<{
  provider: string
  model: string
  /** The parameters of the call, any JSON value; the record keeps their hash. */
  params: ContentInput
  /** The body on the wire, as text, bytes or JSON; the record keeps its hash. */
  request?: ContentInput | undefined
  /** Whose thread is sent: the preview, unless one commits first and then sends `@t0`. */
  lens?: Lens | undefined
}>

/** What the provider counted, as far as it said. */
export type AttemptUsage = Readonly<{ tokenIn?: number | undefined; tokenOut?: number | undefined }>

const INPUT_NAMES: readonly string[] = ['provider', 'model', 'params', 'request', 'lens']
const USAGE_NAMES: readonly string[] = ['tokenIn', 'tokenOut']

type Checked = Readonly<{
  provider: string
  model: string
  lens: Lens
  hashes: Readonly<{ params: string; request: string | undefined }>
}>

/** Gives what an attempt keeps of its input, or says what is wrong with it. */
export function checkAttempt(input: AttemptInput): Checked {
  checkNames('attempt', input, INPUT_NAMES, '{ provider, model, params }')
  const { provider, model, params, request, lens = 'preview' } = input
  for (const [name, value] of Object.entries({ provider, model })) {
    if (typeof value === 'string' && value !== '') continue
    throw invalid(name, `An attempt needs a ${name}, a string that is not empty, and not ${describe(value)}.`)
  }
  if (params === undefined) throw invalid('params', 'An attempt needs params, any JSON value; {} where there are none.')
  if (typeof lens !== 'string') throw invalid('lens', `The lens of an attempt is a string, not ${describe(lens)}.`)
  const hashes = { params: hashJson('params', params), request: request === undefined ? undefined : hashBody(request) }
  return { provider, model, lens, hashes }
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
      throw invalid(name, `There is no "${name}" in an ${what}; there are ${names.join(', ')}.`)
  }
}

/** The wire body: text and bytes as they are, anything else as canonical JSON. */
function hashBody(request: ContentInput): string {
  if (typeof request === 'string') return sha256Hex(request)
  if (!ArrayBuffer.isView(request)) return hashJson('request', request)
  return sha256Hex(new Uint8Array(request.buffer, request.byteOffset, request.byteLength))
}

function hashJson(name: string, value: unknown): string {
  try {
    return sha256Hex(canonicalJson(value))
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
