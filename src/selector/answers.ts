// What a group has found out about the trees of its context, kept with the group so that the next snapshot costs only
// what is new in it. Shapes, sets of shapes and chunks never change, so nothing here ever has to be taken back.

import type { Sequence, Shape, ShapeSet } from '../timeline/index.js'

/** Nowhere in a segment of some shape. */
export const NOWHERE: readonly number[] = []

/** Position lists as shared values, so that what is kept per list serves every selector that selects the same. */
const interned = new Map<string, readonly number[]>()
const MAX_INTERNED = 4096

export function internPositions(positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return NOWHERE
  const key = positions.join()
  const known = interned.get(key)
  if (known !== undefined) return known
  if (interned.size >= MAX_INTERNED) interned.clear()
  interned.set(key, positions)
  return positions
}

/** Beyond this many shapes or sets, start anew: the shapes of long ago may be gone. */
const MAX_KNOWN = 1024

export class Answers {
  #positions: Map<Shape, readonly number[]> | undefined
  #lastShape: Shape | undefined
  #lastPositions: readonly number[] = NOWHERE
  #sets: Map<ShapeSet, boolean> | undefined
  #lastSet: ShapeSet | undefined
  #lastOfSet = false
  #lists: Map<Sequence, readonly string[]> | undefined
  /** Whether the root and `^seq` themselves match. */
  top: Readonly<{ root: boolean; seq: boolean }> | undefined

  /** Where in a segment of this shape the group matches: indexes in document order, the segment itself being 0. */
  positionsIn(shape: Shape, find: () => readonly number[]): readonly number[] {
    if (shape === this.#lastShape) return this.#lastPositions
    this.#positions ??= new Map()
    let positions = this.#positions.get(shape)
    if (positions === undefined) {
      positions = find()
      if (this.#positions.size >= MAX_KNOWN) this.#positions.clear()
      this.#positions.set(shape, positions)
    }
    this.#lastShape = shape
    this.#lastPositions = positions
    return positions
  }

  /** Whether the group matches anywhere in segments of these shapes. */
  matchesIn(set: ShapeSet, find: () => boolean): boolean {
    if (set === this.#lastSet) return this.#lastOfSet
    this.#sets ??= new Map()
    let matches = this.#sets.get(set)
    if (matches === undefined) {
      matches = find()
      if (this.#sets.size >= MAX_KNOWN) this.#sets.clear()
      this.#sets.set(set, matches)
    }
    this.#lastSet = set
    this.#lastOfSet = matches
    return matches
  }

  /** The ids found below a chunk, where a list has been kept. */
  listOf(chunk: Sequence): readonly string[] | undefined {
    return this.#lists?.get(chunk)
  }

  /** Keeps a list, and no more than `most` of them: chunks of old snapshots must not keep theirs for good. */
  keepList(chunk: Sequence, ids: readonly string[], most: number): void {
    this.#lists ??= new Map()
    this.#lists.set(chunk, ids)
    while (this.#lists.size > most) this.#lists.delete(this.#lists.keys().next().value!)
  }

  dropLists(): void {
    this.#lists = undefined
  }
}
