// The words of a snapshot that was imported from a session, in order, as the oracles of sessions give them.

import type { Node } from '../../src/index.js'
import type { Line, Sent } from '../oracle/sessions.js'

export function shownIn(node: Node): readonly Sent[] {
  if (node.nodeType.endsWith(':redaction')) return []
  const { content, role = '', children } = node
  if (content !== undefined) return [{ role, text: textOf(content) }]
  return children.flatMap(shownIn)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(textOf).join('')
  const { type, id, call_id: call, tool_use_id: answered, text, output, ...rest } = content as Line
  if (type === 'tool_use') return `call ${id}`
  if (type === 'tool_result') return `result ${answered}: ${textOf(rest['content'])}`
  if (type === 'function_call') return `call ${call}`
  if (type === 'function_call_output') return `result ${call}: ${output}`
  return type === 'reasoning' ? `thought ${id}` : String(text)
}
