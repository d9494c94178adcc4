// Which part of what a selector finds is meant: its own controls and the call's options, as one window (D23).

import { PactError } from '../errors/index.js'
import type { View } from '../timeline/index.js'
import { windowFor, type Plan, type Window } from '../query/index.js'

export type { Window } from '../query/index.js'

type WindowOptions = Readonly<{ skip?: number | undefined; limit?: number | undefined }>

const NO_OPTIONS: WindowOptions = Object.freeze({})
const WHOLE: Window = Object.freeze({ skip: 0, limit: Infinity })

/** The selector's own window and the call's, as one. */
export function windowOf({ controls }: Plan, options: WindowOptions = NO_OPTIONS): Window {
  if (controls.length === 0 && options === NO_OPTIONS) return WHOLE
  const { skip, limit } = options
  for (const [name, value] of [['skip', skip] as const, ['limit', limit] as const]) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0) || (name === 'limit' && value === Infinity))
      continue
    throw new PactError('E_SELECTOR_INVALID', `The option ${name} must be a whole number from 0 up.`, { name })
  }
  return windowFor(controls, options)
}

export function windowed(found: readonly string[], { skip, limit }: Window): readonly string[] {
  return skip === 0 && limit >= found.length ? found : found.slice(skip, skip + limit)
}

/** Whether stopping early is worth going one by one. */
export function isShort({ skip, limit }: Window, { tree }: View): boolean {
  return limit < Infinity && skip + limit < tree.regions[1].children.count / 8
}
