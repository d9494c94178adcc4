// Pages of a list. The caller gives the cursor back as it came; only the list reads it.

import { invalid } from '../errors/index.js'

export type Page = Readonly<{ limit: number; cursor: string | undefined }>

/**
 * A page of a list whose entries have names: the entries after the one that the cursor names. So no entry is listed twice or left out
 * if others are added in between.
 */
export function pageAfter<T>(
  list: readonly T[],
  nameOf: (entry: T) => string,
  isWanted: (entry: T) => boolean,
  { limit, cursor }: Page,
): Readonly<{ entries: readonly T[]; cursor?: string }> {
  const at = cursor === undefined ? -1 : list.findIndex((entry) => nameOf(entry) === cursor)
  if (cursor !== undefined && at < 0) throw noCursor()
  const found = list.slice(at + 1).filter(isWanted)
  const entries = found.slice(0, limit)
  return found.length > limit ? { entries, cursor: nameOf(entries.at(-1)!) } : { entries }
}

/** The cursor of a list whose entries have no order of their own: the number of entries before it. */
export function placeOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw noCursor()
}

function noCursor(): Error {
  return invalid('cursor', 'cursor is not that of a page of this list; begin again without one.')
}
