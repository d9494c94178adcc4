// Why a node differs between two views: read off its versions, each of which says since when it holds (06 §6).

import type { Cause, NodeRecord } from '../core/index.js'
import { Gone, type Version, type View } from '../timeline/index.js'
import type { ChangedNode, Sides } from './compare.js'
import type { DiffCause } from './result.js'

export type Reason = Readonly<{ cause: DiffCause; cycle: number }>

/** Why the newer side has a node that the older has not: what brought it, whatever happened to it since. */
export function reasonOfArrival({ older, newer }: Sides, record: NodeRecord): Reason {
  if (older.find(record.id) !== undefined) return { cause: 'selection', cycle: newer.cycle }
  let version = record
  for (;;) {
    const before = newer.versionAt(version.id, version.born - 1)
    if (before === undefined || before instanceof Gone) break
    version = before
  }
  // A segment comes into being by sealing; everything else is made by hand.
  return { cause: version.nodeClass === 'seg' ? 'sealed' : 'created', cycle: version.born }
}

/** Why the newer side has lost a node. */
export function reasonOfLeaving({ newer }: Sides, { id }: NodeRecord): Reason {
  const version = newer.versionOf(id)
  return version instanceof Gone
    ? { cause: version.cause, cycle: version.born }
    : { cause: 'selection', cycle: newer.cycle }
}

/** Why both sides have a node, but not alike: the last thing that happened to it. */
export function reasonOfChange({ newer }: Sides, { older: before, newer: record, fields }: ChangedNode): Reason {
  const isAged = fields.includes('ttl') && record.ttl !== null
  if (before === record || (isAged && record.born < newer.cycle)) return { cause: 'aged', cycle: newer.cycle }
  // Both may belong to the open cycle, before which there was nothing.
  const earlier = recordIn(newer.versionAt(record.id, record.born - 1)) ?? before
  return { cause: causeOfVersion(newer, record, earlier), cycle: record.born }
}

function causeOfVersion(view: View, record: NodeRecord, before: NodeRecord): Cause {
  if (before.parentId === record.parentId) return before.offset === record.offset ? 'edited' : 'moved'
  const parent = recordIn(view.versionAt(record.parentId!, record.born))
  // Sealing puts nodes under a segment, or under a core, of that very commit.
  const isNew = parent?.cycle === record.born && (parent.nodeClass === 'seg' || parent.nodeClass === 'core')
  return isNew ? 'sealed' : 'moved'
}

function recordIn(version: Version | undefined): NodeRecord | undefined {
  return version instanceof Gone ? undefined : version
}
