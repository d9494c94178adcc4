// Shared by all rows of the store's promises: a store that packs early, files of its own, sums of what is shown.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Store } from '../../../dist/store/index.js'
import { openDatabase } from '../../../dist/store/sqlite/driver.js'
import { SqliteRows } from '../../../dist/store/sqlite/rows.js'

/**
 * @typedef {import('../../../dist/store/index.js').StoredContext} StoredContext
 * @typedef {import('../../../dist/store/index.js').Rows} Rows
 * @typedef {{ id: string, cycle: number, sum: string }} Shown
 */

/** Rows are packed after a few commits, so that it happens while everything else does. */
export const SIZES = { packed: 4, tail: 12 }

/** The options of every open: trees stay small, so that thousands of snapshots can be compared. */
export const OPTIONS = /** @type {const} */ ({ history: 'all', prune: { maxNodes: 24 }, keepAttempts: 10_000 })

/**
 * @param {string} file
 * @param {{ busyTimeout?: number, wrap?: (rows: Rows) => Rows, sizes?: (typeof SIZES & { manifest?: number }) | undefined }} [options]
 */
export function storeAt(file, options = {}) {
  const { wrap, sizes, ...rest } = { sizes: SIZES, ...options }
  // SQLite is not fair to those who wait: of ten processes one may come last for long.
  const rows = new SqliteRows(file, { busyTimeout: 60_000, ...rest })
  return new Store(wrap === undefined ? rows : wrap(rows), sizes)
}

/** A folder of its own, gone with `remove`. */
export function scratch() {
  const folder = fs.mkdtempSync(path.join(place(), 'pact-store-'))
  return {
    folder,
    /** @param {string} name */
    file: (name) => path.join(folder, name),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * In memory where the system has such a folder: what is tested here are processes that end and calls that fail, which a disk
 * would make ten times slower and not otherwise. PACT_SCRATCH names another one.
 */
function place() {
  const shared = '/dev/shm'
  return process.env['PACT_SCRATCH'] ?? (fs.existsSync(shared) ? shared : os.tmpdir())
}

/**
 * The content of a snapshot, as one sum.
 * @param {import('../../../dist/index.js').Snapshot} snapshot
 */
export function sumOf(snapshot) {
  return createHash('sha256').update(snapshot.export()).update(snapshot.threadBytes()).digest('hex')
}

/**
 * All snapshots of a context by their cycles.
 * @param {StoredContext} ctx
 * @returns {Map<number, string>}
 */
export function sumsOf(ctx) {
  return new Map(ctx.snapshots().map(({ cycle }) => [cycle, sumOf(ctx.snapshot(`@c${cycle}`))]))
}

/**
 * The faults that SQLite itself finds in a file; empty if there are none.
 * @param {string} file
 * @returns {readonly string[]}
 */
export function integrityOf(file) {
  const db = openDatabase(file)
  try {
    const rows = db.prepare('PRAGMA integrity_check(5)').all()
    return rows.map((row) => String(row['integrity_check'])).filter((line) => line !== 'ok')
  } catch (error) {
    return [told(error)]
  } finally {
    db.close()
  }
}

/**
 * Waits until the attempts of a context are written.
 * @param {StoredContext} ctx
 */
export async function flushed(ctx) {
  await /** @type {{ flush: () => Promise<void> }} */ (/** @type {unknown} */ (ctx)).flush()
}

/**
 * The number of rows of a table.
 * @param {string} file
 * @param {string} table
 */
export function countOf(file, table) {
  const db = openDatabase(file)
  try {
    return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  } finally {
    db.close()
  }
}

/**
 * The faults that the store finds in itself: by its own check where it has one, and by SQLite's.
 * @param {string} file
 * @param {Store} store
 * @returns {Promise<readonly string[]>}
 */
export async function faultsOf(file, store) {
  const own = /** @type {{ fsck?: () => Promise<unknown> }} */ (/** @type {unknown} */ (store)).fsck
  const report = own === undefined ? undefined : await own.call(store)
  return [...problemsOf(report), ...integrityOf(file)]
}

/** @param {unknown} report */
function problemsOf(report) {
  if (typeof report !== 'object' || report === null) return []
  const lists = Object.entries(report).filter(
    ([name, list]) => /problems|faults|damage/.test(name) && Array.isArray(list),
  )
  return lists.flatMap(([, list]) => /** @type {unknown[]} */ (list).map((each) => JSON.stringify(each)))
}

/** @param {unknown} error */
export function told(error) {
  if (!(error instanceof Error)) return String(error)
  const { code, details } = /** @type {{ code?: string, details?: object }} */ (/** @type {unknown} */ (error))
  return `${code ?? error.name}: ${error.message} ${JSON.stringify(details ?? {})}`
}

/**
 * Rows one of whose calls is done in another way.
 * @param {Rows} rows
 * @param {string} name
 * @param {(go: () => Promise<unknown>) => Promise<unknown>} instead
 * @returns {Rows}
 */
export function intercepted(rows, name, instead) {
  return new Proxy(rows, {
    get: (target, property) => {
      const value = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const call = (/** @type {unknown[]} */ ...args) => Reflect.apply(value, target, args)
      return property === name ? (/** @type {unknown[]} */ ...args) => instead(() => call(...args)) : call
    },
  })
}
