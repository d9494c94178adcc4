// The open cycle of a context: the draft, the mint, and the only calls that change them. Every edit and every commit
// happens whole or not at all.

import type { Dialect, Maker, Mint, NodeRecord } from '../core/index.js'
import { Draft, View, type Erasing, type Timeline, type TreeNode } from '../timeline/index.js'
import { fromMint, openCycle, type EditSession, type LeftOut } from '../edit/index.js'
import { commitCycle, Waiting, type Commit, type TokenCounts } from '../commit/index.js'
import type { Gate } from './write-gate.js'
import type { Holds } from './hold.js'
import type { AnyOptions } from './options.js'
import type { Warnings } from './warnings.js'

export type OpenCycleStart = Readonly<{
  timeline: Timeline
  draft: Draft
  mint: Mint
  dialect: Dialect
  options: AnyOptions
  tokens: TokenCounts
  holds: Holds
  gate: Gate
  /** All nodes of a view with this key, or with any; down to a depth if one is given. */
  instancesOf: (view: View, key: string | undefined, deepest: number | undefined) => readonly NodeRecord[]
  /** Something was written. */
  onWrite: () => void
  warn: Warnings['add']
}>

export class OpenCycle {
  /** Not the draft it began with, whose undo steps end with its cycle. */
  readonly #start: Omit<OpenCycleStart, 'draft' | 'mint'>
  #draft: Draft
  #mint: Mint
  /** What waits in the last snapshot; undefined before the first commit of this context. */
  #waiting: Waiting | undefined

  constructor({ draft, mint, ...start }: OpenCycleStart) {
    this.#start = start
    this.#draft = draft
    this.#mint = mint
  }

  get draft(): Draft {
    return this.#draft
  }

  get mint(): Mint {
    return this.#mint
  }

  /** Puts in what is due in a cycle that begins with this context: that of an import, or of a fork from a snapshot. */
  begin(): void {
    const mint = this.#mint.copy()
    const { draft, leftOut } = openCycle(this.#session(this.#draft, mint, 'cadence'))
    this.#draft = draft
    this.#mint = mint
    this.#warnOf(leftOut, draft.cycle)
  }

  /** One call: all it does, or nothing. One that touched no node is no step to undo. */
  write<T extends TreeNode | readonly TreeNode[]>(by: Maker, change: (session: EditSession) => T): T {
    const { gate, onWrite } = this.#start
    gate.enter()
    const draft = this.#draft
    const mint = this.#mint.copy()
    draft.mark()
    try {
      const made = change(this.#session(draft, mint, by))
      if (Array.isArray(made) && made.length === 0 && draft.isAsMarked) {
        draft.rollback()
        return made
      }
      this.#mint = mint
      draft.keep()
      onWrite()
      return made
    } catch (error) {
      draft.rollback()
      throw error
    } finally {
      gate.leave()
    }
  }

  /** Asks something of the open cycle, and takes back whatever that tried. */
  ask<T>(question: (session: EditSession) => T): T {
    return this.alone(() => question(this.#session(this.#draft, this.#mint.copy(), 'redact')))
  }

  /** Does something that no other write may come between. */
  alone<T>(act: () => T): T {
    const { gate } = this.#start
    gate.enter()
    try {
      return act()
    } finally {
      gate.leave()
    }
  }

  /** Takes out what nodes said (D56). */
  erase(erasing: Erasing): void {
    this.#draft.erase(erasing)
  }

  undo(): boolean {
    const { gate, onWrite } = this.#start
    gate.enter()
    const isUndone = this.#draft.undo()
    gate.leave()
    if (isUndone) onWrite()
    return isUndone
  }

  /** The snapshot that a commit would make now. */
  tryCommit(mint: Mint): Commit {
    const { gate } = this.#start
    gate.enter()
    try {
      return this.#try(mint)
    } finally {
      gate.leave()
    }
  }

  /** Makes the snapshot and opens the next cycle; gives the cycle that it closed. */
  commit(): number {
    const { gate, timeline, holds, onWrite } = this.#start
    gate.enter()
    try {
      const commit = this.#try(this.#mint)
      const { draft, receipt, verdict } = commit
      const nextMint = commit.mint.nextCycle()
      const next = this.#openAfter({ ...commit, mint: nextMint })
      // From here on nothing can fail.
      timeline.append(draft.cycle, draft.tree, draft.changes, receipt)
      this.#waiting ??= new Waiting()
      this.#waiting.settle(verdict)
      holds.settle()
      this.#draft = next === undefined ? Draft.after(timeline, draft.cycle) : next.draft.copy(timeline)
      this.#mint = nextMint
      onWrite()
      if (next !== undefined) this.#warnOf(next.leftOut, this.#draft.cycle)
      return draft.cycle
    } finally {
      gate.leave()
    }
  }

  #try(mint: Mint): Commit {
    const { dialect, options, tokens, holds } = this.#start
    return commitCycle({
      draft: this.#draft,
      mint,
      dialect,
      policy: options.prune,
      tokens,
      held: (id) => holds.has(id),
      released: holds.released,
      waiting: this.#waiting,
      emptySegments: options.emptySegments ?? 'keep',
    })
  }

  /** The next cycle with what is due in it, tried where nobody sees it: the clock and the ids can still fail. */
  #openAfter({ draft, mint, receipt }: Commit): ReturnType<typeof openCycle> | undefined {
    if (!draft.tree.schedules.isDueIn(draft.cycle + 1)) return undefined
    const trial = this.#start.timeline.trial()
    trial.append(draft.cycle, draft.tree, draft.changes, receipt)
    return openCycle(this.#session(Draft.after(trial, draft.cycle), mint, 'cadence'))
  }

  #warnOf(leftOut: readonly LeftOut[], cycle: number): void {
    for (const { key, error } of leftOut) {
      const message = `The key "${key}" was due in cycle ${cycle}, but its node could not be put in: ${error.message}`
      const { id, other } = error.details
      const ids = [id, other].filter((each) => typeof each === 'string')
      this.#start.warn(message, { kind: 'schedule-left-out', key, cycle, code: error.code, ids })
    }
  }

  #session(draft: Draft, mint: Mint, by: Maker): EditSession {
    const { dialect, options, instancesOf } = this.#start
    return {
      draft,
      dialect,
      odi: options.odi ?? 'demote',
      by,
      ...fromMint(draft, mint),
      committedWith: (key, deepest) => {
        if (draft.before === undefined) return []
        return instancesOf(View.ofSnapshot(draft.timeline, draft.cycle - 1), key, deepest)
      },
    }
  }
}
