// One connection to an SQLite file: its statements, prepared once, and its transactions. Errors leave it in our words.

import fs from 'node:fs'
import path from 'node:path'

import type { PactError } from '../../errors/index.js'
import { storeFault } from '../fault.js'
import { openDatabase, type Cells, type Database, type DriverName, type Statement, type Value } from './driver.js'
import { faultOf, isBusy, noDatabase } from './faults.js'
import { checkVersion, migrate } from './schema.js'

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

export type OpenDatabase = (file: string, driver?: DriverName) => Database

/** How long to wait before switching to a write-ahead log is tried again, in milliseconds. */
const PAUSE = 50
/**
 * How many pages the log may have before whoever commits moves them into the file. At SQLite's 1,000 a durable commit takes a tenth longer:
 * most rows are moved although they are packed soon after.
 */
const LOG_PAGES = 4000
/** About how many bytes are moved once nobody has written for a while; so that most often nobody who commits has to. */
const MOVED_AT_REST = 4 * 1024 * 1024
/** How long that is, in milliseconds. */
const QUIET = 100
const PAGE = 4096
/** No database has fewer bytes. */
const SMALLEST = 512

export class Connection {
  readonly #name: string
  readonly #busyTimeout: number
  readonly #db: Database
  readonly #statements = new Map<string, Statement>()
  /** About how many bytes were written to the log since it was last moved at rest. */
  #logged = 0
  #resting: NodeJS.Timeout | undefined

  constructor(
    name: string,
    file: string,
    { durability = 'full', busyTimeout = 5000, driver }: SqliteOptions,
    opened: OpenDatabase = openDatabase,
  ) {
    this.#name = name
    this.#busyTimeout = busyTimeout
    this.#db = this.do(() => {
      if (file !== ':memory:') {
        makeFolder(file)
        checkSize(file, name)
      }
      return opened(file, driver)
    })
    try {
      this.do(() => {
        this.#db.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
        this.#writeAhead(busyTimeout)
        this.#db.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
        this.#db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
        migrate(this.#db, name)
      })
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** Whoever switches needs the file alone for a moment, and SQLite does not wait for that by itself. */
  #writeAhead(busyTimeout: number): void {
    for (let waited = 0; ; waited += PAUSE) {
      try {
        // What is not ours, or newer, is refused as it is.
        checkVersion(this.#db, this.#name)
        return this.#db.exec('PRAGMA journal_mode = WAL')
      } catch (error) {
        if (!isBusy(error) || waited >= busyTimeout) throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
      }
    }
  }

  /** Does something, and tells its errors in our words. */
  do<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw faultOf(error, this.#name)
    }
  }

  transaction<T>(work: () => T): T {
    return this.#between('BEGIN IMMEDIATE', work)
  }

  /** Several looks at one moment. */
  reading<T>(work: () => T): T {
    return this.#between('BEGIN', work)
  }

  /** Gives how many rows were written. */
  run(sql: string, ...values: readonly Value[]): number {
    const changes = Number(this.#statement(sql).run(...bound(values)).changes)
    if (changes > 0) this.#note(values)
    return changes
  }

  get(sql: string, ...values: readonly Value[]): Cells | undefined {
    return this.#statement(sql).get(...bound(values))
  }

  all(sql: string, ...values: readonly Value[]): readonly Cells[] {
    return this.#statement(sql).all(...bound(values))
  }

  /** Moves all of the log into the file, and leaves nothing in it; waits for whoever still reads it. */
  async emptyLog(): Promise<void> {
    const started = performance.now()
    for (;;) {
      const { busy } = this.do(() => this.get('PRAGMA wal_checkpoint(TRUNCATE)'))!
      if (Number(busy) === 0) return
      if (performance.now() - started >= this.#busyTimeout) throw stillRead(this.#name)
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }

  close(): void {
    clearTimeout(this.#resting)
    this.#statements.clear()
    try {
      // Leaves nothing in the log. The driver lets go of its statements later, and then the log itself goes.
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The log is read by whoever opens the file next.
    }
    this.do(() => this.#db.close())
  }

  /** Something was written: once that is much, it is moved into the file by and by. */
  #note(values: readonly Value[]): void {
    this.#logged += PAGE
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (value instanceof Uint8Array) this.#logged += value.length
    }
    if (this.#logged >= MOVED_AT_REST && this.#resting === undefined) this.#whenQuiet()
  }

  /** Waits until nothing is written, and then moves as much of the log as nobody reads. */
  #whenQuiet(): void {
    const before = this.#logged
    this.#resting = setTimeout(() => {
      if (this.#logged !== before) return this.#whenQuiet()
      this.#resting = undefined
      this.#logged = 0
      try {
        this.get('PRAGMA wal_checkpoint(PASSIVE)')
      } catch {
        // It is tried again after as much, and by whoever closes; what is wrong with the file is told to whoever commits.
      }
    }, QUIET).unref()
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  #between<T>(begin: string, work: () => T): T {
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
        throw error
      }
      return result
    })
  }

  #rollBack(): void {
    try {
      this.run('ROLLBACK')
    } catch {
      // Some errors have ended the transaction already.
    }
  }
}

/** No bytes, and yet somewhere in memory: Node's own SQLite takes bytes that are nowhere, as those of an empty array, for NULL. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(8), 0, 0)

function bound(values: readonly Value[]): readonly Value[] {
  return values.some(isNoBytes) ? values.map((value) => (isNoBytes(value) ? NO_BYTES : value)) : values
}

function isNoBytes(value: Value): boolean {
  return value instanceof Uint8Array && value.length === 0
}

/** Thrown inside a transaction to leave everything as it was; nobody else sees it. */
export const ROLLBACK: Error = new Error('rollback')

function stillRead(name: string): PactError {
  const message = `Another process reads ${name}, so what was erased cannot be taken out of its log yet; call erase again when it has ended.`
  return storeFault(message, 'failed', { reason: 'busy' })
}

/** SQLite takes what is shorter than any database for an empty one, and writes over it. */
function checkSize(file: string, name: string): void {
  let size = 0
  try {
    ;({ size } = fs.statSync(file))
  } catch {
    // Where it is not there, it is made; all else SQLite says better.
  }
  if (size > 0 && size < SMALLEST) throw noDatabase(name)
}

function makeFolder(file: string): void {
  try {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
  } catch {
    // SQLite says it better.
  }
}
