// Which tool a call or a result is of, for whoever shows it.

import type { JsonValue, NodeRecord } from '../core/index.js'

export function toolName({ kind, content, rare }: NodeRecord): string | undefined {
  const said = rare?.attributes?.get('data_tool_name') ?? rare?.attributes?.get('data_name')
  if (typeof said === 'string') return said
  if (kind !== 'call' || typeof content !== 'object' || content === null || Array.isArray(content)) return undefined
  const { name } = content as Readonly<Record<string, JsonValue>>
  return typeof name === 'string' ? name : undefined
}
