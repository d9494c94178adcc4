// The arguments of a call as an object, which some formats ask for, wherever they came as text or as another value.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { CallPart } from './neutral.js'
import { isObject } from './plain-json.js'

/** The arguments; what is no object stands in one, under `arguments`. */
export function parsedInput({ input, inputText }: CallPart): Readonly<{ value: JsonObject; isObjectItself: boolean }> {
  const value = inputText === undefined ? input : parsed(inputText)
  if (isObject(value)) return { value, isObjectItself: true }
  const isEmpty = value === undefined && (inputText === undefined || inputText.trim() === '')
  return isEmpty
    ? { value: {}, isObjectItself: true }
    : { value: { arguments: value ?? inputText ?? null }, isObjectItself: false }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
