// Summaries that a provider made (D63) and that stand for nodes of the open turn. They leave with an edit of such a node: a summary may hold the text
// that was taken out, and in the open turn no marker shows that there was one.

import { coversOf, type NodeRecord } from '../core/index.js'
import { eachRecord, walkRecords, type Draft, type TreeNode } from '../timeline/index.js'

/** Drops the summaries of the open turn that stand for one of these nodes. */
export function dropSummariesOf(draft: Draft, edited: readonly TreeNode[]): void {
  const open: NodeRecord[] = []
  eachRecord(draft.region('^ah'), (record) => {
    if (coversOf(record) !== undefined) open.push(record)
  })
  if (open.length === 0) return
  const ids = new Set(edited.flatMap((node) => Array.from(walkRecords(node), ({ id }) => id)))
  for (const summary of open) {
    const isHit = coversOf(summary)!.some(([id]) => ids.has(id))
    if (isHit && !ids.has(summary.id)) draft.remove(summary, 'edited')
  }
}
