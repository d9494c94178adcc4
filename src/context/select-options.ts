// What a caller may say about one selector beside its text.

import type { Dialect } from '../core/index.js'
import type { RangeOptions } from '../diff/index.js'
import { checkNames } from '../selector/index.js'
import { Visits } from '../query/index.js'
import { describe, PactError } from '../errors/index.js'

/** Options for one selector; those of RangeOptions say something about ranges only. */
export type SelectOptions = RangeOptions &
  Readonly<{
    /** The language of this one selector; the context's by default. */
    dialect?: Dialect | undefined
    /** How many results to leave out at the start, after the selector's own controls. */
    skip?: number | undefined
    /** How many results to give at the most. */
    limit?: number | undefined
    /** How many nodes the call may look at; 50 million by default, Infinity for any number. */
    maxVisits?: number | undefined
  }>

/** Options for the selector of a diff. */
export type DiffOptions = Pick<SelectOptions, 'maxVisits'>

const NAMES: readonly (keyof SelectOptions)[] = [
  'limit',
  'skip',
  'dialect',
  'maxVisits',
  'includeContent',
  'contentMode',
  'contextLines',
  'materialize',
  'maxSnapshots',
  'maxChangesPerSnapshot',
]

/** Refuses names that no option has; values are checked where they are used. */
export function checkSelectOptions(options: SelectOptions | undefined): void {
  if (options !== undefined) checkNames(options, NAMES, '{ limit: 10 }')
}

export function checkDiffOptions(options: DiffOptions | undefined): void {
  if (options !== undefined) checkNames(options, ['maxVisits'] satisfies (keyof DiffOptions)[], '{ maxVisits: 1000 }')
}

/** What a call may spend on its selector. */
export function budgetFor(selector: string, options: DiffOptions | undefined): Visits {
  const most = options?.maxVisits
  if (most === undefined) return new Visits(selector)
  if (most !== Infinity && !(Number.isSafeInteger(most) && most >= 0)) {
    const message = `The option maxVisits is a whole number from 0 up, or Infinity, not ${describe(most)}.`
    throw new PactError('E_SELECTOR_INVALID', message, { name: 'maxVisits' })
  }
  return new Visits(selector, most)
}
