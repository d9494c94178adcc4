// Checks the options of store calls. Unknown options are refused: a misspelled `dryRun` must not erase.

import {
  callOption,
  checkOption,
  describe,
  foreignError,
  FUNCTION,
  invalid,
  short,
  wholeFrom,
  type OptionRule,
} from '../errors/index.js'

/**
 * Returns a copy of the options of a call; E_CONTENT_INVALID if they are no object or have an unknown name. Without
 * `names`, the caller checks the names.
 */
export function readOptions<T extends object>(
  call: string,
  example: string,
  given: T | undefined,
  names?: readonly (keyof T & string)[],
): T {
  try {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw invalid('options', `Options of ${call} are an object such as ${example}, not ${describe(given)}.`)
    const read = { ...given }
    const unknown = names && Object.keys(read).find((name) => !(names as readonly string[]).includes(name))
    if (unknown !== undefined)
      throw invalid(unknown, `${call} has no option "${short(unknown)}"; there ${there(names!)}.`)
    return read
  } catch (thrown) {
    const message = `${call}() could not read its arguments; the cause of this error is what reading them threw.`
    throw foreignError(thrown, 'E_CONTENT_INVALID', message, { name: call })
  }
}

function there(names: readonly string[]): string {
  return `${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
}

/** Checks `onProgress` and `signal` of a long call before it starts. */
export function checkTaskOptions({ onProgress, signal }: Readonly<{ onProgress?: unknown; signal?: unknown }>): void {
  checkOption('onProgress', onProgress, FUNCTION)
  checkOption('signal', signal, SIGNAL)
}

const SIGNAL: OptionRule = { form: 'an AbortSignal', allows: isSignal }

/** A time in milliseconds, as timers take it. */
export const MILLISECONDS: OptionRule = { form: 'a number of milliseconds', allows: isTimeFrom(0) }
export const MILLISECONDS_FROM_1: OptionRule = { form: 'a number of milliseconds from 1 up', allows: isTimeFrom(1) }

function isTimeFrom(least: number): OptionRule['allows'] {
  return (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) < 2 ** 31
}

function isSignal(given: unknown): boolean {
  try {
    return given instanceof AbortSignal
  } catch {
    return false
  }
}

/** Calls `onProgress`; an error that it throws becomes the cause of a PactError. */
export function progressReporter<T>(onProgress: ((progress: T) => void) | undefined): (progress: T) => void {
  return (progress) => callOption('onProgress', () => onProgress?.(progress))
}

/** Checks the option `history`: the number of snapshots kept in memory. */
export function checkHistory(history: number | 'all'): number {
  checkOption('history', history, HISTORY_RULE)
  return history === 'all' ? Infinity : history
}

const HISTORY_RULE: OptionRule = {
  form: "a whole number from 1 up, or 'all'",
  allows: (value) => value === 'all' || wholeFrom(1, true).allows(value),
}

/** Limit in bytes; some database indexes truncate longer keys. */
const LONGEST = 500

/** Returns the name; E_CONTENT_INVALID if it is not valid. */
export function checkName(what: 'id' | 'key' | 'after' | 'tenant', name: unknown): string {
  const refuse = (sentence: string): never => {
    throw invalid(what, sentence)
  }
  if (typeof name !== 'string') return refuse(`The ${what} is a string, not ${describe(name)}.`)
  if (name === '') return refuse(`The ${what} must not be empty.`)
  if (Buffer.byteLength(name) > LONGEST) {
    return refuse(`The ${what} ${short(name)} is too long; it may have ${LONGEST} bytes.`)
  }
  if (/\p{Cs}/u.test(name)) return refuse(`The ${what} ${short(name)} has half of a surrogate pair in it.`)
  return name
}
