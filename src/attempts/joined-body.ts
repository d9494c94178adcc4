// The body of a call: its params and the request that an adapter made, in one frozen JSON object.

import { describe, invalid, isRecord, PactError } from '../errors/index.js'
import { compareText, deepFreeze, type JsonObject, type JsonValue } from '../core/index.js'
import { copyJson } from '../codec/index.js'
import type { CallPrompt, ParamsForm } from '../thread/index.js'

/** A frozen copy of the params. Their keys keep the caller's order: a model writes the properties of a schema in the order that the schema has. */
export function checkParams(params: unknown): JsonObject {
  if (!isRecord(params)) {
    throw invalid(
      'params',
      `The params of a call are an object such as { model, max_tokens }, not ${describe(params)}.`,
    )
  }
  try {
    return frozenJson(copyJson(params), (names) => names) as JsonObject
  } catch (error) {
    if (!PactError.is(error)) throw error
    const message = `In params: ${error.message} Params are JSON: they are stored, so that the request can be given again.`
    throw invalid('params', message, { ...error.details })
  }
}

/** A frozen copy with sorted keys. */
export function sortedJson(value: JsonValue): JsonValue {
  return frozenJson(value, (names) => names.sort(compareText))
}

function frozenJson(value: JsonValue, order: (names: string[]) => readonly string[]): JsonValue {
  if (typeof value === 'bigint') {
    throw new PactError('E_CONTENT_INVALID', 'A bigint cannot be sent; give a number or a string.')
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item: JsonValue) => frozenJson(item, order)))
  const given = value as JsonObject
  return Object.freeze(
    Object.fromEntries(order(Object.keys(given)).map((name) => [name, frozenJson(given[name]!, order)])),
  )
}

/** The name of the model in the params; undefined if they have none. */
export function modelIn(params: JsonObject, { model }: ParamsForm): string | undefined {
  const name = Object.hasOwn(params, model) ? params[model] : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

/**
 * The part of the params that the model reads. Params that name the model are all of the call's, and so it has no tools if they have none; others
 * may be sent with tools of the caller's.
 */
export function promptIn(params: JsonObject, form: ParamsForm): CallPrompt {
  const model = modelIn(params, form)
  const none = model === undefined ? undefined : NO_TOOLS
  return { tools: valueAt(params, form.tools) ?? none, system: valueAt(params, form.system), model }
}

const NO_TOOLS: readonly JsonValue[] = Object.freeze([])

function valueAt(params: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = params
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/** The params, then the keys of the request. */
export function joinedBody(params: JsonObject, request: object, form: ParamsForm): JsonObject {
  const sent = new Map(Object.entries(params))
  if (!form.sendsModel) sent.delete(form.model)
  for (const name of form.unrepeated(request as JsonObject)) sent.delete(name)
  for (const [name, value] of Object.entries(request as JsonObject)) {
    const given = sent.get(name)
    if (given === undefined) sent.set(name, value)
    else if (name === form.shared && isRecord(given) && isRecord(value)) sent.set(name, both(name, given, value))
    else if (!form.replaced.includes(name)) throw givenTwice(name)
  }
  return deepFreeze(Object.fromEntries(sent))
}

function both(name: string, params: JsonObject, request: JsonObject): JsonObject {
  const twice = Object.keys(request).find((each) => Object.hasOwn(params, each))
  if (twice !== undefined) throw givenTwice(`${name}.${twice}`)
  return { ...params, ...request }
}

function givenTwice(name: string): PactError {
  return invalid(name, `The params have ${name}, and the context renders it too; leave it out of the params.`)
}
