// What a group has found out about the trees of its context, kept with the group so that the next snapshot costs only
// what is new in it. Shapes, sets of shapes and chunks never change, so nothing here ever has to be taken back.

import type { Sequence, Shape, ShapeSet } from '../timeline/index.js'

/** Where in a unit of some shape a group matches: indexes in document order, the unit itself being 0. */
export type Positions = readonly number[]

export const NOWHERE: Positions = []

/** The positions for each shape of a set, in the order of its shapes. */
export type Pattern = readonly Positions[]

export const NO_PATTERN: Pattern = []

/** Patterns as shared values, so that what is kept per pattern serves every selector that selects the same. */
const interned = new Map<string, Pattern>()
const MAX_INTERNED = 4096

export function internPattern(pattern: Pattern): Pattern {
  if (pattern.every((positions) => positions === NOWHERE)) return NO_PATTERN
  const key = pattern.length === 1 ? pattern[0]!.join() : pattern.map((positions) => positions.join()).join(';')
  const known = interned.get(key)
  if (known !== undefined) return known
  if (interned.size >= MAX_INTERNED) interned.clear()
  interned.set(key, pattern)
  return pattern
}

/** Beyond this many shapes or sets, start anew: the shapes of long ago may be gone. */
const MAX_KNOWN = 1024

/** What was found out about some objects; the last one asked about is known without a lookup. */
class Memo<Key extends object, Value> {
  readonly #known = new Map<Key, Value>()
  #lastKey: Key | undefined
  #lastValue: Value | undefined

  get(key: Key): Value | undefined {
    if (key === this.#lastKey) return this.#lastValue
    const value = this.#known.get(key)
    if (value !== undefined) {
      this.#lastKey = key
      this.#lastValue = value
    }
    return value
  }

  set(key: Key, value: Value): Value {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(key, value)
    this.#lastKey = key
    this.#lastValue = value
    return value
  }
}

export class Answers {
  /** Where the group matches in units of a shape. */
  readonly positions: Memo<Shape, Positions> = new Memo()
  /** The same for the segments of a chunk. */
  readonly patterns: Memo<ShapeSet, Pattern> = new Memo()
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
