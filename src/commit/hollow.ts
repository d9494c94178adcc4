// Segments without a block, for contexts that let them go (D55): with nothing in it but empty cores, a segment that ever
// held something is as an emptied container that is marked removable. That is read off the tree, so that an import and a
// fork see the same segments. The sums of the tree know nothing of them, since a context that keeps them has as many as it
// likes; what has changed leads to them (see empties.ts).

import type { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, recordOf, type Draft, type TreeNode } from '../timeline/index.js'

/** Whether nothing stands in a segment but empty cores, once these nodes have gone. */
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

/** The id of the segment that a node stands or stood in: parents that have left are known by their last version. */
export function segmentOf(draft: Draft, record: NodeRecord): string | undefined {
  let up: NodeRecord | undefined = record
  while (up !== undefined && up.nodeClass !== 'seg') {
    const parentId: string | undefined = up.parentId
    if (parentId === undefined) return undefined
    up = draft.find(parentId) ?? draft.timeline.find(parentId, draft.cycle - 1)
  }
  return up?.id
}
