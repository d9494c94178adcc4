// Document order between any nodes of one tree (D20), worked out from their ancestors.

import { compareSiblings, REGIONS, type NodeRecord, type Region } from '../core/index.js'

/** A draft or a view: whatever finds the nodes of one tree. */
export type Finder = Readonly<{ find: (id: string) => NodeRecord | undefined }>

/** Sorts nodes the way a walk through the tree meets them. */
export function sortByPlace(tree: Finder, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length < 2) return records
  // Nodes that stand together have the same ancestors.
  const lines = new Map<string, readonly NodeRecord[]>()
  return records
    .map((record) => ({ record, line: [...ancestorsOf(tree, record, lines), record] }))
    .sort((a, b) => compareLines(a.line, b.line))
    .map(({ record }) => record)
}

function ancestorsOf(
  tree: Finder,
  { parentId }: NodeRecord,
  lines: Map<string, readonly NodeRecord[]>,
): readonly NodeRecord[] {
  if (parentId === undefined) return NONE
  let line = lines.get(parentId)
  if (line === undefined) {
    const parent = tree.find(parentId)
    line = parent === undefined || parent.nodeClass === 'root' ? NONE : [...ancestorsOf(tree, parent, lines), parent]
    lines.set(parentId, line)
  }
  return line
}

const NONE: readonly NodeRecord[] = []

/** The node and its ancestors, from its region down. */
export function lineOf(tree: Finder, record: NodeRecord): readonly NodeRecord[] {
  const line = [record]
  for (let parent = tree.find(record.parentId ?? ''); parent && parent.nodeClass !== 'root';) {
    line.push(parent)
    parent = tree.find(parent.parentId!)
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
