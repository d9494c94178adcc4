// A context in a store. It reads and takes edits like any other. A commit is computed, written in one durable step, and
// only then visible. If another writer commits a cycle first, this one gets E_CONFLICT and keeps its edits.

import { randomBytes } from 'node:crypto'

import type { RangeResults, Snapshot } from '../context/index.js'
import {
  ContextEdits,
  forkStart,
  joinParts,
  keptElsewhere,
  prepareCommit,
  takeOver,
  thinnedOut,
  unloadHistory,
  type Parts,
  type PendingCommit,
  type Replayed,
} from '../context/persistence.js'
import type { Lens } from '../core/index.js'
import { showCallers, type PactError } from '../errors/index.js'
import { PageBook } from '../timeline/index.js'
import { answered, answerRow, checkSameRequest } from './answer.js'
import { AttemptQueue } from './attempt-rows.js'
import { sameBytes, versionOf } from './compare.js'
import { conflictError, readOrConflict } from './consistent-read.js'
import { otherDraft, type DraftInfo } from './drafts.js'
import {
  isUnknown,
  otherKeyPending,
  taken,
  unknownOutcome,
  stillUnknown,
  cannotRebase,
  unchanged,
  type RebaseReport,
} from './fault.js'
import { rowAt } from './lineage.js'
import { fillHistory, loadHistory, readSnapshot, type Loaded } from './loading.js'
import { commitRow, forkOf } from './new-context.js'
import { checkHistory, readOptions, checkName } from './options.js'
import { NO_HASH } from './row.js'
import type { Answer, ContextRow, NewCommit, Row } from './rows.js'
import { replayAfter, Saver } from './saving.js'
import { settledRow } from './settled.js'
import type { CommitAnswer, CommitOptions, StoredForkOptions, StoreServices } from './stored-services.js'

const NOTHING_REPLAYED: Replayed = { ids: new Map(), elsewhere: [] }

/** A commit being written, and the request of its key. */
type PendingWrite = Readonly<{ pending: PendingCommit; commit: NewCommit; asked: readonly object[] }>

/** The snapshot of a commit. `isOwn` is false if an earlier commit with the same key made it. */
type CommitResult = Readonly<{ snapshot: Snapshot; isOwn: boolean }>

export class StoredContext<Ranges extends RangeResults = 'diff'> extends ContextEdits<Ranges> {
  #parts: Parts
  #services: StoreServices
  #row: ContextRow
  /** Hash of the newest row. */
  #chain: Uint8Array
  /** A commit whose outcome is unknown. */
  #unknownOutcome: PendingWrite | undefined
  readonly #saver: Saver
  readonly #attempts: AttemptQueue

  /** @internal Use `open`, `create` or `fork`. */
  constructor({ parts, row, draft, isPast }: Loaded, services: StoreServices) {
    super(parts)
    this.#parts = parts
    this.#services = services
    this.#row = row
    // After `openAt`, the newest loaded row is not the newest stored one.
    this.#chain = this.cycle - 1 === row.head ? row.chain : NO_HASH
    this.#saver = new Saver(services.rows, isPast, {
      parts: () => this.#parts,
      row: () => ({ ...this.#row, chain: this.#chain }),
      currentRow: () => this.#currentRow(),
      conflict: (cycle) => this.#conflict(cycle, `Cycle ${cycle} of ${this.id} was not saved`),
      beforeWriting: () => (this.#attempts.isEmpty ? undefined : this.#attempts.finish()),
    })
    this.#saver.found(draft)
    this.#attempts = new AttemptQueue(services.rows, row, randomBytes(6).toString('hex'), services.pendingWork)
    this.#listen(parts, row.epoch)
    Object.freeze(this)
  }

  static {
    showCallers(this.prototype)
  }

  /** Changes with every commit and every erasure that this context has seen; see `Store.find`. */
  get version(): string {
    return versionOf({ epoch: this.#row.epoch, chain: this.#chain })
  }

  /** Changes with every erasure. */
  get epoch(): number {
    return this.#row.epoch
  }

  /** The draft of this context in the store: the edits that `save` made durable, here or elsewhere; undefined if there is none. */
  get draft(): DraftInfo | undefined {
    return this.#saver.info
  }

  /**
   * Makes the edits of the open cycle durable, without a commit. After a crash, `open` gives the working state with the same
   * ids, times and bytes. It writes the edits since the last save; `commit` removes what was saved. E_CONFLICT if another writer was first.
   *
   * @example
   * ```ts
   * import { openStore } from 'pact-context/store'
   *
   * const store = await openStore('memory:')
   * const ctx = await store.open('trip')
   * ctx.user('Two nights in Turin.')
   * await ctx.save()
   * const again = await store.open('trip')
   * again.thread().length // → 1
   * ```
   */
  async save(): Promise<void> {
    const { check, pendingWork } = this.#services
    check()
    if (this.#unknownOutcome !== undefined) throw stillUnknown(this.id, this.#unknownOutcome.commit.row.cycle, 'save')
    await pendingWork.track(this.#saver.save())
  }

  /**
   * Expires, prunes, seals the active head and writes it. Resolves with the new snapshot when it is durable. E_CONFLICT
   * if another writer was first; the edits stay. After E_STORE with the outcome 'unknown', call it again: it checks
   * whether the commit was written.
   *
   * @example
   * ```ts
   * import { openStore } from 'pact-context/store'
   *
   * const store = await openStore('memory:')
   * const ctx = await store.open('trip')
   * const { cycle } = await ctx.commit({ key: 'request-7f3a' })
   * cycle // → 1
   * ```
   */
  async commit(options: CommitOptions = {}): Promise<Snapshot> {
    const { tracing, listeners } = this.#parts
    const { pendingWork, loopYield } = this.#services
    let isOwn = false
    const committing = tracing.commitLater(this.cycle, async () => {
      const done = await this.#commit(options)
      ;({ isOwn } = done)
      return done.snapshot
    })
    try {
      const snapshot = await pendingWork.track(committing)
      if (isOwn) listeners.tell(snapshot)
      return snapshot
    } finally {
      await loopYield.afterWork()
    }
  }

  async #commit(options: CommitOptions): Promise<CommitResult> {
    const { rows, check, watchesReady } = this.#services
    check()
    const names = ['key', 'asked', 'author'] as const
    const { key, asked: given, author } = readOptions('commit', "{ key: 'request-7f3a' }", options, names)
    if (key !== undefined) checkName('key', key)
    if (this.#unknownOutcome !== undefined) return this.#resolveUnknown(this.#unknownOutcome, key)
    if (this.#saver.isUnknown) await this.#saver.settle()
    const [asked, ids] = key === undefined ? [[], []] : [given ?? this.operations(), this.#parts.open.touched]
    const pending = prepareCommit(this.#parts, author)
    let before: Answer | undefined
    let commit: NewCommit
    try {
      if (!this.#attempts.isEmpty) await this.#attempts.finish()
      await watchesReady()
      if (key !== undefined) before = await rows.answer(this.#row.ctx, key)
      const record = pending.record()
      const row = commitRow(this.#parts.timeline, this.#chain, record)
      const answer =
        key === undefined ? undefined : answerRow(this.#row, key, asked, row.cycle, ids, record.receipt, this.dialect)
      const draft = this.#saver.included
      commit = { ctx: this.#row.ctx, after: this.#chain, epoch: this.#row.epoch, row, answer, draft }
    } catch (error) {
      pending.discard()
      throw error
    }
    if (before === undefined) return this.#write({ pending, commit, asked })
    pending.discard()
    return this.#answerAgain(before, asked)
  }

  /** A committed snapshot. If it is not loaded, it is read for this call only. */
  async #snapshotAt(cycle: number): Promise<Snapshot> {
    const { rows, book } = this.#services
    const { bounds } = this.#parts.timeline
    if (bounds?.thinned.has(cycle) === true) throw thinnedOut(bounds, `@c${cycle}`, cycle)
    return readSnapshot(rows, { ...this.#row, head: this.cycle - 1 }, this.#parts, book, cycle)
  }

  async #write(write: PendingWrite, isFirst = true): Promise<CommitResult> {
    const { pending, commit, asked } = write
    const { rows } = this.#services
    let isWritten: boolean
    try {
      isWritten = (await rows.commit(commit)) === 'done'
    } catch (error) {
      if (isUnknown(error)) throw this.#outcomeUnknown(write, error)
      pending.discard()
      throw error
    }
    if (isWritten || (await this.#isWritten(write))) return this.#publish(pending, commit.row)
    const now = await this.#currentRow().catch((error: unknown) => {
      pending.discard()
      throw error
    })
    // The database showed an older head for a moment. Now it shows the expected one.
    if (isFirst && now?.epoch === commit.epoch && sameBytes(now.chain, commit.after)) return this.#write(write, false)
    pending.discard()
    // Another writer may have committed the same key.
    const before = commit.answer && (await rows.answer(commit.ctx, commit.answer.key))
    if (before !== undefined) return this.#answerAgain(before, asked)
    throw await this.#conflict(commit.row.cycle)
  }

  /**
   * Checks whether a commit with a lost answer was written, and writes it if not. E_CONFLICT for the key of another
   * commit.
   */
  async #resolveUnknown(write: PendingWrite, key: string | undefined): Promise<CommitResult> {
    const { pending, commit } = write
    if (key !== undefined && key !== commit.answer?.key) throw otherKeyPending(this.id, commit, key)
    // Concurrent calls see a commit in progress.
    this.#unknownOutcome = undefined
    const isWritten = await this.#isWritten(write)
    return isWritten ? this.#publish(pending, commit.row) : this.#write(write)
  }

  #outcomeUnknown(left: PendingWrite, error: unknown): PactError {
    this.#unknownOutcome = left
    return unknownOutcome(this.id, left.commit.row.cycle, error)
  }

  /** Rows are salted, so equal hashes mean the same row. */
  async #isWritten(write: PendingWrite): Promise<boolean> {
    const { ctx, row } = write.commit
    try {
      const found = await rowAt(this.#services.rows, ctx, row.cycle)
      return found !== undefined && sameBytes(found.hash, row.hash)
    } catch (error) {
      throw this.#outcomeUnknown(write, error)
    }
  }

  #publish(pending: PendingCommit, row: Row): CommitResult {
    this.#unknownOutcome = undefined
    this.#chain = row.hash
    const snapshot = pending.publish()
    this.#saver.committed()
    this.#services.upkeep.committed(this.#parts)
    return { snapshot, isOwn: true }
  }

  /** The current row of this context, at least as new as this context has seen; undefined if it was deleted. */
  #currentRow(): Promise<ContextRow | undefined> {
    const { ctx, epoch } = this.#row
    return settledRow(this.#services.rows, { ctx, epoch, id: this.id, head: this.cycle - 1 })
  }

  async #conflict(cycle: number, undone = `Cycle ${cycle} of ${this.id} was not committed`): Promise<PactError> {
    const { rows } = this.#services
    const now = await this.#currentRow()
    const details = { cycle, head: now?.head ?? null }
    if (now?.epoch === this.#row.epoch && sameBytes(now.chain, this.#chain)) return otherDraft(undone, details)
    return conflictError(rows, this.#row, now, undone, details)
  }

  /**
   * Repeats the open edits on top of the newest commit: all of them, or none. This context then continues from there. A draft
   * that is not loaded is applied first, and its edits become edits of this context.
   * The nodes of its open cycle get new ids, which the report lists; the old ids may now belong to another writer's
   * nodes. If an edit cannot be repeated, E_CONFLICT with `details.operation`, and nothing changes. Holds are released,
   * and history loaded by name is unloaded.
   */
  async rebase(): Promise<RebaseReport> {
    const { check, pendingWork } = this.#services
    check()
    if (this.#unknownOutcome !== undefined) throw stillUnknown(this.id, this.#unknownOutcome.commit.row.cycle, 'rebase')
    if (this.#saver.isUnknown) await this.#saver.settle()
    const release = this.#parts.open.pause('rebase')
    return pendingWork.track(this.#rebase(true).finally(release))
  }

  /** Continues from the newest state: with the open edits and the draft, or without them. */
  async #rebase(withEdits: boolean): Promise<RebaseReport> {
    const { cycle: before } = this
    if (!this.#attempts.isEmpty) await this.#attempts.finish()
    const now = await this.#currentRow()
    if (now === undefined) throw await this.#conflict(before, `The edits of ${this.id} were not repeated`)
    const isSame = now.epoch === this.#row.epoch && sameBytes(now.chain, this.#chain)
    if (isSame && this.#saver.isNewest(now)) return unchanged(before)
    const old = this.#parts
    const isOwn = this.#saver.isOwn(now)
    // Saved edits that were taken back since must not return.
    const use = withEdits && !this.#saver.isOff && !(isOwn && !old.open.log.isIntact) ? 'load' : 'leave'
    const again = await this.#services.again(now, old.options, use)
    if (again === undefined) throw await this.#conflict(before, `The edits of ${this.id} were not repeated`)
    const { parts, row } = again.loaded
    const draft = this.#saver.isOff ? undefined : again.loaded.draft
    let replayed = NOTHING_REPLAYED
    try {
      if (withEdits)
        replayed = await replayAfter(this.#services.rows, old, { ...again.loaded, draft }, isOwn, this.#saver.included)
    } catch (error) {
      throw cannotRebase(this.id, before, row.head, error)
    }
    // Nothing below can fail.
    takeOver(old, parts)
    this.#listen(parts, row.epoch)
    ContextEdits.goOn(this, parts)
    this.#parts = parts
    this.#services = again.services
    this.#row = row
    this.#chain = row.chain
    this.#saver.found(draft)
    if (withEdits && draft !== undefined) this.#saver.takeOver(draft)
    return Object.freeze({ cycle: this.cycle, before, ...replayed })
  }

  /** Attempts that started before a rebase may end after it. They are written, and passed to the new parts. */
  #listen(parts: Parts, epoch: number): void {
    parts.attempts.listen((changed) => {
      this.#attempts.add(changed, epoch)
      if (parts !== this.#parts) for (const record of changed) this.#parts.attempts.hear(record, this.#attempts.writer)
    })
  }

  /**
   * A commit with this key exists, made here or by another writer. Its edits are already stored, so the open ones are
   * dropped. If this context has not seen that commit, it continues from the stored state, as after a rebase.
   */
  async #answerAgain(before: Answer, asked: readonly object[]): Promise<CommitResult> {
    checkSameRequest(this.#row, before, asked, this.dialect, this.cycle - 1)
    const { cycle } = before
    const release = this.#parts.open.pause('rebase')
    let snapshot: Snapshot
    try {
      if (cycle >= this.cycle) await this.#rebase(false)
      snapshot = await this.#snapshotAt(cycle)
    } finally {
      release()
    }
    while (this.undo());
    return { snapshot, isOwn: false }
  }

  /**
   * Returns the stored answer to the commit with this key; undefined if there is none. If you pass the request as
   * `asked`, E_CONFLICT if that commit had another one.
   */
  async answerTo(key: string, asked?: readonly object[]): Promise<CommitAnswer | undefined> {
    const { rows, check } = this.#services
    check()
    const found = await rows.answer(this.#row.ctx, checkName('key', key))
    if (found === undefined) return undefined
    if (asked !== undefined) checkSameRequest(this.#row, found, asked, this.dialect, this.cycle - 1)
    return Object.freeze({ cycle: found.cycle, ...answered(this.#row, found) })
  }

  /** Returns an independent context that shares the history up to a snapshot, or also takes the open edits. */
  async fork(lens: Lens | undefined, given: StoredForkOptions): Promise<StoredContext<Ranges>> {
    const { rows, check, watchesReady, opened } = this.#services
    check()
    const { id, history, ...rest } = readOptions('fork', "{ id: 'trip-by-plane' }, after the lens", given)
    checkName('id', id)
    const options = { ...rest, id, ...(history === undefined ? {} : { history: checkHistory(history) }) }
    await watchesReady()
    for (;;) {
      const now = await this.#currentRow()
      if (now === undefined) throw await this.#conflict(this.cycle, `No fork of ${this.id} was made`)
      const { home, forks, timeline } = this.#parts
      const leaving = Math.max(forks.given, now.forks)
      const parent = { ...this.#parts, edition: home.edition, forks: leaving }
      const start = forkStart(parent, lens ?? '@t0', options)
      const parts = joinParts(start)
      const book = new PageBook()
      // Texts of this context may have been erased since it was read.
      const fork = await readOrConflict(rows, this.#row, `No fork of ${this.id} was made`, async () => {
        await fillHistory(rows, { ...this.#row, head: timeline.newest ?? this.#row.first }, parts, book)
        return forkOf(parts, timeline, now, rows)
      })
      const made = await rows.create(fork)
      start.release?.()
      if (made === 'exists') throw taken(id)
      // Another fork left meanwhile and has taken this fork's number.
      if (made === 'conflict') continue
      forks.given = Math.max(forks.given, leaving + 1)
      return opened({
        row: made,
        parts,
        book,
        manifestAt: undefined,
        draft: undefined,
        saved: undefined,
        isPast: false,
      })
    }
  }

  /**
   * Loads older snapshots. A lens (`@c12`, `@t-300`) loads one, at the cost of its size. A range (`@c12..@t0`) or all
   * (`@*`) also loads what lies between, which diffs and causes need. They stay until `unloadHistory`.
   */
  async loadHistory(lens: string): Promise<void> {
    let parts: Parts | undefined
    // A rebase meanwhile replaces the timeline, which must be loaded too.
    while (parts !== this.#parts) {
      parts = this.#parts
      const { rows, book, check } = this.#services
      check()
      await loadHistory(rows, { ...this.#row, head: this.cycle - 1 }, parts, book, lens)
    }
  }

  /** Unloads history that was loaded by name. The option `history` says what stays. */
  unloadHistory(): void {
    unloadHistory(this.#parts)
  }

  /** Waits until started and ended attempts are written. `commit` and `close` wait for them too. */
  async flush(): Promise<void> {
    this.#services.check()
    await this.#attempts.finish()
  }

  /** Throws: texts of a stored context are in a database and in other processes. Use `Store.erase`. */
  forget(): never {
    throw keptElsewhere()
  }
}
