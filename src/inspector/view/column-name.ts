// The label of a column: the cycle, and the number of a further call.

import type { Send } from '../state/sends.js'

export function columnName(send: Send | undefined): string {
  if (send === undefined) return ''
  return send.nth <= 1 ? String(send.cycle) : `·${send.nth}`
}
