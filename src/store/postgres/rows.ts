// Rows in PostgreSQL, or in a compatible database: many writers on many machines. A writer locks the row of its
// context, so a commit is one statement, and a deletion leaves nothing behind. Citus would split that statement and
// commit in two phases, so there it is a transaction of single-shard statements: one phase, one worker.

import { randomBytes } from 'node:crypto'

import { sameBytes } from '../compare.js'
import type { ContextKey, ContextRow, NewCommit, NewContext, NewSave, Pack, PageRow, Row, Rows } from '../rows.js'
import { pollUntil, unsettled } from '../settled.js'
import { PLAIN } from '../sql/cells.js'
import { bytesOf, pageBytes, sql, type Cells, type NewRow, type Query, type Result, type Work } from '../sql/query.js'
import { SqlRows, type TakenName } from '../sql/rows.js'
import { statementOf, type Dialect } from '../sql/statements.js'
import { keyOf, placeOf, withKeys } from './cells.js'
import { Connections, prepared, type ConnectionOptions, type RunStatement } from './connections.js'
import type { openPool } from './driver.js'
import { isMissingTable, isTaken } from './faults.js'
import { problemsIn } from './integrity.js'
import { Notifications } from './notifications.js'
import { checkTables, migrate } from './schema.js'
import { chunked, dialectOf, IS_CITUS, OPTIONAL_STATEMENTS } from './statements.js'

export type PostgresOptions = ConnectionOptions &
  Readonly<{
    /** Tenant of the store. A store sees only the contexts of its tenant. */
    tenant?: string | undefined
    /** Writes commits as transactions of single-shard statements. On by default if the database is Citus. */
    routed?: boolean | undefined
    /** Neither creates nor changes tables. */
    readOnly?: boolean | undefined
  }>

/** Contexts or pages per query. */
const PAGE = 500

export class PostgresRows extends SqlRows {
  readonly name: string
  readonly patience: number
  protected readonly cells = PLAIN
  readonly #db: Connections
  readonly #tenant: Uint8Array
  readonly #dialect: Dialect
  readonly #notifications: Notifications
  readonly #isRouted: boolean

  private constructor(name: string, url: string, db: Connections, tenant: string, isRouted: boolean) {
    super()
    this.name = name
    this.patience = db.connectTimeout
    this.#isRouted = isRouted
    this.#db = db
    this.#tenant = bytesOf(tenant)
    this.#dialect = dialectOf(this.#tenant)
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

  protected reading<T>(work: () => Work<T>): Promise<T> {
    return this.#db.reading((run) => this.#play(run, work))
  }

  protected writing<T>(work: () => Work<T>, isOnce = false): Promise<T | undefined> {
    const play = (run: RunStatement): Promise<T> => this.#play(run, work)
    return isOnce ? this.#db.once(play) : this.#db.transaction(play)
  }

  async #play<T>(run: RunStatement, work: () => Work<T>): Promise<T> {
    const steps = work()
    let step = steps.next()
    while (step.done !== true) step = steps.next(await this.#run(run, step.value))
    return step.value
  }

  async #run(run: RunStatement, query: Query): Promise<Result> {
    if (query.kind === 'sql') {
      const { rows, rowCount } = await run(query.text, ...query.values)
      return { rows, count: rowCount ?? 0 }
    }
    if (query.kind === 'insert' && query.rows.length > 1) {
      // Their texts have many lengths, so these are not prepared.
      let count = 0
      for (const rows of chunked(query.rows)) {
        const { text, values } = statementOf({ ...query, rows }, this.#dialect)
        count += (await run(text, ...values)).rowCount ?? 0
      }
      return { rows: [], count }
    }
    const { text, values } = statementOf(query, this.#dialect)
    const { rows, rowCount } = await run(prepared(text, `${query.kind}_${query.table}`), ...values)
    return { rows: rows.map(withKeys), count: rowCount ?? 0 }
  }

  protected notify(): void {
    this.#notifications.notify()
  }

  // ---- Names, which are on other shards than their contexts

  async find(id: string): Promise<ContextRow | undefined> {
    let found: ContextRow | undefined
    // Between the two queries the context may be replaced, or its rows may be on a node that does not show them yet.
    const isSettled = await pollUntil(async () => {
      const [place] = await this.#db.rows('name', this.#tenant, bytesOf(id))
      if (place === undefined) return true
      found = await this.byNumber(keyIn(place))
      return found !== undefined
    }, this.patience)
    if (!isSettled) throw unsettled(id, 'its name is there, and its rows are not', 'failed')
    return found
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
    const rows = new Map(cells.map((each) => this.contextRow(withKeys(each))).map((row) => [row.ctx, row]))
    return places.flatMap((place) => rows.get(keyIn(place)) ?? [])
  }

  /** Random bytes identify a context, so that a retry recognizes its own write. */
  protected freshKey(parent: ContextKey | undefined): ContextKey {
    const own = randomBytes(16)
    return keyOf(parent === undefined ? own : placeOf(parent).family, own)
  }

  protected *takeName(id: string, fresh: ContextKey): Work<TakenName | undefined> {
    const { family, context } = placeOf(fresh)
    const { count } = yield* sql('takeName', this.#tenant, bytesOf(id), family, context)
    if (count > 0) return { ctx: fresh, isMade: false }
    const [place] = (yield* sql('name', this.#tenant, bytesOf(id))).rows
    const isOwn = place !== undefined && sameBytes(place['context'] as Uint8Array, context)
    return isOwn ? { ctx: fresh, isMade: true } : undefined
  }

  protected *releaseName(id: Uint8Array): Work<unknown> {
    return yield* sql('releaseName', this.#tenant, id)
  }

  override async create(context: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    const made = await super.create(context)
    if (typeof made !== 'object' || !this.#isRouted) return made
    // Names are on another node, so this commits in two phases; the second may be pending.
    const isShown = await pollUntil(async () => (await this.byNumber(made.ctx)) !== undefined, this.patience)
    if (!isShown) throw unsettled(context.id, 'it was made, and is not shown yet', 'unknown')
    return made
  }

  // ---- Commits

  override async commit(commit: NewCommit): Promise<'done' | 'conflict'> {
    if (this.#isRouted) return orConflict(() => super.commit(commit))
    const { ctx, row, after, epoch, answer, draft } = commit
    const name = `commit${draft === undefined ? '' : 'Saved'}${answer === undefined ? '' : 'WithAnswer'}` as const
    const said = answer === undefined ? [] : [bytesOf(answer.key), answer.cycle, answer.digest, answer.answer]
    const saved = draft === undefined ? [] : [draft]
    const values = [row.cycle, row.hash, row.changes, row.bodies, after, epoch, ...said, ...saved]
    const written = await this.#inOneStatement(name, ctx, values)
    if (written === 'done') this.notify()
    return written
  }

  override async saveDraft(save: NewSave): Promise<'done' | 'conflict'> {
    const { ctx, after = null, epoch, version, cycle, part, isWhole } = save
    if (this.#isRouted || isWhole || part === undefined) return orConflict(() => super.saveDraft(save))
    return this.#inOneStatement('save', ctx, [after, epoch, version, cycle, part])
  }

  #inOneStatement(
    name: string,
    ctx: ContextKey,
    values: readonly (null | number | Uint8Array)[],
  ): Promise<'done' | 'conflict'> {
    return orConflict(async () => {
      const { rowCount } = await this.#db.run(name, ...this.#key(ctx), ...values)
      return rowCount === 1 ? 'done' : 'conflict'
    })
  }

  override async read(ctx: ContextKey, from: number, to: number): ReturnType<Rows['read']> {
    const { whole, blob } = PLAIN
    const packs: Pack[] = []
    const rows: Row[] = []
    for (const { packed, first, last, hash, changes, body } of await this.#db.rows(
      'read',
      ...this.#key(ctx),
      from,
      to,
    )) {
      if (packed === true) packs.push({ from: whole(first), to: whole(last), body: blob(body) })
      else rows.push({ cycle: whole(first), hash: blob(hash), changes: blob(changes), bodies: blob(body) })
    }
    return { packs, rows }
  }

  protected *countAttempt(ctx: ContextKey): Work<NewRow | undefined> {
    const [counted] = (yield* sql('countAttempt', ...this.#key(ctx))).rows
    return counted && { seq: PLAIN.whole(counted['attempts']) }
  }

  override async pages(family: ContextKey, keys: readonly string[]): Promise<readonly PageRow[]> {
    const found: PageRow[] = []
    for (let at = 0; at < keys.length; at += PAGE) {
      const some = keys.slice(at, at + PAGE).map(pageBytes)
      for (const { key, body } of await this.#db.rows('pages', this.#tenant, placeOf(family).family, some)) {
        found.push({ key: Buffer.from(key as Uint8Array).toString('hex'), body: body as Uint8Array })
      }
    }
    return found
  }

  /** Frees overwritten rows if this user may. */
  async scrub(family: ContextKey, upTo?: number): Promise<readonly string[]> {
    const isFreed = (await this.#db.runOptional(OPTIONAL_STATEMENTS.vacuum)) === undefined
    await this.writing(() => this.finishAudit(family, upTo))
    return [...(isFreed ? [] : [NOT_FREED]), ...IN_THE_SERVER]
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

/** Places that only the operator of the server can clean. */
const IN_THE_SERVER = [
  'the write-ahead log of the server until it is recycled, where it is archived, and standbys until they have followed',
  'room in the files of the tables that was freed and not yet written over, until somebody runs VACUUM FULL on them',
]
const NOT_FREED =
  'rows that were written over, until the database takes them out of the tables by itself, or their owner runs VACUUM'

/** A row that exists already was written by another writer. */
async function orConflict(write: () => Promise<'done' | 'conflict'>): Promise<'done' | 'conflict'> {
  try {
    return await write()
  } catch (error) {
    if (isTaken(error)) return 'conflict'
    throw error
  }
}

/** Compatible databases may have no list of extensions; they are not Citus. */
async function isCitus(db: Connections): Promise<boolean> {
  try {
    return (await db.reading((run) => run(IS_CITUS))).rowCount === 1
  } catch (error) {
    if (isMissingTable(error)) return false
    throw error
  }
}

function keyIn({ family, context }: Cells): string {
  return keyOf(family as Uint8Array, context as Uint8Array)
}

/** The address without user and password. */
function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
