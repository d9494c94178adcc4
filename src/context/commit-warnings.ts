// Warnings of a commit: limits that protection left unmet (D51), cuts in one commit after the other (D60), ttls that a commit without edits counted down, and tool calls or results
// that a provider would refuse because their other half is missing. They are given after the commit is published; a preview gives none.

import type { Cause, PassedLimit } from '../core/index.js'
import { runningFrom, type Timeline } from '../timeline/index.js'
import { orphansAt, type Orphan } from '../commit/index.js'
import type { Warnings } from './warnings.js'

/** The number of aged nodes that a warning names. */
const MOST_AGED = 100

/** The commits in a row that had to cut for a token limit before the context warns: the cache missed at each of them. */
const MOST_CUTS = 3

const NONE: ReadonlySet<string> = new Set()

export class CommitWarnings {
  readonly #warnings: Warnings
  /** The limits that are unmet and have been warned of, until a commit meets them again. */
  #unmet: ReadonlySet<string> = NONE
  /** The last commits in a row that took nodes for a token limit. */
  #cuts = 0

  constructor(warnings: Warnings) {
    this.#warnings = warnings
  }

  /** `isEmpty` is true for a commit that seals no segment and follows no edit. */
  tell(timeline: Timeline, cycle: number, isEmpty: boolean): void {
    const unmet = timeline.receiptAt(cycle).limits.filter(({ limit, after }) => after > limit)
    for (const each of unmet) if (!this.#unmet.has(each.rule)) this.#tellUnmet(each, cycle)
    this.#unmet = unmet.length === 0 ? NONE : new Set(unmet.map(({ rule }) => rule))
    this.#tellCuts(timeline, cycle)
    if (isEmpty) this.#tellEmpty(timeline, cycle)
    for (const orphan of orphansAt(timeline, cycle)) this.#tellOrphan(orphan, cycle)
  }

  #tellUnmet({ rule, limit, after: actual, kept: ids }: PassedLimit, cycle: number): void {
    const message =
      `${rule} is ${limit}, but the snapshot of cycle ${cycle} has ${actual}: nothing more may be pruned` +
      `${ids.length === 0 ? '' : ` (${ids.join(', ')} had to stay)`}. Raise the limit, lower protectSegments, ` +
      `or free what is pinned, held or referred to.`
    this.#warnings.add(message, { kind: 'unmet-limit', ids, rule, limit, actual, cycle })
  }

  #tellCuts(timeline: Timeline, cycle: number): void {
    const { removed } = timeline.receiptAt(cycle)
    this.#cuts = removed.some(({ rule }) => rule.startsWith('maxTokens')) ? this.#cuts + 1 : 0
    if (this.#cuts !== MOST_CUTS) return
    this.#warnings.once(
      'cuts-in-a-row',
      `The token limit has cut the history in ${MOST_CUTS} commits in a row, up to cycle ${cycle}, and the prompt cache misses at every cut: ` +
        'that can cost more than no limit. Raise maxTokens, or lower target or protectSegments.',
      { kind: 'cuts-in-a-row', cycle },
    )
  }

  #tellEmpty(timeline: Timeline, cycle: number): void {
    const ids: string[] = []
    for (const { children } of timeline.treeAt(cycle - 1)?.regions ?? []) {
      for (const { id } of runningFrom(children, cycle)) if (ids.push(id) === MOST_AGED) break
      if (ids.length === MOST_AGED) break
    }
    if (ids.length === 0) return
    const message =
      `The commit of cycle ${cycle} followed no edit and sealed no turn, but every commit counts ttls down: ` +
      `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' and more' : ''} aged by one. Commit once for each turn.`
    this.#warnings.add(message, { kind: 'empty-commit', ids, cycle })
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
    `${why === '' ? ' before it' : `: ${why}`}. Providers refuse a result without its call; delete the result, ` +
    `or add the call with kind "call" before it.`
  )
}

/** The way a node left, in words, for the causes that remove nodes. */
const LEFT: Readonly<Partial<Record<Cause, string>>> = {
  expired: 'has expired',
  pruned: 'was pruned',
  redacted: 'was deleted',
  superseded: 'was replaced',
  edited: 'was dropped',
}
