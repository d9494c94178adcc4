// Pages of a list: so many entries, and a cursor that leads on to the next ones. Whoever asks hands the cursor back as it came; what it
// says is the list's own affair.

import { invalid, textIn, wholeIn, type Given } from './check.js'

/** Which page is wanted. */
export type PageAsked = Readonly<{
  /** How many entries at the most. */
  limit?: number | undefined
  /** The `cursor` of the page before; without it, the first page. */
  cursor?: string | undefined
}>

/** The names that go with every list. */
export const PAGING: readonly string[] = ['limit', 'cursor']

/** How long a page is at the most. */
const MOST = 1000

type Wanted = Readonly<{ limit: number; cursor: string | undefined }>

export function pageIn(given: Given, usual: number): Wanted {
  return { limit: wholeIn(given, 'limit', 1, MOST) ?? usual, cursor: textIn(given, 'cursor') }
}

/**
 * A page of a list whose entries have names: what stands behind the entry that the cursor names. So nothing is told twice or left out
 * where others add to the list meanwhile.
 */
export function pageAfter<T>(
  list: readonly T[],
  nameOf: (entry: T) => string,
  isWanted: (entry: T) => boolean,
  { limit, cursor }: Wanted,
): Readonly<{ entries: readonly T[]; cursor?: string }> {
  const at = cursor === undefined ? -1 : list.findIndex((entry) => nameOf(entry) === cursor)
  if (cursor !== undefined && at < 0) throw noCursor()
  const found = list.slice(at + 1).filter(isWanted)
  const entries = found.slice(0, limit)
  return found.length > limit ? { entries, cursor: nameOf(entries.at(-1)!) } : { entries }
}

/** The cursor of a list whose entries have no order of their own: how many were told. */
export function placeOf({ cursor }: Wanted): number {
  if (cursor === undefined) return 0
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw noCursor()
}

function noCursor(): Error {
  return invalid('cursor', 'cursor is not that of a page of this list; begin again without one.')
}
