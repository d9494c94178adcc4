// Compares two trees node by node: one that was read from pages, and one that was rebuilt from its commits. Parts
// that were found the same once are known by their objects, so comparing many snapshots costs what changed between them.

import type { JsonValue, NodeRecord, RareHeaders } from '../core/index.js'
import { canonicalJson, encodeSchedules } from '../codec/index.js'
import { Branch, childrenOf, recordOf, type Sequence, type TreeNode } from './sequence.js'
import type { Tree } from './tree.js'

/** Says for two trees where they differ first. */
export class TreeComparer {
  /** The equal leaf of the other tree for each leaf of the last pair. The next trees share most of them. */
  #same: ReadonlyMap<Sequence, readonly TreeNode[]> = new Map()

  /** The id of the first node that is another one in the other tree; undefined where they are the same. */
  firstDifference(one: Tree, other: Tree): string | undefined {
    const same = new Map<Sequence, readonly TreeNode[]>()
    if (!isSameRecord(one.root, other.root)) return one.root.id
    for (const [i, region] of one.regions.entries()) {
      const found = this.#inBranch(region, other.regions[i]!, same)
      if (found !== undefined) return found
    }
    this.#same = same
    return encodeSchedules(one.schedules) === encodeSchedules(other.schedules) ? undefined : one.root.id
  }

  #inBranch(one: Branch, other: Branch, same: Map<Sequence, readonly TreeNode[]>): string | undefined {
    const isSame = isSameRecord(one.record, other.record) && one.children.size === other.children.size
    if (!isSame) return one.record.id
    const others = other.children[Symbol.iterator]()
    for (const leaf of one.children.leaves()) {
      const items = Array.from({ length: leaf.size }, () => others.next().value as TreeNode)
      same.set(leaf, items)
      const known = this.#same.get(leaf)
      if (known?.every((item, i) => item === items[i]) === true) continue
      for (const [i, item] of leaf.items!.entries()) {
        const found = this.#inNode(item, items[i]!, same)
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  #inNode(one: TreeNode, other: TreeNode, same: Map<Sequence, readonly TreeNode[]>): string | undefined {
    if (one instanceof Branch && other instanceof Branch) {
      const isSame = one.everHeld === other.everHeld || childrenOf(one).size > 0
      return isSame ? this.#inBranch(one, other, same) : one.record.id
    }
    const isSame = !(one instanceof Branch) && !(other instanceof Branch) && isSameRecord(one, other)
    return isSame ? undefined : recordOf(one).id
  }
}

/** True if two records have equal fields. */
function isSameRecord(a: NodeRecord, b: NodeRecord): boolean {
  if (a === b) return true
  const names = Object.keys(a) as (keyof NodeRecord)[]
  return names.every((name) => {
    if (name === 'content') return isSameJson(a.content, b.content)
    return name === 'rare' ? isSameRare(a.rare, b.rare) : a[name] === b[name]
  })
}

function isSameRare(a: RareHeaders | undefined, b: RareHeaders | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return canonicalJson(plain(a)) === canonicalJson(plain(b))
}

function plain({ attributes, ...rare }: RareHeaders): object {
  return attributes === undefined ? rare : { ...rare, attributes: Object.fromEntries(attributes) }
}

function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b
  return canonicalJson(a) === canonicalJson(b)
}
