// The other half of a tool call or of a result.

import type { Lens } from '../core/index.js'
import type { ReportSource } from './source.js'

/** The ids of the nodes that share a call id with a node, in no order that matters; none where it has no call id. */
export function otherHalf({ trees }: Pick<ReportSource, 'trees'>, id: string, lens: Lens): readonly string[] {
  const view = trees.of(lens)
  const record = view.find(id)
  if (record === undefined) return []
  const ids = record.callIds.flatMap((callId) => Array.from(view.carriersOf(callId), (each) => each.id))
  return [...new Set(ids)].filter((each) => each !== id)
}
