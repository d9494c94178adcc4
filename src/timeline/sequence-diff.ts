// The difference of two sequences. Versions of a sequence share every chunk that did not change, so chunks are compared by identity. Level by level,
// shared chunks are dropped and the rest is opened. The cost follows the changes, not the length.

import type { Sequence, TreeNode } from './sequence.js'

/** The children of each sequence that the other one does not have in the same version, in order. */
export function unsharedItems(a: Sequence, b: Sequence): readonly [a: readonly TreeNode[], b: readonly TreeNode[]] {
  let left: readonly Sequence[] = [a]
  let right: readonly Sequence[] = [b]
  let [rise, fall] = [heightOf(a), heightOf(b)]
  for (;;) {
    if (rise === fall) [left, right] = withoutShared(left, right)
    if (rise === 0 && fall === 0) break
    // The taller one is opened until both are at the same level.
    const top = Math.max(rise, fall)
    if (rise === top) {
      left = opened(left, chunksOf)
      rise--
    }
    if (fall === top) {
      right = opened(right, chunksOf)
      fall--
    }
  }
  return withoutShared(opened(left, itemsOf), opened(right, itemsOf))
}

function opened<T>(chunks: readonly Sequence[], partsOf: (chunk: Sequence) => readonly T[]): readonly T[] {
  // Usually one chunk changed.
  return chunks.length === 1 ? partsOf(chunks[0]!) : chunks.flatMap(partsOf)
}

function chunksOf({ chunks }: Sequence): readonly Sequence[] {
  return chunks!
}

function itemsOf({ items }: Sequence): readonly TreeNode[] {
  return items!
}

function heightOf(sequence: Sequence): number {
  let height = 0
  for (let chunk = sequence; chunk.chunks; chunk = chunk.chunks[0]!) height++
  return height
}

/** Drops shared items; equal ends first, since most changes are at one place. */
export function withoutShared<T>(a: readonly T[], b: readonly T[]): readonly [a: readonly T[], b: readonly T[]] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const left = a.slice(start, a.length - end)
  const right = b.slice(start, b.length - end)
  if (left.length === 0 || right.length === 0) return [left, right]
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  return [left.filter((each) => !inRight.has(each)), right.filter((each) => !inLeft.has(each))]
}
