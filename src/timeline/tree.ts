// One whole tree: the root with its three regions, always in the order they are rendered, whatever their headers say
// (D20). Changing a tree gives another tree; both share what is the same.

import { PactError } from '../errors/index.js'
import { NodeRecord, REGIONS, Schedules, type Region, type Stamp } from '../core/index.js'
import { Branch, recordOf, Sequence, type TreeNode } from './sequence.js'

export type Tree = Readonly<{
  root: NodeRecord
  regions: readonly [sys: Branch, seq: Branch, ah: Branch]
  /** The schedules of returning nodes (D28). They are part of the tree, so that undo, forks and snapshots include them. */
  schedules: Schedules
}>

export function regionOf({ regions }: Tree, region: Region): Branch {
  return region === '^ah' ? regions[2] : region === '^seq' ? regions[1] : regions[0]
}

let empty: Tree | undefined

/** The tree of a new context (D37): headers are fixed, so that equal calls give equal bytes, and all can share it. */
export function newTree(): Tree {
  return (empty ??= makeTree())
}

function makeTree(): Tree {
  const root = structuralRecord('root', undefined, '^root', 0)
  const [sys, seq, ah] = REGIONS.map((region, i) => {
    return new Branch(structuralRecord(region.slice(1), 'root', region, i + 1), Sequence.EMPTY)
  }) as [Branch, Branch, Branch]
  return { root, regions: [sys, seq, ah], schedules: Schedules.NONE }
}

/** The branches from a region down to the node with this id, which is no block. `find` looks up records of the tree. */
export function pathIn(tree: Tree, id: string, find: (id: string) => NodeRecord | undefined): Branch[] {
  const records: NodeRecord[] = []
  for (let record = find(id); record && record.nodeClass !== 'root';) {
    records.push(record)
    record = find(record.parentId!)
  }
  const top = records.pop()
  const region = tree.regions.find((branch) => branch.record.id === top?.id)
  if (region === undefined) throw new PactError('E_INTERNAL', `No path leads to ${id}; this is a bug in pact-context.`)
  const path = [region]
  while (records.length > 0) path.push(path.at(-1)!.children.find(records.pop()!) as Branch)
  return path
}

/** The tree in which the last branch of `path` (a region and so on downward) has other children. */
export function withChildrenAt(tree: Tree, path: readonly Branch[], children: Sequence): Tree {
  let changed = path[path.length - 1]!.withChildren(children)
  for (let i = path.length - 2; i >= 0; i--) changed = path[i]!.withChildren(path[i]!.children.replace(changed))
  const regions = withRegion(tree.regions, path[0]!, changed)
  return { root: tree.root, regions, schedules: tree.schedules }
}

/** The regions with one of them changed. */
function withRegion([sys, seq, ah]: Tree['regions'], old: Branch, changed: Branch): Tree['regions'] {
  if (old === ah) return [sys, seq, changed]
  if (old === seq) return [sys, changed, ah]
  if (old === sys) return [changed, seq, ah]
  throw new PactError('E_INTERNAL', 'An edit met an older tree; this is a bug in pact-context.')
}

/** The tree with one more segment in history and an empty active head. */
export function withSealed({ root, regions, schedules }: Tree, segment: Branch, before: Tree | undefined): Tree {
  const [sys, seq, ah] = regions
  const oldHead = before?.regions[2]
  // Snapshots share their empty head, unless an edit has changed its headers.
  const isSameHead = oldHead?.record === ah.record && oldHead.everHeld && oldHead.children === Sequence.EMPTY
  return {
    root,
    regions: [
      sys,
      seq.withChildren(seq.children.insert(segment)),
      isSameHead ? oldHead : ah.withChildren(Sequence.EMPTY),
    ],
    schedules,
  }
}

/** Every node of a subtree, parents before children, siblings in canonical order (D20). */
export function* walkNodes(node: TreeNode): Generator<TreeNode, void, undefined> {
  yield node
  if (node instanceof Branch) for (const child of node.children) yield* walkNodes(child)
}

/** Visits every record of a subtree in that order. */
export function eachRecord(node: TreeNode, visit: (record: NodeRecord) => void): void {
  visit(recordOf(node))
  if (node instanceof Branch) eachNodeIn(node.children, (each) => visit(recordOf(each)))
}

/** The records of a whole tree in that order. */
export function recordsOf({ root, regions }: Tree): readonly NodeRecord[] {
  const records = [root]
  for (const region of regions) eachRecord(region, (record) => records.push(record))
  return records
}

export function* walkRecords(node: TreeNode): Generator<NodeRecord, void, undefined> {
  for (const each of walkNodes(node)) yield recordOf(each)
}

/** Visits all nodes of a chunk with their descendants. */
export function eachNodeIn(sequence: Sequence, visit: (node: TreeNode) => void): void {
  for (const chunk of sequence.chunks ?? NO_CHUNKS) eachNodeIn(chunk, visit)
  for (const item of sequence.items ?? NO_ITEMS) {
    visit(item)
    if (item instanceof Branch) eachNodeIn(item.children, visit)
  }
}

const NO_CHUNKS: readonly Sequence[] = []
const NO_ITEMS: readonly TreeNode[] = []

function structuralRecord(id: string, parentId: string | undefined, nodeType: string, index: number): NodeRecord {
  const stamp = { id, createdAtNs: 0n, creationIndex: index, cycle: 1 }
  const nodeClass = parentId === undefined ? 'root' : 'region'
  return plainRecord(stamp, { nodeClass, nodeType, offset: 0, parentId, by: 'createContext' }, 1)
}

/** A root, region, segment or core, with the plain headers such nodes have. It holds from a cycle on. */
export function plainRecord(
  stamp: Stamp,
  place: Pick<NodeRecord, 'nodeClass' | 'nodeType' | 'offset' | 'parentId' | 'by'>,
  cycle: number,
): NodeRecord {
  return new NodeRecord({
    id: stamp.id,
    parentId: place.parentId,
    nodeClass: place.nodeClass,
    nodeType: place.nodeType,
    offset: place.offset,
    createdAtNs: stamp.createdAtNs,
    creationIndex: stamp.creationIndex,
    cycle: stamp.cycle,
    priority: 0,
    ttl: null,
    ttlFrom: cycle,
    role: undefined,
    kind: undefined,
    content: undefined,
    rare: undefined,
    born: cycle,
    by: place.by,
  })
}
