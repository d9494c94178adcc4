// Moves a family (a context and all contexts that share its history) to another database while others commit to it.
//
// 1. Copy everything, then the commits that arrived meanwhile. The audit list of the copy ends with an unfinished move
//    entry, so the copy cannot be opened (see moved.ts). Check the copy.
//
// 2. Add the same entry to the source in one step, which increases its epoch. From then on commits to the source fail.
//
// 3. Copy the missing commits and attempts, and compare all hash chains.
//
// 4. Mark the entry as finished in the target, in one step. From then on the family lives there.
//
// The process may end between any two steps. The next call reads both audit lists and continues.

import { checkForget } from '../context/persistence.js'
import { compareText } from '../core/index.js'
import type { DeleteOptions } from '../edit/index.js'
import { checkOption, FLAG, invalid } from '../errors/index.js'
import { auditEntry, authorship, auditOf, auditRow, entryOf, type AuditEntry } from './audit.js'
import { sameBytes } from './compare.js'
import { busyContext } from './consistent-read.js'
import { FamilyCopy, isRestart, type MoveProgress } from './family-copy.js'
import { missing, taken } from './fault.js'
import { checkNotMoved, movedError, unfinishedMove } from './moved.js'
import { checkTaskOptions, readOptions, progressReporter } from './options.js'
import { finishErasures } from './rewrite.js'
import type { AuditRow, ContextRow, Rows } from './rows.js'
import { permanentName } from './seal.js'

export type MoveOptions = DeleteOptions &
  Readonly<{
    /** Deletes the family in the source after the move. Otherwise it stays there and cannot be opened. */
    deleteSource?: boolean | undefined
    /** Called now and then with the progress. */
    onProgress?: ((progress: MoveProgress) => void) | undefined
    /** Aborts the call until the source is closed; after that it runs to its end. */
    signal?: AbortSignal | undefined
  }>

/** Result of `move`. */
export type MoveReceipt = Readonly<{
  /** All contexts of the family, sorted. */
  contexts: readonly string[]
  /** Total number of their commits. */
  commits: number
  from: string
  to: string
  /** Milliseconds during which commits were refused. */
  waited: number
  /** True if the family was deleted in the source. */
  deleted: boolean
  /** Hash of the audit entry. */
  audit: string
}>

const OPTIONS = ['deleteSource', 'onProgress', 'signal', 'author', 'reason'] as const

/** Attempts while others erase or thin out. */
const TRIES = 10
/** The source is closed once this few commits are missing. */
const FEW = 8

export async function move(
  source: Rows,
  target: Rows,
  id: string,
  given: MoveOptions,
  at: string,
): Promise<MoveReceipt> {
  const options = readOptions('move', '{ deleteSource: true }', given, OPTIONS)
  checkTaskOptions(options)
  // Work with a signal yields to the event loop.
  const { deleteSource = false, signal = new AbortController().signal } = options
  checkOption('deleteSource', deleteSource, FLAG)
  if (source === target) throw invalid('target', 'A context is moved to another store; this is the one that it is in.')
  const by = checkForget(authorship(options))
  const report = progressReporter(options.onProgress)
  for (let tries = 0; tries < TRIES; tries++) {
    const asked = await source.find(id)
    if (asked === undefined) return movedBefore(source, target, id)
    const about = { at, context: id, ...by }
    const move = new FamilyMove({ source, target, asked, about, report, signal })
    try {
      return await move.run(deleteSource)
    } catch (error) {
      if (!isRestart(error) && (await move.isUnchanged().catch(() => true))) throw error
    }
  }
  throw busyContext(id)
}

type About = Pick<AuditEntry, 'at' | 'context' | 'author' | 'reason'>

type MoveJob = Readonly<{
  source: Rows
  target: Rows
  asked: ContextRow
  about: About
  report: (progress: MoveProgress) => void
  signal: AbortSignal
}>

class FamilyMove {
  readonly #job: MoveJob
  #before: string | undefined

  constructor(job: MoveJob) {
    this.#job = job
  }

  async run(deleteSource: boolean): Promise<MoveReceipt> {
    this.#before = await this.#state()
    const { family } = this.#job.asked
    if (unfinishedMove(await auditOf(this.#job.source, family)) === undefined)
      await finishErasures(this.#job.source, this.#job.asked)
    const audits = await auditOf(this.#job.source, family)
    const fence = unfinishedMove(audits)
    const contexts = await this.#job.source.family(family)
    const root = contexts.find(({ parent }) => parent === undefined)!
    const found = await this.#existingCopy(root, audits, fence)
    const move = fence ?? (typeof found === 'object' ? found : this.#newMove(audits, contexts))
    const waited = found === 'arrived' ? 0 : await this.#copy(root, audits, move, fence !== undefined)
    if (deleteSource) await this.#job.source.delete(root.ctx, true)
    return receiptOf(this.#job.target, root.id, move, waited, deleteSource)
  }

  /** True if only commits have happened to the family since the start. A closed family does not change. */
  async isUnchanged(): Promise<boolean> {
    if (unfinishedMove(await auditOf(this.#job.source, this.#job.asked.family)) !== undefined) return true
    return this.#before === undefined || this.#before === (await this.#state())
  }

  async #state(): Promise<string> {
    const contexts = await this.#job.source.family(this.#job.asked.family)
    return JSON.stringify(contexts.map(({ ctx, epoch }) => `${ctx} ${epoch}`).sort(compareText))
  }

  #newMove(audits: readonly AuditRow[], contexts: readonly ContextRow[]): AuditRow {
    const isThinned = audits.some((each) => entryOf(each).retained !== undefined)
    const numbers = isThinned ? contexts.map((each) => [permanentName(each), String(each.ctx)] as const) : []
    const moved = { from: this.#job.source.name, to: this.#job.target.name, numbers }
    const entry = auditEntry({ ...this.#job.about, moved })
    return { ...auditRow(entry, audits), isFinished: false }
  }

  /**
   * The copy that an earlier call left in the target: 'arrived' if it is complete, an unfinished move to continue, or nothing.
   * Deletes a useless copy: one from before an erasure, or the rest of an earlier move in the other direction.
   */
  async #existingCopy(
    root: ContextRow,
    audits: readonly AuditRow[],
    fence: AuditRow | undefined,
  ): Promise<'arrived' | AuditRow | undefined> {
    const there = await this.#job.target.find(root.id)
    const listed = there === undefined ? [] : await auditOf(this.#job.target, there.family)
    const isCopy = there !== undefined && permanentName(there) === permanentName(root)
    const move = unfinishedMove(listed)
    if (fence !== undefined) {
      const isFenced = isCopy && listed.some(({ hash }) => sameBytes(hash, fence.hash))
      if (isFenced) return move === undefined ? 'arrived' : fence
      const { moved } = entryOf(fence)
      if (moved!.to !== this.#job.target.name) throw movedError(root.id, moved!)
    }
    if (there === undefined) return undefined
    if (move === undefined) throw taken(root.id)
    const isGoing = isCopy && fence === undefined && isNext(move, audits, listed)
    if (isGoing) return move
    if (!isCopy && !audits.some(({ hash }) => sameBytes(hash, move.hash))) throw taken(root.id)
    await this.#job.target.delete(there.ctx, true)
    // It may hold content that was erased since.
    await this.#job.target.scrub(there.family)
    return undefined
  }

  /** Copies the family. Returns for how many milliseconds commits were refused. */
  async #copy(root: ContextRow, audits: readonly AuditRow[], move: AuditRow, isFenced: boolean): Promise<number> {
    const list = [...audits.filter(({ n }) => n < move.n), move]
    const copy = new FamilyCopy({ ...this.#job, root, audits: list })
    await copy.follow()
    await copy.check()
    // Stop if it does not converge: others may commit faster than this copies.
    for (let before = Infinity, isMore = !isFenced; isMore;) {
      const missing = await copy.follow()
      isMore = missing > FEW && missing <= before / 2
      before = missing
    }
    // Last chance to abort before the source changes.
    this.#job.signal.throwIfAborted()
    const begun = performance.now()
    if (!isFenced) await copy.fence()
    await copy.finish()
    return performance.now() - begun
  }
}

/** True if the unfinished move in the target is the next entry of the source's list, so nothing was erased since. */
function isNext(move: AuditRow, audits: readonly AuditRow[], listed: readonly AuditRow[]): boolean {
  return move.n === audits.length + 1 && audits.every(({ hash }, i) => sameBytes(hash, listed[i]!.hash))
}

/** The receipt for a context that an earlier call has moved and deleted; E_STORE if there is no such context. */
async function movedBefore(source: Rows, target: Rows, id: string): Promise<MoveReceipt> {
  const there = await target.find(id)
  if (there === undefined) throw missing(id)
  await checkNotMoved(target, there)
  const audits = await auditOf(target, there.family)
  const move = audits.findLast((each) => entryOf(each).moved?.from === source.name)
  if (move === undefined) throw missing(id)
  return receiptOf(target, id, move, 0, true)
}

async function receiptOf(
  target: Rows,
  id: string,
  move: AuditRow,
  waited: number,
  deleted: boolean,
): Promise<MoveReceipt> {
  const { from, to } = entryOf(move).moved!
  const found = await target.find(id)
  const family = found === undefined ? [] : await target.family(found.family)
  return Object.freeze({
    contexts: Object.freeze(family.map((each) => each.id).sort(compareText)),
    commits: family.reduce((sum, { first, head }) => sum + head - first, 0),
    from,
    to,
    waited,
    deleted,
    audit: Buffer.from(move.hash).toString('hex'),
  })
}
