// Advice on a selector that found nothing and whose text may mean something else than intended.

import type { Dialect, Warning } from '../core/index.js'
import { adviseEmpty, readSelector } from '../selector/index.js'

/** The number of characters of a selector in a warning, and in the subject that is warned of once. */
const SHOWN = 200

/** Advice on a valid selector that found nothing, as one or more sentences; empty if there is none. */
export function adviceOn(selector: string, dialect: Dialect, bound: boolean): string {
  return adviseEmpty(readSelector(selector, { dialect, bound }), selector).join(' ')
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
