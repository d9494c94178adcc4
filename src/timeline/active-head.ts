// The active head's core: found, or made around whatever stands at offset 0 without a container (D12).

import { NodeRecord, type Maker, type Stamp } from '../core/index.js'
import type { Draft } from './draft.js'
import { Branch, childrenOf, recordOf, Sequence, type TreeNode } from './sequence.js'

/** The container at offset 0 of a segment or of the active head. */
export function coreOf(parent: Branch): Branch | undefined {
  const { children } = parent
  for (let i = startOfZero(children); i < children.size; i++) {
    const child = children.at(i)!
    if (recordOf(child).offset > 0) return undefined
    if (recordOf(child).nodeClass === 'core') return child as Branch
  }
  return undefined
}

/** Where to look for children at offset 0: a head usually has a handful of children; only a large one is worth a search. */
function startOfZero(children: Sequence): number {
  return children.chunks ? children.rankOfOffset(0) : 0
}

function hasAnyAtZero({ children }: Branch): boolean {
  for (let i = startOfZero(children); i < children.size; i++) {
    const { offset } = recordOf(children.at(i)!)
    if (offset >= 0) return offset === 0
  }
  return false
}

/** Whether a commit now would seal the active head: not if it is empty but for an empty core (D25). */
export function headSeals(draft: Draft): boolean {
  const { children } = draft.region('^ah')
  for (let i = 0; i < children.size; i++) {
    const child = children.at(i)!
    if (recordOf(child).nodeClass !== 'core' || childrenOf(child).size > 0) return true
  }
  return false
}

/** Gives the active head a core; blocks at offset 0 become its children, ids and order kept. */
export function makeCore(draft: Draft, stamp: Stamp, nodeType: string, by: Maker): Branch {
  const place = { nodeClass: 'core', nodeType, offset: 0, parentId: headId(draft), by } as const
  const record = containerRecord(draft, stamp, place)
  const head = draft.region('^ah')
  if (!hasAnyAtZero(head)) {
    const core = new Branch(record, Sequence.EMPTY)
    draft.insert([head], core)
    return core
  }
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

/** How far apart neighbouring segments stand, so that others can be spliced in without renumbering (D30). */
export const SEGMENT_GAP = 1_048_576

/** The next place in history (D30). At the end of the integers segments share one, and their times keep the order. */
export function sealingOffset(draft: Draft): number {
  const newest = draft.region('^seq').children.last
  const behind = newest === undefined ? -Infinity : recordOf(newest).offset + SEGMENT_GAP
  return Math.min(Math.max(draft.cycle * SEGMENT_GAP, behind), Number.MAX_SAFE_INTEGER)
}

/** A core or a segment, with the plain headers such nodes have. */
export function containerRecord(
  draft: Draft,
  stamp: Stamp,
  place: Readonly<{ nodeClass: 'core' | 'seg'; nodeType: string; offset: number; parentId: string; by: Maker }>,
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
    by: place.by,
  })
}

/** The same node under another parent; its own children stay as they are. */
export function reparented(node: TreeNode, parentId: string, cycle: number): TreeNode {
  const record = recordOf(node).movedTo(parentId, cycle)
  return node instanceof Branch ? node.withRecord(record) : record
}
