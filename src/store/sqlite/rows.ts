// Rows in an SQLite file: one writer at a time, in however many processes, and readers who never wait.

import fs from 'node:fs'
import path from 'node:path'

import type {
  Answer,
  AttemptRow,
  ContextRow,
  ManifestRow,
  NewCommit,
  NewContext,
  Pack,
  PageRow,
  Row,
  Rows,
} from '../rows.js'
import { openDatabase, type Cells, type Database, type DriverName, type Statement, type Value } from './driver.js'
import { faultOf, isBusy, isTaken } from './faults.js'
import { migrate } from './schema.js'

export type SqliteOptions = Readonly<{
  /**
   * 'full' (the default): a commit that was answered survives a loss of power. 'relaxed': it survives the end of the process,
   * and a loss of power may take the last ones; the file stays whole.
   */
  durability?: 'full' | 'relaxed' | undefined
  /** How long to wait for another writer, in milliseconds; 5,000 by default. */
  busyTimeout?: number | undefined
  /** Which SQLite; by default Node's own where there is one. */
  driver?: DriverName | undefined
}>

/** How far apart the keys of two contexts are. */
const SPAN = 2 ** 30
/** How often switching to a write-ahead log is tried while somebody else is at it. */
const TRIES = 100

export class SqliteRows implements Rows {
  readonly name: string
  readonly #db: Database
  readonly #statements = new Map<string, Statement>()

  /** Tests open the file in a way of their own, to see what every statement leaves behind. */
  constructor(
    file: string,
    { durability = 'full', busyTimeout = 5000, driver }: SqliteOptions = {},
    opened: (file: string, driver?: DriverName) => Database = openDatabase,
  ) {
    this.name = `sqlite:${file}`
    this.#db = this.#do(() => {
      if (file !== ':memory:') makeFolder(file)
      return opened(file, driver)
    })
    try {
      this.#do(() => {
        this.#db.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
        this.#writeAhead()
        this.#db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
        migrate(this.#db, this.name)
      })
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Whoever switches needs the file alone for a moment, and SQLite does not wait for that by itself. */
  #writeAhead(): void {
    for (let tries = 1; ; tries++) {
      try {
        return this.#db.exec('PRAGMA journal_mode = WAL')
      } catch (error) {
        if (!isBusy(error) || tries === TRIES) throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      }
    }
  }

  async find(id: string): Promise<ContextRow | undefined> {
    return this.#do(() => contextRow(this.#get(`${CONTEXT} WHERE c.id = ?`, bytesOf(id))))
  }

  async byNumber(ctx: number): Promise<ContextRow | undefined> {
    return this.#do(() => this.#context(ctx))
  }

  #context(ctx: number): ContextRow | undefined {
    return contextRow(this.#get(`${CONTEXT} WHERE c.ctx = ?`, ctx))
  }

  async list(after: string | undefined, limit: number): Promise<readonly ContextRow[]> {
    // UTF-8 has the order of code points.
    const from = after === undefined ? '' : 'WHERE c.id > ?'
    const values = after === undefined ? [limit] : [bytesOf(after), limit]
    return this.#do(() =>
      this.#all(`${CONTEXT} ${from} ORDER BY c.id LIMIT ?`, ...values).map((row) => contextRow(row)!),
    )
  }

  async create({ id, parent, packs, rows, attempts, forks }: NewContext): Promise<ContextRow | 'exists' | 'conflict'> {
    return this.#transaction(() => {
      if (this.#get('SELECT 1 FROM contexts WHERE id = ?', bytesOf(id)) !== undefined) return 'exists'
      const values = [parent?.ctx ?? null, parent?.cycle ?? null, packs[0]?.from ?? rows[0]!.cycle]
      if (parent !== undefined) {
        const taken = this.#run(
          'UPDATE contexts SET forks = forks + 1 WHERE ctx = ? AND forks = ?',
          parent.ctx,
          parent.forks,
        )
        if (taken === 0) return 'conflict'
      }
      const epoch = parent === undefined ? 0 : this.#context(Number(parent.ctx))!.epoch
      this.#run(
        'INSERT INTO contexts (id, family, parent, base, first, forks, epoch) VALUES (?, ?, ?, ?, ?, ?, ?)',
        bytesOf(id),
        parent?.family ?? 0,
        ...values,
        forks ?? 0,
        epoch,
      )
      const ctx = Number(this.#get('SELECT last_insert_rowid() AS ctx')!['ctx'])
      if (parent === undefined) this.#run('UPDATE contexts SET family = ctx WHERE ctx = ?', ctx)
      for (const pack of packs) this.#insertPack(ctx, pack)
      for (const { cycle, hash, changes, bodies } of rows) {
        this.#run(
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
    return this.#transaction(() => {
      const forks = this.#all('SELECT ctx, id FROM contexts WHERE parent = ? ORDER BY id', ctx)
      if (forks.length > 0 && !withForks) return forks.map(({ id }) => textOf(id!))
      for (const each of [...this.#below(ctx), ctx]) this.#deleteOne(each)
      return 'deleted'
    })
  }

  /** The forks of a context, and theirs, the youngest first. */
  #below(ctx: number): readonly number[] {
    const forks = this.#all('SELECT ctx FROM contexts WHERE parent = ?', ctx).map((row) => Number(row['ctx']))
    return forks.flatMap((fork) => [...this.#below(fork), fork])
  }

  #deleteOne(ctx: number): void {
    const family = this.#get('SELECT family FROM contexts WHERE ctx = ?', ctx)?.['family']
    if (family === undefined) return
    const [from, to] = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    for (const table of ['commits', 'packs', 'manifests'])
      this.#run(`DELETE FROM ${table} WHERE k BETWEEN ? AND ?`, from, to)
    for (const table of ['answers', 'attempts', 'contexts']) this.#run(`DELETE FROM ${table} WHERE ctx = ?`, ctx)
    this.#run('DELETE FROM pages WHERE family = ?1 AND NOT EXISTS (SELECT 1 FROM contexts WHERE family = ?1)', family)
  }

  async commit({ ctx: key, after, epoch, row, answer }: NewCommit): Promise<'done' | 'conflict'> {
    const ctx = Number(key)
    if (answer === undefined) return this.#do(() => this.#insert(ctx, after, epoch, row))
    return this.#transaction(() => {
      const { cycle, digest, answer: said } = answer
      const name = bytesOf(answer.key)
      if (this.#get('SELECT 1 FROM answers WHERE ctx = ? AND key = ?', ctx, name) !== undefined) return 'conflict'
      const outcome = this.#insert(ctx, after, epoch, row)
      if (outcome === 'conflict') return outcome
      this.#run('INSERT INTO answers VALUES (?, ?, ?, ?, ?)', ctx, name, cycle, digest, said)
      return outcome
    })
  }

  /** One statement: it compares, and it writes. The newest rows are never packed, so the row before is always there. */
  #insert(ctx: number, after: Uint8Array, epoch: number, { cycle, hash, changes, bodies }: Row): 'done' | 'conflict' {
    try {
      const k = keyOf(ctx, cycle)
      return this.#run(INSERT, k, hash, changes, bodies, k - 1, after, ctx, epoch) === 1 ? 'done' : 'conflict'
    } catch (error) {
      if (isTaken(error)) return 'conflict'
      throw error
    }
  }

  async read(ctx: number, from: number, to: number): ReturnType<Rows['read']> {
    const [first, last] = [keyOf(ctx, from), keyOf(ctx, to)]
    const [start, end] = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    // A row may be packed between two looks; together they are one look.
    return this.#reading(() => ({
      packs: this.#all(
        'SELECT k, first, body FROM packs WHERE k BETWEEN ? AND ? AND first <= ? ORDER BY k',
        Math.max(first, start),
        end,
        to,
      ).map(({ k, first: begin, body }) => ({ from: Number(begin), to: cycleOf(k!), body: body as Uint8Array })),
      rows: this.#all(
        'SELECT k, hash, changes, bodies FROM commits WHERE k BETWEEN ? AND ? ORDER BY k',
        first,
        last,
      ).map(({ k, hash, changes, bodies }) => ({
        cycle: cycleOf(k!),
        hash: hash as Uint8Array,
        changes: changes as Uint8Array,
        bodies: bodies as Uint8Array,
      })),
    }))
  }

  async answer(ctx: number, key: string): Promise<Answer | undefined> {
    return this.#do(() => {
      const found = this.#get('SELECT cycle, digest, answer FROM answers WHERE ctx = ? AND key = ?', ctx, bytesOf(key))
      if (found === undefined) return undefined
      const { cycle, digest, answer } = found
      return { key, cycle: Number(cycle), digest: digest as Uint8Array, answer: answer as Uint8Array }
    })
  }

  async answers(ctx: number): Promise<readonly Answer[]> {
    return this.#do(() =>
      this.#all('SELECT key, cycle, digest, answer FROM answers WHERE ctx = ? ORDER BY key', ctx).map((cells) => ({
        key: textOf(cells['key']!),
        cycle: Number(cells['cycle']),
        digest: cells['digest'] as Uint8Array,
        answer: cells['answer'] as Uint8Array,
      })),
    )
  }

  async pack(ctx: number, pack: Pack): Promise<void> {
    return this.#transaction(() => {
      const keys = [keyOf(ctx, pack.from), keyOf(ctx, pack.to)]
      // A commit looks for the row before it among those that stand alone, so only the newest may.
      const older = this.#get('SELECT 1 FROM commits WHERE k >= ? AND k < ? LIMIT 1', keyOf(ctx, 0), keys[0]!)
      if (older !== undefined) throw ROLLBACK
      if (this.#run('DELETE FROM commits WHERE k BETWEEN ? AND ?', ...keys) === pack.to - pack.from + 1) {
        return this.#insertPack(ctx, pack)
      }
      // Somebody else has packed them.
      throw ROLLBACK
    })
  }

  #insertPack(ctx: number, { from, to, body }: Pack): void {
    this.#run('INSERT INTO packs (k, first, body) VALUES (?, ?, ?)', keyOf(ctx, to), from, body)
  }

  async unpacked(ctx: number): Promise<number> {
    const range = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    return this.#do(() =>
      Number(this.#get('SELECT count(*) AS n FROM commits WHERE k BETWEEN ? AND ?', ...range)!['n']),
    )
  }

  async writeAttempts(ctx: number, attempts: readonly AttemptRow[]): Promise<void> {
    return this.#transaction(() => this.#putAttempts(ctx, attempts))
  }

  #putAttempts(ctx: number, attempts: readonly AttemptRow[]): void {
    for (const { id, writer, body } of attempts) {
      this.#run(
        `INSERT INTO attempts (ctx, id, writer, body) SELECT ?1, ?2, ?3, ?4
         WHERE EXISTS (SELECT 1 FROM contexts WHERE ctx = ?1)
         ON CONFLICT (ctx, id, writer) DO UPDATE SET body = excluded.body`,
        ctx,
        bytesOf(id),
        bytesOf(writer),
        body,
      )
    }
  }

  async attempts(ctx: number, limit: number): Promise<readonly AttemptRow[]> {
    const sql = 'SELECT id, writer, body FROM attempts WHERE ctx = ? ORDER BY seq DESC LIMIT ?'
    return this.#do(() =>
      this.#all(sql, ctx, limit)
        .map(({ id, writer, body }) => ({ id: textOf(id!), writer: textOf(writer!), body: body as Uint8Array }))
        .reverse(),
    )
  }

  async writeManifest(ctx: number, { cycle, body }: ManifestRow, pages: readonly PageRow[]): Promise<void> {
    return this.#transaction(() => {
      const family = this.#get('SELECT family FROM contexts WHERE ctx = ?', ctx)?.['family']
      if (family === undefined) throw ROLLBACK
      for (const page of pages) {
        this.#run(
          'INSERT OR IGNORE INTO pages (family, key, body) VALUES (?, ?, ?)',
          family,
          keyBytes(page.key),
          page.body,
        )
      }
      this.#run('INSERT OR REPLACE INTO manifests (k, body) VALUES (?, ?)', keyOf(ctx, cycle), body)
    })
  }

  async manifest(ctx: number, cycle: number): Promise<ManifestRow | undefined> {
    const sql = 'SELECT k, body FROM manifests WHERE k BETWEEN ? AND ? ORDER BY k DESC LIMIT 1'
    return this.#do(() => {
      const found = this.#get(sql, keyOf(ctx, 0), keyOf(ctx, Math.max(0, cycle)))
      return found && { cycle: cycleOf(found['k']!), body: found['body'] as Uint8Array }
    })
  }

  async manifests(ctx: number): Promise<readonly number[]> {
    const range = [keyOf(ctx, 0), keyOf(ctx + 1, 0) - 1]
    return this.#do(() =>
      this.#all('SELECT k FROM manifests WHERE k BETWEEN ? AND ? ORDER BY k', ...range).map(({ k }) => cycleOf(k!)),
    )
  }

  async pages(family: number, keys: readonly string[]): Promise<readonly PageRow[]> {
    return this.#reading(() =>
      keys.flatMap((key) => {
        const found = this.#get('SELECT body FROM pages WHERE family = ? AND key = ?', family, keyBytes(key))
        return found === undefined ? [] : [{ key, body: found['body'] as Uint8Array }]
      }),
    )
  }

  async dropDerived(family: number): Promise<void> {
    return this.#transaction(() => {
      this.#run('DELETE FROM pages WHERE family = ?', family)
      for (const { ctx } of this.#all('SELECT ctx FROM contexts WHERE family = ?', family)) {
        const from = keyOf(Number(ctx), 0)
        this.#run('DELETE FROM manifests WHERE k BETWEEN ? AND ?', from, from + SPAN - 1)
      }
    })
  }

  async check(): Promise<readonly string[]> {
    return this.#do(() => {
      const found = this.#all('PRAGMA integrity_check(20)').map((cells) => String(cells['integrity_check']))
      const left = ['commits', 'packs', 'manifests'].flatMap((table) => {
        const sql = `SELECT DISTINCT k / ${SPAN} AS ctx FROM ${table} WHERE k / ${SPAN} NOT IN (SELECT ctx FROM contexts) LIMIT 5`
        return this.#all(sql).map(
          ({ ctx }) => `The table ${table} has rows of a context, number ${String(ctx)}, that is not there.`,
        )
      })
      const headless = this.#all(
        `SELECT id FROM contexts c WHERE NOT EXISTS (SELECT 1 FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1}) LIMIT 5`,
      ).map(({ id }) => `The context ${textOf(id!)} has no newest row.`)
      return [...found.filter((line) => line !== 'ok'), ...left, ...headless]
    })
  }

  async close(): Promise<void> {
    this.#statements.clear()
    try {
      // Leaves one file behind, where nobody else has it open.
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The log is read by whoever opens the file next.
    }
    this.#do(() => this.#db.close())
  }

  // ---- Statements

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  #run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  #get(sql: string, ...values: readonly Value[]): Cells | undefined {
    return this.#statement(sql).get(...values)
  }

  #all(sql: string, ...values: readonly Value[]): readonly Cells[] {
    return this.#statement(sql).all(...values)
  }

  /** Does something, and tells its errors in our words. */
  #do<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw faultOf(error, this.name)
    }
  }

  #transaction<T>(work: () => T): T {
    return this.#between('BEGIN IMMEDIATE', work)
  }

  /** Several looks at one moment. */
  #reading<T>(work: () => T): T {
    return this.#between('BEGIN', work)
  }

  #between<T>(begin: string, work: () => T): T {
    return this.#do(() => {
      this.#run(begin)
      let result: T
      try {
        result = work()
      } catch (error) {
        this.#rollBack()
        if (error === ROLLBACK) return undefined as T
        throw error
      }
      try {
        this.#run('COMMIT')
      } catch (error) {
        this.#rollBack()
        throw error
      }
      return result
    })
  }

  #rollBack(): void {
    try {
      this.#run('ROLLBACK')
    } catch {
      // Some errors have ended the transaction already.
    }
  }
}

/** Thrown inside a transaction to leave everything as it was; nobody else sees it. */
const ROLLBACK = new Error('rollback')

const INSERT = `
  INSERT INTO commits (k, hash, changes, bodies) SELECT ?, ?, ?, ?
  WHERE EXISTS (SELECT 1 FROM commits WHERE k = ? AND hash = ?)
  AND EXISTS (SELECT 1 FROM contexts WHERE ctx = ? AND epoch = ?)`

const CONTEXT = `
  SELECT c.ctx, c.id, c.family, c.parent, c.base, c.forks, c.epoch, c.first, m.k, m.hash FROM contexts c
  JOIN commits m ON m.k = (SELECT max(k) FROM commits WHERE k BETWEEN c.ctx * ${SPAN} AND c.ctx * ${SPAN} + ${SPAN - 1})`

function contextRow(cells: Cells | undefined): ContextRow | undefined {
  if (cells === undefined) return undefined
  const { ctx, id, family, parent, base, forks, epoch, first, k, hash } = cells
  return {
    ctx: Number(ctx),
    id: textOf(id!),
    family: Number(family),
    parent: parent === null ? undefined : { ctx: Number(parent), cycle: Number(base) },
    forks: Number(forks),
    epoch: Number(epoch),
    first: Number(first),
    head: cycleOf(k!),
    chain: hash as Uint8Array,
  }
}

function keyOf(ctx: number, cycle: number): number {
  return ctx * SPAN + cycle
}

function cycleOf(k: Value): number {
  return Number(k) % SPAN
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

function textOf(bytes: Value): string {
  return Buffer.from(bytes as Uint8Array).toString('utf8')
}

function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}

function makeFolder(file: string): void {
  try {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  } catch {
    // SQLite says it better.
  }
}
