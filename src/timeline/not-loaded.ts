// What an error says about snapshots that exist and are not loaded (D56): which cycle is needed, which are there, and the call
// that brings it.

import { PactError, type ErrorDetails } from '../errors/index.js'

/** The oldest and the newest snapshot that are loaded, every cycle between them is. */
type Loaded = Readonly<{ oldest: number; newest: number }>

/** `what` is the beginning of a sentence about what is missing; `lens` is what `loadHistory` takes to bring it. */
export function notLoaded(
  what: string,
  cycle: number,
  { oldest, newest }: Loaded,
  lens: string,
  more: ErrorDetails = {},
): PactError {
  const held = oldest === newest ? `only @c${newest} (@t0) is` : `only @c${oldest} to @c${newest} (@t0) are`
  const message = `${what} not loaded, ${held}; load it with: await ctx.loadHistory('${lens}')`
  return new PactError('E_HISTORY_NOT_LOADED', message, { ...more, cycle, oldest, newest })
}

/** The lens that loads everything from a cycle on. */
export function spanFrom(cycle: number): string {
  return `@c${cycle}..@t0`
}
