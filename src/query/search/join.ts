// The lists that a search is put together from: each part of a tree gives one, and they are joined once, at the end.

import type { NodeRecord } from '../../core/index.js'
import type { Pattern } from './pattern.js'
import type { Columns } from './chunk-columns.js'
import type { NumberTest } from '../plan/field-test.js'

/** What a result is made of: the record itself, or its id. */
export type Pick<T> = Readonly<{
  of: (record: NodeRecord) => T
  at: (columns: Columns, pattern: Pattern, number: NumberTest | undefined) => readonly T[]
}>

export const RECORDS: Pick<NodeRecord> = {
  of: (record) => record,
  at: (columns, pattern, number) => columns.recordsAt(pattern, number),
}

export const IDS: Pick<string> = {
  of: (record) => record.id,
  at: (columns, pattern, number) => columns.idsAt(pattern, number),
}

/** One list that is nobody else's: who gets it may freeze it, and what is kept must stay fast to join. */
export function joinedAnew<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists.length === 1 ? lists[0]!.slice() : joined(lists)
}

/** One list: arrays beyond some 16,000 entries are costly to make, so none is made twice. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  if (lists.length <= 1) return lists[0] ?? []
  let total = 0
  for (let i = 0; i < lists.length; i++) total += lists[i]!.length
  if (total <= FEW) return pushed(lists)
  if (lists.length <= MAX_JOINED) return (NOTHING as readonly T[]).concat(...lists)
  const parts: (readonly T[])[] = []
  for (let i = 0; i < lists.length; i += MAX_JOINED) parts.push(joined(lists.slice(i, i + MAX_JOINED)))
  return joined(parts)
}

/** How many entries are copied one by one faster than by a call. */
const FEW = 32

function pushed<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const all: T[] = []
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i]!
    for (let j = 0; j < list.length; j++) all.push(list[j]!)
  }
  return all
}

const NOTHING: readonly never[] = []

/** How many arguments a call safely takes. */
const MAX_JOINED = 10_000
