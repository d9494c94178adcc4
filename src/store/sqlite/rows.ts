// Rows in an SQLite file: one writer at a time, in however many processes, and readers who never wait.

import type {
  Answer,
  AttemptRow,
  AuditRow,
  ContextRow,
  Erasure,
  LostContext,
  ManifestRow,
  NewCommit,
  NewContext,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'
import { isAsBefore } from '../as-before.js'
import { paused } from '../pause.js'
import { blobOf, bytesOf, keyBytes, lostRows, textOf, wholeOf } from './cells.js'
import { Connection, ROLLBACK, type OpenDatabase, type SqliteOptions } from './connection.js'
import type { Cells, Value } from './driver.js'
import { readAudit, scrubFile, writeErasure } from './erasing.js'

/** How far apart the keys of two contexts are. */
const SPAN = 2 ** 30

export class SqliteRows implements Rows {
  readonly name: string
  readonly #db: Connection

  /** Tests open the file in a way of their own, to see what every statement leaves behind. */
  constructor(file: string, options: SqliteOptions = {}, opened?: OpenDatabase) {
    this.name = `sqlite:${file}`
    this.#db = new Connection(this.name, file, options, opened)
  }

  async find(id: string): Promise<ContextRow | undefined> {
    return this.#db.do(() => contextRow(this.#db.get(`${CONTEXT} WHERE c.id = ?`, bytesOf(id))))
  }

  async byNumber(ctx: number): Promise<ContextRow | undefined> {
    return this.#db.do(() => this.#context(ctx))
  }

  #context(ctx: number): ContextRow | undefined {
    return contextRow(this.#db.get(`${CONTEXT} WHERE c.ctx = ?`, ctx))
  }

  async list(after: string | undefined, limit: number): Promise<readonly (ContextRow | LostContext)[]> {
    // UTF-8 has the order of code points.
    const from = after === undefined ? '' : 'WHERE c.id > ?'
    const values = after === undefined ? [limit] : [bytesOf(after), limit]
    return this.#db.do(() =>
      this.#db
        .all(`${CONTEXT} ${from} ORDER BY c.id LIMIT ?`, ...values)
        .map((cells) => (cells['k'] === null ? this.#lost(cells) : contextRow(cells)!)),
    )
  }

  #lost(cells: Cells): LostContext {
    const known = knownOf(cells)
    const range = [keyOf(known.ctx, 0), keyOf(known.ctx + 1, 0) - 1]
    const packed = this.#db.get('SELECT max(k) AS k FROM packs WHERE k BETWEEN ? AND ?', ...range)?.['k'] ?? null
    return { ...known, head: packed === null ? known.first : cycleOf(packed), chain: undefined }
  }

  async family(family: number): Promise<readonly ContextRow[]> {
    return this.#db.do(() => this.#family(family))
  }

  #family(family: number): readonly ContextRow[] {
    return this.#db.all(`${CONTEXT} WHERE c.family = ?`, family).map((row) => contextRow(row)!)
  }

  async create({ id, parent, packs, rows, attempts, forks }: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    return this.#db.transaction(() => {
      if (this.#db.get('SELECT 1 FROM contexts WHERE id = ?', bytesOf(id)) !== undefined) return 'exists'
      const values = [parent?.ctx ?? null, parent?.cycle ?? null, packs[0]?.from ?? rows[0]!.cycle]
      if (parent !== undefined) {
        const taken = this.#db.run(
          'UPDATE contexts SET forks = forks + 1 WHERE ctx = ? AND forks = ? AND epoch = coalesce(?, epoch)',
          parent.ctx,
          parent.forks,
          parent.epoch ?? null,
        )
        if (taken === 0) return 'conflict'
      }
      const epoch = parent === undefined ? 0 : this.#context(Number(parent.ctx))!.epoch
      this.#db.run(
        'INSERT INTO contexts (id, family, parent, base, first, forks, epoch) VALUES (?, ?, ?, ?, ?, ?, ?)',
        bytesOf(id),
        parent?.family ?? 0,
        ...values,
        forks ?? 0,
        epoch,
      )
      const ctx = Number(this.#db.get('SELECT last_insert_rowid() AS ctx')!['ctx'])
      if (parent === undefined) this.#db.run('UPDATE contexts SET family = ctx WHERE ctx = ?', ctx)
      for (const pack of packs) this.#insertPack(ctx, pack)
      for (const { cycle, hash, changes, bodies } of rows) {
        this.#db.run(
          'INSERT INTO commits (k, hash, changes, bodies) VALUES (?, ?, ?, ?)',
          keyOf(ctx, cycle),
          hash,
          changes,
          bodies,
        )
      }
      this.#putAttempts(ctx, attempts ?? [])
      return this.#context(ctx)!
    })
  }

  async delete(ctx: number, withForks: boolean): Promise<'deleted' | readonly string[]> {
    return this.#db.transaction(() => {
      const forks = this.#db.all('SELECT ctx, id FROM contexts WHERE parent = ? ORDER BY id', ctx)
      if (forks.length > 0 && !withForks) return forks.map(({ id }) => textOf(id))
      for (const each of [...this.#below(ctx), ctx]) this.#deleteOne(each)
      return 'deleted'
    })
  }

  /** The forks of a context, and theirs, the youngest first; itself too, where a damaged file says so. */
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
    const [from, to] = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    for (const table of ['commits', 'packs', 'manifests'])
      this.#db.run(`DELETE FROM ${table} WHERE k BETWEEN ? AND ?`, from, to)
    for (const table of ['answers', 'attempts', 'contexts']) this.#db.run(`DELETE FROM ${table} WHERE ctx = ?`, ctx)
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

  async commit({ ctx: number, after, epoch, row, answer }: NewCommit): Promise<'done' | 'conflict'> {
    const ctx = Number(number)
    if (answer === undefined) return this.#db.do(() => this.#insert(ctx, after, epoch, row))
    return this.#db.transaction(() => {
      const { key, cycle, digest, answer: said } = answer
      if (this.#db.get('SELECT 1 FROM answers WHERE ctx = ? AND key = ?', ctx, bytesOf(key)) !== undefined)
        return 'conflict'
      const outcome = this.#insert(ctx, after, epoch, row)
      if (outcome === 'conflict') return outcome
      this.#db.run('INSERT INTO answers VALUES (?, ?, ?, ?, ?)', ctx, bytesOf(key), cycle, digest, said)
      return outcome
    })
  }

  /** One statement: it compares, and it writes. The newest rows are never packed, so the row before is always there. */
  #insert(ctx: number, after: Uint8Array, epoch: number, { cycle, hash, changes, bodies }: Row): 'done' | 'conflict' {
    const k = keyOf(ctx, cycle)
    const written = this.#db.run(INSERT, k, hash, k - 1, after, ctx, epoch, changes, bodies)
    return written === 1 ? 'done' : 'conflict'
  }

  async read(ctx: number, from: number, to: number): ReturnType<Rows['read']> {
    const [first, last] = [keyOf(ctx, from), keyOf(ctx, to)]
    const [start, end] = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    // A row may be packed between two looks; together they are one look.
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
        cycle: Number(cells['cycle']),
        digest: cells['digest'] as Uint8Array,
        answer: cells['answer'] as Uint8Array,
      })),
    )
  }

  async pack(ctx: number, pack: Pack, epoch?: number): Promise<void> {
    return this.#db.transaction(() => {
      if (this.#isErased(ctx, epoch)) throw ROLLBACK
      const keys = [keyOf(ctx, pack.from), keyOf(ctx, pack.to)]
      // A commit looks for the row before it among those that stand alone, so only the newest may.
      const older = this.#db.get('SELECT 1 FROM commits WHERE k >= ? AND k < ? LIMIT 1', keyOf(ctx, 0), keys[0]!)
      if (older !== undefined) throw ROLLBACK
      if (this.#db.run('DELETE FROM commits WHERE k BETWEEN ? AND ?', ...keys) === pack.to - pack.from + 1) {
        return this.#insertPack(ctx, pack)
      }
      // Somebody else has packed them.
      throw ROLLBACK
    })
  }

  /** Whether something was erased since. */
  #isErased(ctx: number, epoch: number | undefined): boolean {
    if (epoch === undefined) return false
    return this.#db.get('SELECT 1 FROM contexts WHERE ctx = ? AND epoch <> ?', ctx, epoch) !== undefined
  }

  #insertPack(ctx: number, { from, to, body }: Pack): void {
    this.#db.run('INSERT INTO packs (k, first, body) VALUES (?, ?, ?)', keyOf(ctx, to), from, body)
  }

  async unpacked(ctx: number): Promise<number> {
    const range = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
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

  #putAttempts(ctx: number, attempts: readonly AttemptRow[]): void {
    for (const { id, writer, body } of attempts) {
      this.#db.run(
        `INSERT INTO attempts (ctx, id, writer, body) SELECT ?, ?, ?, ?
         WHERE EXISTS (SELECT 1 FROM contexts WHERE ctx = ?)
         ON CONFLICT (ctx, id, writer) DO UPDATE SET body = excluded.body`,
        ctx,
        bytesOf(id),
        bytesOf(writer),
        body,
        ctx,
      )
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
    const range = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
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
      const from = keyOf(Number(ctx), 0)
      this.#db.run('DELETE FROM manifests WHERE k BETWEEN ? AND ?', from, from + SPAN - 1)
    }
  }

  async erase(erasure: Erasure): Promise<'done' | 'conflict'> {
    // What is deleted or written over is written over with zeros, also where the process ends before the rest is done.
    this.#db.do(() => this.#db.get('PRAGMA secure_delete = ON'))
    const outcome = this.#db.transaction((): 'done' | undefined => {
      const family = Number(erasure.family)
      const all = this.#family(family)
      if (!isAsBefore(erasure, all) || !writeErasure(this.#db, erasure, keyOf)) throw ROLLBACK
      for (const { ctx, attempt } of erasure.attempts) this.#putAttempts(Number(ctx), [attempt])
      this.#dropDerived(family)
      return 'done'
    })
    return outcome ?? 'conflict'
  }

  async audit(family: number): Promise<readonly AuditRow[]> {
    return this.#db.do(() => readAudit(this.#db, family))
  }

  async scrub(family: number): Promise<readonly string[]> {
    await scrubFile(this.#db, family)
    return []
  }

  async changed(since: string | undefined, every: number, signal: AbortSignal): Promise<string> {
    while (!signal.aborted) {
      const version = this.#db.do(() => this.#version())
      if (version !== since) return version
      await paused(every, signal)
    }
    return ''
  }

  /** The first counts what others have written, the second what this connection has. */
  #version(): string {
    const others = this.#db.get('PRAGMA data_version')!['data_version']
    return `${String(others)} ${String(this.#db.get('SELECT total_changes() AS n')!['n'])}`
  }

  async check(): Promise<readonly string[]> {
    return this.#db.do(() => {
      const found = this.#db.all('PRAGMA integrity_check(20)').map((cells) => String(cells['integrity_check']))
      const left = ['commits', 'packs', 'manifests'].flatMap((table) => {
        const sql = `SELECT DISTINCT k / ${SPAN} AS ctx FROM ${table} WHERE k / ${SPAN} NOT IN (SELECT ctx FROM contexts) LIMIT 5`
        return this.#db
          .all(sql)
          .map(({ ctx }) => `The table ${table} has rows of a context, number ${String(ctx)}, that is not there.`)
      })
      return [...found.filter((line) => line !== 'ok'), ...left]
    })
  }

  async close(): Promise<void> {
    this.#db.close()
  }
}

/**
 * Where the row before it is another, or the epoch is, it has no hash, and a row without one is ignored. Not INSERT … SELECT: that
 * reads the table it writes to, and so goes through a table of its own.
 */
const INSERT = `
  INSERT OR IGNORE INTO commits (k, hash, changes, bodies) VALUES (?, (
    SELECT ? FROM commits WHERE k = ? AND hash = ?
    AND EXISTS (SELECT 1 FROM contexts WHERE ctx = ? AND epoch = ?)
  ), ?, ?)`

/** Also where its rows are lost: then it is damaged, not missing. */
const CONTEXT = `
  SELECT c.ctx, c.id, c.family, c.parent, c.base, c.forks, c.epoch, c.first, m.k, m.hash FROM contexts c
  LEFT JOIN commits m ON m.k = (SELECT max(k) FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1})`

function contextRow(cells: Cells | undefined): ContextRow | undefined {
  if (cells === undefined) return undefined
  const { k, hash } = cells
  if (k === null) throw lostRows(textOf(cells['id']), wholeOf(cells['ctx']))
  return { ...knownOf(cells), head: cycleOf(k!), chain: blobOf(hash) }
}

/** What the table of contexts tells of one. */
function knownOf({ ctx, id, family, parent, base, forks, epoch, first }: Cells): Omit<ContextRow, 'head' | 'chain'> & {
  ctx: number
} {
  return {
    ctx: wholeOf(ctx),
    id: textOf(id),
    family: wholeOf(family),
    parent: parent === null ? undefined : { ctx: wholeOf(parent), cycle: wholeOf(base) },
    forks: wholeOf(forks),
    epoch: wholeOf(epoch),
    first: wholeOf(first),
  }
}

function keyOf(ctx: number, cycle: number): number {
  return ctx * SPAN + cycle
}

function cycleOf(k: Value): number {
  return Number(k) % SPAN
}
