// The name of the tool of a call or a result.

import { isRecord } from '../errors/index.js'
import type { JsonValue, NodeRecord } from '../core/index.js'

export function toolName({ kind, content, rare }: NodeRecord): string | undefined {
  const said = rare?.attributes?.get('data_tool_name') ?? rare?.attributes?.get('data_name')
  if (typeof said === 'string') return said
  if (kind !== 'call' || !isRecord(content)) return undefined
  const { name } = content as Readonly<Record<string, JsonValue>>
  return typeof name === 'string' ? name : undefined
}
