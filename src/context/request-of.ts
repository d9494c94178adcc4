// What `requestOf` takes.

import { describe, PactError } from '../errors/index.js'
import type { RendersRequests } from '../thread/index.js'

export type RequestOfOptions = Readonly<{
  /** The function that made the request, such as `toAnthropic`; not needed where the body was kept. */
  for?: RendersRequests | undefined
}>

/** Gives the function, whatever it is. */
export function checkRequestOf(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', `Options are an object such as { for: toAnthropic }, not ${describe(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (name !== 'for') throw invalid(name, `There is no option ${describe(name)}; there is for.`)
  }
  return (options as RequestOfOptions).for
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}
