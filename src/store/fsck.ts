// Checks a store: every row of every hash chain with its bodies, every commit replayed into a valid tree, every fork
// against its parent, every attempt and answer. Derived data is compared with the rows and can be rebuilt; rows are
// never repaired.
//
// Others may use the store meanwhile. The row of a context names its newest commit and counts everything else, so it is
// read before and after each check. A problem counts only if the context is unchanged, or if several checks find it.

import { importSnapshot } from '../context/index.js'
import { checkOption, PactError, wholeFrom } from '../errors/index.js'
import { exportPieces, joinPieces, View, type Timeline } from '../timeline/index.js'
import { answered } from './answer.js'
import { attemptOf } from './attempt-rows.js'
import { auditOf, unfinishedIn, type ErasureWait } from './audit.js'
import { sameBytes } from './compare.js'
import { AbortableLoop } from './event-loop.js'
import { faultsInOurWords } from './fault.js'
import { linksOf, NOT_SHARED, recordOf, rowAt, lineageOf, replay, decodeRecord } from './lineage.js'
import { recordsOf } from './drafts.js'
import { loadContext, loadDraft } from './loading.js'
import { ManifestCheck, writeManifest } from './manifests.js'
import { checkTaskOptions, readOptions, progressReporter } from './options.js'
import type { ContextRow, LostContext, Rows } from './rows.js'
import { thinnedIn } from './thinned.js'

export type Problem = Readonly<{
  /** Id of the context; undefined for the database as a whole. */
  id: string | undefined
  cycle: number | undefined
  /** 'damage': stored data is damaged and must be restored from a backup. 'derived': can be
   * rebuilt. 'unfinished': an erasure or retention is under way, or its process has ended: call it again then. */
  kind: 'damage' | 'derived' | 'unfinished'
  message: string
}>

export type FsckReport = Readonly<{
  ok: boolean
  contexts: number
  /** Number of rows checked. */
  rows: number
  problems: readonly Problem[]
  /** True if derived data was rebuilt. */
  repaired: boolean
}>

export type FsckOptions = Readonly<{
  /** Rebuilds derived data that is wrong. */
  repair?: boolean | undefined
  /** Called now and then with the progress. */
  onProgress?: ((progress: FsckProgress) => void) | undefined
  /** Aborts the check. Repairs made so far stay. */
  signal?: AbortSignal | undefined
  /**
   * Milliseconds to wait for other processes to finish an erasure; 3,000 by default. An erasure takes a
   * `VACUUM` of the file at most.
   */
  patience?: number | undefined
}>

export type FsckProgress = Readonly<{ id: string; cycle: number; head: number }>

/** Rows between two progress reports. */
const REPORT_EVERY = 1000
/** Problems listed per context. */
const MOST_PROBLEMS = 20

/** Checks of a context that changes meanwhile and shows a problem each time. */
const MOST_CHECKS = 5

/** A context to check. */
type ContextRef = Pick<ContextRow | LostContext, 'ctx' | 'id'>

/** Checks some contexts, and the database itself. */
export async function fsck(
  database: Rows,
  contexts: AsyncIterable<ContextRef> | Iterable<ContextRef>,
  given: FsckOptions,
): Promise<FsckReport> {
  const rows = faultsInOurWords(database)
  const options = readOptions('fsck', '{ repair: true }', given, ['repair', 'onProgress', 'signal', 'patience'])
  checkTaskOptions(options)
  checkOption('patience', options.patience, { form: 'a number of milliseconds', allows: wholeFrom(0).allows })
  const found = (await databaseProblems(rows)).map((message): Problem => ({
    id: undefined,
    cycle: undefined,
    kind: 'damage',
    message,
  }))
  return fsckContexts(rows, contexts, options, found)
}

/** Checks some contexts, but not the database. */
export async function fsckContexts(
  rows: Rows,
  contexts: AsyncIterable<ContextRef> | Iterable<ContextRef>,
  options: FsckOptions,
  found: readonly Problem[] = [],
): Promise<FsckReport> {
  const problems = [...found]
  let count = 0
  let read = 0
  let repaired = false
  const loop = new AbortableLoop(options.signal)
  const wait: ErasureWait = { milliseconds: options.patience ?? PATIENCE, over: new Set() }
  for await (const listed of contexts) {
    await loop.step()
    count++
    const check = await checkContext(rows, listed, options, loop, wait)
    problems.push(...check.problems)
    read += check.rows
    const isDerived = check.problems.length > 0 && check.problems.every(({ kind }) => kind === 'derived')
    if (options.repair !== true || !isDerived || check.context === undefined) continue
    await rows.dropDerived(check.context.family)
    const { parts, book } = await loadContext(rows, check.context, 1, {})
    await writeManifest(rows, check.context, parts, book)
    repaired = true
  }
  const frozen = problems.map((problem) => Object.freeze(problem))
  return Object.freeze({
    ok: problems.length === 0,
    contexts: count,
    rows: read,
    problems: Object.freeze(frozen),
    repaired,
  })
}

/** Problems that the database reports twice: a distributed database may show an intermediate state. */
async function databaseProblems(rows: Rows): Promise<readonly string[]> {
  const first = await rows.check()
  if (first.length === 0) return []
  const second = new Set(await rows.check())
  return first.filter((message) => second.has(message))
}

type CheckResult = Readonly<{ context: ContextRow | undefined; rows: number; problems: readonly Problem[] }>

/** Checks a context, again if it changed meanwhile. A context deleted meanwhile has no problems. */
async function checkContext(
  rows: Rows,
  listed: ContextRef,
  options: FsckOptions,
  loop: AbortableLoop,
  wait: ErasureWait,
): Promise<CheckResult> {
  let before = await currentContext(rows, listed)
  let suspected: readonly Problem[] | undefined
  for (let checks = 1; ; checks++) {
    if (before === undefined) return { context: undefined, rows: 0, problems: [] }
    if (before === 'lost') return { context: undefined, rows: 0, problems: [lostProblem(listed.id)] }
    const check = new ContextCheck(rows, before, options, loop, wait)
    await check.run()
    const found = check.problems
    const seen = { context: before, rows: check.rows }
    if (found.length === 0) return { ...seen, problems: [] }
    const now = await currentContext(rows, listed)
    if (now !== undefined && now !== 'lost' && isUnchanged(before, now)) return { ...seen, problems: found }
    const again = suspected?.filter((each) => found.some((other) => isSameProblem(each, other))) ?? found
    if (now !== undefined && (again.length === 0 || checks === MOST_CHECKS)) return { ...seen, problems: again }
    suspected = again
    before = now
  }
}

async function currentContext(rows: Rows, { ctx }: ContextRef): Promise<ContextRow | 'lost' | undefined> {
  try {
    return await rows.byNumber(ctx)
  } catch (error) {
    if (PactError.is(error) && error.details['number'] !== undefined) return 'lost'
    throw error
  }
}

function isUnchanged(a: ContextRow, b: ContextRow): boolean {
  const names = ['head', 'epoch', 'forks', 'answers', 'attempts'] as const
  return sameBytes(a.chain, b.chain) && names.every((name) => a[name] === b[name]) && isSameDraft(a, b)
}

function isSameDraft({ draft: a }: ContextRow, { draft: b }: ContextRow): boolean {
  return a.version === b.version && a.parts === b.parts
}

function isSameProblem(a: Problem, b: Problem): boolean {
  return a.message === b.message && a.cycle === b.cycle
}

function lostProblem(id: string): Problem {
  const message = 'Its newest rows are lost. Restore it from a backup, or delete it.'
  return { id, cycle: undefined, kind: 'damage', message }
}

/** Default of the option `patience`, in milliseconds. */
const PATIENCE = 3000

class ContextCheck {
  readonly problems: Problem[] = []
  rows = 0
  readonly #rows: Rows
  readonly #context: ContextRow
  readonly #onProgress: (progress: FsckProgress) => void
  readonly #loop: AbortableLoop
  readonly #wait: ErasureWait
  /** Error thrown by the caller's `onProgress`. */
  #thrown: unknown

  constructor(rows: Rows, context: ContextRow, { onProgress }: FsckOptions, loop: AbortableLoop, wait: ErasureWait) {
    this.#rows = rows
    this.#context = context
    this.#onProgress = progressReporter(onProgress)
    this.#loop = loop
    this.#wait = wait
  }

  async run(): Promise<void> {
    await this.#guarded(() => this.#checkPlace())
    await this.#guarded(() => this.#checkHistory())
    await this.#guarded(() => this.#checkAttempts())
    await this.#guarded(() => this.#checkAnswers())
    await this.#guarded(() => this.#checkDraft())
    await this.#guarded(() => this.#checkAudit())
  }

  /** Checks the family, and that no row follows the newest one. */
  async #checkPlace(): Promise<void> {
    const { ctx, family, parent, head } = this.#context
    if (parent === undefined && family !== ctx) this.#note('It has no parent, but is in the family of another context.')
    const from = parent && (await this.#rows.byNumber(parent.ctx))
    if (parent !== undefined && from === undefined) this.#note('The context that this one is a fork of is gone.')
    if (from !== undefined && from.family !== family) this.#note(`It is of another family than its parent ${from.id}.`)
    const [, next, now] = await this.#between(() => rowAt(this.#rows, ctx, head + 1))
    if (next !== undefined && now.head === head) this.#note('There is a row after its newest one.', head + 1)
  }

  /** Reads append-only data, with the row of the context right before and after. */
  async #between<T>(read: () => Promise<T>): Promise<readonly [before: ContextRow, found: T, after: ContextRow]> {
    const { ctx } = this.#context
    const before = (await this.#rows.byNumber(ctx)) ?? this.#context
    const found = await read()
    return [before, found, (await this.#rows.byNumber(ctx)) ?? this.#context]
  }

  /** Replays the whole history. */
  async #checkHistory(): Promise<void> {
    const { parent, id, head } = this.#context
    const lineage = await lineageOf(this.#rows, this.#context)
    if (parent !== undefined && parent.cycle !== NOT_SHARED) {
      const from = lineage.at(-2)!.context
      const message = `It leaves its parent ${from.id} after cycle ${parent.cycle}, which its parent does not have.`
      if (from.head < parent.cycle) this.#note(message, parent.cycle)
    }
    const thinned = await thinnedIn(this.#rows, this.#context, lineage)
    for (const { to } of lineage) {
      if (thinned.has(to)) this.#note('A snapshot that it needs was thinned out.', to)
    }
    const manifests = new ManifestCheck(this.#rows, this.#context)
    await manifests.list()
    let timeline: Timeline | undefined
    let specVersion = ''
    for await (const link of linksOf(this.#rows, lineage)) {
      const { cycle } = link.row
      const record = decodeRecord(timeline, recordOf(link))
      timeline = replay(timeline, record)
      if ('specVersion' in record) specVersion = record.specVersion
      this.rows++
      await this.#loop.step()
      if (this.rows % REPORT_EVERY === 0) this.#report({ id, cycle, head })
      if (link.context !== this.#context || timeline.newest !== cycle) continue
      for (const message of await manifests.problemsAt(cycle, timeline)) this.#note(message, cycle, 'derived')
    }
    for (const cycle of manifests.left)
      this.#note('It has a manifest of a cycle that does not exist.', cycle, 'derived')
    checkRules(timeline!, specVersion)
  }

  async #checkAttempts(): Promise<void> {
    const { ctx } = this.#context
    const [before, found, after] = await this.#between(() => this.#rows.attempts(ctx, Number.MAX_SAFE_INTEGER))
    this.#noteCount('attempts', found.length, before.attempts, after.attempts)
    for (const row of found) {
      // One by one: a damaged attempt must not hide the next.
      await this.#guarded(async () => {
        const { attempt_id: name } = attemptOf(this.#context, row)
        if (name !== row.id) this.#note(`The attempt ${row.id} calls itself ${name}.`)
      })
    }
  }

  async #checkAnswers(): Promise<void> {
    const [before, found, after] = await this.#between(() => this.#rows.answers(this.#context.ctx))
    this.#noteCount('answers to keys', found.length, before.answers, after.answers)
    for (const answer of found) {
      await this.#guarded(async () => {
        answered(this.#context, answer)
        if (answer.cycle > after.head)
          this.#note(`The key ${answer.key} belongs to a cycle that is not there.`, answer.cycle)
      })
    }
  }

  /** Checks every part of the draft, and makes its edits again. */
  async #checkDraft(): Promise<void> {
    const [before, found, after] = await this.#between(() => this.#rows.draft(this.#context.ctx))
    // Another writer has saved or committed meanwhile.
    if (!isSameDraft(before, after) || before.head !== after.head) return
    const { version, parts } = before.draft
    const count = found?.parts.length ?? 0
    if (count !== parts) this.#note(`Its draft has ${count} parts, but ${parts} were saved.`, found?.cycle)
    if (found === undefined || count !== parts) return
    if (found.version !== version) this.#note('The newest part of its draft is not the one that was saved last.')
    if (found.cycle > before.head + 1) this.#note('Its draft is of a cycle that is not open yet.', found.cycle)
    if (recordsOf(before, found).some(({ cycle }) => cycle !== found.cycle))
      this.#note('A part of its draft is of another cycle.', found.cycle)
    await loadDraft(this.#rows, before, found)
  }

  /** Others may have added items between the two counts. */
  #noteCount(what: string, found: number, before: number | undefined, after: number | undefined): void {
    if (before !== undefined && found < before) this.#note(`It has lost ${before - found} of its ${what}.`)
    if (after !== undefined && found > after) this.#note(`It has ${found - after} ${what} that were never written.`)
  }

  async #checkAudit(): Promise<void> {
    const { family } = this.#context
    const [before, all, after] = await this.#between(() => auditOf(this.#rows, family))
    if (all.length < before.epoch || all.length > after.epoch)
      this.#note(`It was erased from or thinned out ${before.epoch} times, but ${all.length} times are listed.`)
    for (const message of await unfinishedIn(this.#rows, family, all, this.#wait, this.#loop))
      this.#note(message, undefined, 'unfinished')
  }

  #report(progress: FsckProgress): void {
    try {
      this.#onProgress(progress)
    } catch (error) {
      this.#thrown = error
      throw error
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#loop.throwIfAborted()
      // An error of the caller's `onProgress` is no damage.
      if (error === this.#thrown) throw error
      // Unreadable data is not damage.
      if (PactError.is(error) && error.code === 'E_STORE' && error.details['reason'] !== 'damaged') throw error
      const cycle = PactError.is(error) ? error.details['cycle'] : undefined
      this.#note(error instanceof Error ? error.message : String(error), typeof cycle === 'number' ? cycle : undefined)
    }
  }

  #note(message: string, cycle?: number, kind: Problem['kind'] = 'damage'): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ id: this.#context.id, cycle, kind, message })
  }
}

/** An import checks every rule for trees. */
function checkRules(timeline: Timeline, specVersion: string): void {
  const { newest } = timeline
  if (newest === undefined) return
  const view = View.ofSnapshot(timeline, newest)
  importSnapshot(joinPieces(exportPieces(view, { specVersion, extras: undefined })))
}
