// Document order between any nodes of one tree (D20), worked out from their ancestors.

import { PactError } from '../errors/index.js'
import { compareSiblings, REGIONS, type NodeRecord, type Region } from '../core/index.js'
import { regionOf, type Tree } from './tree.js'

/** A draft or a view: whatever finds the nodes of one tree. */
export type Finder = Readonly<{ find: (id: string) => NodeRecord | undefined }>

/** Sorts nodes the way a walk through the tree meets them. */
export function sortByPlace(tree: Finder, records: readonly NodeRecord[]): readonly NodeRecord[] {
  if (records.length < 2) return records
  // Siblings have the same ancestors, which are looked up once.
  const lines = new Map<string, readonly NodeRecord[]>()
  const places: Located[] = []
  for (const record of records) places.push({ record, above: ancestorsOf(tree, record, lines) })
  return places.sort(comparePlaces).map(({ record }) => record)
}

/** A node and its ancestors, from its region down. */
type Located = Readonly<{ record: NodeRecord; above: readonly NodeRecord[] }>

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

function comparePlaces(a: Located, b: Located): number {
  const [left, right] = [a.above, b.above]
  for (let i = 0; ; i++) {
    const x = left[i] ?? (i === left.length ? a.record : undefined)
    const y = right[i] ?? (i === right.length ? b.record : undefined)
    // A line that ends is that of an ancestor, which comes first.
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? -1 : 1
    if (x === y) continue
    return i === 0 ? regionIndex(x) - regionIndex(y) : compareSiblings(x, y)
  }
}

/** The node and its ancestors, from its region down. */
export function lineOf(tree: Finder, record: NodeRecord): readonly NodeRecord[] {
  const line = [record]
  for (let up = record.parentId; up !== undefined; up = line.at(-1)!.parentId) {
    const parent = tree.find(up)
    if (parent === undefined) throw new PactError('E_INTERNAL', `${up} is missing; this is a bug in pact-context.`)
    if (parent.nodeClass === 'root') break
    line.push(parent)
  }
  return line.reverse()
}

/** The region of a node. */
export function regionNameOf(tree: Finder, record: NodeRecord): Region {
  return lineOf(tree, record)[0]!.nodeType as Region
}

/** -1 in `^sys`, 0 in `^ah`, 1 in the newest segment and so on; root and `^seq` have none (D10). */
export function depthOf(of: Finder & Readonly<{ tree: Tree }>, record: NodeRecord): number | undefined {
  if (record.nodeClass === 'root') return undefined
  const [region, segment] = lineOf(of, record)
  if (region!.nodeType === '^sys') return -1
  if (region!.nodeType === '^ah') return 0
  if (segment === undefined) return undefined
  const { children } = regionOf(of.tree, '^seq')
  return children.size - children.rank(segment)
}

function regionIndex(record: NodeRecord): number {
  return REGIONS.indexOf(record.nodeType as Region)
}
