// Rows in an SQLite file: one writer at a time across processes, and readers that never wait.

import { sleep } from '../event-loop.js'
import type { ContextKey, ContextRow, LostContext } from '../rows.js'
import { bytesOf, play, select, sql, update, type NewRow, type Query, type Result, type Work } from '../sql/query.js'
import { SqlRows, type TakenName } from '../sql/rows.js'
import { statementOf, type Dialect } from '../sql/statements.js'
import { CELLS, checkNumber, keyOf, SPAN } from './cells.js'
import { Connection, type OpenDatabase, type SqliteOptions } from './connection.js'
import type { Cells } from './driver.js'
import { problemsIn } from './integrity.js'
import { dialectOf, unnumbered } from './statements.js'

export class SqliteRows extends SqlRows {
  readonly name: string
  protected readonly cells = CELLS
  readonly #db: Connection
  readonly #dialect: Dialect

  /** Tests pass their own `opened` to inspect every statement. */
  constructor(file: string, options: SqliteOptions = {}, opened?: OpenDatabase) {
    super()
    this.name = `sqlite:${file}`
    this.#db = new Connection(this.name, file, options, opened)
    this.#dialect = dialectOf(this.#db.version)
  }

  protected async reading<T>(work: () => Work<T>, isTogether = false): Promise<T> {
    const played = (): T => play(work, (query) => this.#run(query))
    return isTogether ? this.#db.reading(played) : this.#db.do(played)
  }

  protected async writing<T>(work: () => Work<T>): Promise<T | undefined> {
    return this.#db.transaction(() => play(work, (query) => this.#run(query)))
  }

  #run(query: Query): Result {
    if (query.kind === 'insert' && query.rows.length > 1) {
      const counts = query.rows.map((row) => this.#run({ ...query, rows: [row] }).count)
      return { rows: [], count: counts.reduce((sum, count) => sum + count) }
    }
    const { text, values } = unnumbered(query.kind === 'sql' ? query : statementOf(query, this.#dialect))
    if (text.startsWith('SELECT')) return { rows: this.#db.all(text, ...values), count: 0 }
    return { rows: [], count: this.#db.run(text, ...values) }
  }

  /** Watches poll the file. */
  protected notify(): void {}

  async find(id: string): Promise<ContextRow | undefined> {
    return (await this.reading(() => this.contexts({ id: bytesOf(id) })))[0]
  }

  async list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]> {
    // UTF-8 bytes sort by code point, and no id is empty.
    const page = `${this.#dialect.contexts} WHERE c.id > ? ORDER BY c.id LIMIT ?`
    return this.#db.do(() =>
      this.#db
        .all(page, bytesOf(after ?? ''), limit)
        .map((cells) => (cells['head'] === null ? this.#lost(cells) : this.contextRow(cells))),
    )
  }

  #lost(cells: Cells): LostContext {
    const known = this.knownOf(cells)
    const keys = [keyOf(Number(known.ctx), 0), keyOf(Number(known.ctx), SPAN - 1)] as const
    const left = this.#db.get(
      `SELECT max(k) % ${SPAN} AS cycle FROM (SELECT max(k) AS k FROM commits WHERE k BETWEEN ? AND ?
        UNION ALL SELECT max(k) FROM packs WHERE k BETWEEN ? AND ?)`,
      ...keys,
      ...keys,
    )!['cycle']
    return { ...known, head: left === null ? known.first : CELLS.whole(left), chain: undefined }
  }

  // ---- Names and numbers

  protected freshKey(): undefined {}

  protected *takeName(id: string): Work<TakenName | undefined> {
    if ((yield* select('contexts', ['ctx'], { id: bytesOf(id) })).length > 0) return undefined
    yield* sql('UPDATE counted SET contexts = contexts + 1')
    // Numbers of deleted contexts are not given again.
    const { rows } = yield* sql(`SELECT max(n) AS n FROM (SELECT max(seq) AS n FROM sqlite_sequence
      WHERE name = 'contexts' UNION ALL SELECT max(ctx) FROM contexts)`)
    return { ctx: checkNumber(Number(rows[0]!['n'] ?? 0) + 1, this.name), isMade: false }
  }

  protected *releaseName(): Work<unknown> {
    return yield* sql('UPDATE counted SET contexts = contexts - 1')
  }

  protected *countAttempt(ctx: ContextKey): Work<NewRow | undefined> {
    return (yield* update('contexts', { attempts: { plus: 1 } }, { ctx })) === 0 ? undefined : {}
  }

  override async delete(ctx: ContextKey, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const outcome = await super.delete(ctx, withForks)
    // Deleted data is zeroed in the file but still in the log. A reader may keep the log for longer.
    if (outcome === 'deleted') this.#db.truncateLog()
    return outcome
  }

  /** Removes deleted data from free pages and the log: rewrites the file and truncates the log. */
  async scrub(family: ContextKey, upTo?: number): Promise<readonly string[]> {
    await this.#db.emptyLog()
    this.#db.do(() => this.#db.run('VACUUM'))
    await this.#db.emptyLog()
    await this.writing(() => this.finishAudit(family, upTo))
    return []
  }

  async changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    while (!signal.aborted) {
      const version = this.#db.do(() => this.#version())
      if (version !== since) return version
      await sleep(every, signal)
    }
    return ''
  }

  /** `data_version` counts writes of other connections, `total_changes` those of this one. */
  #version(): string {
    const others = this.#db.get('PRAGMA data_version')!['data_version']
    return `${this.#db.opened} ${String(others)} ${String(this.#db.get('SELECT total_changes() AS n')!['n'])}`
  }

  async check(): Promise<readonly string[]> {
    return problemsIn(this.#db, this.name)
  }

  async close(): Promise<void> {
    this.#db.close()
  }
}
