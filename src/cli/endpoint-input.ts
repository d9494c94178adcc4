// Endpoints on the command line: inputs from the words, and actions whose answer is that of an endpoint. A file of its own: the table of endpoints is only loaded by commands that use it.

import { ENDPOINTS, type EndpointName, type Input } from '../api/index.js'
import type { Call, Action } from './spec.js'
import type { Command, Result } from '../commands/index.js'
import type { TextLine } from './terminal.js'

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

/** An action that runs an endpoint; `words` are the fields that the arguments give, in order. */
export function twin<N extends EndpointName>(
  name: N,
  words: readonly (keyof Input<N> & string)[],
  command: Command<N>,
  show: (answer: Result<N>, call: Call) => readonly TextLine[],
  more: (call: Call) => Partial<Input<N>> = () => ({}),
): Action {
  return async (call) => {
    const answer = await command(await call.pool(), { ...inputOf(call, name, words), ...more(call) })
    await call.answer(answer, () => show(answer, call))
  }
}
