// Segments without a block, for contexts that let them go (D55): with nothing in it but empty cores, a segment that ever
// held something is as an emptied container that is marked removable. That is read off the tree, so that an import and a
// fork see the same segments.
//
// The sums of the tree know nothing of them, since a context that keeps them has as many as it likes. So they are found by
// what has changed: a segment can only have become empty where something left it. What a reference or a hold keeps is
// remembered until it goes.

import type { NodeRecord } from '../core/index.js'
import { Branch, childrenOf, recordOf, sortByPlace, type Draft, type TreeNode } from '../timeline/index.js'

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

/** The empty segments of a draft, in document order; `known` are those of the last snapshot, undefined for a first look. */
export function hollowSegments(draft: Draft, known: ReadonlySet<string> | undefined): readonly NodeRecord[] {
  if (known === undefined)
    return [...draft.region('^seq').children].filter((each) => isHollow(each, NONE)).map(recordOf)
  const ids = new Set(known)
  for (const { id } of draft.changes) {
    const before = draft.timeline.find(id, draft.cycle - 1)
    for (const record of [draft.find(id), before]) if (record !== undefined) addSegments(draft, record, ids)
  }
  const segments = [...ids].flatMap((id) => draft.find(id) ?? [])
  return sortByPlace(
    draft,
    segments.filter((record) => record.nodeClass === 'seg' && isHollow(draft.nodeOf(record), NONE)),
  )
}

const NONE: ReadonlySet<string> = new Set()

/** Adds the segment that a node stands or stood in: parents that have left are known by their last version. */
function addSegments(draft: Draft, record: NodeRecord, ids: Set<string>): void {
  let up: NodeRecord | undefined = record
  while (up !== undefined && up.nodeClass !== 'seg') {
    const parentId: string | undefined = up.parentId
    if (parentId === undefined) return
    up = draft.find(parentId) ?? draft.timeline.find(parentId, draft.cycle - 1)
  }
  if (up !== undefined) ids.add(up.id)
}
