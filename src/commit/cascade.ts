// Emptied removable containers leave in the commit that finds them empty, and so on upward (02 §5.3, D26). The set is computed before
// anything is removed: a container is free once nothing that stays refers to it, and each one that leaves can free its parent and the nodes
// that it referred to. So nothing is looked at twice without a reason.

import type { Cause, NodeRecord } from '../core/index.js'
import { sortByPlace, View, walkRecords, type Branch, type Draft } from '../timeline/index.js'
import type { Empties } from './empties.js'
import { isHeld, type Held } from './expire.js'
import { isHollow } from './hollow.js'

/** The empty containers and segments that the commit finds free to go before anything has expired: calls have made them so. */
export function emptiedByEdits(draft: Draft, held: Held, empties: Empties): ReadonlySet<string> {
  const found = empties.found()
  if (found.length === 0) return NOBODY
  const emptied = new Set<string>()
  const before = draft.before === undefined ? undefined : View.ofSnapshot(draft.timeline, draft.cycle - 1)
  const isNeeded = (record: NodeRecord): boolean =>
    isHeld(draft, record, held) || namerOf(draft, record, NOBODY) !== undefined
  for (const record of found) {
    const old = before?.find(record.id)
    if (record.nodeClass === 'seg') {
      const all = [...walkRecords(draft.nodeOf(record))]
      const wasHollow = old !== undefined && isHollow(before!.nodeOf(old), NOBODY)
      // One that stood empty, and that nothing needed, has only waited for a commit that lets such go.
      const wasNamed = wasHollow && all.some(({ id }) => isNamedIn(before!, id))
      if (!wasHollow || (wasNamed && !all.some(isNeeded))) for (const { id } of all) emptied.add(id)
    } else {
      const wasSpent = old !== undefined && (before!.nodeOf(old) as Branch).isSpent
      // One that waits for a reference or a hold to go may be freed by expiry.
      if (!wasSpent || !isNeeded(record)) emptied.add(record.id)
    }
  }
  return emptied
}

function isNamedIn(view: View, id: string): boolean {
  const record = view.find(id)
  if (record === undefined) return false
  for (const referrer of view.referrersOf(record)) if (referrer.id !== id) return true
  return false
}

/** Removes them all and gives their records, in document order, with the cause that emptied them. */
export function cascade(
  draft: Draft,
  held: Held,
  cause: Cause,
  empties: Empties,
  byEdits: ReadonlySet<string> = NOBODY,
): readonly NodeRecord[] {
  const taken = empties.take()
  if (taken.length === 0) return NONE
  const queue = [...taken]
  const gone = new Map<string, NodeRecord>()
  const childrenGone = new Map<string, number>()
  const lookAt = (record: NodeRecord | undefined): void => {
    if (record?.isRemovable === true && isEmptyBut(draft, record, childrenGone)) queue.push(record)
    const segment = empties.takesSegments ? segmentAround(draft, record) : undefined
    if (segment !== undefined && isHollow(draft.nodeOf(segment), gone)) queue.push(segment)
  }
  for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
    // With a segment its cores go.
    const unit = [...walkRecords(draft.nodeOf(record))].filter(({ id }) => !gone.has(id))
    const going = new Set(unit.map(({ id }) => id))
    const leaves = { has: (id: string): boolean => gone.has(id) || going.has(id) }
    const keeper = keeperOf(draft, held, unit, leaves)
    if (keeper !== undefined) {
      empties.keep(record.id, keeper === HOLD ? undefined : keeper)
      continue
    }
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
  empties.lose(removed)
  return removed
}

const NONE: readonly NodeRecord[] = []
const NOBODY: ReadonlySet<string> = new Set()

/** The segment that a node is, or is the core of. */
function segmentAround(draft: Draft, record: NodeRecord | undefined): NodeRecord | undefined {
  const segment = record?.nodeClass === 'core' ? draft.find(record.parentId!) : record
  return segment?.nodeClass === 'seg' ? segment : undefined
}

const HOLD = Symbol('held')

type Gone = Readonly<{ has: (id: string) => boolean }>

/** The reason that a set of nodes which can only leave together stays. */
function keeperOf(
  draft: Draft,
  held: Held,
  unit: readonly NodeRecord[],
  gone: Gone,
): NodeRecord | typeof HOLD | undefined {
  for (const each of unit) {
    const keeper = isHeld(draft, each, held) ? HOLD : namerOf(draft, each, gone)
    if (keeper !== undefined) return keeper
  }
  return undefined
}

/** A node that refers to this one and is not among those that have gone. */
function namerOf(draft: Draft, record: NodeRecord, gone: Gone): NodeRecord | undefined {
  for (const each of draft.referrersOf(record)) if (each.id !== record.id && !gone.has(each.id)) return each
  return undefined
}

/** True if it has held something and all of that is gone. */
function isEmptyBut(draft: Draft, record: NodeRecord, childrenGone: ReadonlyMap<string, number>): boolean {
  const branch = draft.nodeOf(record) as Branch
  return branch.isSpent || (branch.children.size > 0 && branch.children.size === childrenGone.get(record.id))
}
