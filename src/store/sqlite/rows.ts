// Rows in an SQLite file: one writer at a time across processes, and readers that never wait.

import { isArrivalComplete, isFamilyUnchanged } from '../compare.js'
import { sleep } from '../event-loop.js'
import type {
  Answer,
  Arrived,
  AttemptRow,
  AuditRow,
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
  blobOf,
  bytesOf,
  checkNumber,
  keyBytes,
  textOf,
  wholeOf,
  contextRow,
  contextSql,
  cycleOf,
  keyOf,
  keysOf,
  lostContext,
} from './cells.js'
import { Connection, ROLLBACK, type OpenDatabase, type SqliteOptions } from './connection.js'
import { putDraft, readDraft, writeSave } from './drafts.js'
import type { Cells } from './driver.js'
import { addAudit, finishAudit, readAudit, scrubFile, writeErasure } from './erasing.js'
import { problemsIn } from './integrity.js'
import { insertAnswer, insertRow, writeCommit } from './writes.js'

export class SqliteRows implements Rows {
  readonly name: string
  readonly #db: Connection
  /** SELECT of contexts for this version of the tables. */
  readonly #contexts: string

  /** Tests pass their own `opened` to inspect every statement. */
  constructor(file: string, options: SqliteOptions = {}, opened?: OpenDatabase) {
    this.name = `sqlite:${file}`
    this.#db = new Connection(this.name, file, options, opened)
    this.#contexts = contextSql(this.#db.version)
  }

  async find(id: string): Promise<ContextRow | undefined> {
    return this.#db.do(() => contextRow(this.#db.get(`${this.#contexts} WHERE c.id = ?`, bytesOf(id))))
  }

  async byNumber(ctx: number): Promise<ContextRow | undefined> {
    return this.#db.do(() => this.#context(ctx))
  }

  #context(ctx: number): ContextRow | undefined {
    return contextRow(this.#db.get(`${this.#contexts} WHERE c.ctx = ?`, ctx))
  }

  async list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]> {
    // UTF-8 bytes sort by code point.
    const from = after === undefined ? '' : 'WHERE c.id > ?'
    const values = after === undefined ? [limit] : [bytesOf(after), limit]
    return this.#db.do(() =>
      this.#db
        .all(`${this.#contexts} ${from} ORDER BY c.id LIMIT ?`, ...values)
        .map((cells) => (cells['k'] === null ? this.#lost(cells) : contextRow(cells)!)),
    )
  }

  #lost(cells: Cells): LostContext {
    const keys = keysOf(wholeOf(cells['ctx']))
    const sql = `SELECT max(k) AS k FROM (SELECT max(k) AS k FROM commits WHERE k BETWEEN ? AND ?
      UNION ALL SELECT max(k) FROM packs WHERE k BETWEEN ? AND ?)`
    return lostContext(cells, this.#db.get(sql, ...keys, ...keys)?.['k'])
  }

  async family(family: number): Promise<readonly ContextRow[]> {
    return this.#db.do(() => this.#family(family))
  }

  #family(family: number): readonly ContextRow[] {
    return this.#db.all(`${this.#contexts} WHERE c.family = ?`, family).map((row) => contextRow(row)!)
  }

  async create(context: NewContext): ReturnType<Rows['create']> {
    const { id, parent, packs, rows, attempts = [], forks = 0, seal = null, answers = [], audit = [] } = context
    return this.#db.transaction(() => {
      if (this.#db.get('SELECT 1 FROM contexts WHERE id = ?', bytesOf(id)) !== undefined) return 'exists'
      const first = packs[0]?.from ?? rows[0]!.cycle
      const newest = rows.at(-1)!
      if (parent !== undefined) {
        const taken = this.#db.run(
          `UPDATE contexts SET forks = forks + 1, seal = coalesce(?, seal)
           WHERE ctx = ? AND forks = ? AND epoch = coalesce(?, epoch)`,
          parent.seal ?? null,
          parent.ctx,
          parent.forks,
          parent.epoch ?? null,
        )
        if (taken === 0) return 'conflict'
      }
      const epoch = parent === undefined ? (context.epoch ?? 0) : this.#context(Number(parent.ctx))!.epoch
      this.#db.run(
        `INSERT INTO contexts (id, family, parent, base, first, forks, epoch, head, chain, seal, answers, attempts)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
        bytesOf(id),
        parent?.family ?? 0,
        parent?.ctx ?? null,
        parent?.cycle ?? null,
        first,
        forks,
        epoch,
        newest.cycle,
        newest.hash,
        seal,
        answers.length,
      )
      const ctx = Number(this.#db.get('SELECT last_insert_rowid() AS ctx')!['ctx'])
      checkNumber(ctx, this.name)
      if (parent === undefined) this.#db.run('UPDATE contexts SET family = ctx WHERE ctx = ?', ctx)
      this.#db.run('UPDATE counted SET contexts = contexts + 1')
      for (const pack of packs) this.#insertPack(ctx, pack)
      for (const row of rows) insertRow(this.#db, ctx, row)
      this.#putAttempts(ctx, attempts)
      for (const answer of answers) insertAnswer(this.#db, ctx, answer)
      for (const each of audit) addAudit(this.#db, ctx, each)
      return this.#context(ctx)!
    })
  }

  async delete(ctx: number, withForks: boolean): Promise<'deleted' | readonly string[]> {
    const outcome = this.#db.transaction((): 'deleted' | readonly string[] => {
      const forks = this.#db.all('SELECT ctx, id FROM contexts WHERE parent = ? ORDER BY id', ctx)
      if (forks.length > 0 && !withForks) return forks.map(({ id }) => textOf(id))
      for (const each of [...this.#below(ctx), ctx]) this.#deleteOne(each)
      return 'deleted'
    })
    // Deleted data is zeroed in the file but still in the log. A reader may keep the log for longer.
    if (outcome === 'deleted') this.#db.truncateLog()
    return outcome
  }

  /** All descendants of a context, youngest first; includes itself if a damaged file has a cycle. */
  #below(ctx: number): readonly number[] {
    const all = new Set<number>()
    for (let next: readonly number[] = [ctx]; next.length > 0;) {
      const forks = next.flatMap((each) => this.#db.all('SELECT ctx FROM contexts WHERE parent = ?', each))
      next = forks.map((row) => Number(row['ctx'])).filter((each) => !all.has(each))
      for (const each of next) all.add(each)
    }
    return [...all].reverse()
  }

  #deleteOne(ctx: number): void {
    const family = this.#db.get('SELECT family FROM contexts WHERE ctx = ?', ctx)?.['family']
    if (family === undefined) return
    const [from, to] = keysOf(ctx)
    for (const table of ['commits', 'packs', 'manifests', 'drafts'])
      this.#db.run(`DELETE FROM ${table} WHERE k BETWEEN ? AND ?`, from, to)
    for (const table of ['answers', 'attempts', 'contexts']) this.#db.run(`DELETE FROM ${table} WHERE ctx = ?`, ctx)
    this.#db.run('UPDATE counted SET contexts = contexts - 1')
    this.#db.run(
      'DELETE FROM pages WHERE family = ? AND NOT EXISTS (SELECT 1 FROM contexts WHERE family = ?)',
      family,
      family,
    )
    this.#db.run(
      'DELETE FROM audit WHERE family = ? AND NOT EXISTS (SELECT 1 FROM contexts WHERE family = ?)',
      family,
      family,
    )
  }

  async commit(commit: NewCommit): Promise<'done' | 'conflict'> {
    const outcome = this.#db.transaction((): 'done' => {
      if (!writeCommit(this.#db, commit)) throw ROLLBACK
      return 'done'
    })
    return outcome ?? 'conflict'
  }

  async saveDraft(save: NewSave): Promise<'done' | 'conflict'> {
    const outcome = this.#db.transaction((): 'done' => {
      if (!writeSave(this.#db, save)) throw ROLLBACK
      return 'done'
    })
    return outcome ?? 'conflict'
  }

  async draft(ctx: number): Promise<DraftRow | undefined> {
    return this.#db.do(() => readDraft(this.#db, ctx))
  }

  async read(ctx: number, from: number, to: number): ReturnType<Rows['read']> {
    const [first, last] = [keyOf(ctx, from), keyOf(ctx, to)]
    const [start, end] = keysOf(ctx)
    // One transaction: a row may be packed between the two queries.
    return this.#db.reading(() => ({
      packs: this.#db
        .all(
          'SELECT k, first, body FROM packs WHERE k BETWEEN ? AND ? AND first <= ? ORDER BY k',
          Math.max(first, start),
          end,
          to,
        )
        .map(({ k, first: begin, body }) => ({ from: wholeOf(begin), to: cycleOf(k!), body: blobOf(body) })),
      rows: this.#db
        .all('SELECT k, hash, changes, bodies FROM commits WHERE k BETWEEN ? AND ? ORDER BY k', first, last)
        .map(({ k, hash, changes, bodies }) => ({
          cycle: cycleOf(k!),
          hash: blobOf(hash),
          changes: blobOf(changes),
          bodies: blobOf(bodies),
        })),
    }))
  }

  async answer(ctx: number, key: string): Promise<Answer | undefined> {
    return this.#db.do(() => {
      const found = this.#db.get(
        'SELECT cycle, digest, answer FROM answers WHERE ctx = ? AND key = ?',
        ctx,
        bytesOf(key),
      )
      if (found === undefined) return undefined
      const { cycle, digest, answer } = found
      return { key, cycle: wholeOf(cycle), digest: blobOf(digest), answer: blobOf(answer) }
    })
  }

  async answers(ctx: number): Promise<readonly Answer[]> {
    return this.#db.do(() =>
      this.#db.all('SELECT key, cycle, digest, answer FROM answers WHERE ctx = ? ORDER BY key', ctx).map((cells) => ({
        key: textOf(cells['key']),
        cycle: wholeOf(cells['cycle']),
        digest: blobOf(cells['digest']),
        answer: blobOf(cells['answer']),
      })),
    )
  }

  async pack(ctx: number, pack: Pack, epoch?: number): Promise<void> {
    return this.#db.transaction(() => {
      if (this.#isErased(ctx, epoch)) throw ROLLBACK
      const keys = [keyOf(ctx, pack.from), keyOf(ctx, pack.to)]
      // Only the newest rows may be single, since a commit looks for its predecessor among them.
      const older = this.#db.get('SELECT 1 FROM commits WHERE k >= ? AND k < ? LIMIT 1', keyOf(ctx, 0), keys[0]!)
      if (older !== undefined) throw ROLLBACK
      if (this.#db.run('DELETE FROM commits WHERE k BETWEEN ? AND ?', ...keys) === pack.to - pack.from + 1) {
        return this.#insertPack(ctx, pack)
      }
      // Another process has packed them.
      throw ROLLBACK
    })
  }

  /** True if the epoch is given and differs. */
  #isErased(ctx: number, epoch: number | undefined): boolean {
    if (epoch === undefined) return false
    return this.#db.get('SELECT 1 FROM contexts WHERE ctx = ? AND epoch <> ?', ctx, epoch) !== undefined
  }

  #insertPack(ctx: number, { from, to, body }: Pack): void {
    this.#db.run('INSERT INTO packs (k, first, body) VALUES (?, ?, ?)', keyOf(ctx, to), from, body)
  }

  async unpacked(ctx: number): Promise<number> {
    const range = keysOf(ctx)
    return this.#db.do(() =>
      Number(this.#db.get('SELECT count(*) AS n FROM commits WHERE k BETWEEN ? AND ?', ...range)!['n']),
    )
  }

  async writeAttempts(ctx: number, attempts: readonly AttemptRow[], epoch?: number): Promise<'erased' | void> {
    return this.#db.transaction(() => {
      if (this.#isErased(ctx, epoch)) return 'erased'
      this.#putAttempts(ctx, attempts)
      return undefined
    })
  }

  /** Counts new attempts. Writes nothing for a deleted context. */
  #putAttempts(ctx: number, attempts: readonly AttemptRow[]): void {
    for (const { id, writer, body } of attempts) {
      const name = [ctx, bytesOf(id), bytesOf(writer)] as const
      if (this.#db.run('UPDATE attempts SET body = ? WHERE ctx = ? AND id = ? AND writer = ?', body, ...name) > 0)
        continue
      if (this.#db.run('UPDATE contexts SET attempts = attempts + 1 WHERE ctx = ?', ctx) === 0) return
      this.#db.run('INSERT INTO attempts (ctx, id, writer, body) VALUES (?, ?, ?, ?)', ...name, body)
    }
  }

  async attempts(ctx: number, limit: number): Promise<readonly AttemptRow[]> {
    const sql = 'SELECT id, writer, body FROM attempts WHERE ctx = ? ORDER BY seq DESC LIMIT ?'
    return this.#db.do(() =>
      this.#db
        .all(sql, ctx, limit)
        .map(({ id, writer, body }) => ({ id: textOf(id), writer: textOf(writer), body: blobOf(body) }))
        .reverse(),
    )
  }

  async writeManifest(
    ctx: number,
    { cycle, body }: ManifestRow,
    pages: readonly PageRow[],
    epoch?: number,
  ): Promise<void> {
    return this.#db.transaction(() => {
      const family = this.#db.get('SELECT family FROM contexts WHERE ctx = ?', ctx)?.['family']
      if (family === undefined || this.#isErased(ctx, epoch)) throw ROLLBACK
      for (const page of pages) {
        this.#db.run(
          'INSERT OR IGNORE INTO pages (family, key, body) VALUES (?, ?, ?)',
          family,
          keyBytes(page.key),
          page.body,
        )
      }
      this.#db.run('INSERT OR REPLACE INTO manifests (k, body) VALUES (?, ?)', keyOf(ctx, cycle), body)
    })
  }

  async manifest(ctx: number, cycle: number): Promise<ManifestRow | undefined> {
    const sql = 'SELECT k, body FROM manifests WHERE k BETWEEN ? AND ? ORDER BY k DESC LIMIT 1'
    return this.#db.do(() => {
      const found = this.#db.get(sql, keyOf(ctx, 0), keyOf(ctx, Math.max(0, cycle)))
      return found && { cycle: cycleOf(found['k']!), body: blobOf(found['body']) }
    })
  }

  async manifests(ctx: number): Promise<readonly number[]> {
    const range = keysOf(ctx)
    return this.#db.do(() =>
      this.#db.all('SELECT k FROM manifests WHERE k BETWEEN ? AND ? ORDER BY k', ...range).map(({ k }) => cycleOf(k!)),
    )
  }

  async pages(family: number, keys: readonly string[]): Promise<readonly PageRow[]> {
    return this.#db.reading(() =>
      keys.flatMap((key) => {
        const found = this.#db.get('SELECT body FROM pages WHERE family = ? AND key = ?', family, keyBytes(key))
        return found === undefined ? [] : [{ key, body: blobOf(found['body']) }]
      }),
    )
  }

  async dropDerived(family: number): Promise<void> {
    return this.#db.transaction(() => this.#dropDerived(family))
  }

  #dropDerived(family: number): void {
    this.#db.run('DELETE FROM pages WHERE family = ?', family)
    for (const { ctx } of this.#db.all('SELECT ctx FROM contexts WHERE family = ?', family)) {
      this.#db.run('DELETE FROM manifests WHERE k BETWEEN ? AND ?', ...keysOf(Number(ctx)))
    }
  }

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    const outcome = this.#db.transaction((): 'done' | undefined => {
      const family = Number(erasure.family)
      const all = this.#family(family)
      if (!isFamilyUnchanged(erasure, all) || !writeErasure(this.#db, erasure)) throw ROLLBACK
      for (const { ctx, attempt } of erasure.attempts) this.#putAttempts(Number(ctx), [attempt])
      for (const { ctx, draft } of erasure.drafts) putDraft(this.#db, Number(ctx), draft)
      this.#dropDerived(family)
      return 'done'
    })
    return outcome ?? 'conflict'
  }

  async audit(family: number): Promise<readonly AuditRow[]> {
    return this.#db.do(() => readAudit(this.#db, family))
  }

  async scrub(family: number, upTo: number = LAST): Promise<readonly string[]> {
    await scrubFile(this.#db, family, upTo)
    return []
  }

  async arrive(family: number, contexts: readonly Arrived[]): Promise<'done' | 'conflict'> {
    const outcome = this.#db.transaction((): 'done' => {
      if (!isArrivalComplete(contexts, this.#family(family))) throw ROLLBACK
      for (const { ctx, forks, seal = null, draft } of contexts) {
        this.#db.run('UPDATE contexts SET forks = ?, seal = coalesce(?, seal) WHERE ctx = ?', forks, seal, ctx)
        if (draft !== undefined) putDraft(this.#db, Number(ctx), draft)
      }
      finishAudit(this.#db, family, LAST)
      return 'done'
    })
    return outcome ?? 'conflict'
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

/** Upper bound of audit entry numbers. */
const LAST = 2 ** 31 - 1
