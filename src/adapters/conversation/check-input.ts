// Checks of the input of `from…` and `receive…`. Each value is read once.

import { copyJson } from '../../codec/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { describe, invalid, isRecord, PactError } from '../../errors/index.js'
import { isObject } from './plain-json.js'

/** A request, as an object with these keys among others. */
export function checkRequest(request: unknown, form: string): Readonly<Record<string, unknown>> {
  if (isRecord(request)) return request
  throw invalid('request', `A request is an object such as ${form}, not ${describe(request)}.`)
}

/** The list under a key of a conversation; `takes` says what the call takes. */
export function checkList(conversation: unknown, key: string, takes: string): readonly unknown[] {
  const list = (conversation as Readonly<Record<string, unknown>> | null | undefined)?.[key]
  if (typeof conversation === 'object' && Array.isArray(list)) return list as readonly unknown[]
  throw invalid(key, takes)
}

/** The messages of a request, copied. */
export function checkMessages(messages: unknown, name: string): readonly JsonObject[] {
  if (!Array.isArray(messages)) throw invalid(name, `${name} is a list of messages, not ${describe(messages)}.`)
  return messages.map((message: unknown, index) => {
    const copy = checkJson(message, `${name}[${index}]`)
    if (isObject(copy)) return copy
    throw invalid(name, `${name}[${index}] is ${describe(message)}; a message is an object.`, { index })
  })
}

/** Any JSON value, copied. */
export function checkJson(value: unknown, name: string): JsonValue {
  return checkedAs(name, name, () => copyJson(value))
}

/** The copy that `copy` makes; an error says where the value is. */
export function checkedAs(name: string, path: string, copy: () => JsonValue): JsonValue {
  try {
    return copy()
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw invalid(name, `In ${path}: ${error.message}`, { ...error.details })
  }
}
