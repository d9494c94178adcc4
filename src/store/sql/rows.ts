// Rows in an SQL database: the statements of every call, for all dialects. A dialect runs them, and adds the calls that
// its tables answer in their own way.

import { isArrivalComplete, isFamilyUnchanged, sameBytes } from '../compare.js'
import type {
  Arrived,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  DraftRow,
  Erasure,
  LostContext,
  ManifestRow,
  NewCommit,
  NewContext,
  NewSave,
  Pack,
  PageRow,
  Rows,
} from '../rows.js'
import {
  bytesOf,
  insert,
  pageBytes,
  remove,
  ROLLBACK,
  select,
  update,
  type Cells,
  type NewRow,
  type Work,
} from './query.js'
import { BY_CYCLE, SqlReads } from './reads.js'

/** The key of a new context. `isMade` if an earlier try has made the context, and its answer was lost. */
export type TakenName = Readonly<{ ctx: ContextKey; isMade: boolean }>

export abstract class SqlRows extends SqlReads implements Rows {
  /** Runs a transaction; undefined if it was rolled back. `isOnce` if it must not be repeated after a lost answer. */
  protected abstract writing<T>(work: () => Work<T>, isOnce?: boolean): Promise<T | undefined>
  /** Called after a change that a watch reports. */
  protected abstract notify(): void

  /** A key for a new context, if keys are not given by the database. */
  protected abstract freshKey(parent: ContextKey | undefined): ContextKey | undefined
  /** Takes the name of a new context, and returns its key; undefined if the name is taken. */
  protected abstract takeName(id: string, fresh: ContextKey | undefined): Work<TakenName | undefined>
  /** Releases the name of a deleted context. */
  protected abstract releaseName(id: Uint8Array): Work<unknown>
  /** Counts a new attempt. Returns further columns of its row; undefined if the context does not exist. */
  protected abstract countAttempt(ctx: ContextKey): Work<NewRow | undefined>

  abstract find(id: string): Promise<ContextRow | undefined>
  abstract list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]>
  abstract scrub(family: ContextKey, upTo?: number): Promise<readonly string[]>
  abstract changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string>
  abstract check(): Promise<readonly string[]>
  abstract close(): Promise<void>

  // ---- Contexts

  async create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    const fresh = this.freshKey(context.parent?.ctx)
    const made = (await this.writing(() => this.#create(context, fresh))) ?? 'conflict'
    if (typeof made === 'object') this.notify()
    return made
  }

  *#create(context: NewContext, fresh: ContextKey | undefined): Work<ContextRow | 'exists'> {
    const { id, parent, packs, rows, attempts = [], forks = 0, seal = null, answers = [], audit = [] } = context
    const name = yield* this.takeName(id, fresh)
    if (name === undefined) return 'exists'
    const { ctx } = name
    if (name.isMade) return (yield* this.contexts({ ctx }))[0]!
    let { epoch = 0 } = context
    if (parent !== undefined) {
      const { ctx: from, forks: counted, epoch: known, seal: next } = parent
      const where = { ctx: from, forks: counted, epoch: known }
      if ((yield* update('contexts', { forks: { plus: 1 }, seal: next }, where)) === 0) throw ROLLBACK
      epoch = this.cells.whole((yield* select('contexts', ['epoch'], { ctx: from }))[0]!['epoch'])
    }
    const newest = rows.at(-1)!
    const own = { ctx, family: parent?.family ?? ctx, id: bytesOf(id) }
    const base = { parent: parent?.ctx ?? null, base: parent?.cycle ?? null, first: packs[0]?.from ?? rows[0]!.cycle }
    const head = { head: newest.cycle, chain: newest.hash, seal, forks, epoch }
    const counts = { answers: answers.length, attempts: 0, draft: 0, saves: 0 }
    yield* insert('contexts', [{ ...own, ...base, ...head, ...counts }])
    for (const pack of packs) yield* this.#insertPack(ctx, pack)
    yield* insert(
      'commits',
      rows.map((row) => ({ ctx, ...row })),
    )
    for (const attempt of attempts) yield* this.#putAttempt(ctx, attempt)
    yield* insert(
      'answers',
      answers.map((answer) => ({ ctx, ...answer, key: bytesOf(answer.key) })),
    )
    for (const each of audit) yield* this.#addAudit(ctx, each)
    return (yield* this.contexts({ ctx }))[0]!
  }

  async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const forks = await this.writing(() => this.#delete(ctx, withForks))
    if (forks !== undefined && forks.length > 0) return forks
    this.notify()
    return 'deleted'
  }

  /** Returns the ids of forks that keep it from being deleted. */
  *#delete(ctx: ContextKey, withForks: boolean): Work<readonly string[]> {
    const { blob, key, text } = this.cells
    const [own] = yield* select('contexts', ['family', 'id'], { ctx })
    if (own === undefined) return []
    const family = key(own['family'])
    yield* this.#lockFamily(family)
    const forks = yield* select('contexts', ['id'], { parent: ctx }, { order: 'id' })
    if (forks.length > 0 && !withForks) return forks.map(({ id }) => text(id))
    // In a damaged database a context may come from itself.
    const going = new Map<ContextKey, Uint8Array>([[ctx, blob(own['id'])]])
    for (const each of going.keys()) {
      for (const fork of yield* select('contexts', ['ctx', 'id'], { parent: each })) {
        going.set(key(fork['ctx']), blob(fork['id']))
      }
    }
    for (const [each, id] of going) {
      for (const table of OWN_TABLES) yield* remove(table, { ctx: each })
      yield* this.releaseName(id)
    }
    if ((yield* select('contexts', ['ctx'], { family }, { limit: 1 })).length > 0) return []
    yield* remove('pages', { family })
    yield* remove('audit', { family })
    return []
  }

  /** Locks all contexts of a family. Repeats until it has locked forks that were created meanwhile. */
  *#lockFamily(family: ContextKey): Work<void> {
    for (let count = -1; ;) {
      const locked = yield* select('contexts', ['ctx'], { family }, { order: 'ctx', isLocked: true })
      if (locked.length === count) return
      count = locked.length
    }
  }

  /** Locks a context and returns some of its columns; undefined if it does not exist or has another epoch. */
  *#lock(ctx: ContextKey, epoch?: number): Work<Cells | undefined> {
    return (yield* select('contexts', ['family', 'head'], { ctx, epoch }, { isLocked: true }))[0]
  }

  // ---- Commits

  async commit(commit: NewCommit): Promise<'done' | 'conflict'> {
    const written = (await this.writing(() => this.#commit(commit), true)) ?? 'conflict'
    if (written === 'done') this.notify()
    return written
  }

  /** Moves the head if the previous row is the newest, so of two concurrent commits one fails. */
  *#commit({ ctx, after, epoch, row, answer, draft }: NewCommit): Work<'done'> {
    const { cycle, hash } = row
    const saves = draft === undefined ? undefined : 0
    const changes = { head: cycle, chain: hash, answers: { plus: answer === undefined ? 0 : 1 }, saves }
    const moved = yield* update('contexts', changes, { ctx, head: cycle - 1, chain: after, epoch, draft })
    if (moved === 0) throw ROLLBACK
    if (draft !== undefined) yield* remove('drafts', { ctx })
    yield* insert('commits', [{ ctx, ...row }])
    if (answer === undefined) return 'done'
    const said = yield* insert('answers', [{ ctx, ...answer, key: bytesOf(answer.key) }], 'ignore')
    if (said === 0) throw ROLLBACK
    return 'done'
  }

  async pack(ctx: ContextKey, pack: Pack, epoch?: number): Promise<void> {
    await this.writing(() => this.#pack(ctx, pack, epoch))
  }

  *#pack(ctx: ContextKey, pack: Pack, epoch: number | undefined): Work<void> {
    const { whole } = this.cells
    const { from, to } = pack
    const context = yield* this.#lock(ctx, epoch)
    if (context === undefined || to >= whole(context['head'])) throw ROLLBACK
    // Only the newest rows may be single, since a commit looks for its predecessor among them.
    const [oldest] = yield* select('commits', ['cycle'], { ctx }, { ...BY_CYCLE, limit: 1 })
    if (oldest === undefined || whole(oldest['cycle']) !== from) throw ROLLBACK
    // Another process has packed a missing row.
    if ((yield* remove('commits', { ctx, cycle: { from, to } })) !== to - from + 1) throw ROLLBACK
    yield* this.#insertPack(ctx, pack)
  }

  *#insertPack(ctx: ContextKey, { from, to, body }: Pack): Work<unknown> {
    return yield* insert('packs', [{ ctx, last: to, first: from, body }])
  }

  // ---- Drafts

  async saveDraft(save: NewSave): Promise<'done' | 'conflict'> {
    return (await this.writing(() => this.#save(save), true)) ?? 'conflict'
  }

  /** Counts the save if it follows the newest one, so of two concurrent saves one fails. */
  *#save({ ctx, after, epoch, version, cycle, part, isWhole }: NewSave): Work<'done'> {
    const isReplacing = isWhole || part === undefined
    const saves = isReplacing ? (part === undefined ? 0 : 1) : { plus: 1 }
    const counted = yield* update(
      'contexts',
      { draft: { plus: 1 }, saves },
      { ctx, chain: after, epoch, draft: version },
    )
    if (counted === 0) throw ROLLBACK
    if (isReplacing) yield* remove('drafts', { ctx })
    if (part !== undefined) yield* insert('drafts', [{ ctx, n: version + 1, cycle, part }])
    return 'done'
  }

  *#putDraft(ctx: ContextKey, { version, cycle, parts }: DraftRow): Work<void> {
    yield* remove('drafts', { ctx })
    yield* insert(
      'drafts',
      parts.map((part, i) => ({ ctx, n: version - parts.length + 1 + i, cycle, part })),
    )
    yield* update('contexts', { draft: version, saves: parts.length }, { ctx })
  }

  // ---- Attempts

  async writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void> {
    return this.writing(() => this.#writeAttempts(ctx, attempts, epoch))
  }

  *#writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Work<'erased' | undefined> {
    // Nothing is written for a deleted context.
    if ((yield* this.#lock(ctx)) === undefined) return undefined
    if ((yield* this.#lock(ctx, epoch)) === undefined) return 'erased'
    for (const attempt of attempts) yield* this.#putAttempt(ctx, attempt)
    return undefined
  }

  *#putAttempt(ctx: ContextKey, { id, writer, body }: AttemptRow): Work<void> {
    const name = { ctx, id: bytesOf(id), writer: bytesOf(writer) }
    if ((yield* update('attempts', { body }, name)) > 0) return
    const counted = yield* this.countAttempt(ctx)
    if (counted !== undefined) yield* insert('attempts', [{ ...name, body, ...counted }])
  }

  // ---- Derived data

  async writeManifest(
    ctx: ContextKey,
    manifest: ManifestRow,
    pages: readonly PageRow[],
    epoch?: number,
  ): Promise<void> {
    await this.writing(() => this.#writeManifest(ctx, manifest, pages, epoch))
  }

  *#writeManifest(
    ctx: ContextKey,
    { cycle, body }: ManifestRow,
    pages: readonly PageRow[],
    epoch: number | undefined,
  ): Work<void> {
    const [own] = yield* select('contexts', ['family'], { ctx })
    if (own === undefined) throw ROLLBACK
    const family = this.cells.key(own['family'])
    // Sorted, so that two writers of the same pages do not deadlock.
    const sorted = pages.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    yield* insert(
      'pages',
      sorted.map((page) => ({ family, key: pageBytes(page.key), body: page.body })),
      'ignore',
    )
    // Locked after the pages are written, so that commits do not wait for them, and before the end, so that no page
    // outlives its context.
    if ((yield* this.#lock(ctx, epoch)) === undefined) throw ROLLBACK
    yield* insert('manifests', [{ ctx, cycle, body }], 'replace')
  }

  async dropDerived(family: ContextKey): Promise<void> {
    await this.writing(() => this.#dropDerived(family))
  }

  *#dropDerived(family: ContextKey): Work<void> {
    yield* remove('pages', { family })
    for (const { ctx } of yield* select('contexts', ['ctx'], { family }, { order: 'ctx' })) {
      yield* remove('manifests', { ctx: this.cells.key(ctx) })
    }
  }

  // ---- Erasing and moving

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    const outcome = (await this.writing(() => this.#erase(erasure))) ?? 'conflict'
    if (outcome === 'done') this.notify()
    return outcome
  }

  *#erase({ family, epoch, heads, rows, packs, answers, attempts, drafts, audit }: Erasure): Work<'done'> {
    yield* this.#lockFamily(family)
    // If the first answer was lost, the retry finds its own entry.
    const listed = (yield* this.audits(family)).find(({ n }) => n === audit.n)
    if (listed !== undefined && sameBytes(listed.hash, audit.hash)) return 'done'
    const isUnchanged = isFamilyUnchanged({ epoch, heads }, yield* this.contexts({ family }))
    if (listed !== undefined || !isUnchanged) throw ROLLBACK
    // A missing row was packed meanwhile and must be read again.
    for (const { ctx, row } of rows) {
      if ((yield* update('commits', { bodies: row.bodies }, { ctx, cycle: row.cycle })) !== 1) throw ROLLBACK
    }
    for (const { ctx, pack } of packs) {
      const where = { ctx, last: pack.to, first: pack.from }
      if ((yield* update('packs', { body: pack.body }, where)) !== 1) throw ROLLBACK
    }
    for (const { ctx, answer: said } of answers) {
      const { key, digest, answer } = said
      yield* update('answers', { digest, answer }, { ctx, key: bytesOf(key) })
    }
    for (const { ctx, seal } of heads) yield* update('contexts', { epoch: { plus: 1 }, seal }, { ctx })
    yield* this.#addAudit(family, { ...audit, isFinished: false })
    for (const { ctx, attempt } of attempts) yield* this.#putAttempt(ctx, attempt)
    for (const { ctx, draft } of drafts) yield* this.#putDraft(ctx, draft)
    yield* this.#dropDerived(family)
    return 'done'
  }

  *#addAudit(family: ContextKey, { n, hash, body, isFinished }: AuditRow): Work<unknown> {
    return yield* insert('audit', [{ family, n, hash, body, finished: isFinished ? 1 : 0 }])
  }

  protected *finishAudit(family: ContextKey, upTo: number = LAST): Work<unknown> {
    return yield* update('audit', { finished: 1 }, { family, n: { to: upTo } })
  }

  async arrive(family: ContextKey, contexts: readonly Arrived[]): Promise<'done' | 'conflict'> {
    const outcome = (await this.writing(() => this.#arrive(family, contexts))) ?? 'conflict'
    if (outcome === 'done') this.notify()
    return outcome
  }

  *#arrive(family: ContextKey, contexts: readonly Arrived[]): Work<'done'> {
    yield* this.#lockFamily(family)
    if (!isArrivalComplete(contexts, yield* this.contexts({ family }))) throw ROLLBACK
    for (const { ctx, forks, seal, draft } of contexts) {
      yield* update('contexts', { forks, seal }, { ctx })
      if (draft !== undefined) yield* this.#putDraft(ctx, draft)
    }
    yield* this.finishAudit(family)
    return 'done'
  }
}

/** Upper bound of the numbers of audit entries. */
const LAST = 2 ** 31 - 1
/** Tables with rows of one context; its own row goes last. */
const OWN_TABLES = ['commits', 'packs', 'manifests', 'drafts', 'answers', 'attempts', 'contexts'] as const
