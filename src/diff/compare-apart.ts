// The differences of two views of two contexts, of which one is a fork of the other, or both are forks of a third. Nodes that were made after the
// newest snapshot that both have are different nodes, also where they have one id.

import type { NodeRecord } from '../core/index.js'
import { eachRecord, type View } from '../timeline/index.js'
import type { ChangedNode } from './compare.js'
import { changedFields } from './headers.js'
import { reasonOfArrival, reasonOfChange, reasonOfLeaving, type Reason } from './reason.js'

/** A view of one context, and the newest snapshot there that both contexts have; undefined if they have none. */
export type Branched = Readonly<{ view: View; base: View | undefined }>

/** Nodes that one side has alone, and those that both have but not alike; each list in the order of its side. */
export type Apart = Readonly<{
  onlyFrom: readonly NodeRecord[]
  onlyTo: readonly NodeRecord[]
  changed: readonly ChangedNode[]
  isShared: (record: NodeRecord) => boolean
  /** Why only one side has a node: it was made there, or the other side has lost it. */
  reasonOfOnlyFrom: (record: NodeRecord) => Reason
  reasonOfOnlyTo: (record: NodeRecord) => Reason
  reasonOf: (change: ChangedNode) => Reason
}>

export function compareApart(from: Branched, to: Branched): Apart {
  const common = to.base?.cycle ?? 0
  const isShared = ({ cycle }: NodeRecord): boolean => cycle <= common
  const lacks =
    (other: View) =>
    (record: NodeRecord): boolean =>
      !isShared(record) || other.find(record.id) === undefined
  const changed: ChangedNode[] = []
  for (const newer of recordsOf(to.view)) {
    const older = isShared(newer) ? from.view.find(newer.id) : undefined
    if (older === undefined || older === newer) continue
    const fields = changedFields({ record: older, view: from.view }, { record: newer, view: to.view })
    if (fields.length > 0) changed.push({ older, newer, fields })
  }
  const reasonOfOnly =
    (own: Branched, other: Branched) =>
    (record: NodeRecord): Reason => {
      if (isShared(record)) return reasonOfLeaving({ older: other.base!, newer: other.view }, record)
      if (own.base === undefined) return { cause: 'created', cycle: record.cycle }
      return reasonOfArrival({ older: own.base, newer: own.view }, record)
    }
  return {
    onlyFrom: recordsOf(from.view).filter(lacks(to.view)),
    onlyTo: recordsOf(to.view).filter(lacks(from.view)),
    changed,
    isShared,
    reasonOfOnlyFrom: reasonOfOnly(from, to),
    reasonOfOnlyTo: reasonOfOnly(to, from),
    reasonOf: ({ older, newer, fields }) => {
      const [{ view, base }, record] = newer.born > common ? [to, newer] : [from, older]
      return reasonOfChange({ older: base!, newer: view }, { older: base!.find(record.id)!, newer: record, fields })
    },
  }
}

function recordsOf({ tree }: View): NodeRecord[] {
  const records: NodeRecord[] = []
  for (const region of tree.regions) eachRecord(region, (record) => void records.push(record))
  return records
}
