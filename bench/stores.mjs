// Shared by the rows about stores: the build of the store, folders that are gone when a row has ended, and bare tables in the same
// SQLite, so that only what is done with it differs.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { say } from './harness.mjs'

const BUILD = new URL('../dist/store/', import.meta.url)

/** The built store with what lies beneath it, or undefined where nothing is built or no SQLite is there. */
export async function loadStore() {
  if (!fs.existsSync(new URL('index.js', BUILD))) return undefined
  const { openStore, Store } = await import(new URL('index.js', BUILD).href)
  const { SqliteRows } = await import(new URL('sqlite/rows.js', BUILD).href)
  const { PostgresRows } = await import(new URL('postgres/rows.js', BUILD).href)
  const { openDatabase } = await import(new URL('sqlite/driver.js', BUILD).href)
  try {
    openDatabase(':memory:').close()
  } catch (error) {
    // Anything else is a fault of the row.
    if (error.details?.reason !== 'no-driver') throw error
    say(error.message)
    return undefined
  }
  return { openStore, Store, SqliteRows, PostgresRows, openDatabase }
}

/**
 * Does something in a folder of its own, on the disk that TMPDIR names; what is left there goes. Where that is no disk but
 * memory, a sync costs nothing: the rows print what one takes.
 */
export async function inFolder(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-bench-'))
  try {
    return await work(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** As the one of engine.mjs, on a stored context. */
export function commitStored(ctx, texts) {
  ctx.pre(texts[0])
  ctx.user(texts[1])
  ctx.assistant(texts[2])
  ctx.post(texts[3])
  return ctx.commit()
}

/** A table with a number and three columns of bytes, as commits have, and a function that adds a row to it. */
export function openBare({ openDatabase }, file, synchronous) {
  const db = openDatabase(file)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  db.exec('CREATE TABLE bare (k INTEGER PRIMARY KEY, hash BLOB NOT NULL, changes BLOB NOT NULL, bodies BLOB NOT NULL)')
  const insert = db.prepare('INSERT INTO bare (k, hash, changes, bodies) VALUES (?, ?, ?, ?)')
  let k = 0
  return { add: ({ hash, changes, bodies }) => insert.run(++k, hash, changes, bodies), close: () => db.close() }
}

/** Remembers the rows of the last commits that pass through, so that others can be fed the same bytes. */
export function openRecording({ Store, SqliteRows }, file, options, count) {
  const rows = new SqliteRows(file, options)
  const seen = []
  const commit = rows.commit.bind(rows)
  rows.commit = (given) => {
    seen[given.row.cycle % count] = given.row
    return commit(given)
  }
  return { store: new Store(rows), seen }
}

/** The bytes of a database and of its log. */
export function bytesOnDisk(file) {
  const files = [file, `${file}-wal`].filter((each) => fs.existsSync(each))
  return files.reduce((sum, each) => sum + fs.statSync(each).size, 0)
}
