// Number of changes in a comparison; a replaced node and its successor count as one.

import type { Session } from '../state/session.js'
import { listChanges } from './changes.js'

export function changedCount({ base, shared }: Session): number {
  const { value } = shared.diff.value
  return base.value === null || value === undefined ? 0 : listChanges(value, false).length
}
