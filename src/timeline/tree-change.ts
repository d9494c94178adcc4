// The change between two trees. Its versions are known. Emptied containers and schedules are found in the parts that the trees do not share, so the
// cost follows the change, not the tree.

import { Schedules, type NodeRecord, type TreeChange, type Version } from '../core/index.js'
import { Branch, Sequence, type TreeNode } from './sequence.js'
import { unsharedItems } from './sequence-diff.js'
import { eachNodeIn, pathIn, type Tree } from './tree.js'

/** `find` looks up the tree before, which is undefined before the first commit. */
export function changeBetween(
  before: Tree | undefined,
  find: (id: string) => NodeRecord | undefined,
  after: Tree,
  versions: readonly Version[],
): TreeChange {
  // Most cycles begin as the last one ended.
  if (before === after) return { versions, emptied: NONE, schedules: NO_SCHEDULES }
  const emptied = emptiedIn(before, after)
  // A moved container that was known as emptied before is no news.
  const isNews = (id: string): boolean => {
    if (before === undefined || find(id) === undefined) return true
    return !pathIn(before, id, find).at(-1)!.everHeld
  }
  const schedules = before?.schedules ?? Schedules.NONE
  return {
    versions,
    emptied: emptied.length === 0 ? emptied : emptied.filter(isNews),
    schedules: after.schedules === schedules ? NO_SCHEDULES : after.schedules.changesSince(schedules),
  }
}

const NONE: readonly string[] = []
const NO_SCHEDULES: TreeChange['schedules'] = []

/** The containers of a tree that are empty and have held something, without those that an older tree shares. */
export function emptiedIn(before: Tree | undefined, after: Tree): readonly string[] {
  const emptied: string[] = []
  // Regions themselves are always there, whatever they have held.
  for (const [i, { children }] of after.regions.entries()) {
    addAmong(before?.regions[i]!.children ?? Sequence.EMPTY, children, emptied)
  }
  return emptied
}

function addAmong(before: Sequence, after: Sequence, emptied: string[]): void {
  if (before === after) return
  if (before.size === 0) return eachNodeIn(after, (node) => addOne(node, emptied))
  const [left, right] = unsharedItems(before, after)
  const known = new Map<string, Branch>()
  for (const node of left) if (node instanceof Branch) known.set(node.record.id, node)
  for (const node of right) {
    const old = node instanceof Branch ? known.get(node.record.id) : undefined
    if (old === undefined) addAll(node, emptied)
    else if (hasChildren(node)) addAmong(old.children, node.children, emptied)
    else if (!old.everHeld) addOne(node, emptied)
  }
}

function hasChildren(node: TreeNode): node is Branch {
  return node instanceof Branch && node.children.size > 0
}

/** A node and all that is in it. */
function addAll(node: TreeNode, emptied: string[]): void {
  addOne(node, emptied)
  if (hasChildren(node)) eachNodeIn(node.children, (each) => addOne(each, emptied))
}

function addOne(node: TreeNode, emptied: string[]): void {
  if (node instanceof Branch && node.everHeld && node.children.size === 0) emptied.push(node.record.id)
}
