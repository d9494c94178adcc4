// What a longer version of a sequence has at its end, if that is all in which it differs: the usual step from one
// snapshot to the next. Versions share what did not change, so identity tells, and only the edge is opened.

import { Noted, type Sequence, type TreeNode } from './sequence.js'

let tickets = 0

/** Marks a sequence, so that the one a commit makes from it can be told by a look at it. */
export function noteGrowth(sequence: Sequence): void {
  // The empty one is everybody's.
  if (sequence.size === 0) return
  let { shapes: noted } = sequence
  if (!(noted instanceof Noted)) sequence.shapes = noted = new Noted(noted, 0, undefined)
  if (noted.ticket === 0) noted.ticket = ++tickets
}

/** The children that were added at the end; undefined where anything else differs, or more than `most` were added. */
export function appendedItems(old: Sequence, grown: Sequence, most: number): readonly TreeNode[] | undefined {
  if (old === grown) return NO_ITEMS
  if (grown.shapes instanceof Noted && old.shapes instanceof Noted && grown.shapes.from === old.shapes.ticket) {
    if (grown.shapes.newest !== undefined) return [grown.shapes.newest]
  }
  const added = grown.size - old.size
  if (added <= 0 || added > most) return undefined
  let left = old
  let right = grown
  for (;;) {
    const parts = left.chunks
    const longer = right.chunks
    if (parts === undefined || longer === undefined) break
    // Whatever was added stands in or after the last chunk of the old version.
    const last = parts.length - 1
    if (!startsWith(longer, parts, last)) return undefined
    if (longer.length > parts.length) return longer[last] === parts[last] ? lastItems(grown, added) : undefined
    if (longer.length < parts.length) return undefined
    left = parts[last]!
    right = longer[last]!
  }
  // A level more or less than before is too rare to be looked into.
  if (left.items === undefined || right.items === undefined) return undefined
  if (!startsWith(right.items, left.items, left.items.length)) return undefined
  return right.items.length - left.items.length === added ? right.items.slice(-added) : undefined
}

const NO_ITEMS: readonly TreeNode[] = []

function startsWith<T>(longer: readonly T[], start: readonly T[], length: number): boolean {
  if (longer.length < length) return false
  for (let i = 0; i < length; i++) if (longer[i] !== start[i]) return false
  return true
}

function lastItems(sequence: Sequence, count: number): readonly TreeNode[] {
  return Array.from({ length: count }, (_, i) => sequence.at(sequence.size - count + i)!)
}
