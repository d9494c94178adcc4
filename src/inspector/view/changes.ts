// Fields of nodes and changes, as texts.

import type { ChangeRow, JsonObject } from '../../api/index.js'
import type { TreeRow } from '../../api/index.js'

/** Running ttls, which every commit counts down: shown only on request. */
export const AGED = 'aged'

/** A header's value if it is a string. */
export function textField(node: JsonObject | undefined, name: string): string | undefined {
  const value = node?.[name]
  return typeof value === 'string' ? value : undefined
}

/** A node's content as text. */
export function contentOf(node: JsonObject | undefined): string {
  const value = node?.['content']
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** The item of a change in the thread, before and after. */
export function itemWords({ item, mark }: ChangeRow): string {
  const { from, to } = item
  if (from === undefined && to === undefined) return ''
  if (mark === '+' || from === to) return `item ${to ?? from}`
  return mark === '-' ? `item ${from}` : `item ${from ?? '–'} → ${to ?? '–'}`
}

/** Reason and author of a redaction, if given. */
export function redactedWords({ reason, author }: Pick<TreeRow, 'reason' | 'author'>): string {
  return `redacted${author === undefined ? '' : ` by ${author}`}${reason === undefined ? '' : `: ${reason}`}`
}
