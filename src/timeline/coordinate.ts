// A node's canonical address (001 §8, D17): text that selects exactly this node and no other.

import type { NodeRecord } from '../core/index.js'
import { type Branch, recordOf, type TreeNode } from './sequence.js'
import { lineOf } from './document-order.js'
import type { View } from './view.js'

/** `(dK, offset, …)`, with `:nth(n)` where siblings share the last offset, or an id filter where that is not enough. */
export function coordinateOf(view: View, record: NodeRecord): string {
  const depth = view.depthOf(record)
  if (depth === undefined) return byId(record)
  const line = lineOf(view, record)
  // Everything from the region, or from the segment, downward is addressed by offsets.
  const anchor = line[0]!.nodeType === '^seq' ? 1 : 0
  const text = `(${[`d${depth}`, ...line.slice(anchor + 1).map((each) => each.offset)].join(', ')})`
  if (line.length === anchor + 1) return text
  let parent = view.nodeOf(line[anchor]!) as Branch
  for (let i = anchor + 1; i < line.length - 1; i++) {
    const alike = withOffset(parent, line[i]!.offset)
    // A container among siblings at its offset: the coordinate would lead through all of them.
    if (alike.length > 1) return byId(record)
    parent = alike[0] as Branch
  }
  const alike = withOffset(parent, record.offset)
  return alike.length === 1 ? text : `${text}:nth(${alike.findIndex((node) => recordOf(node).id === record.id) + 1})`
}

function withOffset(parent: Branch, offset: number): TreeNode[] {
  const alike: TreeNode[] = []
  for (const node of parent.children) {
    if (recordOf(node).offset === offset) alike.push(node)
    else if (recordOf(node).offset > offset) break
  }
  return alike
}

function byId(record: NodeRecord): string {
  return `{ id="${record.id.replaceAll(/["\\]/g, String.raw`\$&`)}" }`
}
