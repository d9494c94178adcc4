// What to say about a selector that found nothing, where its text looks as if something else was meant.

import type { Dialect, Warning } from '../core/index.js'
import { findTraps, readSelector } from '../selector/index.js'

/** How much of a text is kept in a warning, and tells two subjects apart. */
const SHOWN = 200

/** Advice on a text that reads, as one or more sentences; empty where there is none. */
export function adviceOn(selector: string, dialect: Dialect, bound: boolean): string {
  const traps = findTraps(readSelector(selector, { dialect, bound }), selector)
  return traps.map(({ message }) => message).join(' ')
}

/** The warning that a read found nothing; undefined where nothing is odd about its text. */
export function emptyWarning(
  selector: string,
  dialect: Dialect,
  bound: boolean,
): (Warning & { subject: string }) | undefined {
  const advice = adviceOn(selector, dialect, bound)
  if (advice === '') return undefined
  const shown = selector.length > SHOWN ? `${selector.slice(0, SHOWN)}…` : selector
  return {
    subject: `selector ${dialect} ${shown}`,
    message: `Nothing matches ${JSON.stringify(shown)}. ${advice}`,
    details: { selector: shown },
  }
}
