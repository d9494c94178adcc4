// The chunks of history that a search looks at one after another, as one list instead of a tree: those right above
// leaves. Most of them have one of a few sets of shapes, so a search decides once per set, and passes over the rest of the
// list by a look at a number.

import { shapesOf, type Sequence, type ShapeSet } from '../../timeline/index.js'
import type { Columns } from './chunk-columns.js'

export class Parts {
  readonly chunks: Sequence[] = []
  /** The index of the first segment of each. */
  readonly starts: number[] = []
  /** The sets of shapes that there are; undefined for shapes that are too many to tell. */
  readonly sets: (ShapeSet | undefined)[] = []
  /** Which of them each chunk has. */
  readonly setOf: number[] = []
  /** The columns of those that are full, as far as some search has had them. */
  readonly columns: (Columns | undefined)[] = []

  constructor(seq: Sequence) {
    this.#add(seq, 0, new Map())
  }

  #add(chunk: Sequence, start: number, indexes: Map<ShapeSet | undefined, number>): void {
    if (chunk.chunks?.[0]!.chunks) {
      let at = start
      for (const part of chunk.chunks) {
        this.#add(part, at, indexes)
        at += part.size
      }
      return
    }
    const set = shapesOf(chunk)
    let index = indexes.get(set)
    if (index === undefined) {
      index = this.sets.push(set) - 1
      indexes.set(set, index)
    }
    this.chunks.push(chunk)
    this.starts.push(start)
    this.setOf.push(index)
    this.columns.push(undefined)
  }
}

/** Whether this is a chunk above leaves that will not grow any more. */
export function isFull({ chunks }: Sequence): boolean {
  return chunks?.[0]!.items !== undefined && chunks.length >= FULL
}

const FULL = 32
