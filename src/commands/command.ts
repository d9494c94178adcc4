// A command is the function of an endpoint. The table says what its input is, and the check comes before the function.

import { checkInput, ENDPOINTS, type Answer, type EndpointName, type Input } from '../api/index.js'
import type { ContextPool } from './pool.js'

/** Options of every command. */
export type CommandOptions = Readonly<{
  /** Ends the command early, if it can be ended. */
  signal?: AbortSignal | undefined
  onProgress?: ((progress: Progress) => void) | undefined
}>

export type Progress = Readonly<{ id: string; done: number; total: number }>

/** The answer of a command; of an endpoint that gives bytes, exactly these. */
export type Result<N extends EndpointName> =
  (typeof ENDPOINTS)[N] extends Readonly<{ isBytes: true }> ? Readonly<{ bytes: Uint8Array }> : Answer<N>

export type Command<N extends EndpointName> = (
  pool: ContextPool,
  input: Input<N>,
  options?: CommandOptions,
) => Promise<Result<N>>

export function command<N extends EndpointName>(
  name: N,
  run: (pool: ContextPool, input: Input<N>, options: CommandOptions) => Promise<Result<N>>,
): Command<N> {
  return async (pool, input, options = {}) => run(pool, checkInput(ENDPOINTS[name].input, input) as Input<N>, options)
}
