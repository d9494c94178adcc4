// Segments without a block, for contexts that remove them (D55): a segment that has held something and has only empty cores left is treated
// like an emptied removable container. That is read from the tree, so that an import and a fork see the same segments. The sums of the tree
// do not cover them, since a context that keeps them may have any number; the changes of the cycle lead to them (see empties.ts).

import type { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, recordOf, type Draft, type TreeNode } from '../timeline/index.js'

/** True if a segment holds nothing except empty cores once these nodes have gone. */
export function isHollow(node: TreeNode, gone: Readonly<{ has: (id: string) => boolean }>): boolean {
  if (!(node instanceof Branch) || node.record.nodeClass !== 'seg' || !node.everHeld) return false
  for (const child of node.children) {
    const { id, nodeClass } = recordOf(child)
    if (gone.has(id)) continue
    if (nodeClass !== 'core') return false
    for (const inCore of childrenOf(child)) if (!gone.has(recordOf(inCore).id)) return false
  }
  return true
}

/** All empty segments of a draft. */
export function hollowSegments(draft: Draft): readonly NodeRecord[] {
  return [...draft.region('^seq').children].filter((each) => isHollow(each, NONE)).map(recordOf)
}

const NONE: ReadonlySet<string> = new Set()

/** The id of the segment that a node is or was in: parents that have left are known by their last version. */
export function segmentOf(draft: Draft, record: NodeRecord): string | undefined {
  let up: NodeRecord | undefined = record
  while (up !== undefined && up.nodeClass !== 'seg') {
    const parentId: string | undefined = up.parentId
    if (parentId === undefined) return undefined
    up = draft.find(parentId) ?? draft.timeline.find(parentId, draft.cycle - 1)
  }
  return up?.id
}
