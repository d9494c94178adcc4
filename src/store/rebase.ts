// What is told of edits that were made again on a newer head, and where that could not be done.

import { PactError } from '../errors/index.js'
import type { Replayed } from '../context/index.js'

/** What a call of `rebase` has done. */
export type RebaseReport = Replayed &
  Readonly<{
    /** The cycle that is open now. */
    cycle: number
    /** The cycle that was open before; where nobody else has committed it is the same, and nothing was done. */
    before: number
  }>

export function unchanged(cycle: number): RebaseReport {
  return Object.freeze({ cycle, before: cycle, ids: new Map<string, string>(), elsewhere: Object.freeze([]) })
}

/** One of the edits cannot be made on the new head; its error says why, and which. */
export function cannotRebase(id: string, cycle: number, head: number, error: unknown): unknown {
  if (!PactError.is(error) || error.code === 'E_INTERNAL') return error
  const { operation } = error.details
  const message = `The edits of ${id} could not be made again behind cycle ${head}: ${error.message} Nothing was changed, and the edits are still here: undo what is in the way, or open the context again.`
  const details = { ...error.details, cycle, head, reason: 'rebase', operation: operation ?? null, code: error.code }
  return new PactError('E_CONFLICT', message, details, { cause: error })
}
