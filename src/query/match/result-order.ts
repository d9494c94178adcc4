// The orders of results, and windows over them (D20, D23).

import { compareText, type NodeRecord } from '../../core/index.js'
import type { Control } from '../../selector/index.js'
import { levelOf, offsetsOf, type FlatTree } from './flat-tree.js'

export type Rows = readonly number[]

/** Document order is the order of rows. */
export function inOrder(rows: Rows): Rows {
  for (let i = 1; i < rows.length; i++) if (rows[i - 1]! > rows[i]!) return rows.toSorted((a, b) => a - b)
  return rows
}

/** Nodes by number, with their depths. */
type Placed = Readonly<{ records: readonly (NodeRecord | undefined)[]; depthAt: (row: number) => number | undefined }>

/** 001 §3.5.2 for one key: deepest first, without depth last; then newest first; then by id. */
export function inKeyOrder(placed: Placed, rows: Rows): Rows {
  if (rows.length < 2) return rows
  const compareRows = (a: number, b: number): number => {
    const [left, right] = [placed.records[a]!, placed.records[b]!]
    return (
      compare(placed.depthAt(b) ?? -Infinity, placed.depthAt(a) ?? -Infinity) ||
      compare(right.createdAtNs, left.createdAtNs) ||
      compare(right.creationIndex, left.creationIndex) ||
      compareText(left.id, right.id)
    )
  }
  return rows.toSorted(compareRows)
}

/** Applies an `@order`. */
export function inResultOrder(flat: FlatTree, rows: Rows, order: string | undefined): Rows {
  if (order === undefined) return rows
  const { records } = flat
  const sorted = inOrder(rows)
  switch (order) {
    case 'post':
      // A child's last descendant comes no later than its parent's; among equals the deeper one closes first.
      return sorted.toSorted((a, b) => flat.lastOf(a) - flat.lastOf(b) || b - a)
    case 'bfs':
      return sorted.toSorted((a, b) => levelOf(flat, a) - levelOf(flat, b))
    case 'path':
      return sorted.toSorted((a, b) => comparePath(flat, a, b))
    case 'turn':
    case 'turn:asc':
      return sorted.toSorted((a, b) => records[a]!.cycle - records[b]!.cycle)
    case 'turn:desc':
      return sorted.toSorted((a, b) => records[b]!.cycle - records[a]!.cycle)
    default:
      return sorted
  }
}

/** A part of a list: how many to leave out at the start, and how many to give at the most. */
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

function comparePath(flat: FlatTree, a: number, b: number): number {
  const depths = compare(flat.depthAt(a) ?? Infinity, flat.depthAt(b) ?? Infinity)
  if (depths !== 0) return depths
  const [left, right] = [offsetsOf(flat, a), offsetsOf(flat, b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
  return left.length - right.length
}

function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The part of a list that a window shows; frozen, as the list is. */
export function windowed(found: readonly string[], { skip, limit }: Window): readonly string[] {
  return skip === 0 && limit >= found.length ? found : Object.freeze(found.slice(skip, skip + limit))
}
