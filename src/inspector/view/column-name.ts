// What stands under a column: the cycle, and under further calls of it which of them it is.

import type { Send } from '../state/sends.js'

export function columnName(send: Send | undefined): string {
  if (send === undefined) return ''
  return send.nth <= 1 ? String(send.cycle) : `·${send.nth}`
}
