// The reason that a node differs between two views. It follows from the versions of the node, each of which says since when it holds (06 §6).

import { wasShed, type Cause, type NodeRecord } from '../core/index.js'
import { Branch, Gone, leftSince, type Version, type View } from '../timeline/index.js'
import type { ChangedNode, Sides } from './compare.js'
import { changedFields } from './headers.js'
import type { DiffCause } from './diff-types.js'

export type Reason = Readonly<{ cause: DiffCause; cycle: number }>

/** The cause for a node that only the newer side has: the event that brought it, whatever happened to it since. */
export function reasonOfArrival(sides: Sides, record: NodeRecord): Reason {
  const { older, newer } = sides
  const there = older.find(record.id)
  if (there !== undefined) return reasonOfSelection(sides, there, record)
  // It came after the older side, which is kept, so its first version is known; the newest one is as much as can be said.
  const first = newer.firstVersionOf(record) ?? record
  return { cause: causeOfArrival(first), cycle: first.born }
}

function causeOfArrival({ nodeClass, by, rare }: NodeRecord): Cause {
  if (by === 'cadence') return 'cadence'
  if (by === 'compact') return 'compacted'
  if (by === 'expand') return 'expanded'
  if (nodeClass === 'seg' || nodeClass === 'core') return nodeClass === 'seg' && by === 'commit' ? 'sealed' : 'created'
  if (rare?.supersedes !== undefined) {
    if (by === 'shed') return 'shed'
    return by === 'delete' || by === 'redact' ? 'redacted' : 'superseded'
  }
  // Between the system region and the rest, a node that a snapshot holds becomes another one (D30).
  return by === 'move' || by === 'system.move' ? 'moved' : 'created'
}

/** Why the newer side has lost a node. */
export function reasonOfLeaving(sides: Sides, record: NodeRecord): Reason {
  const { newer } = sides
  const there = newer.find(record.id)
  if (there !== undefined) return reasonOfSelection(sides, record, there)
  const left = leftSince(record, sides.older, newer)
  if (left !== undefined) return { cause: left.cause, cycle: left.cycle }
  // Made in the open cycle, and taken by the commit that a preview tries: no snapshot ever saw it.
  const isPruned = newer.receipt.removed.some(({ id }) => id === record.id)
  if (isPruned) return { cause: 'pruned', cycle: newer.cycle }
  // Sent while its cycle was open, and taken out before the commit.
  if (sides.older.isOpen && !sides.older.isWorking) return { cause: 'edited', cycle: newer.cycle }
  const node = record.nodeClass === 'cont' ? sides.older.nodeOf(record) : undefined
  const isSpent = node instanceof Branch && node.isSpent
  return { cause: isSpent ? 'edited' : 'expired', cycle: newer.cycle }
}

/** Why both sides have a node, but not alike: the last thing that happened to it. */
export function reasonOfChange({ newer }: Sides, { older: before, newer: last, fields }: ChangedNode): Reason {
  const record = newer.written(last)
  if (fields.includes('ttl') && record.ttl !== null) {
    // A ttl runs with every commit, until it is 0.
    const ranAt = Math.min(newer.shown, record.expiry)
    if (before === last || record.born < ranAt) return { cause: 'aged', cycle: ranAt }
  }
  const earlier = newer.versionAt(record.id, record.born - 1)
  // An id that was free and was given again names another node.
  if (earlier instanceof Gone) return { cause: record.by === 'expand' ? 'expanded' : 'created', cycle: record.born }
  // Both sides may belong to the open cycle, before which there was nothing.
  return { cause: causeOfVersion(newer, record, earlier ?? before), cycle: record.born }
}

/** Both sides hold the node and only one selects it: because of a change to it, or because of a change around it. */
function reasonOfSelection(sides: Sides, before: NodeRecord, after: NodeRecord): Reason {
  const { older, newer } = sides
  const fields = changedFields({ record: before, view: older }, { record: after, view: newer })
  if (fields.length === 0) return { cause: 'selection', cycle: newer.shown }
  return reasonOfChange(sides, { older: before, newer: after, fields })
}

function causeOfVersion(view: View, record: NodeRecord, before: NodeRecord): Cause {
  if (before.parentId === record.parentId) {
    if (before.offset !== record.offset) return 'moved'
    if (record.by === 'shed' || wasShed(before, record)) return 'shed'
    return record.by === 'redact' || record.by === 'system.redact' ? 'redacted' : 'edited'
  }
  const parent = recordIn(view.versionAt(record.parentId!, record.born))
  // Sealing puts nodes under a segment, or under a core, of that very commit.
  const isNew = parent?.cycle === record.born && (parent.nodeClass === 'seg' || parent.nodeClass === 'core')
  const lastBefore = Math.max(before.born, record.born - 1)
  const wasInHead = recordIn(view.versionAt(before.parentId!, lastBefore))?.nodeType === '^ah'
  // A node in the head of the last snapshot may only have been sealed, whatever call brought it there.
  if (isNew && wasInHead && before.offset === record.offset) return 'sealed'
  if (record.by === 'demotion') return 'demoted'
  if (record.by === 'move') return 'moved'
  if (parent !== undefined && parent.rare?.supersedes === before.parentId) return 'superseded'
  return isNew ? 'sealed' : 'moved'
}

function recordIn(version: Version | undefined): NodeRecord | undefined {
  return version instanceof Gone ? undefined : version
}
