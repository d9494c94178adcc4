// What callers pass beside names. An option that is not known would be a promise that nobody keeps: a `dryRun` that thins out, a key that
// is none.

import { callOption, describe, foreignError, PactError, short } from '../errors/index.js'

/** Gives the options of a call, read once, or says what is wrong with them; without names, whoever uses them knows which there are. */
export function optionsOf<T extends object>(
  call: string,
  example: string,
  given: T | undefined,
  names?: readonly (keyof T & string)[],
): T {
  const invalid = (name: string, message: string): PactError => new PactError('E_CONTENT_INVALID', message, { name })
  try {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw invalid('options', `Options of ${call} are an object such as ${example}, not ${describe(given)}.`)
    const read = { ...given }
    const unknown = names && Object.keys(read).find((name) => !(names as readonly string[]).includes(name))
    if (unknown !== undefined)
      throw invalid(unknown, `${call} has no option "${short(unknown)}"; there ${there(names!)}.`)
    return read
  } catch (thrown) {
    const message = `${call}() could not read what it was given; the cause of this error is what was thrown.`
    throw foreignError(thrown, 'E_CONTENT_INVALID', message, { name: call })
  }
}

function there(names: readonly string[]): string {
  return `${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
}

/** What long work may be told and stopped by, checked before it begins. */
export function checkLong({ onProgress, signal }: Readonly<{ onProgress?: unknown; signal?: unknown }>): void {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new PactError('E_CONTENT_INVALID', 'The option onProgress must be a function.', { name: 'onProgress' })
  if (signal !== undefined && !isSignal(signal)) {
    const message = `The option signal is an AbortSignal, not ${describe(signal)}.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'signal' })
  }
}

function isSignal(given: unknown): boolean {
  try {
    return given instanceof AbortSignal
  } catch {
    return false
  }
}

/** Tells how far something is; what the caller's function throws becomes the cause of an error, and is none of ours. */
export function telling<T>(onProgress: ((progress: T) => void) | undefined): (progress: T) => void {
  return (progress) => callOption('onProgress', () => onProgress?.(progress))
}

/** How many snapshots are kept in memory. */
export function historyOf(history: number | 'all'): number {
  if (history === 'all' || history === Infinity) return Infinity
  if (Number.isSafeInteger(history) && history >= 1) return history
  const message = `The option history is a whole number from 1 up, or 'all', not ${describe(history)}.`
  throw new PactError('E_CONTENT_INVALID', message, { name: 'history' })
}
