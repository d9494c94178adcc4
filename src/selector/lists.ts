// The lists that a search is put together from: each part of a tree gives one, and they are joined once, at the end.

import type { NodeRecord } from '../core/index.js'
import type { Pattern } from './answers.js'
import type { Columns, Numbers } from './columns.js'
import type { NumberTest } from './values.js'

/** What a result is made of: the record itself, or its id. */
export type Pick<T> = Readonly<{
  of: (record: NodeRecord) => T
  at: (columns: Columns, pattern: Pattern) => readonly T[]
}>

export const RECORDS: Pick<NodeRecord> = {
  of: (record) => record,
  at: (columns, pattern) => columns.recordsAt(pattern),
}

export const IDS: Pick<string> = {
  of: (record) => record.id,
  at: (columns, pattern) => columns.idsAt(pattern),
}

/** One list that is nobody else's: who gets it may freeze it, and what is kept must stay fast to join. */
export function joinedAnew<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists.length === 1 ? lists[0]!.slice() : joined(lists)
}

/** One list: arrays beyond some 16,000 entries are costly to make, so none is made twice. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  if (lists.length <= 1) return lists[0] ?? []
  if (lists.length <= MAX_JOINED) return (NOTHING as readonly T[]).concat(...lists)
  const parts: (readonly T[])[] = []
  for (let i = 0; i < lists.length; i += MAX_JOINED) parts.push(joined(lists.slice(i, i + MAX_JOINED)))
  return joined(parts)
}

const NOTHING: readonly never[] = []

/** How many arguments a call safely takes. */
const MAX_JOINED = 10_000

export function inRange<T>(
  found: readonly T[],
  { values, lowest, highest }: Numbers,
  { low, high }: NumberTest,
): readonly T[] {
  if (lowest >= low && highest <= high) return found
  const passed: T[] = []
  if (lowest > high || highest < low) return passed
  for (let i = 0; i < values.length; i++) if (values[i]! >= low && values[i]! <= high) passed.push(found[i]!)
  return passed
}
