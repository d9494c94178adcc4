// A connection to an SQLite file, with prepared statements and transactions. It throws only PactErrors.

import fs from 'node:fs'
import path from 'node:path'

import type { PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'
import { ROLLBACK } from '../sql/query.js'
import { openDatabase, type Cells, type Database, type DriverName, type Statement, type Value } from './driver.js'
import { damagedLog, diskFault, faultOf, isBusy, isMalformed, noDatabase } from './faults.js'
import { lostCommits, type LogDamage } from './log.js'
import { isOutdated, isReadable, readOnlyFile, unreadableLog, type ReadOnlyFile } from './read-only-file.js'
import { checkVersion, migrate, showAsNewest } from './schema.js'

export type SqliteOptions = Readonly<{
  /**
   * 'full' (the default): an acknowledged commit survives a loss of power. 'relaxed': it survives the end of the
   * process, but a loss of power may take the last commits; the file stays intact.
   */
  durability?: 'full' | 'relaxed' | undefined
  /** Milliseconds to wait for another writer; 5,000 by default. */
  busyTimeout?: number | undefined
  /** SQLite implementation; by default Node's own if it has one. */
  driver?: DriverName | undefined
  /** Writes nothing, neither to the file nor to its folder. */
  readOnly?: boolean | undefined
}>

export type OpenDatabase = (file: string, driver?: DriverName, readOnly?: boolean) => Database

/** Pause between attempts to lock the file, in milliseconds. */
const PAUSE = 50
/**
 * Pages in the log before a commit moves them into the file. SQLite's default of 1,000 makes durable commits a fifth
 * slower: most rows are moved although they are packed soon after.
 */
const LOG_PAGES = 4000
/** Size of the smallest database, in bytes. */
const SMALLEST = 512

export class Connection {
  readonly #name: string
  readonly #file: string
  readonly #busyTimeout: number
  #db: Database
  /** Reopens a read-only file; undefined for a writing connection. */
  readonly #reopen: (() => void) | undefined
  #isOutdated: () => boolean = () => false
  /** Version of the tables. */
  readonly version: number
  /** Number of times the file was opened. */
  opened = 1
  /** True if every commit in the log was synced before the next one. */
  readonly #isSynced: boolean
  /** Set once SQLite reports a fully readable file as malformed. */
  #isDamaged = false
  readonly #statements = new Map<string, Statement>()

  constructor(
    name: string,
    file: string,
    { durability = 'full', busyTimeout = 5000, driver, readOnly = false }: SqliteOptions,
    opened: OpenDatabase = openDatabase,
  ) {
    this.#name = name
    this.#file = file
    this.#isSynced = durability === 'full'
    this.#busyTimeout = busyTimeout
    if (readOnly) {
      const open = (): Database =>
        this.#confirmed(() => this.#openToRead(file, (address) => opened(address, driver, true)))
      this.#db = open()
      this.version = this.#confirmed(() => checkVersion(this.#db, name))
      this.#reopen = () => {
        this.opened++
        this.#statements.clear()
        this.#db.close()
        this.#db = open()
      }
      return
    }
    this.#reopen = undefined
    this.#db = this.do(() => {
      if (file !== ':memory:') {
        makeFolder(file)
        checkSize(file, name)
        // Check the log first: SQLite overwrites what it drops.
        this.checkLog()
      }
      return opened(file, driver)
    })
    try {
      this.version = this.do(() => {
        this.#db.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
        this.#writeAhead(busyTimeout)
        this.#db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
        this.#db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
        // Deleted and overwritten content is zeroed, even if the process ends before an erasure has finished.
        this.#db.exec('PRAGMA secure_delete = ON')
        migrate(this.#db, name)
        return checkVersion(this.#db, name)
      })
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  #openToRead(file: string, open: (address: string) => Database): Database {
    const reading: ReadOnlyFile = readOnlyFile(file, this.#name)
    this.#isOutdated = () => isOutdated(file, reading)
    let db: Database | undefined
    try {
      checkSize(file, this.#name)
      this.checkLog()
      db = open(reading.address)
      db.exec(`PRAGMA busy_timeout = ${this.#busyTimeout}`)
      showAsNewest(db, this.#name)
      return db
    } catch (error) {
      db?.close()
      const fault = faultOf(error, this.#name)
      const isLog = reading.seen === undefined && ['read-only', 'cannot-open'].includes(String(fault.details['reason']))
      throw isLog ? unreadableLog(this.#name, error) : fault
    }
  }

  /** Switching to WAL needs an exclusive lock, and SQLite does not wait for it by itself. */
  #writeAhead(busyTimeout: number): void {
    for (let waited = 0; ; waited += PAUSE) {
      try {
        // Refuse foreign or newer files before changing them.
        checkVersion(this.#db, this.#name)
        return this.#db.exec('PRAGMA journal_mode = WAL')
      } catch (error) {
        if (!isBusy(error) || waited >= busyTimeout) throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
      }
    }
  }

  /** Runs work and converts its errors to PactErrors. It may run more than once, so writes belong in `transaction`. */
  do<T>(work: () => T): T {
    for (;;) {
      try {
        const done = this.#confirmed(work)
        if (!this.#isOutdated()) return done
      } catch (error) {
        if (!this.#isOutdated()) throw error
      }
      // Another process has written to the immutable file: reopen it and read again.
      this.#reopen!()
    }
  }

  /**
   * SQLite also reports a failing disk as a malformed database. So the whole file is read and the work retried: the
   * file is damaged if it can be read and SQLite reports it twice.
   */
  #confirmed<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (this.#isDamaged || !isMalformed(error)) throw faultOf(error, this.#name)
      if (!isReadable(this.#file)) throw diskFault(this.#name, error)
    }
    try {
      return work()
    } catch (error) {
      this.#isDamaged = isMalformed(error)
      throw faultOf(error, this.#name)
    }
  }

  transaction<T>(work: () => T): T {
    return this.#inTransaction('BEGIN IMMEDIATE', work)
  }

  /** Runs several reads in one transaction. */
  reading<T>(work: () => T): T {
    return this.#inTransaction('BEGIN', work)
  }

  /** Returns the number of written rows. */
  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...bound(values)).changes)
  }

  get(sql: string, ...values: readonly Value[]): Cells | undefined {
    return this.#statement(sql).get(...bound(values))
  }

  all(sql: string, ...values: readonly Value[]): readonly Cells[] {
    return this.#statement(sql).all(...bound(values))
  }

  /** E_STORE if SQLite would drop acknowledged commits from the log. */
  checkLog(): void {
    if (!this.#isSynced || this.#file === ':memory:') return
    let damage: LogDamage | undefined
    try {
      damage = lostCommits(this.#file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EIO') throw diskFault(this.#name, error)
      // SQLite gives a better error for a file that cannot be opened.
      return
    }
    if (damage !== undefined) throw damagedLog(this.#name, damage.frame)
  }

  /** Checkpoints and truncates the log; waits for readers. */
  async emptyLog(): Promise<void> {
    const started = performance.now()
    for (;;) {
      const { busy } = this.do(() => this.get('PRAGMA wal_checkpoint(TRUNCATE)'))!
      if (Number(busy) === 0) return
      if (performance.now() - started >= this.#busyTimeout) throw stillRead(this.#name)
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }

  /** Truncates the log if it has no readers. */
  truncateLog(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The next checkpoint or open will truncate it.
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#reopen !== undefined) return this.#db.close()
    // The driver finalizes statements later, and the log file is deleted then.
    this.truncateLog()
    this.do(() => this.#db.close())
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  #inTransaction<T>(begin: string, work: () => T): T {
    return this.do(() => {
      this.run(begin)
      let result: T
      try {
        result = work()
      } catch (error) {
        this.#rollBack()
        if (error === ROLLBACK) return undefined as T
        throw error
      }
      try {
        this.run('COMMIT')
      } catch (error) {
        this.#rollBack()
        // COMMIT does not read tables, so a read failure is not damage, and it must not be retried.
        throw isMalformed(error) ? diskFault(this.#name, error) : error
      }
      return result
    })
  }

  #rollBack(): void {
    try {
      this.run('ROLLBACK')
    } catch {
      // Some errors have already ended the transaction.
    }
  }
}

/** An empty array with allocated memory: Node's SQLite stores an array without memory as NULL. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(8), 0, 0)

function bound(values: readonly Value[]): readonly Value[] {
  return values.some(isNoBytes) ? values.map((value) => (isNoBytes(value) ? NO_BYTES : value)) : values
}

function isNoBytes(value: Value): boolean {
  return value instanceof Uint8Array && value.length === 0
}

function stillRead(name: string): PactError {
  const message = `Another process reads ${name}, so what was erased cannot be taken out of its log yet; call erase again when it has ended.`
  return storeFault(message, 'failed', { reason: 'busy' })
}

/** SQLite treats a shorter file as empty and overwrites it. */
function checkSize(file: string, name: string): void {
  let size = 0
  try {
    ;({ size } = fs.statSync(file))
  } catch {
    // A missing file is created; SQLite reports other problems better.
  }
  if (size > 0 && size < SMALLEST) throw noDatabase(name)
}

function makeFolder(file: string): void {
  try {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  } catch {
    // SQLite gives a better error.
  }
}
