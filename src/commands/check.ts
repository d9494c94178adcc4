// What a command's input must look like, in sentences. It may come from anywhere: a terminal, a request, an agent. The engine checks
// what it knows better itself: selectors, lenses, operations, names of contexts.

import { describe, PactError } from '../errors/index.js'
import type { JsonObject, Lens, Operation } from '../context/index.js'
import { FORMAT_NAMES, type FormatName } from '../formats/index.js'
import type { Reading } from './answers.js'

export type Given = Readonly<Record<string, unknown>>

/** Refuses what is no object, and names that the command does not know. */
export function checkInput(input: unknown, names: readonly string[]): Given {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('input', `The input is an object with ${names.join(', ')}, not ${describe(input)}.`)
  }
  for (const name of Object.keys(input)) {
    if (!names.includes(name)) {
      throw invalid(name, `There is no ${describe(name)} here; there are ${names.join(', ')}.`)
    }
  }
  return input as Given
}

/** The names that go with every read. */
export const READING: readonly string[] = ['base', 'operations']

export function textOf(input: Given, name: string): string {
  const value = input[name]
  if (typeof value === 'string' && value !== '') return value
  throw invalid(name, `${name} is a text that is not empty, not ${describe(value)}.`)
}

export function textIn(input: Given, name: string): string | undefined {
  return input[name] === undefined ? undefined : textOf(input, name)
}

export function wholeIn(
  input: Given,
  name: string,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`
  throw invalid(name, `${name} is a whole number ${range}, not ${describe(value)}.`)
}

export function flagIn(input: Given, name: string): boolean | undefined {
  const value = input[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(name, `${name} is true or false, not ${describe(value)}.`)
}

export function oneOf<const T extends string>(input: Given, name: string, choices: readonly T[]): T | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw invalid(name, `${name} is one of ${choices.join(', ')}, not ${describe(value)}.`)
}

export function textsIn(input: Given, name: string): readonly string[] | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw invalid(name, `${name} is a list of texts, not ${describe(value)}.`)
}

export function objectIn(input: Given, name: string): JsonObject | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw invalid(name, `${name} is an object, not ${describe(value)}.`)
}

/** A lens as text; which there are, the engine says. */
export function lensIn(input: Given, name: string): Lens | undefined {
  return textIn(input, name) as Lens | undefined
}

export function formatIn(input: Given, name: string): FormatName | undefined {
  return oneOf(input, name, FORMAT_NAMES)
}

export function operationsIn(input: Given): readonly Operation[] | undefined {
  const value = input['operations']
  if (value === undefined || Array.isArray(value)) return value as readonly Operation[] | undefined
  throw invalid('operations', `operations is a list of operations, not ${describe(value)}.`)
}

export function operationsOf(input: Given): readonly Operation[] {
  const operations = operationsIn(input)
  if (operations !== undefined) return operations
  throw invalid('operations', 'operations are missing: a list such as [{ "op": "user", "content": "Hi" }].')
}

/** What a read is told about the state that it reads. */
export function readingOf(input: Given): Reading {
  return { base: wholeIn(input, 'base', 0), operations: operationsIn(input) }
}

export function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
