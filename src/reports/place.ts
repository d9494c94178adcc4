// Facts about the place of a node and about its departure, for several reports.

import { zoneOfOffset, type NodeRecord, type PruneRule, type Zone } from '../core/index.js'
import { lineOf, type View } from '../timeline/index.js'

/** The zone of a node in its turn or in the head; undefined for a node outside of both, and for turns, regions and the root. */
export function zoneIn(view: View, record: NodeRecord): Zone | undefined {
  const line = record.nodeClass === 'root' ? [record] : lineOf(view, record)
  const { nodeType } = line[0]!
  const top = nodeType === '^seq' ? line[2] : nodeType === '^ah' ? line[1] : undefined
  return top && zoneOfOffset(top.offset)
}

/** The limit by which the commit of a cycle pruned a node; undefined if it did not. */
export function ruleFor(id: string, cycle: number, past: Pick<View, 'receiptAt'>): PruneRule | undefined {
  return past.receiptAt(cycle).removed.find((each) => each.id === id)?.rule
}
