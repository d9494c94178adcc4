// The input of an attempt, checked and hashed before anything is recorded.

import { checkNames, checkOption, describe, FLAG, invalid, isRecord, PactError } from '../errors/index.js'
import {
  defined,
  isSentLens,
  type AttemptError,
  type ContentInput,
  type JsonObject,
  type Lens,
  type Reported,
  type SentRecord,
} from '../core/index.js'
import { canonicalJson, copyJson, sha256Hex, withoutBigints } from '../codec/index.js'
import { checkRenderer, formOfParams, type RendersRequests } from '../thread/index.js'
import { checkAppend } from './appended.js'
import { checkParams, modelIn, sortedJson } from './joined-body.js'
import type { Rendering } from './request-body.js'

/** The description of a provider call at its start. */
export type AttemptInput = Readonly<{
  provider: string
  model: string
  /** The parameters of the call, any JSON value; the record keeps their hash. With `for` see `RequestInput`. */
  params: ContentInput
  /** The body on the wire, as text, bytes or JSON; the record keeps its hash. */
  request?: ContentInput | undefined
  /** The tree whose thread is sent: by default the preview if anything is open, else the newest snapshot. */
  lens?: Lens | undefined
  /** The function that makes the request, such as `toAnthropic`; the record then says how to make it again. */
  for?: RendersRequests | undefined
  /** The options of that function: plain JSON, or with `keepRequest` anything that it takes. */
  options?: object | undefined
  /**
   * With `for`: the text of one message of the user after everything else, in the body of this attempt alone. The context does not get it, so
   * the request begins with the bytes of the one that would be sent without it.
   */
  append?: string | undefined
  /** Keeps the body itself with the record. */
  keepRequest?: boolean | undefined
}>

/** A provider call whose request an adapter makes: `attempt.body` is then params and request in one. */
export type RequestInput<To extends RendersRequests, Params extends object> = Omit<
  AttemptInput,
  'for' | 'params' | 'provider' | 'model'
> &
  Readonly<{
    /** The function that makes the request, such as `toAnthropic`. */
    for: To
    /** Everything else that the call takes, as JSON: the model, tools, limits. The record keeps them. */
    params: Params
    /** The provider that the record names; by default that of `for`. */
    provider?: string | undefined
    /** The model that the record names; by default that of the params. With a provider, the params need not have it. */
    model?: string | undefined
  }>

/** The body of a call: the params, and the request of the function without its facts. */
export type RequestBody<To extends RendersRequests, Params extends object> = Params &
  Omit<ReturnType<To>, 'repairs' | 'chunks' | 'byteLength' | 'bytes' | 'sourceMap' | 'breakpoints'>

/** The token counts of the provider, as far as it gave them, and everything else that it reported. */
export type AttemptUsage = Readonly<{
  tokenIn?: number | undefined
  tokenOut?: number | undefined
  /** Kept with the record. */
  reported?: Reported | undefined
}>

const INPUT_NAMES: readonly string[] = [
  'provider',
  'model',
  'params',
  'request',
  'lens',
  'for',
  'options',
  'append',
  'keepRequest',
]
const USAGE_NAMES: readonly string[] = ['tokenIn', 'tokenOut', 'reported']

type Checked = Readonly<{
  provider: string
  model: string
  lens: Lens | undefined
  paramsHash: string
  /** The body, if it was given. */
  body: Uint8Array | undefined
  rendering: Rendering | undefined
  append: string | undefined
  keepRequest: boolean
}>

/** Gives what an attempt keeps of its input, or says what is wrong with it. */
export function checkAttempt(input: AttemptInput | RequestInput<RendersRequests, object>): Checked {
  checkNames(input, INPUT_NAMES, '{ provider, model, params }', 'E_CONTENT_INVALID', 'attempt')
  const { params, request, lens, for: to, options, keepRequest = false } = input
  if (params === undefined) throw invalid('params', 'An attempt needs params, any JSON value; {} where there are none.')
  if (lens !== undefined && typeof lens !== 'string')
    throw invalid('lens', `The lens of an attempt is a string, not ${describe(lens)}.`)
  if (isSentLens(lens))
    throw invalid(
      'lens',
      'An attempt sends a snapshot, the working state or the preview; it cannot send another attempt.',
    )
  checkOption('keepRequest', keepRequest, FLAG)
  if (keepRequest && to === undefined && request === undefined) {
    throw invalid('keepRequest', 'There is no request to keep; give for, or the body as request.')
  }
  const rendering = checkRendering(to, options, params, keepRequest)
  return {
    ...checkWho(input, rendering),
    lens,
    paramsHash: sha256Hex(jsonText('params', params)),
    body: request === undefined ? undefined : bytesOf(request),
    rendering,
    append: checkAppend(input.append, rendering !== undefined),
    keepRequest,
  }
}

/** The provider and the model: as given, else as the adapter and the params name them. */
function checkWho(
  input: Readonly<{ provider?: unknown; model?: unknown }>,
  rendering: Rendering | undefined,
): Pick<Checked, 'provider' | 'model'> {
  const form = rendering && formOfParams(rendering.renderer, rendering.options)
  const named = form && modelIn(rendering.params, form)
  const { provider = form?.provider, model = named } = input
  // With a provider, the input describes a call that the caller makes, and the caller names the model there.
  if (form?.sendsModel === true && input.provider === undefined && named === undefined && typeof model === 'string') {
    const given = `params: { ${form.model}: ${describe(model)}, … }`
    throw invalid('model', `The body would have no model: with for, the model goes into the params (${given}).`)
  }
  for (const [name, value] of Object.entries({ provider, model })) {
    if (typeof value === 'string' && value !== '') continue
    const where = form !== undefined && name === 'model' ? `; ${form.model} in the params names it` : ''
    throw invalid(name, `An attempt needs a ${name}, a string that is not empty, and not ${describe(value)}${where}.`)
  }
  if (named !== undefined && model !== named) {
    throw invalid('model', `The model of the attempt is ${describe(model)}, and its params name ${describe(named)}.`)
  }
  return { provider, model } as Pick<Checked, 'provider' | 'model'>
}

function checkRendering(to: unknown, given: unknown, params: unknown, isKept: boolean): Rendering | undefined {
  if (to === undefined) {
    if (given === undefined) return undefined
    throw invalid('options', 'The options are those of the function that for names; give for, too.')
  }
  const renderer = checkRenderer(to)
  if (given !== undefined && !isRecord(given)) {
    throw invalid('options', `The options are an object such as { repair: false }, not ${describe(given)}.`)
  }
  const options = defined(given ?? {})
  if (Object.hasOwn(options, 'lens')) {
    throw invalid('lens', 'The lens belongs to the attempt: pass `lens` next to `options`, not inside them.')
  }
  const plain = plainOptions(options, isKept)
  return { to: to as RendersRequests, renderer, options: plain ?? options, plain, params: checkParams(params) }
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

/** The ending of an attempt that was answered: null for counts that are not known. */
export function checkUsage(usage: AttemptUsage): Pick<SentRecord, 'token_in' | 'token_out' | 'reported'> {
  checkNames(usage, USAGE_NAMES, '{ tokenIn, tokenOut }', 'E_CONTENT_INVALID', 'usage')
  const { tokenIn = null, tokenOut = null, reported } = usage
  for (const [name, value] of Object.entries({ tokenIn, tokenOut })) {
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue
    throw invalid(name, `${name} is a whole number from 0 up, not ${describe(value)}.`)
  }
  return defined({
    token_in: tokenIn,
    token_out: tokenOut,
    reported: reported === undefined ? undefined : checkReported(reported),
  })
}

function checkReported(reported: unknown): Reported {
  if (!isRecord(reported)) throw invalid('reported', `reported is a JSON object, not ${describe(reported)}.`)
  jsonText('reported', reported)
  return sortedJson(withoutBigints(copyJson(reported))) as Reported
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
