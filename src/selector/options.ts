// Options of calls that take a selector: a name that no option has is refused, so that a slip does not pass unseen.

import { describe, PactError } from '../errors/index.js'
import { suggestNames } from './near-name.js'

/** Checks that options are an object with no other names than these; `example` shows what they look like. */
export function checkNames(options: object, known: readonly string[], example: string): void {
  if (typeof options !== 'object' || (options as object | null) === null) {
    throw new PactError('E_SELECTOR_INVALID', `Options are an object such as ${example}, not ${describe(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const near = suggestNames(name, known)
    const instead = near === undefined ? `there are ${known.join(', ')}.` : `did you mean "${near}"?`
    throw new PactError('E_CONTENT_INVALID', `There is no option "${name.slice(0, 40)}"; ${instead}`, { name })
  }
}

/** Refuses a dialect that nobody speaks. */
export function checkDialect(dialect: unknown): void {
  if (dialect === undefined || dialect === '1.0' || dialect === '0.1') return
  throw new PactError('E_SELECTOR_INVALID', `The option dialect is '1.0' or '0.1', not ${describe(dialect)}.`)
}
