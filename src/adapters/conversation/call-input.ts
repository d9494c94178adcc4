// The arguments of a call: some formats have them as JSON text, which may be none, others as an object.

import { parseJson } from '../../codec/index.js'
import { LIMITS, type JsonObject, type JsonValue } from '../../core/index.js'
import { PactError } from '../../errors/index.js'
import type { CallPart } from './neutral.js'
import { isObject, textOf } from './plain-json.js'

/** As text: to the letter where the call has one, else JSON with every digit. */
export function inputText({ input, inputText: text }: Pick<CallPart, 'input' | 'inputText'>): string {
  return text ?? textOf(input ?? {})
}

/** The arguments; what is no object stands in one, under `arguments`. */
export function parsedInput({
  input,
  inputText: text,
}: CallPart): Readonly<{ value: JsonObject; isObjectItself: boolean }> {
  const value = text === undefined ? input : inputValue(text)
  if (isObject(value)) return { value, isObjectItself: true }
  return value === undefined && text === undefined
    ? { value: {}, isObjectItself: true }
    : { value: { arguments: value ?? text ?? null }, isObjectItself: false }
}

/** The value that a text of arguments stands for, undefined for what is no JSON; a call without arguments often has an empty text. */
export function inputValue(text: string): JsonValue | undefined {
  if (text.trim() === '') return {}
  try {
    return parseJson(text, LIMITS.depth)
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}
