// The one memo of the query room: the results that a lasting union found, by part of history. A part is a chunk of `^seq`, or a segment of its
// last leaf. Parts never change, so an entry is never wrong; snapshots that share a part share its entry.

import type { Branch, Sequence, Tree } from '../../timeline/index.js'

/** The results found in one part, a list for each group of the union. */
export type Lists<T> = readonly (readonly T[])[]

/** A tree has a part for some 32 segments, and up to 32 segments in its last leaf. Twice as many entries and some more may be held. */
const SPARE_PARTS = 128

/** Holds ids, or records where the results are sorted by what a record says. */
export class PartMemo<T> {
  readonly #parts = new Map<Sequence | Branch, Lists<T>>()
  #top: readonly object[] = []
  #results = 0
  #segments = 0

  /** The number of results and entries. */
  get size(): number {
    return this.#results + this.#parts.size
  }

  /** Begins a search of a tree. A chain may test the root and `^seq`, so other records there void all entries. */
  begin({ root, regions }: Tree): void {
    const [oldRoot, oldSeq] = this.#top
    if (oldRoot === root && oldSeq === regions[1].record) return
    this.#clear()
    this.#top = [root, regions[1].record]
  }

  get(part: Sequence | Branch): Lists<T> | undefined {
    return this.#parts.get(part)
  }

  set(part: Sequence | Branch, lists: Lists<T>): Lists<T> {
    this.#parts.set(part, lists)
    this.#results += countOf(lists)
    if (!('items' in part)) this.#segments++
    // A leaf that is full now was remembered segment by segment.
    else if (this.#segments > 0) for (const segment of part.items ?? []) this.#drop(segment as Branch)
    return lists
  }

  /** Ends a search of a tree. Edits of history leave entries behind that no newer tree needs. */
  end({ size }: Sequence): void {
    if (this.#parts.size > size / 8 + SPARE_PARTS) this.#clear()
  }

  #drop(part: Branch): void {
    const lists = this.#parts.get(part)
    if (lists === undefined) return
    this.#parts.delete(part)
    this.#segments--
    this.#results -= countOf(lists)
  }

  #clear(): void {
    this.#parts.clear()
    this.#results = 0
    this.#segments = 0
  }
}

function countOf(lists: Lists<unknown>): number {
  let count = 0
  for (const list of lists) count += list.length
  return count
}
