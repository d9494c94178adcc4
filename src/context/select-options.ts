// What a caller may say about one selector beside its text.

import type { Dialect } from '../core/index.js'
import type { RangeOptions } from '../diff/index.js'
import { checkNames } from '../selector/index.js'

/** Options for one selector; those of RangeOptions say something about ranges only. */
export type SelectOptions = RangeOptions &
  Readonly<{
    /** The language of this one selector; the context's by default. */
    dialect?: Dialect | undefined
    /** How many results to leave out at the start, after the selector's own controls. */
    skip?: number | undefined
    /** How many results to give at the most. */
    limit?: number | undefined
  }>

const NAMES: readonly (keyof SelectOptions)[] = [
  'limit',
  'skip',
  'dialect',
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
