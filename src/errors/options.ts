// Checks of options and named arguments. An unknown name is refused, so that a slip does not pass unnoticed.

import { describe, short } from './describe.js'
import type { ErrorCode } from './codes.js'
import { suggestNames } from './near-name.js'
import { PactError, type ErrorDetails } from './pact-error.js'

/** An error about one input, which `details.name` names. */
export function invalid(name: string, message: string, details: ErrorDetails = {}): PactError {
  return new PactError('E_CONTENT_INVALID', message, { ...details, name })
}

/** The values that an option may have: in words, and as a test. */
export type OptionRule = Readonly<{ form: string; allows: (value: unknown) => boolean }>

export const FLAG: OptionRule = { form: 'true or false', allows: (value) => typeof value === 'boolean' }
export const FUNCTION: OptionRule = { form: 'a function', allows: (value) => typeof value === 'function' }
export const TEXT: OptionRule = { form: 'a string that is not empty', allows: (value) => isText(value) && value !== '' }
export const ANYTHING: OptionRule = { form: 'anything', allows: () => true }

/** A whole number from a least one up; `orInfinity` allows Infinity too. */
export function wholeFrom(least: number, orInfinity = false): OptionRule {
  return {
    form: `a whole number from ${least} up${orInfinity ? ', or Infinity' : ''}`,
    allows: (value) =>
      (orInfinity && value === Infinity) || (Number.isSafeInteger(value) && (value as number) >= least),
  }
}

export function oneOf(...choices: readonly string[]): OptionRule {
  const quoted = choices.map((choice) => `'${choice}'`)
  const form = quoted.length === 2 ? quoted.join(' or ') : `one of ${choices.join(', ')}`
  return { form, allows: (value) => isText(value) && choices.includes(value) }
}

/** Refuses options, or another input that `what` names, that are no object or have an unknown name; `example` shows a right one. */
export function checkNames(
  given: unknown,
  known: readonly string[],
  example: string,
  code: ErrorCode = 'E_CONTENT_INVALID',
  what = 'options',
): asserts given is object {
  if (!isRecord(given)) {
    const subject = what === 'options' ? 'Options are' : `The ${what} is`
    throw new PactError(code, `${subject} an object such as ${example}, not ${describe(given)}.`, { name: what })
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const near = suggestNames(name, known)
    const others = `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}.`
    const fault = what === 'options' ? `There is no option "${short(name)}"` : `The ${what} has no "${short(name)}"`
    throw invalid(name, `${fault}; ${near === undefined ? others : `did you mean "${near}"?`}`)
  }
}

/** Refuses a value that an option cannot have; undefined always passes. */
export function checkOption(
  name: string,
  value: unknown,
  { form, allows }: OptionRule,
  code: ErrorCode = 'E_CONTENT_INVALID',
): void {
  if (value === undefined || allows(value)) return
  throw new PactError(code, `The option ${name} is ${form}, not ${describe(value)}.`, { name })
}

/** Checks options by a table of rules: the names first, then the values. */
export function checkOptions(
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  example: string,
  code?: ErrorCode,
): void {
  checkNames(options, Object.keys(rules), example, code)
  for (const [name, rule] of Object.entries(rules)) {
    checkOption(name, (options as Readonly<Record<string, unknown>>)[name], rule, code)
  }
}

/** True for objects that are no lists. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
