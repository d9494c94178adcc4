// The arguments of a call: some formats have them as JSON text, which may be none, others as an object.

import { parseJson } from '../../codec/index.js'
import { LIMITS, type JsonObject, type JsonValue } from '../../core/index.js'
import { PactError } from '../../errors/index.js'
import type { CallPart } from './neutral.js'
import { isObject, textOf } from './plain-json.js'

/** As text: to the letter where the call has one, else JSON with every digit. */
export function inputText({ input, inputText: text }: CallPart): string {
  return text ?? textOf(input ?? {})
}

/** As an object; what is none stands under `input`. */
export function inputObject(call: CallPart): JsonObject {
  const value = call.input ?? parsedInput(call.inputText ?? '')
  return isObject(value) ? value : { input: value ?? call.inputText ?? {} }
}

/** The value that a text of arguments stands for; a call without arguments often has an empty one. Undefined for what is no JSON. */
export function parsedInput(text: string): JsonValue | undefined {
  if (text.trim() === '') return {}
  try {
    return parseJson(text, LIMITS.depth)
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}
