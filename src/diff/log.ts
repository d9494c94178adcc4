// The changes of a commit, from its own log: at the cost of the changes, however many nodes have a running ttl.

import type { Cause, NodeRecord } from '../core/index.js'
import { eachRecord, type View } from '../timeline/index.js'
import { changedFields } from './headers.js'
import { reasonOfArrival, reasonOfChange, reasonOfLeaving } from './reason.js'

/** A node that came, left or was changed, and why. Of one that left it is the last version. */
export type LoggedChange = Readonly<{ what: 'added' | 'removed' | 'changed'; record: NodeRecord; cause: Cause }>

/**
 * Blocks and containers that differ between a view and an earlier one; segments and cores, which come and go with their turns, only
 * where they are asked for.
 */
export function loggedChanges(older: View | undefined, newer: View, withTurns = false): readonly LoggedChange[] {
  if (older === undefined) return firstOf(newer)
  const sides = { older, newer }
  const found: LoggedChange[] = []
  for (const id of new Set(newer.changedSince(older, Infinity))) {
    const [before, after] = [older.find(id), newer.find(id)]
    const record = after ?? before
    if (record === undefined || !(withTurns || isListed(record))) continue
    if (before === undefined) found.push({ what: 'added', record, cause: causeOf(reasonOfArrival(sides, record)) })
    else if (after === undefined)
      found.push({ what: 'removed', record, cause: causeOf(reasonOfLeaving(sides, record)) })
    else {
      const fields = changedFields({ record: before, view: older }, { record: after, view: newer })
      if (fields.length === 0) continue
      const cause = causeOf(reasonOfChange(sides, { older: before, newer: after, fields }))
      // Sealing a turn is part of every commit.
      if (cause !== 'sealed' && cause !== 'aged') found.push({ what: 'changed', record, cause })
    }
  }
  return found
}

function firstOf({ tree }: View): readonly LoggedChange[] {
  const found: LoggedChange[] = []
  for (const region of tree.regions) {
    eachRecord(region, (record) => {
      if (isListed(record))
        found.push({ what: 'added', record, cause: record.by === 'cadence' ? 'cadence' : 'created' })
    })
  }
  return found
}

function isListed({ nodeClass }: NodeRecord): boolean {
  return nodeClass === 'block' || nodeClass === 'cont'
}

function causeOf({ cause }: ReturnType<typeof reasonOfArrival>): Cause {
  return cause === 'selection' ? 'edited' : cause
}
