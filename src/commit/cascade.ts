// Emptied removable containers leave in the commit that finds them empty, and so on upward (02 §5.3, D26).
//
// What goes is worked out before anything is removed: a container is free once nothing that stays refers to it, and each
// one that goes can free its parent and what it referred to. So nothing is looked at twice without a reason.

import type { Cause, NodeRecord } from '../core/index.js'
import { AT_ONCE, Branch, childrenOf, type Draft, type Sequence, sortByPlace, View } from '../timeline/index.js'
import { isHeld, type Held } from './expire.js'

/** The empty containers that the commit finds free to go before anything has expired: calls have made them so. */
export function emptiedByEdits(draft: Draft, held: Held): ReadonlySet<string> {
  const emptied = new Set<string>()
  if (draft.tree.regions.every(({ children }) => children.due > AT_ONCE)) return emptied
  const before = draft.before === undefined ? undefined : View.ofSnapshot(draft.timeline, draft.cycle - 1)
  for (const { children } of draft.tree.regions) {
    for (const { record } of spent(children)) {
      const old = before?.find(record.id)
      const wasSpent = old !== undefined && (before!.nodeOf(old) as Branch).isSpent
      // One that waits for a reference or a hold to go may be freed by expiry.
      const isNeeded = isHeld(draft, record, held) || isNamed(draft, record, NOBODY)
      if (!wasSpent || !isNeeded) emptied.add(record.id)
    }
  }
  return emptied
}

/** Removes them all and gives their records back, in document order; the cause is what emptied them. */
export function cascade(
  draft: Draft,
  held: Held,
  cause: Cause,
  byEdits: ReadonlySet<string> = NOBODY,
): readonly NodeRecord[] {
  if (draft.tree.regions.every(({ children }) => children.due > AT_ONCE)) return NONE
  const gone = new Map<string, NodeRecord>()
  const childrenGone = new Map<string, number>()
  const queue = draft.tree.regions.flatMap(({ children }) => [...spent(children)].map((branch) => branch.record))
  for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
    if (gone.has(record.id) || isHeld(draft, record, held) || isNamed(draft, record, gone)) continue
    gone.set(record.id, record)
    const parent = draft.find(record.parentId!)!
    const left = childrenOf(draft.nodeOf(parent)).size - (childrenGone.get(parent.id) ?? 0) - 1
    childrenGone.set(parent.id, (childrenGone.get(parent.id) ?? 0) + 1)
    if (left === 0 && parent.isRemovable) queue.push(parent)
    for (const id of record.refs) {
      const target = draft.meant(id)
      if (target?.isRemovable === true && isEmptyBut(draft, target, childrenGone)) queue.push(target)
    }
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
