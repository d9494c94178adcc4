// A context that outlives its process. It reads and takes edits as any other; a commit is worked out, written in one durable step,
// and only then to be seen. Whoever comes second to a cycle keeps its edits and is told.

import { randomBytes } from 'node:crypto'

import { PactError, showCallers } from '../errors/index.js'
import { encodeCommitRecord } from '../codec/index.js'
import type { CommitRecord, Lens, Receipt } from '../core/index.js'
import {
  ContextEdits,
  forkStart,
  joinParts,
  keptElsewhere,
  prepareCommit,
  unloadHistory,
  type ForkOptions,
  type Parts,
  type PendingCommit,
  type RangeResults,
  type Snapshot,
} from '../context/index.js'
import type { PageBook } from '../timeline/index.js'
import { answered, answerRow, isSameRequest } from './answer.js'
import { isUnknown, taken, unsure } from './fault.js'
import { forkOf } from './beginnings.js'
import { loadHistory, readSnapshot } from './loading.js'
import { checkName } from './names.js'
import { rowAt } from './past.js'
import { RowWriter, sameHash } from './row.js'
import type { Answer, ContextRow, NewCommit, Row, Rows } from './rows.js'
import type { Unfinished } from './unfinished.js'
import type { Upkeep } from './upkeep.js'
import { AttemptQueue } from './written-attempts.js'

export type CommitOptions = Readonly<{
  /**
   * Names the commit, so that it can be asked for again: with the same edits it is then answered from what was stored, with
   * other ones refused.
   */
  key?: string | undefined
}>

/** What a commit with a key was answered. */
export type CommitAnswer = Readonly<{
  cycle: number
  /** The ids that each edit touched. */
  ids: readonly (readonly string[])[]
  receipt: Receipt
}>

export type StoredForkOptions = Omit<ForkOptions, 'id'> &
  Readonly<{
    /** What the fork is called in the store. */
    id: string
  }>

/** What a context needs of its store. */
export type Seat = Readonly<{
  rows: Rows
  /** Which parts of trees have pages, and which of these are loaded. */
  book: PageBook
  upkeep: Upkeep
  unfinished: Unfinished
  /** Refuses where the store is closed. */
  check: () => void
  /** Gives a fork that is written its place in the store. */
  opened: (parts: Parts, row: ContextRow) => StoredContext<RangeResults>
}>

/** A commit of which nobody knows whether it was written. */
type Unsure = Readonly<{ pending: PendingCommit; commit: NewCommit }>

export class StoredContext<Ranges extends RangeResults = 'diff'> extends ContextEdits<Ranges> {
  readonly #parts: Parts
  readonly #seat: Seat
  readonly #row: ContextRow
  /** The hash of the newest row. */
  #chain: Uint8Array
  #unsure: Unsure | undefined
  readonly #attempts: AttemptQueue

  /** @internal Use `open`, `create` or `fork`. */
  constructor(parts: Parts, row: ContextRow, seat: Seat) {
    super(parts)
    this.#parts = parts
    this.#seat = seat
    this.#row = row
    this.#chain = row.chain
    this.#attempts = new AttemptQueue(seat.rows, row.ctx, randomBytes(6).toString('hex'), seat.unfinished)
    parts.attempts.listen((changed) => this.#attempts.add(changed))
    Object.freeze(this)
  }

  static {
    showCallers(this.prototype)
  }

  /**
   * Expires, prunes, seals the active head and writes it; resolves with the new snapshot when it is durable. Where another
   * writer was first, E_CONFLICT, and the edits stay. After an E_STORE whose outcome is unknown, call it again: it finds out.
   */
  async commit(options: CommitOptions = {}): Promise<Snapshot> {
    const { tracing, listeners } = this.#parts
    const { cycle } = this
    const { unfinished } = this.#seat
    const committing = tracing.commitLater(cycle, () => this.#commit(options))
    const work = { finish: () => committing.then(ignore, ignore) }
    unfinished.add(work)
    try {
      const snapshot = await committing
      if (snapshot.cycle >= cycle) listeners.tell(snapshot)
      return snapshot
    } finally {
      unfinished.done(work)
    }
  }

  async #commit({ key }: CommitOptions): Promise<Snapshot> {
    const { rows, check } = this.#seat
    check()
    if (key !== undefined) checkName('key', key)
    if (this.#unsure !== undefined) return this.#findOut(this.#unsure)
    const [operations, ids] = key === undefined ? [[], []] : [this.operations(), this.#parts.open.touched]
    const pending = prepareCommit(this.#parts)
    let given: Answer | undefined
    let before: Snapshot | undefined
    let commit: NewCommit
    try {
      if (!this.#attempts.isEmpty) await this.#attempts.finish()
      if (key !== undefined) given = await rows.answer(this.#row.ctx, key)
      if (given !== undefined && given.cycle < this.cycle) before = await this.#snapshotAt(given.cycle)
      const record = pending.record()
      const row = this.#rowOf(record)
      const answer = key === undefined ? undefined : answerRow(key, operations, row.cycle, ids, record.receipt)
      commit = { ctx: this.#row.ctx, after: this.#chain, epoch: this.#row.epoch, row, answer }
    } catch (error) {
      pending.discard()
      throw error
    }
    if (given === undefined) return this.#write(pending, commit)
    pending.discard()
    return this.#again(given, operations, before)
  }

  #rowOf(record: CommitRecord): Row {
    const { timeline } = this.#parts
    const { cycle } = record
    const writer = new RowWriter((id) => timeline.find(id, cycle - 1))
    return writer.row(cycle, this.#chain, encodeCommitRecord(record, writer.bodies))
  }

  /** A snapshot that was committed, also where it is not loaded; then it is not loaded by this either. */
  #snapshotAt(cycle: number): Promise<Snapshot> {
    const { rows, book } = this.#seat
    return readSnapshot(rows, { ...this.#row, head: this.cycle - 1 }, this.#parts, book, cycle)
  }

  async #write(pending: PendingCommit, commit: NewCommit): Promise<Snapshot> {
    let isWritten: boolean
    try {
      isWritten = (await this.#seat.rows.commit(commit)) === 'done'
    } catch (error) {
      if (isUnknown(error)) throw this.#nobodyKnows({ pending, commit }, error)
      pending.discard()
      throw error
    }
    if (isWritten || (await this.#isWritten({ pending, commit }))) return this.#publish(pending, commit.row)
    pending.discard()
    throw await this.#beaten(commit.row.cycle)
  }

  /** Whether a commit was written whose answer was lost; if it was not, it is written now. */
  async #findOut({ pending, commit }: Unsure): Promise<Snapshot> {
    // Whoever asks meanwhile finds a commit under way.
    this.#unsure = undefined
    const isWritten = await this.#isWritten({ pending, commit })
    return isWritten ? this.#publish(pending, commit.row) : this.#write(pending, commit)
  }

  #nobodyKnows(left: Unsure, error: unknown): PactError {
    this.#unsure = left
    return unsure(this.id, left.commit.row.cycle, error)
  }

  /** Two rows with one hash are one row: each body has a salt of its own. */
  async #isWritten(asked: Unsure): Promise<boolean> {
    const { ctx, row } = asked.commit
    try {
      const found = await rowAt(this.#seat.rows, ctx, row.cycle)
      return found !== undefined && sameHash(found.hash, row.hash)
    } catch (error) {
      throw this.#nobodyKnows(asked, error)
    }
  }

  #publish(pending: PendingCommit, { hash }: Row): Snapshot {
    this.#unsure = undefined
    this.#chain = hash
    const snapshot = pending.publish()
    this.#seat.upkeep.committed(this.#parts)
    return snapshot
  }

  async #beaten(cycle: number): Promise<PactError> {
    const now = await this.#seat.rows.byNumber(this.#row.ctx)
    const head = now?.head ?? null
    const reason = now === undefined ? 'deleted' : now.epoch === this.#row.epoch ? 'stale' : 'erased'
    const why = {
      deleted: 'It was deleted meanwhile',
      stale: `Another writer has committed up to cycle ${head}`,
      erased: 'Something in it was erased meanwhile',
    }[reason]
    const advice = 'The edits are still here: open the context again, and make them there.'
    const message = `Cycle ${cycle} of ${this.id} was not committed: ${why}. ${advice}`
    return new PactError('E_CONFLICT', message, { cycle, head, reason })
  }

  /** A commit with this key was made before: its edits are there already, and so these are not needed. */
  #again(answer: Answer, operations: readonly object[], before: Snapshot | undefined): Snapshot {
    const { key, cycle } = answer
    const head = this.cycle - 1
    if (!isSameRequest(answer, operations)) {
      const message = `The key "${key}" belongs to the commit of cycle ${cycle}, which had other edits; use another key.`
      throw new PactError('E_CONFLICT', message, { cycle, head, reason: 'key' })
    }
    if (before === undefined) {
      const message = `The commit of the key "${key}" made cycle ${cycle}, which this context has not seen; open it again.`
      throw new PactError('E_CONFLICT', message, { cycle, head: cycle, reason: 'stale' })
    }
    while (this.undo());
    return before
  }

  /** What the commit with this key was answered; undefined where there was none. */
  async answerTo(key: string): Promise<CommitAnswer | undefined> {
    const { rows, check } = this.#seat
    check()
    const found = await rows.answer(this.#row.ctx, checkName('key', key))
    if (found === undefined) return undefined
    return Object.freeze({ cycle: found.cycle, ...answered(found) })
  }

  /** An independent context that shares the past up to a snapshot, or takes the open edits along. */
  async fork(lens: Lens | undefined, { id, ...options }: StoredForkOptions): Promise<StoredContext<Ranges>> {
    const { rows, check, opened } = this.#seat
    check()
    checkName('id', id)
    const { home, forks, timeline } = this.#parts
    for (;;) {
      const now = await rows.byNumber(this.#row.ctx)
      if (now === undefined) throw await this.#beaten(this.cycle)
      const given = Math.max(forks.given, now.forks)
      const parent = { ...this.#parts, edition: home.edition, forks: given }
      const parts = joinParts(forkStart(parent, lens ?? '@t0', { ...options, id }))
      const made = await rows.create(await forkOf(parts, timeline, now, rows))
      if (made === 'exists') throw taken(id)
      // Where another fork has left meanwhile, it has the name that this one would have had.
      if (made === 'conflict') continue
      forks.given = Math.max(forks.given, given + 1)
      return opened(parts, made)
    }
  }

  /**
   * Loads older snapshots: one that a lens names (`@c12`, `@t-300`), at the price of its own size; with a range (`@c12..@t0`) or all of
   * them (`@*`) also what lies between, which diffs and causes need. They stay until `unloadHistory`.
   */
  async loadHistory(lens: string): Promise<void> {
    const { rows, book, check } = this.#seat
    check()
    await loadHistory(rows, { ...this.#row, head: this.cycle - 1 }, this.#parts, book, lens)
  }

  /** Lets go of what was loaded by name; the option `history` says what stays. */
  unloadHistory(): void {
    unloadHistory(this.#parts)
  }

  /** Waits until the attempts that were started or have ended are written; a commit and `close` wait for them as well. */
  async flush(): Promise<void> {
    this.#seat.check()
    await this.#attempts.finish()
  }

  /** A stored context cannot forget by itself: what it says is in a database, and in the hands of other processes. */
  forget(): never {
    throw keptElsewhere()
  }
}

/** Whoever commits is told how it ended; whoever closes only waits for that. */
function ignore(): void {}
