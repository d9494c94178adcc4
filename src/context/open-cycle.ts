// The open cycle of a context: the draft, the mint, and the only calls that change them. Every edit and every commit
// happens whole or not at all.

import { PactError } from '../errors/index.js'
import type { Dialect, Maker, Mint, MintCounters, NodeRecord, SavedEdit, Schedules } from '../core/index.js'
import { Draft, headSeals, type Erasing, type Timeline, type TreeNode, type View } from '../timeline/index.js'
import {
  MintSession,
  openCycle,
  type ApplyEdit,
  type EditSession,
  type OdiMode,
  type Operation,
} from '../edit/index.js'
import { commitCycle, Waiting, type Commit, type CommitInput, type TokenCounts } from '../commit/index.js'
import { beginningOf, erasedBeginning, leftOutKey, leftOutWarning, NOTHING_DUE, type Beginning } from './beginning.js'
import { EditLog } from './edit-log.js'
import { recordOf, type Due, type Prepared, type PreparedCommit } from './prepared-commit.js'
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
  /** The nodes that returned in the cycle, if it was opened before. */
  due: Due | undefined
  /** The results that the policy never sheds. */
  excepted: CommitInput['excepted']
  warn: Warnings['add']
}>

/** A call that was done: the nodes that it touched, and the ids that it made, in order. */
export type Written = Readonly<{ touched: TreeNode | readonly TreeNode[]; made: readonly string[] }>

/** The end of a batch: its edits stay, as one step to undo or as several, or they are taken back and no id is spent. */
export type OpenBatch = Readonly<{ keep: (isOneStep: boolean) => void; takeBack: () => void }>

/** A batch or a rehearsal under way. */
type Batch = Readonly<{ kind: 'batch' | 'rehearsal'; from: number }>

const NOTHING_OPENED = { draft: undefined, due: NOTHING_DUE } as const

export class OpenCycle {
  /** The first draft is not kept, since its undo steps end with its cycle. */
  readonly #start: Omit<OpenCycleStart, 'draft' | 'mint' | 'due'>
  #draft: Draft
  #mint: Mint
  /** Waiting nodes of the last snapshot; undefined before the first commit of this context. */
  #waiting: Waiting | undefined
  /** The edits so far; one for each step of the draft. */
  readonly log = new EditLog()
  #beginning: Beginning
  /** The innermost batch or rehearsal under way: its kind, and the number of edits before it. */
  #batch: Batch | undefined
  /** The commit that waits to be published. */
  #prepared: Prepared | undefined

  constructor(start: OpenCycleStart) {
    const { draft, mint, due, timeline, dialect, options, tokens, holds, gate, instancesOf, excepted, warn } = start
    // Written out: a rest object has a hidden class of its own, 300 B for each context.
    this.#start = { timeline, dialect, options, tokens, holds, gate, instancesOf, excepted, warn }
    this.#draft = draft
    this.#mint = mint
    this.#beginning = beginningOf(draft.tree, draft.changes, mint, due)
  }

  get draft(): Draft {
    return this.#draft
  }

  get mint(): Mint {
    return this.#mint
  }

  /** Puts in the nodes that are due in the first cycle of this context: of an import, or of a fork from a snapshot. */
  begin(): void {
    const mint = this.#mint.copy()
    const { draft, due } = this.#opened(this.#draft, mint)
    this.#begin(draft, mint, due)
  }

  /** The state in which the cycle began. */
  get beginning(): Beginning {
    return this.#beginning
  }

  #begin(draft: Draft, mint: Mint, due: Due): void {
    this.#draft = draft
    this.#mint = mint
    this.#beginning = beginningOf(draft.tree, draft.changes, mint, due)
    for (const each of due.leftOut) {
      const { message, details } = leftOutWarning(each, draft.cycle)
      this.#start.warn(message, details)
    }
  }

  /** One call: all it does, or nothing. One that touched no node is no step to undo. */
  write(by: Maker, change: ApplyEdit): Written {
    return this.#write(by, change, this.#mint.copy())
  }

  /** Makes a saved edit again, with the identities that it got (D62). */
  again({ stamps, isJoined }: SavedEdit, by: Maker, change: ApplyEdit): void {
    const mint = this.#mint.giving(stamps)
    // It was allowed when it was made, whatever the option odi is now.
    this.#write(by, change, mint, 'demote')
    if (mint.left > 0) {
      const message = 'The saved edits make fewer nodes than they did when they were saved.'
      throw new PactError('E_SNAPSHOT_INVALID', message)
    }
    if (isJoined) this.log.join(this.log.size - 2)
  }

  /** Goes on after saved edits: with the counters of the mint after the last of them. */
  goOn(counters: Omit<MintCounters, 'cycle'>): void {
    this.#mint = this.#mint.from(counters)
    this.log.markSaved()
  }

  #write(by: Maker, change: ApplyEdit, mint: Mint, odi?: OdiMode): Written {
    const { gate } = this.#start
    gate.enter()
    const draft = this.#draft
    const { schedules } = draft.tree
    draft.mark()
    try {
      const session = this.#session(draft, mint, by, odi)
      const applied = change(session)
      const { touched } = applied
      if (Array.isArray(touched) && touched.length === 0 && draft.isAsMarked) {
        draft.rollback()
        this.log.isReordered = true
        return { touched, made: [] }
      }
      const { made, stamps } = session
      this.#mint = mint
      draft.keep()
      this.log.add({ ...applied, made, stamps, keys: changedKeys(schedules, draft.tree.schedules) })
      return { touched, made }
    } catch (error) {
      draft.rollback()
      this.log.isReordered = true
      throw error
    } finally {
      gate.leave()
    }
  }

  /** Runs a question on the open cycle before an erasure, and takes back everything that it tried. */
  ask<T>(question: (session: EditSession) => T): T {
    this.#checkNoBatch('forget')
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

  /** Refuses calls that cannot be taken back inside a batch or a rehearsal. */
  #checkNoBatch(call: 'commit' | 'forget' | 'rebase' | 'save'): void {
    if (this.#batch === undefined) return
    const message =
      this.#batch.kind === 'rehearsal'
        ? `A rehearsal cannot ${call}, since it is taken back whole; ${call} after it.`
        : `A batch cannot ${call}, since it may still be taken back whole; ${call} after it.`
    throw new PactError('E_CONFLICT', message)
  }

  /** Erases the content of nodes (D56). */
  erase(erasing: Erasing): void {
    this.#draft.erase(erasing)
    this.log.erase(erasing)
    this.#beginning = erasedBeginning(this.#beginning, erasing)
    // A fork may forget while the commit of this one is under way.
    this.#prepared?.commit.draft.erase(erasing)
    this.#prepared?.next?.erase(erasing)
  }

  /** Refuses all writes until the returned function is called, while the context is rebuilt or saved elsewhere. Reads go on. */
  pause(call: 'rebase' | 'save'): () => void {
    const { gate } = this.#start
    this.#checkNoBatch(call)
    gate.check()
    gate.shut(call)
    return () => gate.open()
  }

  /** Does several writes as one: all of them, or none, and then no id is spent. One inside another is part of it. */
  batch<T>(write: () => T, isOneStep = true): T {
    const { keep, takeBack } = this.openBatch()
    try {
      const result = write()
      keep(isOneStep)
      return result
    } catch (error) {
      takeBack()
      throw error
    }
  }

  /** Runs writes and reads, gives the result, and takes the writes back; no id or time is spent. */
  rehearse<T>(run: () => T): T {
    const { takeBack } = this.openBatch('rehearsal')
    try {
      return run()
    } finally {
      takeBack()
    }
  }

  /** Begins a batch that a later call ends, exactly once. Until then nothing commits. */
  openBatch(kind: Batch['kind'] = 'batch'): OpenBatch {
    const { gate, holds } = this.#start
    gate.check()
    const [mint, from, outer] = [this.#mint, this.log.size, this.#batch]
    // Inside a rehearsal everything is taken back.
    this.#batch = { kind: outer?.kind === 'rehearsal' ? 'rehearsal' : kind, from }
    return {
      keep: (isOneStep) => {
        if (isOneStep) this.log.join(from)
        this.#batch = outer
      },
      takeBack: () => {
        for (let edit = this.log.pop(from); edit !== undefined; edit = this.log.pop(from)) {
          this.#draft.undo()
          holds.void(edit.made)
        }
        this.#mint = mint
        this.#batch = outer
      },
    }
  }

  /** The edits so far, as data. */
  operations(): readonly Operation[] {
    return this.log.list(this.#beginning.opened)
  }

  /** The number of edits in each step to undo, in order. */
  get steps(): readonly number[] {
    return this.log.steps
  }

  /** The ids that each of them touched. */
  get touched(): readonly (readonly string[])[] {
    return this.log.touched
  }

  /** The ids that the cycle began with, of nodes that returned. */
  get opened(): readonly string[] {
    return this.#beginning.opened
  }

  /** Takes back the last edit, or the last batch; inside a batch, only its own edits. */
  undo(): boolean {
    const { gate } = this.#start
    gate.enter()
    let last = this.log.pop(this.#batch?.from ?? 0)
    const isUndone = last !== undefined
    while (last !== undefined) {
      this.#draft.undo()
      last = last.isJoined ? this.log.pop(0) : undefined
    }
    gate.leave()
    return isUndone
  }

  /** The ids of the results that the next commit would shed; none if it would be refused. */
  nextShed(): ReadonlySet<string> {
    try {
      return new Set(this.tryCommit(this.#mint.provisional()).shed.map(({ id }) => id))
    } catch (error) {
      if (PactError.is(error) && error.code === 'E_BUDGET') return new Set()
      throw error
    }
  }

  /** The snapshot that a commit would make now; `extra` are tokens of a request that are in no node. */
  tryCommit(mint: Mint, extra = 0): Commit {
    const { gate } = this.#start
    gate.enterToRead()
    try {
      return this.#try(mint, extra)
    } finally {
      gate.leave()
    }
  }

  /**
   * Computes the snapshot and the cycle after it: everything that can fail. Until the commit is published or discarded, writes
   * are refused, also across awaits, and reads see the state before.
   */
  prepare(author?: string): PreparedCommit {
    const { gate, holds } = this.#start
    this.#checkNoBatch('commit')
    gate.enter()
    try {
      const released = [...holds.released]
      const commit = authored(this.#try(this.#mint), author)
      const mint = commit.mint.nextCycle()
      const { draft: next, due } = this.#openAfter(commit, mint)
      const prepared = { commit, next, mint, due, released }
      this.#prepared = prepared
      gate.shut('commit')
      return {
        cycle: commit.draft.cycle,
        isEmpty: this.log.size === 0 && this.log.base === undefined && released.length === 0 && !headSeals(this.#draft),
        record: (forks) => recordOf(prepared, forks),
        publish: () => {
          this.#settle(prepared)
          this.#publish(prepared)
        },
        discard: () => this.#settle(prepared),
      }
    } finally {
      gate.leave()
    }
  }

  /** Ends the waiting for a prepared commit. */
  #settle(prepared: Prepared): void {
    if (this.#prepared !== prepared) {
      throw new PactError('E_CONFLICT', 'This commit is published or discarded already; prepare another one.')
    }
    this.#prepared = undefined
    this.#start.gate.open()
  }

  #publish({ commit: { draft, receipt, verdict }, next, mint, due, released }: Prepared): void {
    const { timeline, holds } = this.#start
    timeline.take(draft.cycle, draft.tree, draft.changes, receipt)
    this.#waiting ??= new Waiting()
    this.#waiting.settle(verdict)
    holds.settle(released)
    this.log.clear()
    this.#begin(next?.copy(timeline) ?? Draft.after(timeline, draft.cycle), mint, due)
  }

  #try(mint: Mint, extra = 0): Commit {
    const { dialect, options, tokens, holds, excepted } = this.#start
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
      excepted,
      cut: this.log.cut,
      extra,
    })
  }

  /** Opens the next cycle on a trial timeline, since the caller's clock and ids can still fail. */
  #openAfter({ draft, receipt }: Commit, mint: Mint): Readonly<{ draft: Draft | undefined; due: Due }> {
    if (!draft.tree.schedules.isDueIn(draft.cycle + 1)) return NOTHING_OPENED
    const trial = this.#start.timeline.trial()
    trial.append(draft.cycle, draft.tree, draft.changes, receipt)
    return this.#opened(Draft.after(trial, draft.cycle), mint)
  }

  #opened(draft: Draft, mint: Mint): Readonly<{ draft: Draft; due: Due }> {
    const session = this.#session(draft, mint, 'cadence')
    const cycle = openCycle(session)
    return { draft: cycle.draft, due: { opened: session.made, leftOut: cycle.leftOut.map(leftOutKey) } }
  }

  #session(draft: Draft, mint: Mint, by: Maker, odi?: OdiMode): MintSession {
    const { dialect, options, instancesOf } = this.#start
    return new MintSession({ draft, mint, dialect, odi: odi ?? options.odi ?? 'demote', by, instancesOf })
  }
}

function authored(commit: Commit, author: string | undefined): Commit {
  return author === undefined ? commit : { ...commit, receipt: Object.freeze({ author, ...commit.receipt }) }
}

/** The keys whose schedules differ; undefined where none does, as after most edits. */
function changedKeys(before: Schedules, after: Schedules): readonly string[] | undefined {
  return before === after ? undefined : after.changesSince(before).map(({ key }) => key)
}
