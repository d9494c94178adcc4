// The open cycle of a context: the draft, the mint, and the only calls that change them. Every edit and every commit
// happens whole or not at all.

import { PactError } from '../errors/index.js'
import type { Dialect, Maker, Mint, NodeRecord } from '../core/index.js'
import { Draft, View, type Erasing, type Timeline, type TreeNode } from '../timeline/index.js'
import { fromMint, openCycle, type Data, type EditSession, type LeftOut, type Operation } from '../edit/index.js'
import { commitCycle, Waiting, type Commit, type TokenCounts } from '../commit/index.js'
import { EditLog } from './edit-log.js'
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

/** What a call did: the nodes that it touched, and what it was told, as data. */
export type Applied = Readonly<{ touched: TreeNode | readonly TreeNode[]; said: () => Data }>

/** What a call did, once it is done: the nodes that it touched, and the ids that it gave out, in order. */
export type Written = Readonly<{ touched: TreeNode | readonly TreeNode[]; made: readonly string[] }>

export class OpenCycle {
  /** Not the draft it began with, whose undo steps end with its cycle. */
  readonly #start: Omit<OpenCycleStart, 'draft' | 'mint'>
  #draft: Draft
  #mint: Mint
  /** What waits in the last snapshot; undefined before the first commit of this context. */
  #waiting: Waiting | undefined
  /** The edits so far; one for each step of the draft. */
  readonly #log = new EditLog()
  /** The ids that the cycle began with, of nodes that returned. */
  #opened: readonly string[] = []
  /** Of the batches that are under way: how many edits there were before the innermost. */
  #batchFrom: number | undefined

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
    const opened: string[] = []
    const { draft, leftOut } = openCycle(this.#session(this.#draft, mint, 'cadence', opened))
    this.#opened = opened
    this.#draft = draft
    this.#mint = mint
    this.#warnOf(leftOut, draft.cycle)
  }

  /** One call: all it does, or nothing. One that touched no node is no step to undo. */
  write(by: Maker, change: (session: EditSession) => Applied): Written {
    const { gate, onWrite } = this.#start
    gate.enter()
    const draft = this.#draft
    const mint = this.#mint.copy()
    draft.mark()
    try {
      const made: string[] = []
      const { touched, said } = change(this.#session(draft, mint, by, made))
      if (Array.isArray(touched) && touched.length === 0 && draft.isAsMarked) {
        draft.rollback()
        return { touched, made: [] }
      }
      this.#mint = mint
      draft.keep()
      this.#log.add({ said, made, touched: Array.isArray(touched) ? touched : [touched as TreeNode] })
      onWrite()
      return { touched, made }
    } catch (error) {
      draft.rollback()
      throw error
    } finally {
      gate.leave()
    }
  }

  /** Asks something of the open cycle before it is changed for good, and takes back whatever that tried. */
  ask<T>(question: (session: EditSession) => T): T {
    this.#checkNoBatch('forget')
    return this.alone(() => question(this.#session(this.#draft, this.#mint.copy(), 'redact', [])))
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

  /** What cannot be taken back has no place in a batch. */
  #checkNoBatch(call: 'commit' | 'forget'): void {
    if (this.#batchFrom === undefined) return
    const message = `A batch cannot ${call}, since it may still be taken back whole; ${call} after it.`
    throw new PactError('E_CONFLICT', message)
  }

  /** Takes out what nodes said (D56). */
  erase(erasing: Erasing): void {
    this.#draft.erase(erasing)
    this.#log.erase(erasing)
  }

  /** Does several writes as one: all of them, or none, and then no id is spent. One inside another is part of it. */
  batch<T>(write: () => T): T {
    const { gate, holds, onWrite } = this.#start
    gate.check()
    const [mint, from, outer] = [this.#mint, this.#log.size, this.#batchFrom]
    this.#batchFrom = from
    try {
      const result = write()
      this.#log.join(from)
      return result
    } catch (error) {
      for (let edit = this.#log.pop(from); edit !== undefined; edit = this.#log.pop(from)) {
        this.#draft.undo()
        holds.void(edit.made)
      }
      this.#mint = mint
      onWrite()
      throw error
    } finally {
      this.#batchFrom = outer
    }
  }

  /** The edits so far, as data. */
  operations(): readonly Operation[] {
    return this.#log.list(this.#opened)
  }

  /** The ids that the cycle began with, of nodes that returned. */
  get opened(): readonly string[] {
    return this.#opened
  }

  /** Takes back the last edit, or all of a batch; inside a batch, only what it has done itself. */
  undo(): boolean {
    const { gate, onWrite } = this.#start
    gate.enter()
    let last = this.#log.pop(this.#batchFrom ?? 0)
    const isUndone = last !== undefined
    while (last !== undefined) {
      this.#draft.undo()
      last = last.isJoined ? this.#log.pop(0) : undefined
    }
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
    this.#checkNoBatch('commit')
    gate.enter()
    try {
      const commit = this.#try(this.#mint)
      const { draft, receipt, verdict } = commit
      const nextMint = commit.mint.nextCycle()
      const opened: string[] = []
      const next = this.#openAfter({ ...commit, mint: nextMint }, opened)
      // From here on nothing can fail.
      timeline.append(draft.cycle, draft.tree, draft.changes, receipt)
      this.#waiting ??= new Waiting()
      this.#waiting.settle(verdict)
      holds.settle()
      this.#draft = next === undefined ? Draft.after(timeline, draft.cycle) : next.draft.copy(timeline)
      this.#mint = nextMint
      this.#log.clear()
      this.#opened = opened
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
  #openAfter({ draft, mint, receipt }: Commit, opened: string[]): ReturnType<typeof openCycle> | undefined {
    if (!draft.tree.schedules.isDueIn(draft.cycle + 1)) return undefined
    const trial = this.#start.timeline.trial()
    trial.append(draft.cycle, draft.tree, draft.changes, receipt)
    return openCycle(this.#session(Draft.after(trial, draft.cycle), mint, 'cadence', opened))
  }

  #warnOf(leftOut: readonly LeftOut[], cycle: number): void {
    for (const { key, error } of leftOut) {
      const message = `The key "${key}" was due in cycle ${cycle}, but its node could not be put in: ${error.message}`
      const { id, other } = error.details
      const ids = [id, other].filter((each) => typeof each === 'string')
      this.#start.warn(message, { kind: 'schedule-left-out', key, cycle, code: error.code, ids })
    }
  }

  /** `made` gets the ids that are given out. */
  #session(draft: Draft, mint: Mint, by: Maker, made: string[]): EditSession {
    const { dialect, options, instancesOf } = this.#start
    return {
      draft,
      dialect,
      odi: options.odi ?? 'demote',
      by,
      ...fromMint(draft, mint, made),
      committedWith: (key, deepest) => {
        if (draft.before === undefined) return []
        return instancesOf(View.ofSnapshot(draft.timeline, draft.cycle - 1), key, deepest)
      },
    }
  }
}
