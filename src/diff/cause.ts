// Why a node differs between two views: read off its versions, each of which says since when it holds (06 §6).

import type { Cause, NodeRecord } from '../core/index.js'
import { Gone, type Version, type View } from '../timeline/index.js'
import type { ChangedNode, Sides } from './compare.js'

export type Reason = Readonly<{ cause: Cause; cycle: number }>

/** Why the newer side has a node that the older has not: what brought it, whatever happened to it since. */
export function reasonOfArrival({ newer }: Sides, record: NodeRecord): Reason {
  let version = record
  for (;;) {
    const before = newer.versionAt(version.id, version.born - 1)
    if (before === undefined || before instanceof Gone) break
    version = before
  }
  // A segment comes into being by sealing; everything else is made by hand.
  return { cause: version.nodeClass === 'seg' ? 'sealed' : 'created', cycle: version.born }
}

/** Why the newer side has lost a node. A node that is there but is not selected any more was changed around. */
export function reasonOfLeaving({ newer }: Sides, { id }: NodeRecord): Reason {
  const version = newer.versionOf(id)
  if (version instanceof Gone) return { cause: version.cause, cycle: version.born }
  return { cause: 'edited', cycle: newer.cycle }
}

/** Why both sides have a node, but not alike: the last thing that happened to it. */
export function reasonOfChange({ newer }: Sides, { older: before, newer: record, fields }: ChangedNode): Reason {
  const isAged = fields.includes('ttl') && record.ttl !== null
  if (before === record || (isAged && record.born < newer.cycle)) return { cause: 'aged', cycle: newer.cycle }
  return { cause: causeOfVersion(newer, record), cycle: record.born }
}

function causeOfVersion(view: View, record: NodeRecord): Cause {
  const before = recordIn(view.versionAt(record.id, record.born - 1))
  if (before === undefined) return 'created'
  if (before.parentId === record.parentId) return before.offset === record.offset ? 'edited' : 'moved'
  const parent = recordIn(view.versionAt(record.parentId!, record.born))
  // Sealing puts nodes under a segment, or under a core, of that very commit.
  const isNew = parent?.cycle === record.born && (parent.nodeClass === 'seg' || parent.nodeClass === 'core')
  return isNew ? 'sealed' : 'moved'
}

function recordIn(version: Version | undefined): NodeRecord | undefined {
  return version instanceof Gone ? undefined : version
}
