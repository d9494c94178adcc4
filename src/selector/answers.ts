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

/** What was found out about some objects; the last one asked about is known without a lookup. */
class Memo<Key extends object, Value> {
  readonly #known = new Map<Key, Value>()
  #lastKey: Key | undefined
  #lastValue: Value | undefined

  get(key: Key, find: () => Value): Value {
    if (key === this.#lastKey) return this.#lastValue!
    let value = this.#known.get(key)
    if (value === undefined) {
      value = find()
      if (this.#known.size >= MAX_KNOWN) this.#known.clear()
      this.#known.set(key, value)
    }
    this.#lastKey = key
    this.#lastValue = value
    return value
  }
}

export class Answers {
  /** Where in a segment of a shape the group matches: indexes in document order, the segment itself being 0. */
  readonly positions: Memo<Shape, readonly number[]> = new Memo()
  /** Whether the group matches anywhere in segments of some shapes. */
  readonly matches: Memo<ShapeSet, boolean> = new Memo()
  #lists: Map<Sequence, readonly string[]> | undefined
  /** Whether the root and `^seq` themselves match. */
  top: Readonly<{ root: boolean; seq: boolean }> | undefined

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
