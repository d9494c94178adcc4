// What is committed to a context, as it happens.

import { parseMark, type WatchedFrom } from '../context/index.js'
import type { CommandOptions, WatchedEvent, WatchInput } from './answers.js'
import { checkInput, textOf, wholeIn, type Given } from './check.js'
import type { Desk } from './desk.js'

/** Every commit after a cycle or a mark, each once and in order, and what was erased, until the signal ends it; from now on, where none is named. */
export function watchContext(
  desk: Desk,
  input: WatchInput,
  { signal }: CommandOptions = {},
): AsyncIterable<WatchedEvent> {
  const given = checkInput(input, ['id', 'from'])
  const from = fromOf(given)
  return desk.watch(textOf(given, 'id'), {
    ...(from === undefined ? {} : { from }),
    ...(signal === undefined ? {} : { signal }),
  })
}

function fromOf(given: Given): WatchedFrom | undefined {
  const { from } = given
  return typeof from === 'string' && parseMark(from) !== undefined ? from : wholeIn(given, 'from', 0)
}
