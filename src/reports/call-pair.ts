// The other half of a tool call or of a result.

import { toolName, type Lens, type NodeRecord } from '../core/index.js'
import { nameOfTool, type View } from '../timeline/index.js'
import type { ReportSource } from './source.js'

/** The ids of the nodes that share a call id with a node, in no order that matters; none where it has no call id. */
export function otherHalf({ trees }: Pick<ReportSource, 'trees'>, id: string, lens: Lens): readonly string[] {
  const view = trees.of(lens)
  const record = view.find(id)
  if (record === undefined) return []
  const ids = record.callIds.flatMap((callId) => Array.from(view.carriersOf(callId), (each) => each.id))
  return [...new Set(ids)].filter((each) => each !== id)
}

/** The name of the tool of a call or a result; a result that does not say it has that of its call. */
export function toolOf(view: View, record: NodeRecord): string | undefined {
  if (record.kind !== 'result') return toolName(record)
  return nameOfTool({ carriersOf: (id) => view.carriersOf(id), meant: (id) => view.find(id) }, record)
}
