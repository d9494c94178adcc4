// Inputs of endpoints from the command line. A file of its own: the table of endpoints is only loaded by commands that use it.

import { ENDPOINTS, type EndpointName, type Input } from '../api/index.js'
import type { Call } from './spec.js'

/** The input of an endpoint: arguments under the given names, and all options that are fields of it. */
export function inputOf<N extends EndpointName>(
  { arguments: words, options }: Call,
  name: N,
  names: readonly (keyof Input<N> & string)[],
): Input<N> {
  const fields = Object.keys(ENDPOINTS[name].input)
  const given = fields.map((field) => {
    const at = names.findIndex((each) => each === field)
    return [field, at < 0 ? options[field] : words[at]]
  })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Input<N>
}
