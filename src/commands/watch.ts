// What is committed to a context, as it happens.

import type { CommandOptions, WatchedEvent, WatchInput } from './answers.js'
import { checkInput, textOf, wholeIn } from './check.js'
import type { Desk } from './desk.js'

/** Every commit after a cycle, each once and in order, until the signal ends it; from now on, where no cycle is named. */
export function watchContext(
  desk: Desk,
  input: WatchInput,
  { signal }: CommandOptions = {},
): AsyncIterable<WatchedEvent> {
  const given = checkInput(input, ['id', 'from'])
  const from = wholeIn(given, 'from', 0)
  return desk.watch(textOf(given, 'id'), {
    ...(from === undefined ? {} : { from }),
    ...(signal === undefined ? {} : { signal }),
  })
}
