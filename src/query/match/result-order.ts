// In which order results come, and which part of them (D20, D23).

import { compareText } from '../../core/index.js'
import type { Control } from '../../selector/index.js'
import { levelOf, offsetsOf, type Spot } from './flat-tree.js'

type KeyedSpot = Pick<Spot, 'record' | 'depth'>

/** 001 §3.5.2 for one key: deepest first, without depth last; then newest first; then by id. */
export function compareSameKey(a: KeyedSpot, b: KeyedSpot): number {
  const [left, right] = [a.record!, b.record!]
  return (
    compare(b.depth ?? -Infinity, a.depth ?? -Infinity) ||
    compare(right.createdAtNs, left.createdAtNs) ||
    compare(right.creationIndex, left.creationIndex) ||
    compareText(left.id, right.id)
  )
}

/** Applies the last `@order`, if there is one. */
export function arrange(spots: readonly Spot[], controls: readonly Control[]): readonly Spot[] {
  const order = controls.findLast((control) => control.name === 'order')?.value
  if (order === undefined) return spots
  const sorted = spots.toSorted((a, b) => a.order - b.order)
  switch (order) {
    case 'post':
      // A child's last descendant comes no later than its parent's; among equals the deeper one closes first.
      return sorted.toSorted((a, b) => a.last - b.last || b.order - a.order)
    case 'bfs':
      return sorted.toSorted((a, b) => levelOf(a) - levelOf(b))
    case 'path':
      return sorted.toSorted(comparePath)
    case 'turn':
    case 'turn:asc':
      return sorted.toSorted((a, b) => a.record!.cycle - b.record!.cycle)
    case 'turn:desc':
      return sorted.toSorted((a, b) => b.record!.cycle - a.record!.cycle)
    default:
      return sorted
  }
}

/** Which part of a list is meant: how many to leave out at the start, and how many to give at the most. */
export type Window = Readonly<{ skip: number; limit: number }>

/** `@skip`, then `@limit` and `@first`, then the options of the call (D23). */
export function windowFor(
  controls: readonly Control[],
  options: Readonly<{ skip?: number | undefined; limit?: number | undefined }>,
): Window {
  let skip = 0
  let limit = Infinity
  for (const { name, value } of controls) {
    if (name === 'skip') skip = Number(value)
    if (name === 'limit') limit = Number(value)
    if (name === 'first') limit = 1
  }
  const { skip: further = 0, limit: atMost = Infinity } = options
  return { skip: skip + further, limit: Math.min(Math.max(limit - further, 0), atMost) }
}

function comparePath(a: Spot, b: Spot): number {
  const depths = compare(a.depth ?? Infinity, b.depth ?? Infinity)
  if (depths !== 0) return depths
  const [left, right] = [offsetsOf(a), offsetsOf(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
  return left.length - right.length
}

function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
