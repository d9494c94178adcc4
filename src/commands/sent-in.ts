import type { AttemptRecord } from '../api/index.js'

/** The cycle whose tree an attempt sent: a snapshot, or the one that was open. */
export function sentIn({ lens, cycle_id: open, base_cycle: base }: AttemptRecord): number {
  return lens === 'working' || lens === 'preview' ? open : (base ?? open)
}
