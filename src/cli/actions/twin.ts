// Commands whose answer is that of an endpoint: the input comes from the words, the answer is shown as JSON or as lines.

import type { EndpointName, Input } from '../../api/index.js'
import type { Command, Result } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'

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
