// Tool calls and results: the other half of one, and the name of the tool.

import type { Lens, JsonValue, NodeRecord } from '../core/index.js'
import type { ReportSource } from './source.js'
import { isRecord } from '../errors/index.js'

/** The ids of the nodes that share a call id with a node, in no order that matters; none where it has no call id. */
export function otherHalf({ trees }: Pick<ReportSource, 'trees'>, id: string, lens: Lens): readonly string[] {
  const view = trees.of(lens)
  const record = view.find(id)
  if (record === undefined) return []
  const ids = record.callIds.flatMap((callId) => Array.from(view.carriersOf(callId), (each) => each.id))
  return [...new Set(ids)].filter((each) => each !== id)
}

/** The name of the tool of a call or a result. */
export function toolName({ kind, content, rare }: NodeRecord): string | undefined {
  const said = rare?.attributes?.get('data_tool_name') ?? rare?.attributes?.get('data_name')
  if (typeof said === 'string') return said
  if (kind !== 'call' || !isRecord(content)) return undefined
  const { name } = content as Readonly<Record<string, JsonValue>>
  return typeof name === 'string' ? name : undefined
}
