// The core of the active head: found, or made around the nodes at offset 0 that have no container (D12).

import type { Maker, NodeRecord, Stamp } from '../core/index.js'
import type { Draft } from './draft.js'
import { Branch, childrenOf, recordOf, Sequence, type TreeNode } from './sequence.js'
import { plainRecord } from './tree.js'

/** The container at offset 0 of a segment or of the active head. */
export function coreOf(parent: Branch): Branch | undefined {
  const { children } = parent
  for (let i = children.rankOfOffset(0); i < children.size; i++) {
    const child = children.at(i)!
    if (recordOf(child).offset > 0) return undefined
    if (recordOf(child).nodeClass === 'core') return child as Branch
  }
  return undefined
}

function hasAnyAtZero({ children }: Branch): boolean {
  const first = children.at(children.rankOfOffset(0))
  return first !== undefined && recordOf(first).offset === 0
}

/** True if a commit now would seal the active head: it holds more than an empty core (D25). */
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
  const head = draft.region('^ah')
  const place = { nodeClass: 'core', nodeType, offset: 0, parentId: head.record.id, by } as const
  const record = containerRecord(draft, stamp, place)
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

/** The distance of neighbouring segments, so that others can be spliced in without renumbering (D30). */
export const SEGMENT_GAP = 1_048_576

/** The next place in history (D30). At the end of the integers segments share one, and their times keep the order. */
export function sealingOffset(draft: Draft): number {
  const newest = draft.region('^seq').children.last
  const behind = newest === undefined ? -Infinity : recordOf(newest).offset + SEGMENT_GAP
  return Math.min(Math.max(draft.cycle * SEGMENT_GAP, behind), Number.MAX_SAFE_INTEGER)
}

/** The place before all others in history. */
export function oldestOffset(draft: Draft): number {
  const oldest = draft.region('^seq').children.at(0)
  if (oldest === undefined) return sealingOffset(draft)
  return Math.max(recordOf(oldest).offset - SEGMENT_GAP, Number.MIN_SAFE_INTEGER)
}

/** A core or a segment of the open cycle. */
export function containerRecord(draft: Draft, stamp: Stamp, place: Parameters<typeof plainRecord>[1]): NodeRecord {
  return plainRecord(stamp, place, draft.cycle)
}

/** The same node under another parent; its own children stay as they are. */
export function reparented(node: TreeNode, parentId: string, cycle: number): TreeNode {
  const record = recordOf(node).movedTo(parentId, cycle)
  return node instanceof Branch ? node.withRecord(record) : record
}
