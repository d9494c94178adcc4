// What leads from one tree to the next, told from both. The versions are known; what no version tells is found by what the
// trees do not share, so the cost follows the change, not the tree.

import type { NodeRecord, TreeChange, Version } from '../core/index.js'
import { Schedules } from '../core/index.js'
import { Branch, Sequence } from './sequence.js'
import { unsharedItems } from './sequence-diff.js'
import { pathIn, type Tree } from './tree.js'

/** `find` tells the records of the tree before; there is none before the first commit. */
export function changeBetween(
  before: Tree | undefined,
  find: (id: string) => NodeRecord | undefined,
  after: Tree,
  versions: readonly Version[],
): TreeChange {
  // Most cycles begin as the last one ended.
  if (before === after) return { versions, emptied: [], schedules: [] }
  // One that has moved brings along what it was.
  const isNews = (id: string): boolean => {
    if (before === undefined || find(id) === undefined) return true
    return !pathIn(before, id, find).at(-1)!.everHeld
  }
  return {
    versions,
    emptied: [...emptiedIn(before, after)].filter(isNews),
    schedules: after.schedules.changesSince(before?.schedules ?? Schedules.NONE),
  }
}

/** The containers of a tree that hold nothing and have held something; only those that an older one does not share. */
export function* emptiedIn(before: Tree | undefined, after: Tree): Generator<string, void, undefined> {
  // Regions are always there, whatever they have held.
  for (const [i, { children }] of after.regions.entries()) {
    yield* emptiedAmong(before?.regions[i]!.children ?? Sequence.EMPTY, children)
  }
}

function* emptiedAmong(before: Sequence, after: Sequence): Generator<string, void, undefined> {
  if (before === after) return
  const [left, right] = unsharedItems(before, after)
  const known = new Map<string, Branch>()
  for (const node of left) if (node instanceof Branch) known.set(node.record.id, node)
  for (const node of right) {
    if (!(node instanceof Branch)) continue
    const old = known.get(node.record.id)
    if (node.children.size > 0) yield* emptiedAmong(old?.children ?? Sequence.EMPTY, node.children)
    else if (node.everHeld && old?.everHeld !== true) yield node.record.id
  }
}
