// A context that outlives its process. It reads and takes edits as any other; a commit is worked out, written in one durable step,
// and only then to be seen. Whoever comes second to a cycle keeps its edits and is told.

import { randomBytes } from 'node:crypto'

import { PactError, showCallers } from '../errors/index.js'
import { withCommitRecord } from '../codec/index.js'
import type { CommitRecord, Lens, Receipt } from '../core/index.js'
import {
  ContextEdits,
  forkStart,
  joinParts,
  keptElsewhere,
  prepareCommit,
  replayOpenEdits,
  takeOver,
  thinnedOut,
  unloadHistory,
  type AnyOptions,
  type ForkOptions,
  type Parts,
  type PendingCommit,
  type RangeResults,
  type Replayed,
  type Snapshot,
} from '../context/index.js'
import type { PageBook } from '../timeline/index.js'
import { answered, answerRow, isErased, isSameRequest } from './answer.js'
import { changedSince } from './audit.js'
import type { Breath } from './breath.js'
import { isUnknown, otherKey, taken, unsure, unsureYet } from './fault.js'
import { forkOf } from './beginnings.js'
import { historyOf, optionsOf } from './given.js'
import { loadHistory, readSnapshot } from './loading.js'
import { checkName } from './names.js'
import { rowAt } from './past.js'
import { cannotRebase, unchanged, type RebaseReport } from './rebase.js'
import { RowWriter } from './row.js'
import { sameBytes } from './same-bytes.js'
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
  /**
   * What was asked for with that key, where that is not the list of edits itself: edits that came as data, as they came. Only a hash of
   * it is kept.
   */
  asked?: readonly object[] | undefined
}>

/** What a commit with a key was answered. */
export type CommitAnswer = Readonly<{
  cycle: number
  /** The ids that each edit touched. */
  ids: readonly (readonly string[])[]
  receipt: Receipt
}>

export type StoredForkOptions = Omit<ForkOptions, 'id' | 'history'> &
  Readonly<{
    /** What the fork is called in the store. */
    id: string
    /** How many snapshots are kept in memory, or 'all' that are there; as many as this context keeps, unless it is said. */
    history?: number | 'all' | undefined
  }>

/** What a context needs of its store. */
export type Seat = Readonly<{
  rows: Rows
  /** Which parts of trees have pages, and which of these are loaded. */
  book: PageBook
  upkeep: Upkeep
  unfinished: Unfinished
  breath: Breath
  /** Refuses where the store is closed. */
  check: () => void
  /** Waits for the first look of watches; undefined where there is nothing to wait for. */
  looked: () => Promise<void> | undefined
  /** Gives a fork that is written its place in the store. */
  opened: (parts: Parts, row: ContextRow) => StoredContext<RangeResults>
  /** Loads a context as it is by now, with the options of the one that is there, and gives it its place. */
  again: (row: ContextRow, options: AnyOptions) => Promise<Readonly<{ parts: Parts; seat: Seat }>>
}>

const NO_OPTIONS: CommitOptions = Object.freeze({})

/** A commit of which nobody knows whether it was written. */
type Unsure = Readonly<{ pending: PendingCommit; commit: NewCommit }>

export class StoredContext<Ranges extends RangeResults = 'diff'> extends ContextEdits<Ranges> {
  #parts: Parts
  #seat: Seat
  #row: ContextRow
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
    this.#listen(parts, row.epoch)
    Object.freeze(this)
  }

  static {
    showCallers(this.prototype)
  }

  /** Another text whenever what is stored was committed to or erased from, as far as this context has seen it; see `Store.find`. */
  get version(): string {
    return versionOf({ epoch: this.#row.epoch, chain: this.#chain })
  }

  /** Another one whenever something was erased. */
  get epoch(): number {
    return this.#row.epoch
  }

  /**
   * Expires, prunes, seals the active head and writes it; resolves with the new snapshot when it is durable. Where another
   * writer was first, E_CONFLICT, and the edits stay. After an E_STORE whose outcome is unknown, call it again: it finds out.
   */
  async commit(options: CommitOptions = NO_OPTIONS): Promise<Snapshot> {
    const { tracing, listeners } = this.#parts
    const { cycle } = this
    const { unfinished, breath } = this.#seat
    const committing = tracing.commitLater(cycle, () => this.#commit(options))
    const work = { finish: () => committing.then(ignore, ignore) }
    unfinished.add(work)
    try {
      const snapshot = await committing
      if (snapshot.cycle >= cycle) listeners.tell(snapshot)
      return snapshot
    } finally {
      unfinished.done(work)
      const turn = breath.taken()
      if (turn !== undefined) await turn
    }
  }

  async #commit(options: CommitOptions): Promise<Snapshot> {
    const { rows, check, looked } = this.#seat
    check()
    const { key, asked } =
      options === NO_OPTIONS ? options : optionsOf('commit', "{ key: 'request-7f3a' }", options, ['key', 'asked'])
    if (key !== undefined) checkName('key', key)
    if (this.#unsure !== undefined) return this.#findOut(this.#unsure, key)
    const [operations, ids] = key === undefined ? [[], []] : [asked ?? this.operations(), this.#parts.open.touched]
    const pending = prepareCommit(this.#parts)
    let given: Answer | undefined
    let before: Snapshot | undefined
    let commit: NewCommit
    try {
      if (!this.#attempts.isEmpty) await this.#attempts.finish()
      const looking = looked()
      if (looking !== undefined) await looking
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
    // Awaited here: a promise that is handed on takes three turns more.
    if (given === undefined) return await this.#write(pending, commit)
    pending.discard()
    return this.#again(given, operations, before)
  }

  #rowOf(record: CommitRecord): Row {
    const { timeline } = this.#parts
    const { cycle } = record
    const writer = new RowWriter((id) => timeline.find(id, cycle - 1))
    return withCommitRecord(record, writer.bodies, (changes) => writer.row(cycle, this.#chain, changes))
  }

  /** A snapshot that was committed, also where it is not loaded; then it is not loaded by this either. */
  async #snapshotAt(cycle: number): Promise<Snapshot> {
    const { rows, book } = this.#seat
    const { bounds } = this.#parts.timeline
    if (bounds?.thinned.has(cycle) === true) throw thinnedOut(bounds, `@c${cycle}`, cycle)
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

  /** Whether a commit was written whose answer was lost; if it was not, it is written now. A key of another commit is refused. */
  async #findOut({ pending, commit }: Unsure, key: string | undefined): Promise<Snapshot> {
    if (key !== undefined && key !== commit.answer?.key) throw otherKey(this.id, commit, key)
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
      return found !== undefined && sameBytes(found.hash, row.hash)
    } catch (error) {
      throw this.#nobodyKnows(asked, error)
    }
  }

  #publish(pending: PendingCommit, row: Row): Snapshot {
    this.#unsure = undefined
    this.#chain = row.hash
    const snapshot = pending.publish()
    this.#seat.upkeep.committed(this.#parts, row)
    return snapshot
  }

  async #beaten(cycle: number): Promise<PactError> {
    const now = await this.#seat.rows.byNumber(this.#row.ctx)
    const head = now?.head ?? null
    const isStale = now?.epoch === this.#row.epoch
    const reason = now === undefined ? 'deleted' : isStale ? 'stale' : await changedSince(this.#seat.rows, this.#row)
    const why = {
      deleted: 'It was deleted meanwhile',
      stale: `Another writer has committed up to cycle ${head}`,
      erased: 'Something in it was erased meanwhile',
      thinned: 'Its past, or one that it shares, was thinned out meanwhile',
    }[reason]
    const advice =
      reason === 'deleted'
        ? 'The edits are still here.'
        : 'The edits are still here: call rebase() to make them again behind what is there now, and commit then.'
    const message = `Cycle ${cycle} of ${this.id} was not committed: ${why}. ${advice}`
    return new PactError('E_CONFLICT', message, { cycle, head, reason })
  }

  /**
   * Makes the open edits again behind the newest commit, whoever made it: all of them, or none. This context then goes on from there, and the
   * nodes of its open cycle have other ids, which the report tells; their old ids may be those of somebody else's nodes by now. Where an edit cannot be made there, E_CONFLICT with
   * `details.operation`, and everything is as it was. Holds are released, and history that was loaded by name is not loaded any more.
   */
  async rebase(): Promise<RebaseReport> {
    const { rows, check, unfinished } = this.#seat
    check()
    if (this.#unsure !== undefined) throw unsureYet(this.id, this.#unsure.commit.row.cycle)
    const release = this.#parts.open.pause()
    const rebasing = this.#rebase(rows).finally(release)
    const work = { finish: () => rebasing.then(ignore, ignore) }
    unfinished.add(work)
    try {
      return await rebasing
    } finally {
      unfinished.done(work)
    }
  }

  async #rebase(rows: Rows): Promise<RebaseReport> {
    const { cycle: before } = this
    if (!this.#attempts.isEmpty) await this.#attempts.finish()
    const now = await rows.byNumber(this.#row.ctx)
    if (now === undefined) throw await this.#beaten(before)
    if (now.epoch === this.#row.epoch && sameBytes(now.chain, this.#chain)) return unchanged(before)
    const old = this.#parts
    const { parts, seat } = await this.#seat.again(now, old.options)
    let replayed: Replayed
    try {
      replayed = replayOpenEdits(old, parts)
    } catch (error) {
      throw cannotRebase(this.id, before, now.head, error)
    }
    // From here on nothing can fail.
    takeOver(old, parts)
    this.#listen(parts, now.epoch)
    ContextEdits.goOn(this, parts)
    this.#parts = parts
    this.#seat = seat
    this.#row = now
    this.#chain = now.chain
    return Object.freeze({ cycle: this.cycle, before, ...replayed })
  }

  /** Attempts that were started before a rebase may end after it: they are written, and told to whoever goes on. */
  #listen(parts: Parts, epoch: number): void {
    parts.attempts.listen((changed) => {
      this.#attempts.add(changed, epoch)
      if (parts !== this.#parts) for (const record of changed) this.#parts.attempts.hear(record, this.#attempts.writer)
    })
  }

  /** A commit with this key was made before: its edits are there already, and so these are not needed. */
  #again(answer: Answer, operations: readonly object[], before: Snapshot | undefined): Snapshot {
    const { key, cycle } = answer
    this.#checkSame(answer, operations)
    if (before === undefined) {
      const message = `The commit of the key "${key}" made cycle ${cycle}, which this context has not seen; open it again.`
      throw new PactError('E_CONFLICT', message, { cycle, head: cycle, reason: 'stale' })
    }
    while (this.undo());
    return before
  }

  /** Refuses a key whose commit had other edits. */
  #checkSame(answer: Answer, operations: readonly object[]): void {
    const { key, cycle } = answer
    const head = this.cycle - 1
    if (isErased(answer)) {
      const message = `The key "${key}" belongs to the commit of cycle ${cycle}, something of which was erased: nobody can tell whether it had these edits. Undo them, or use another key.`
      throw new PactError('E_CONFLICT', message, { cycle, head, reason: 'erased' })
    }
    if (isSameRequest(answer, operations)) return
    const message = `The key "${key}" belongs to the commit of cycle ${cycle}, which had other edits; use another key.`
    throw new PactError('E_CONFLICT', message, { cycle, head, reason: 'key' })
  }

  /**
   * What the commit with this key was answered; undefined where there was none. With what is asked for now, E_CONFLICT where that commit was
   * asked for something else.
   */
  async answerTo(key: string, asked?: readonly object[]): Promise<CommitAnswer | undefined> {
    const { rows, check } = this.#seat
    check()
    const found = await rows.answer(this.#row.ctx, checkName('key', key))
    if (found === undefined) return undefined
    if (asked !== undefined) this.#checkSame(found, asked)
    return Object.freeze({ cycle: found.cycle, ...answered(found) })
  }

  /** An independent context that shares the past up to a snapshot, or takes the open edits along. */
  async fork(lens: Lens | undefined, given: StoredForkOptions): Promise<StoredContext<Ranges>> {
    const { rows, check, looked, opened } = this.#seat
    check()
    const { id, history, ...rest } = optionsOf('fork', "{ id: 'trip-by-plane' }, behind the lens", given)
    checkName('id', id)
    const options = { ...rest, id, ...(history === undefined ? {} : { history: historyOf(history) }) }
    await looked()
    for (;;) {
      const now = await rows.byNumber(this.#row.ctx)
      if (now === undefined) throw await this.#beaten(this.cycle)
      const { home, forks, timeline } = this.#parts
      const leaving = Math.max(forks.given, now.forks)
      const parent = { ...this.#parts, edition: home.edition, forks: leaving }
      const start = forkStart(parent, lens ?? '@t0', options)
      const parts = joinParts(start)
      // What this context holds may have been erased since it was read.
      if (now.epoch !== this.#row.epoch) throw await this.#beaten(this.cycle)
      const made = await rows.create(await forkOf(parts, timeline, now, rows))
      start.release?.()
      if (made === 'exists') throw taken(id)
      // Where another fork has left meanwhile, it has the name that this one would have had.
      if (made === 'conflict') continue
      forks.given = Math.max(forks.given, leaving + 1)
      return opened(parts, made)
    }
  }

  /**
   * Loads older snapshots: one that a lens names (`@c12`, `@t-300`), at the price of its own size; with a range (`@c12..@t0`) or all of
   * them (`@*`) also what lies between, which diffs and causes need. They stay until `unloadHistory`.
   */
  async loadHistory(lens: string): Promise<void> {
    let parts: Parts | undefined
    // A rebase meanwhile has made another past of it, which has to be loaded as well.
    while (parts !== this.#parts) {
      parts = this.#parts
      const { rows, book, check } = this.#seat
      check()
      await loadHistory(rows, { ...this.#row, head: this.cycle - 1 }, parts, book, lens)
    }
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

/** The newest row and what was erased since name all that a context says. */
export function versionOf({ epoch, chain }: Pick<ContextRow, 'epoch' | 'chain'>): string {
  return `${epoch}-${Buffer.from(chain).toString('hex').slice(0, 16)}`
}
