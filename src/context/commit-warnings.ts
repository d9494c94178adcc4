// What a commit left that somebody should know: limits that protection left unmet (D51), and tool calls or results that a
// provider would refuse because their other half is missing. Told once it is published; a preview tells nothing.

import type { Cause, PassedLimit } from '../core/index.js'
import type { Timeline } from '../timeline/index.js'
import { orphansAt, type Orphan } from '../commit/index.js'
import type { Warnings } from './warnings.js'

const NONE: ReadonlySet<string> = new Set()

export class CommitWarnings {
  readonly #warnings: Warnings
  /** The limits that are unmet and have been warned of, until a commit meets them again. */
  #unmet: ReadonlySet<string> = NONE

  constructor(warnings: Warnings) {
    this.#warnings = warnings
  }

  tell(timeline: Timeline, cycle: number): void {
    const unmet = timeline.receiptAt(cycle).limits.filter(({ limit, after }) => after > limit)
    for (const each of unmet) if (!this.#unmet.has(each.rule)) this.#tellUnmet(each, cycle)
    this.#unmet = unmet.length === 0 ? NONE : new Set(unmet.map(({ rule }) => rule))
    for (const orphan of orphansAt(timeline, cycle)) this.#tellOrphan(orphan, cycle)
  }

  #tellUnmet({ rule, limit, after: actual, kept: ids }: PassedLimit, cycle: number): void {
    const message =
      `${rule} is ${limit}, but the snapshot of cycle ${cycle} has ${actual}: nothing more may be pruned` +
      `${ids.length === 0 ? '' : ` (${ids.join(', ')} had to stay)`}. Raise the limit, lower protectSegments, ` +
      `or free what is pinned, held or referred to.`
    this.#warnings.add(message, { kind: 'unmet-limit', ids, rule, limit, actual, cycle })
  }

  #tellOrphan(orphan: Orphan, cycle: number): void {
    const { kind, callId, ids, lost } = orphan
    const details = { kind, ids, cycle, lost: lost.map(({ id }) => id) }
    this.#warnings.once(
      `${kind} ${callId === undefined ? `of node ${ids[0]}` : `of call ${callId}`}`,
      messageOf(orphan, cycle),
      callId === undefined ? details : { ...details, callId },
    )
  }
}

function messageOf({ kind, callId, ids, lost }: Orphan, cycle: number): string {
  const name = callId === undefined ? '' : ` (call id "${callId}")`
  const why = lost.map(({ id, cause }) => `${id} ${LEFT[cause] ?? 'has left'}`).join(', ')
  if (kind === 'orphan-call') {
    const end = why === '' ? 'none came before the next turn was sealed' : why
    const tie = callId === undefined ? 'refs that name the call' : `data_call_id "${callId}"`
    return (
      `The call ${ids.join(', ')}${name} has no result in the snapshot of cycle ${cycle}: ${end}. Providers refuse a call ` +
      `without its result; add one with kind "result" and ${tie}, or delete the call.`
    )
  }
  return (
    `The result ${ids.join(', ')}${name} has no call in the snapshot of cycle ${cycle}` +
    `${why === '' ? ' that stands before it' : `: ${why}`}. Providers refuse a result without its call; delete the result, ` +
    `or add the call with kind "call" before it.`
  )
}

/** How it left, for the causes that take nodes. */
const LEFT: Readonly<Partial<Record<Cause, string>>> = {
  expired: 'has expired',
  pruned: 'was pruned',
  redacted: 'was deleted',
  superseded: 'was replaced',
  edited: 'was dropped',
}
