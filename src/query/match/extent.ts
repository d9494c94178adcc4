// Depths as places: which segments they name, and which part of a tree a unit at one of them is (D10).

import type { Sequence, Tree } from '../../timeline/index.js'
import type { NumberRange } from '../../selector/index.js'
import type { Extent } from './flat-tree.js'

const NO_SEGMENT: readonly number[] = []

/** One unit of a tree. */
export function extentAt(seq: Sequence, depth: number): Extent {
  return { sys: depth === -1, head: depth === 0, segments: depth > 0 ? [seq.size - depth] : NO_SEGMENT }
}

/** All units at some depths. */
export function extentOf({ regions }: Pick<Tree, 'regions'>, depths: readonly NumberRange[]): Extent {
  return {
    sys: depths.some(({ from, to }) => from <= -1 && to >= -1),
    head: depths.some(({ from, to }) => from <= 0 && to >= 0),
    segments: segmentsOf(regions[1].children, depths),
  }
}

/** The indexes of the segments at some depths, in document order. */
export function segmentsOf(seq: Sequence, depths: readonly Omit<NumberRange, 'span'>[]): readonly number[] {
  if (depths.length === 1 && depths[0]!.from === depths[0]!.to) {
    const [{ from }] = depths as readonly [NumberRange]
    return from >= 1 && from <= seq.size ? [seq.size - from] : NO_SEGMENT
  }
  const found = new Set<number>()
  for (const { from, to } of depths) {
    for (let depth = Math.max(1, from); depth <= Math.min(to, seq.size); depth++) found.add(seq.size - depth)
  }
  return [...found].sort((a, b) => a - b)
}
