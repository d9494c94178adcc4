// Document order between any two nodes of a draft (D20), worked out from their ancestors.

import { compareSiblings, REGIONS, type NodeRecord, type Region } from '../core/index.js'
import type { Draft } from '../timeline/index.js'

/** Sorts nodes the way a walk through the tree meets them. */
export function sortByPlace(draft: Draft, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length < 2) return records
  return records
    .map((record) => ({ record, line: lineOf(draft, record) }))
    .sort((a, b) => compareLines(a.line, b.line))
    .map(({ record }) => record)
}

/** The node and its ancestors, from its region down. */
export function lineOf(draft: Draft, record: NodeRecord): readonly NodeRecord[] {
  const line = [record]
  for (let parent = draft.find(record.parentId ?? ''); parent && parent.nodeClass !== 'root';) {
    line.push(parent)
    parent = draft.find(parent.parentId!)
  }
  return line.reverse()
}

function compareLines(a: readonly NodeRecord[], b: readonly NodeRecord[]): number {
  const regions = regionIndex(a[0]!) - regionIndex(b[0]!)
  if (regions !== 0) return regions
  for (let i = 1; i < Math.min(a.length, b.length); i++) {
    const siblings = compareSiblings(a[i]!, b[i]!)
    if (siblings !== 0) return siblings
  }
  return a.length - b.length
}

function regionIndex(record: NodeRecord): number {
  return REGIONS.indexOf(record.nodeType as Region)
}
