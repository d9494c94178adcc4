// A copy of a family in another database, updated until nothing is missing. Rows, packs, answers and attempts are
// copied unchanged: they are bound to the first row of their context, which is the same in the copy.

import { auditOf } from './audit.js'
import { sameBytes } from './compare.js'
import { AbortableLoop } from './event-loop.js'
import { storeFault, taken } from './fault.js'
import { fsckContexts } from './fsck.js'
import { rowsBetween } from './lineage.js'
import { copyManifest } from './manifests.js'
import { unfinishedMove } from './moved.js'
import { rowsOf } from './pack.js'
import { checkedBodies } from './row.js'
import type { Answer, Arrived, AttemptRow, AuditRow, ContextRow, NewContext, Pack, Row, Rows } from './rows.js'
import { permanentName, resealed } from './seal.js'

export type MoveProgress = Readonly<{
  id: string
  step: 'copying' | 'checking' | 'following'
  cycle: number
  head: number
}>

/** Thrown to start over if the family was erased from, thinned out, forked or moved meanwhile. */
const RESTART = new Error('The family changed while it was being moved.')

/** Rows read per query. */
const STEP = 2048
/** Attempts to close the source while forks are created. */
const TRIES = 100
const ALL = Number.MAX_SAFE_INTEGER

export function isRestart(error: unknown): boolean {
  return error === RESTART
}

export type CopyJob = Readonly<{
  source: Rows
  target: Rows
  /** Root of the family in the source. */
  root: ContextRow
  /** Audit list of the family; the last entry is the move. */
  audits: readonly AuditRow[]
  report: (progress: MoveProgress) => void
  signal: AbortSignal
}>

export class FamilyCopy {
  readonly #job: CopyJob
  #loop: AbortableLoop

  constructor(job: CopyJob) {
    this.#job = job
    this.#loop = new AbortableLoop(job.signal)
  }

  get #move(): AuditRow {
    return this.#job.audits.at(-1)!
  }

  /** Updates the copy. Returns how many commits were missing. */
  async follow(): Promise<number> {
    const originals = parentsFirst(await this.#job.source.family(this.#job.root.family))
    const { n } = this.#move
    if (originals.length === 0 || originals.some(({ epoch }) => epoch !== n - 1 && epoch !== n)) throw RESTART
    const names = new Set(originals.map(copyName))
    const copies = new Map<string, ContextRow>()
    for (const copy of await this.#copies()) {
      // This fork was deleted in the source.
      if (names.has(copyName(copy))) copies.set(copyName(copy), copy)
      else await this.#job.target.delete(copy.ctx, true)
    }
    let missing = 0
    for (const context of originals) {
      const copy = copies.get(copyName(context))
      if (copy !== undefined) missing += await this.#catchUp(context, copy)
      else for (const each of await this.#copyContext(context, copies, originals)) copies.set(copyName(each), each)
    }
    return missing
  }

  async #copies(): Promise<readonly ContextRow[]> {
    const root = await this.#job.target.find(this.#job.root.id)
    return root === undefined ? [] : this.#job.target.family(root.family)
  }

  /** Copies a new context. Returns the copy and its parent, which now has one fork more. */
  async #copyContext(
    context: ContextRow,
    copies: ReadonlyMap<string, ContextRow>,
    originals: readonly ContextRow[],
  ): Promise<readonly ContextRow[]> {
    const { ctx, id, head } = context
    const { packs, rows } = await this.#packsAndRows(context)
    const answers = (await this.#job.source.answers(ctx)).filter(({ cycle }) => cycle <= head)
    const attempts = await this.#job.source.attempts(ctx, ALL)
    const parent = parentOf(context, copies, originals)
    const seal = resealed(context, { forks: 0, epoch: this.#move.n })
    const made = await this.#job.target.create({
      id,
      packs,
      rows,
      answers,
      attempts,
      seal,
      ...(parent === undefined ? { epoch: this.#move.n, audit: this.#job.audits } : { parent }),
    })
    if (made === 'exists') throw taken(id)
    if (made === 'conflict') throw RESTART
    await copyManifest(this.#job.source, context, this.#job.target, made)
    const above = parent && (await this.#job.target.byNumber(parent.ctx))
    return above === undefined ? [made] : [made, above]
  }

  /** All packs and rows of a context. Rows that were packed while reading are taken from the pack. */
  async #packsAndRows({
    ctx,
    id,
    first,
    head,
  }: ContextRow): Promise<Readonly<{ packs: readonly Pack[]; rows: readonly Row[] }>> {
    const packs = new Map<number, Pack>()
    const alone: Row[] = []
    for (let next = first; next <= head; next += STEP) {
      const last = Math.min(head, next + STEP - 1)
      const read = await this.#job.source.read(ctx, next, last)
      for (const pack of read.packs) packs.set(pack.from, pack)
      alone.push(...read.rows)
      this.#job.report({ id, step: 'copying', cycle: last, head })
      await this.#loop.yield()
    }
    // A pack may also hold later commits.
    const [older, newest] = [[] as Pack[], [] as Pack[]]
    for (const pack of packs.values()) (pack.to < head ? older : newest).push(pack)
    const packed = Math.max(-1, ...older.map(({ to }) => to))
    const rows = [...newest.flatMap(rowsOf), ...alone].filter(({ cycle }) => cycle > packed && cycle <= head)
    return {
      packs: older.sort((a, b) => a.from - b.from),
      rows: [...new Map(rows.map((row) => [row.cycle, row])).values()].sort((a, b) => a.cycle - b.cycle),
    }
  }

  /** Copies new commits with their answers, and changed attempts. */
  async #catchUp(context: ContextRow, copy: ContextRow): Promise<number> {
    const { ctx, id, head } = context
    const answers = copy.head < head ? await this.#answers(context, copy) : new Map<number, Answer>()
    let after = copy.chain
    for await (const row of rowsBetween(this.#job.source, ctx, copy.head + 1, head)) {
      checkedBodies(row, after)
      const commit = { ctx: copy.ctx, after, epoch: copy.epoch, row, answer: answers.get(row.cycle) }
      // Another process may be moving the family too.
      if ((await this.#job.target.commit(commit)) === 'conflict') throw RESTART
      after = row.hash
      this.#job.report({ id, step: 'following', cycle: row.cycle, head })
      await this.#loop.step()
    }
    await this.#catchUpAttempts(context, copy)
    return Math.max(0, head - copy.head)
  }

  async #answers(context: ContextRow, copy: ContextRow): Promise<ReadonlyMap<number, Answer>> {
    if (context.answers !== undefined && context.answers === copy.answers) return new Map()
    return new Map((await this.#job.source.answers(context.ctx)).map((answer) => [answer.cycle, answer]))
  }

  async #catchUpAttempts({ ctx }: ContextRow, copy: ContextRow): Promise<void> {
    const known = new Map((await this.#job.target.attempts(copy.ctx, ALL)).map((each) => [nameOf(each), each.body]))
    const changed = (await this.#job.source.attempts(ctx, ALL)).filter((each) => {
      const body = known.get(nameOf(each))
      return body === undefined || !sameBytes(body, each.body)
    })
    if (changed.length > 0) await this.#job.target.writeAttempts(copy.ctx, changed)
  }

  /** Checks every row, answer and attempt of the copy. */
  async check(): Promise<void> {
    const onProgress = (progress: Omit<MoveProgress, 'step'>): void =>
      this.#job.report({ ...progress, step: 'checking' })
    const copies = await this.#copies()
    const { problems } = await fsckContexts(this.#job.target, copies, { onProgress, signal: this.#job.signal })
    const damage = problems.find(({ kind }) => kind === 'damage')
    if (damage !== undefined) {
      const message = `The copy of ${damage.id} is damaged, and it was not moved: ${damage.message}`
      throw storeFault(message, 'failed', { reason: 'damaged', id: damage.id ?? this.#job.root.id })
    }
    // Derived data is rebuilt later.
    if (problems.length > 0) await this.#job.target.dropDerived(copies[0]!.family)
  }

  /** Closes the source: commits there fail from now on. */
  async fence(): Promise<void> {
    const { family } = this.#job.root
    const { n, hash, body } = this.#move
    for (let tries = 0; tries < TRIES; tries++) {
      const contexts = await this.#job.source.family(family)
      if (contexts.length === 0 || contexts.some(({ epoch }) => epoch !== n - 1)) break
      const heads = contexts.map((each) => ({ ctx: each.ctx, forks: each.forks, seal: resealed(each, { epoch: n }) }))
      const nothing = { rows: [], packs: [], answers: [], attempts: [], drafts: [] }
      const audit = { n, hash, body }
      if ((await this.#job.source.erase({ family, epoch: n - 1, heads, ...nothing, audit })) === 'done') return
    }
    // Another process may have closed it for the same move.
    const fence = unfinishedMove(await auditOf(this.#job.source, family))
    if (fence === undefined || !sameBytes(fence.hash, hash)) throw RESTART
  }

  /**
   * Copies what is missing, compares both sides, and opens the target. The source is closed, so this cannot be aborted.
   */
  async finish(): Promise<void> {
    this.#loop = new AbortableLoop(undefined)
    await this.follow()
    const originals = new Map(
      (await this.#job.source.family(this.#job.root.family)).map((each) => [copyName(each), each]),
    )
    const copies = await this.#copies()
    const arrived: Arrived[] = []
    for (const copy of copies) {
      const context = originals.get(copyName(copy))
      if (context === undefined || !isComplete(context, copy)) throw RESTART
      const { chain, forks, seal } = context
      // The source takes no saves any more.
      const { version } = context.draft
      const draft = (await this.#job.source.draft(context.ctx)) ?? { version, cycle: 0, parts: [] }
      arrived.push({ ctx: copy.ctx, chain, forks, seal, draft })
    }
    if (arrived.length !== originals.size || arrived.length === 0) throw RESTART
    if ((await this.#job.target.arrive(copies[0]!.family, arrived)) === 'conflict') throw RESTART
  }
}

/** Equal for a context and its copy. */
function copyName(context: ContextRow): string {
  return JSON.stringify([context.id, permanentName(context)])
}

function isComplete(context: ContextRow, copy: ContextRow): boolean {
  const names = ['head', 'first', 'epoch'] as const
  const counts = ['answers', 'attempts'] as const
  return (
    sameBytes(context.chain, copy.chain) &&
    names.every((name) => context[name] === copy[name]) &&
    counts.every((name) => context[name] === undefined || context[name] === copy[name])
  )
}

/** Contexts of a family, parents before forks. */
function parentsFirst(family: readonly ContextRow[]): readonly ContextRow[] {
  const sorted: ContextRow[] = []
  for (let next = family.filter(({ parent }) => parent === undefined); next.length > 0;) {
    sorted.push(...next)
    const above = new Set(next.map(({ ctx }) => ctx))
    next = family.filter(({ parent }) => parent !== undefined && above.has(parent.ctx))
  }
  return sorted
}

/** The parent of a new copy in the target. */
function parentOf(
  { parent }: ContextRow,
  copies: ReadonlyMap<string, ContextRow>,
  originals: readonly ContextRow[],
): NewContext['parent'] {
  if (parent === undefined) return undefined
  const from = originals.find(({ ctx }) => ctx === parent.ctx)
  const copy = from && copies.get(copyName(from))
  if (copy === undefined) throw RESTART
  const { ctx, forks, family, epoch } = copy
  return { ctx, cycle: parent.cycle, forks, family, epoch, seal: resealed(copy, { forks: forks + 1 }) }
}

function nameOf({ id, writer }: AttemptRow): string {
  return JSON.stringify([id, writer])
}
