// The active head's core: found, or made around whatever stands at offset 0 without a container (D12).

import { NodeRecord, type Stamp } from '../core/index.js'
import type { Draft } from './draft.js'
import { Branch, childrenOf, recordOf, Sequence, type TreeNode } from './sequence.js'

/** The container at offset 0 of a segment or of the active head. */
export function coreOf(parent: Branch): Branch | undefined {
  const { children } = parent
  // A head usually has a handful of children; only a large one is worth a search.
  for (let i = children.chunks ? children.rankOfOffset(0) : 0; i < children.size; i++) {
    const child = children.at(i)!
    if (recordOf(child).offset > 0) return undefined
    if (recordOf(child).nodeClass === 'core') return child as Branch
  }
  return undefined
}

/** Whether a commit now would seal the active head: not if it is empty but for an empty core (D25). */
export function headSeals(draft: Draft): boolean {
  const { children } = draft.region('^ah')
  for (const child of children) {
    if (recordOf(child).nodeClass !== 'core' || childrenOf(child).size > 0) return true
  }
  return false
}

/** Gives the active head a core; blocks at offset 0 become its children, ids and order kept. */
export function makeCore(draft: Draft, stamp: Stamp, nodeType: string): Branch {
  const record = containerRecord(draft, stamp, { nodeClass: 'core', nodeType, offset: 0, parentId: headId(draft) })
  const held = draft.takeAll('^ah')
  const inCore = held.filter((child) => recordOf(child).offset === 0)
  const core = new Branch(record, Sequence.fromSorted(inCore.map((child) => reparented(child, record.id, draft.cycle))))
  for (const child of held) if (recordOf(child).offset !== 0) draft.insert([draft.region('^ah')], child)
  draft.insert([draft.region('^ah')], core)
  return core
}

function headId(draft: Draft): string {
  return draft.region('^ah').record.id
}

/** A core or a segment, with the plain headers such nodes have. */
export function containerRecord(
  draft: Draft,
  stamp: Stamp,
  place: Readonly<{ nodeClass: 'core' | 'seg'; nodeType: string; offset: number; parentId: string }>,
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
    ttlFrom: draft.cycle,
    role: undefined,
    kind: undefined,
    content: undefined,
    rare: undefined,
    born: draft.cycle,
  })
}

/** The same node under another parent; its own children stay as they are. */
export function reparented(node: TreeNode, parentId: string, cycle: number): TreeNode {
  const record = recordOf(node).movedTo(parentId, cycle)
  return node instanceof Branch ? node.withRecord(record) : record
}
