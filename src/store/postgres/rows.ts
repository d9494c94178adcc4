// Rows in PostgreSQL, or in a compatible database: many writers on many machines. A writer locks the row of its
// context, so a commit is one statement, and a deletion leaves nothing behind.

import { randomBytes } from 'node:crypto'

import { isArrivalComplete, sameBytes } from '../compare.js'
import type {
  Answer,
  Arrived,
  AttemptRow,
  AuditRow,
  ContextKey,
  ContextRow,
  DraftRow,
  Erasure,
  ManifestRow,
  NewCommit,
  NewContext,
  NewSave,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'
import { pollUntil, unsettled } from '../settled.js'
import {
  answerOf,
  bytesIn,
  bytesOf,
  contextRow,
  keyBytes,
  keyOf,
  numberIn,
  placeOf,
  textOf,
  type Cells,
} from './cells.js'
import { Connections, type ConnectionOptions, type RunStatement } from './connections.js'
import type { openPool } from './driver.js'
import { auditOf, vacuum, writeErasure } from './erasing.js'
import { isMissingTable, ROLLBACK } from './faults.js'
import { problemsIn } from './integrity.js'
import { Notifications } from './notifications.js'
import { checkTables, migrate } from './schema.js'
import { IS_CITUS } from './statements.js'
import { writeCommit, writeSave, forksBelow, isFork, putAttempts, putDraft, chunked, makeContext } from './writes.js'

export type PostgresOptions = ConnectionOptions &
  Readonly<{
    /** Tenant of the store. A store sees only the contexts of its tenant. */
    tenant?: string | undefined
    /** Writes commits as transactions of single-shard statements. On by default if the database is Citus. */
    routed?: boolean | undefined
    /** Neither creates nor changes tables. */
    readOnly?: boolean | undefined
  }>

/** Contexts per query. */
const PAGE = 500

export class PostgresRows implements Rows {
  readonly name: string
  readonly patience: number
  readonly #db: Connections
  readonly #tenant: Uint8Array
  readonly #notifications: Notifications
  readonly #isRouted: boolean

  private constructor(name: string, url: string, db: Connections, tenant: string, isRouted: boolean) {
    this.name = name
    this.patience = db.connectTimeout
    this.#isRouted = isRouted
    this.#db = db
    this.#tenant = bytesOf(tenant)
    this.#notifications = new Notifications(url, db, this.#tenant)
  }

  static async open(
    url: string,
    { tenant = '', routed, readOnly = false, ...options }: PostgresOptions = {},
    opened?: typeof openPool,
    tries?: number,
  ): Promise<PostgresRows> {
    const name = nameOf(url)
    const db = new Connections(url, name, options, opened, tries)
    try {
      if (readOnly) await checkTables(db, name)
      else await migrate(db, name)
      return new PostgresRows(name, url, db, tenant, routed ?? (await isCitus(db)))
    } catch (error) {
      await db.close()
      throw error
    }
  }

  async find(id: string): Promise<ContextRow | undefined> {
    let found: Cells | undefined
    // Between the two queries the context may be replaced, or its rows may be on a node that does not show them yet.
    const isSettled = await pollUntil(async () => {
      const [place] = await this.#db.rows('name', this.#tenant, bytesOf(id))
      if (place === undefined) return true
      found = (await this.#db.rows('context', this.#tenant, ...bytesIn(place, 'family', 'context')))[0]
      return found !== undefined
    }, this.patience)
    if (!isSettled) throw unsettled(id, 'its name is there, and its rows are not', 'failed')
    return found && contextRow(found)
  }

  async byNumber(ctx: ContextKey): Promise<ContextRow | undefined> {
    const [cells] = await this.#db.rows('context', ...this.#key(ctx))
    return cells && contextRow(cells)
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    const found: ContextRow[] = []
    let from = bytesOf(after ?? '')
    while (found.length < limit) {
      const count = Math.min(limit - found.length, PAGE)
      const names = await this.#db.rows('names', this.#tenant, from, count)
      found.push(...(await this.#contexts(names)))
      if (names.length < count) break
      from = names.at(-1)!['id'] as Uint8Array
    }
    return found
  }

  /** The existing contexts of some places, in order. */
  async #contexts(places: readonly Cells[]): Promise<readonly ContextRow[]> {
    if (places.length === 0) return []
    const [families, contexts] = ['family', 'context'].map((name) => places.map((each) => each[name] as Uint8Array))
    const cells = await this.#db.rows('contexts', this.#tenant, families!, contexts!)
    const rows = new Map(cells.map((each) => contextRow(each)).map((row) => [row.ctx, row]))
    return places.flatMap(({ family, context }) => rows.get(keyOf(family as Uint8Array, context as Uint8Array)) ?? [])
  }

  async family(family: ContextKey): Promise<readonly ContextRow[]> {
    return (await this.#db.rows('family', this.#tenant, placeOf(family).family)).map(contextRow)
  }

  async create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    const { id, parent, packs, rows, attempts = [], forks = 0, seal, answers = [] } = context
    // Random bytes identify the context, so a retry recognizes its own write.
    const own = randomBytes(16)
    const family = parent === undefined ? own : placeOf(parent.ctx).family
    let refusal: 'exists' | 'conflict' | undefined
    let epoch = 0
    await this.#db.transaction(async (run) => {
      refusal = undefined
      if ((await run('takeName', this.#tenant, bytesOf(id), family, own)).rowCount === 0) {
        const [place] = (await run('name', this.#tenant, bytesOf(id))).rows
        if (place === undefined || !sameBytes(place['context'] as Uint8Array, own)) refusal = 'exists'
        throw ROLLBACK
      }
      const made = await makeContext(run, this.#tenant, context, { family, context: own })
      if (made === undefined) {
        refusal = 'conflict'
        throw ROLLBACK
      }
      epoch = made
    })
    if (refusal !== undefined) return refusal
    this.#notifications.notify()
    const ctx = keyOf(family, own)
    // Names are on another node, so this commits in two phases; the second may be pending.
    if (this.#isRouted && !(await pollUntil(async () => (await this.byNumber(ctx)) !== undefined, this.patience)))
      throw unsettled(id, 'it was made, and is not shown yet', 'unknown')
    return {
      ctx,
      id,
      family: keyOf(family, family),
      parent: parent && { ctx: parent.ctx, cycle: parent.cycle },
      forks,
      epoch,
      first: packs[0]?.from ?? rows[0]!.cycle,
      head: rows.at(-1)!.cycle,
      chain: new Uint8Array(rows.at(-1)!.hash),
      seal: seal && new Uint8Array(seal),
      answers: answers.length,
      attempts: attempts.length,
      draft: { version: 0, parts: 0 },
    }
  }

  async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const { family, context } = placeOf(ctx)
    let forks: readonly string[] = []
    await this.#db.transaction(async (run) => {
      forks = []
      const all = await this.#lockFamily(run, family)
      const below = forksBelow(all, context)
      const own = below.filter((each) => isFork(each, context))
      if (own.length > 0 && !withForks) {
        forks = own
          .map(({ id }) => id as Uint8Array)
          .sort((a, b) => Buffer.compare(a, b))
          .map(textOf)
        throw ROLLBACK
      }
      const going = [...below, ...all.filter((each) => sameBytes(each['context'] as Uint8Array, context))]
      if (going.length === 0) throw ROLLBACK
      const contexts = going.map((each) => each['context'] as Uint8Array)
      for (const name of DELETES) await run(name, this.#tenant, family, contexts)
      await run(
        'deleteNames',
        this.#tenant,
        going.map(({ id }) => id as Uint8Array),
      )
      if (going.length < all.length) return
      await run('dropPages', this.#tenant, family)
      await run('dropAudit', this.#tenant, family)
    })
    this.#notifications.notify()
    return forks.length > 0 ? forks : 'deleted'
  }

  /**
   * Locks all contexts of a family, so that no fork is created. Repeats until it has locked forks created meanwhile.
   */
  async #lockFamily(run: RunStatement, family: Uint8Array): Promise<readonly Cells[]> {
    let count = -1
    for (;;) {
      const { rows } = await run('lockFamily', this.#tenant, family)
      if (rows.length === count) return rows
      count = rows.length
    }
  }

  async commit(commit: NewCommit): Promise<'done' | 'conflict'> {
    const written = await writeCommit(this.#db, this.#key(commit.ctx), commit, this.#isRouted)
    if (written === 'done') this.#notifications.notify()
    return written
  }

  saveDraft(save: NewSave): Promise<'done' | 'conflict'> {
    return writeSave(this.#db, this.#key(save.ctx), save, this.#isRouted)
  }

  async draft(ctx: ContextKey): Promise<DraftRow | undefined> {
    const found = await this.#db.rows('draft', ...this.#key(ctx))
    const last = found.at(-1)
    if (last === undefined) return undefined
    const parts = found.map(({ part }) => part as Uint8Array)
    return { version: numberIn(last, 'n'), cycle: numberIn(last, 'cycle'), parts }
  }

  async read(ctx: ContextKey, from: number, to: number): ReturnType<Rows['read']> {
    const packs: Pack[] = []
    const rows: Row[] = []
    for (const cells of await this.#db.rows('read', ...this.#key(ctx), from, to)) {
      const [first, last] = [numberIn(cells, 'first'), numberIn(cells, 'last')]
      const [hash, changes, body] = bytesIn(cells, 'hash', 'changes', 'body')
      if (cells['packed'] === true) packs.push({ from: first, to: last, body: body! })
      else rows.push({ cycle: first, hash: hash!, changes: changes!, bodies: body! })
    }
    return { packs, rows }
  }

  async answer(ctx: ContextKey, key: string): Promise<Answer | undefined> {
    const [found] = await this.#db.rows('answer', ...this.#key(ctx), bytesOf(key))
    return found && answerOf(found)
  }

  async answers(ctx: ContextKey): Promise<readonly Answer[]> {
    return (await this.#db.rows('answers', ...this.#key(ctx))).map(answerOf)
  }

  async pack(ctx: ContextKey, { from, to, body }: Pack, epoch?: number): Promise<void> {
    const key = this.#key(ctx)
    await this.#db.transaction(async (run) => {
      const [locked] = (await run('lock', ...key, epoch ?? null)).rows
      const [oldest] = (await run('oldest', ...key)).rows
      if (locked === undefined || to >= numberIn(locked, 'head') || numberIn(oldest!, 'cycle') !== from) throw ROLLBACK
      // Another process has packed a missing row.
      if ((await run('takeRows', ...key, from, to)).rowCount !== to - from + 1) throw ROLLBACK
      await run('makePack', ...key, from, to, body)
    })
  }

  async unpacked(ctx: ContextKey): Promise<number> {
    return numberIn((await this.#db.rows('unpacked', ...this.#key(ctx)))[0]!, 'n')
  }

  async writeAttempts(ctx: ContextKey, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void> {
    const key = this.#key(ctx)
    const isWritten = await this.#db.transaction(async (run) => {
      if ((await run('lock', ...key, epoch ?? null)).rows.length === 0) throw ROLLBACK
      await putAttempts(run, key, attempts)
      return true
    })
    if (isWritten === true || epoch === undefined) return undefined
    // Nothing is written for a deleted context either.
    return (await this.byNumber(ctx)) === undefined ? undefined : 'erased'
  }

  async attempts(ctx: ContextKey, limit: number): Promise<readonly AttemptRow[]> {
    const found = await this.#db.rows('attempts', ...this.#key(ctx), limit)
    return found
      .map((cells) => bytesIn(cells, 'id', 'writer', 'body'))
      .map(([id, writer, body]) => ({ id: textOf(id!), writer: textOf(writer!), body: body! }))
      .reverse()
  }

  async writeManifest(
    ctx: ContextKey,
    { cycle, body }: ManifestRow,
    pages: readonly PageRow[],
    epoch?: number,
  ): Promise<void> {
    const key = this.#key(ctx)
    const { family } = placeOf(ctx)
    await this.#db.transaction(async (run) => {
      for (const some of chunked(sorted(pages), (page) => page.body.length)) {
        const columns = [some.map((page) => keyBytes(page.key)), some.map((page) => page.body)]
        await run('writePages', this.#tenant, family, ...columns)
      }
      // Lock after writing the pages, so that commits do not wait for them, and before the end, so that no page
      // outlives its context.
      if ((await run('lock', ...key, epoch ?? null)).rows.length === 0) throw ROLLBACK
      await run('writeManifest', ...key, cycle, body)
    })
  }

  async manifest(ctx: ContextKey, cycle: number): Promise<ManifestRow | undefined> {
    const [found] = await this.#db.rows('manifest', ...this.#key(ctx), cycle)
    return found && { cycle: numberIn(found, 'cycle'), body: found['body'] as Uint8Array }
  }

  async manifests(ctx: ContextKey): Promise<readonly number[]> {
    return (await this.#db.rows('manifests', ...this.#key(ctx))).map((cells) => numberIn(cells, 'cycle'))
  }

  async pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]> {
    const found: PageRow[] = []
    for (const some of chunked(keys, () => 0)) {
      const rows = await this.#db.rows('pages', this.#tenant, placeOf(family).family, some.map(keyBytes))
      for (const { key, body } of rows) {
        found.push({ key: Buffer.from(key as Uint8Array).toString('hex'), body: body as Uint8Array })
      }
    }
    return found
  }

  async dropDerived(family: ContextKey): Promise<void> {
    const place = [this.#tenant, placeOf(family).family] as const
    await this.#db.transaction(async (run) => {
      await run('dropManifests', ...place)
      await run('dropPages', ...place)
    })
  }

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    const { family } = placeOf(erasure.family)
    const outcome = await this.#db.transaction(async (run) => {
      const written = await writeErasure(run, this.#tenant, await this.#lockFamily(run, family), erasure)
      if (written === 'conflict') throw ROLLBACK
      for (const { ctx, attempt } of erasure.attempts) {
        await putAttempts(run, this.#key(ctx), [attempt])
      }
      for (const { ctx, draft } of erasure.drafts) await putDraft(run, this.#key(ctx), draft)
      return written
    })
    if (outcome === undefined) return 'conflict'
    this.#notifications.notify()
    return outcome
  }

  async audit(family: ContextKey): Promise<readonly AuditRow[]> {
    return (await this.#db.rows('audit', this.#tenant, placeOf(family).family)).map(auditOf)
  }

  async scrub(family: ContextKey, upTo: number = LAST): Promise<readonly string[]> {
    const left = await vacuum(this.#db)
    await this.#db.runAgain('finishAudit', this.#tenant, placeOf(family).family, upTo)
    return left
  }

  async arrive(family: ContextKey, contexts: readonly Arrived[]): Promise<'done' | 'conflict'> {
    const place = [this.#tenant, placeOf(family).family] as const
    const outcome = await this.#db.transaction(async (run) => {
      if (!isArrivalComplete(contexts, (await this.#lockFamily(run, place[1])).map(contextRow))) throw ROLLBACK
      for (const { ctx, forks, seal = null, draft } of contexts) {
        await run('arrive', ...place, placeOf(ctx).context, forks, seal)
        if (draft !== undefined) await putDraft(run, this.#key(ctx), draft)
      }
      await run('finishAudit', ...place, LAST)
      return 'done' as const
    })
    if (outcome === undefined) return 'conflict'
    this.#notifications.notify()
    return outcome
  }

  changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    return this.#notifications.changed(since, every, signal)
  }

  check(): Promise<readonly string[]> {
    return problemsIn(this.#db, this.#tenant)
  }

  async close(): Promise<void> {
    await this.#notifications.close()
    await this.#db.close()
  }

  #key(ctx: ContextKey): readonly [Uint8Array, Uint8Array, Uint8Array] {
    const { family, context } = placeOf(ctx)
    return [this.#tenant, family, context]
  }
}

/** Upper bound of audit entry numbers. */
const LAST = 2 ** 31 - 1

const DELETES = [
  'deleteCommits',
  'deletePacks',
  'deleteAnswers',
  'deleteAttempts',
  'deleteManifests',
  'deleteDrafts',
  'deleteContexts',
] as const

/** Compatible databases may have no list of extensions; they are not Citus. */
async function isCitus(db: Connections): Promise<boolean> {
  try {
    return (await db.reading((run) => run(IS_CITUS))).rowCount === 1
  } catch (error) {
    if (isMissingTable(error)) return false
    throw error
  }
}

/** Sorted, so that two writers of the same pages do not deadlock. */
function sorted(pages: readonly PageRow[]): readonly PageRow[] {
  return pages.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** The address without user and password. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
