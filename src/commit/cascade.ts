// Emptied removable containers leave in the commit that finds them empty, and so on upward (02 §5.3, D26).
//
// What goes is worked out before anything is removed: a container is free once nothing that stays refers to it, and each
// one that goes can free its parent and what it referred to. So nothing is looked at twice without a reason.

import type { Cause, NodeRecord } from '../core/index.js'
import {
  AT_ONCE,
  Branch,
  childrenOf,
  sortByPlace,
  View,
  walkRecords,
  type Draft,
  type Sequence,
} from '../timeline/index.js'
import { isHeld, type Held } from './expire.js'
import { isHollow } from './hollow.js'

/**
 * The empty containers that the commit finds free to go before anything has expired: calls have made them so. `segments` are
 * the empty ones of a context that lets such go (D55).
 */
export function emptiedByEdits(draft: Draft, held: Held, segments: readonly NodeRecord[]): ReadonlySet<string> {
  const emptied = new Set<string>()
  if (hasNoSpent(draft) && segments.length === 0) return emptied
  const before = draft.before === undefined ? undefined : View.ofSnapshot(draft.timeline, draft.cycle - 1)
  const isNeeded = (record: NodeRecord): boolean => isHeld(draft, record, held) || isNamed(draft, record, NOBODY)
  for (const { children } of draft.tree.regions) {
    for (const { record } of spent(children)) {
      const old = before?.find(record.id)
      const wasSpent = old !== undefined && (before!.nodeOf(old) as Branch).isSpent
      // One that waits for a reference or a hold to go may be freed by expiry.
      if (!wasSpent || !isNeeded(record)) emptied.add(record.id)
    }
  }
  for (const segment of segments) {
    const all = [...walkRecords(draft.nodeOf(segment))]
    const old = before?.find(segment.id)
    const wasHollow = old !== undefined && isHollow(before!.nodeOf(old), NOBODY)
    // One that stood empty, and that nothing needed, has only waited for a commit that lets such go.
    const wasNamed = wasHollow && all.some(({ id }) => isNamedIn(before!, id))
    if (!wasHollow || (wasNamed && !all.some(isNeeded))) for (const { id } of all) emptied.add(id)
  }
  return emptied
}

function isNamedIn(view: View, id: string): boolean {
  const record = view.find(id)
  if (record === undefined) return false
  for (const referrer of view.referrersOf(record)) if (referrer.id !== id) return true
  return false
}

/** Removes them all and gives their records back, in document order; the cause is what emptied them. */
export function cascade(
  draft: Draft,
  held: Held,
  cause: Cause,
  segments: readonly NodeRecord[] | undefined,
  byEdits: ReadonlySet<string> = NOBODY,
): readonly NodeRecord[] {
  const hollow = segments?.filter(({ id }) => draft.find(id) !== undefined) ?? NONE
  if (hasNoSpent(draft) && hollow.length === 0) return NONE
  const gone = new Map<string, NodeRecord>()
  const childrenGone = new Map<string, number>()
  const spentNow = draft.tree.regions.flatMap(({ children }) => [...spent(children)].map((branch) => branch.record))
  const queue = [...hollow, ...spentNow]
  const lookAt = (record: NodeRecord | undefined): void => {
    if (record?.isRemovable === true && isEmptyBut(draft, record, childrenGone)) queue.push(record)
    const segment = segments === undefined ? undefined : segmentAround(draft, record)
    if (segment !== undefined && isHollow(draft.nodeOf(segment), gone)) queue.push(segment)
  }
  for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
    // With a segment its cores go.
    const unit = [...walkRecords(draft.nodeOf(record))].filter(({ id }) => !gone.has(id))
    const going = new Set(unit.map(({ id }) => id))
    const stays = { has: (id: string): boolean => gone.has(id) || going.has(id) }
    if (unit.some((each) => isHeld(draft, each, held) || isNamed(draft, each, stays))) continue
    for (const each of unit.toReversed()) {
      gone.set(each.id, each)
      childrenGone.set(each.parentId!, (childrenGone.get(each.parentId!) ?? 0) + 1)
    }
    lookAt(draft.find(record.parentId!))
    for (const each of unit) for (const id of each.refs) lookAt(draft.meant(id))
  }
  const removed = sortByPlace(draft, [...gone.values()])
  // From the inside out, so that each goes for its own reason: for that of calls where all that it held did.
  const others = new Set<string>()
  for (const record of removed.toReversed()) {
    const isEdited = byEdits.has(record.id) || (childrenGone.has(record.id) && !others.has(record.id))
    if (!isEdited) others.add(record.parentId!)
    draft.remove(draft.find(record.id)!, isEdited ? 'edited' : cause)
  }
  return removed
}

const NONE: readonly NodeRecord[] = []
const NOBODY: ReadonlySet<string> = new Set()

function hasNoSpent(draft: Draft): boolean {
  return draft.tree.regions.every(({ children }) => children.due > AT_ONCE)
}

/** The segment that a node is, or whose core it is. */
function segmentAround(draft: Draft, record: NodeRecord | undefined): NodeRecord | undefined {
  const segment = record?.nodeClass === 'core' ? draft.find(record.parentId!) : record
  return segment?.nodeClass === 'seg' ? segment : undefined
}

function* spent(sequence: Sequence): Generator<Branch, void, undefined> {
  if (sequence.due > AT_ONCE) return
  for (const chunk of sequence.chunks ?? []) yield* spent(chunk)
  for (const item of sequence.items ?? []) {
    if (item instanceof Branch && item.isSpent) yield item
    else yield* spent(childrenOf(item))
  }
}

function isNamed(draft: Draft, record: NodeRecord, gone: Readonly<{ has: (id: string) => boolean }>): boolean {
  for (const { id } of draft.referrersOf(record)) if (id !== record.id && !gone.has(id)) return true
  return false
}

/** Whether it has held something and nothing of that is left. */
function isEmptyBut(draft: Draft, record: NodeRecord, childrenGone: ReadonlyMap<string, number>): boolean {
  const branch = draft.nodeOf(record) as Branch
  return branch.isSpent || (branch.children.size > 0 && branch.children.size === childrenGone.get(record.id))
}
