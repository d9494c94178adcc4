// What a group has found out about the trees of its context, kept with the group so that the next snapshot costs only
// what is new in it. Shapes, sets of shapes and chunks never change, so nothing here ever has to be taken back.

import type { Sequence, Shape, ShapeSet } from '../../timeline/index.js'
import type { Pattern, Positions } from '../search/pattern.js'

/** How many shapes or sets are looked through one by one: most contexts have fewer. */
const FEW = 8
/** Beyond this many, start anew: the shapes of long ago may be gone. */
const MAX_KNOWN = 1024

/** What was found out about some objects; the last one asked about is at hand. */
class Memo<Key extends object, Value> {
  #lastKey: Key | undefined
  #lastValue: Value | undefined
  /** The first few, in a chain: lists or a map cost more to make than a selector that is asked once has to spend. */
  #first: Link<Key, Value> | undefined
  #linked = 0
  #others: Map<Key, Value> | undefined

  get(key: Key): Value | undefined {
    if (key === this.#lastKey) return this.#lastValue
    let link = this.#first
    while (link !== undefined && link.key !== key) link = link.next
    const value = link === undefined ? this.#others?.get(key) : link.value
    if (value !== undefined) {
      this.#lastKey = key
      this.#lastValue = value
    }
    return value
  }

  set(key: Key, value: Value): Value {
    if (this.#linked < FEW) {
      this.#first = { key, value, next: this.#first }
      this.#linked++
    } else {
      if (this.#others === undefined || this.#others.size >= MAX_KNOWN) this.#others = new Map()
      this.#others.set(key, value)
    }
    this.#lastKey = key
    this.#lastValue = value
    return value
  }
}

type Link<Key, Value> = Readonly<{ key: Key; value: Value; next: Link<Key, Value> | undefined }>

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
