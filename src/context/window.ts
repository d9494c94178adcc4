// The window of results: the selector's own controls and the call's options joined (D23).

import { checkOption, wholeFrom } from '../errors/index.js'
import { windowFor, type Plan, type Window } from '../query/index.js'

export type { Window } from '../query/index.js'

type WindowOptions = Readonly<{ skip?: number | undefined; limit?: number | undefined }>

const SKIP = wholeFrom(0)
const LIMIT = wholeFrom(0, true)
const NO_OPTIONS: WindowOptions = Object.freeze({})
const WHOLE: Window = Object.freeze({ skip: 0, limit: Infinity })

/** The selector's own window and the call's, as one. */
export function windowOf({ controls }: Plan, options: WindowOptions = NO_OPTIONS): Window {
  if (options === NO_OPTIONS) return controls.length === 0 ? WHOLE : windowFor(controls, options)
  checkOption('skip', options.skip, SKIP, 'E_SELECTOR_INVALID')
  checkOption('limit', options.limit, LIMIT, 'E_SELECTOR_INVALID')
  return windowFor(controls, options)
}
