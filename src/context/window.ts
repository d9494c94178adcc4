// Which part of what a selector finds is meant: its own controls and the call's options, as one window (D23).

import { PactError } from '../errors/index.js'
import { windowFor, type Plan, type Window } from '../query/index.js'

export type { Window } from '../query/index.js'

type WindowOptions = Readonly<{ skip?: number | undefined; limit?: number | undefined }>

const NO_OPTIONS: WindowOptions = Object.freeze({})
const WHOLE: Window = Object.freeze({ skip: 0, limit: Infinity })

/** The selector's own window and the call's, as one. */
export function windowOf({ controls }: Plan, options: WindowOptions = NO_OPTIONS): Window {
  if (options === NO_OPTIONS) return controls.length === 0 ? WHOLE : windowFor(controls, options)
  const { skip, limit } = options
  for (const [name, value] of [['skip', skip] as const, ['limit', limit] as const]) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0) || (name === 'limit' && value === Infinity))
      continue
    throw new PactError('E_SELECTOR_INVALID', `The option ${name} must be a whole number from 0 up.`, { name })
  }
  return windowFor(controls, options)
}
