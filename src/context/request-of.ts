// Options of `requestOf`.

import { checkNames } from '../errors/index.js'
import type { RendersRequests } from '../thread/index.js'

export type RequestOfOptions = Readonly<{
  /** The function that made the request, such as `toAnthropic`; not needed where the body was kept. */
  for?: RendersRequests | undefined
}>

/** Gives the function, unchecked. */
export function checkRequestOf(options: RequestOfOptions): unknown {
  checkNames(options, ['for'], '{ for: toAnthropic }')
  return options.for
}
