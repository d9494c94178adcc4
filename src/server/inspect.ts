// One context in a browser: its program goes on, and the page follows it.

import { memoryPool } from '../commands/index.js'
import type { Context } from '../context/index.js'
import { serverOver, type Listening, type ListenOptions, type ServerOptions } from './server.js'

export type InspectOptions = Pick<ServerOptions, 'inspector' | 'log' | 'token'> &
  ListenOptions &
  Readonly<{
    /** The page may not edit and commit; true by default. */
    readOnly?: boolean | undefined
    /** Prints the link; console.log by default, false for nothing. */
    print?: ((line: string) => void) | false | undefined
  }>

/** Serves one context in memory, and prints the link that opens it in a browser, once. */
export async function inspect(ctx: Context, options: InspectOptions = {}): Promise<Listening> {
  const { host, port, print = console.log, readOnly = true, ...rest } = options
  const listening = await serverOver(memoryPool(ctx), { ...rest, readOnly }).listen({ host, port })
  if (print !== false) print(`Open ${listening.link}`)
  return listening
}
