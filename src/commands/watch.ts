// Commits to a context, as they happen.

import { parseMark } from '../core/index.js'
import { checkInput, ENDPOINTS, type Input, type WatchedEvent } from '../api/index.js'
import { describe, invalid } from '../errors/index.js'
import type { CommandOptions } from './command.js'
import type { ContextPool } from './pool.js'

/** Every commit after a cycle or a mark, each once and in order, and every erasure, until the signal ends the watch; from now on by default. */
export function watchContext(
  pool: ContextPool,
  input: Input<'watch'>,
  { signal }: CommandOptions = {},
): AsyncIterable<WatchedEvent> {
  const { id, from } = checkInput(ENDPOINTS.watch.input, input)
  if (typeof from === 'string' && parseMark(from) === undefined) {
    throw invalid('from', `from is a whole number from 0 up, not ${describe(from)}.`)
  }
  return pool.watch(id, { ...(from === undefined ? {} : { from }), ...(signal === undefined ? {} : { signal }) })
}
