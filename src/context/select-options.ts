// Options of one selector.

import type { Dialect } from '../core/index.js'
import type { RangeOptions } from '../diff/index.js'
import { Visits } from '../query/index.js'
import { checkNames, checkOption, wholeFrom } from '../errors/index.js'

/** Options for one selector; those of RangeOptions say something about ranges only. */
export type SelectOptions = RangeOptions &
  Readonly<{
    /** The language of this one selector; the context's by default. */
    dialect?: Dialect | undefined
    /** The number of results to skip, after the selector's own controls. */
    skip?: number | undefined
    /** The largest number of results. */
    limit?: number | undefined
    /** The number of nodes that the call may visit; 50 million by default, Infinity for no limit. */
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
  if (options !== undefined) checkNames(options, NAMES, '{ limit: 10 }', 'E_SELECTOR_INVALID')
}

export function checkDiffOptions(options: DiffOptions | undefined): void {
  if (options !== undefined) checkNames(options, ['maxVisits'], '{ maxVisits: 1000 }', 'E_SELECTOR_INVALID')
}

const VISITS = wholeFrom(0, true)

/** The work budget of a selector. */
export function budgetFor(selector: string, options: DiffOptions | undefined): Visits {
  const most = options?.maxVisits
  if (most === undefined) return new Visits(selector)
  checkOption('maxVisits', most, VISITS, 'E_SELECTOR_INVALID')
  return new Visits(selector, most)
}
