// Where the rows about stores keep them: files of SQLite, or databases of a PostgreSQL that is started for the row. Both offer the same, so
// that a row is written once: stores by name, the bytes that a closed one takes, and a table of raw rows for the peer.

import { createRequire } from 'node:module'
import path from 'node:path'

import { openServer } from '../scripts/postgres/server.mjs'
import { say } from './harness.mjs'
import { bytesOnDisk, inFolder, loadStore } from './stores.mjs'

/** The databases by name, each with what does something there; nothing is done, and it is said why, where one is not there. */
export const PLACES = { SQLite: inSqlite, PostgreSQL: inPostgres }

async function inSqlite(work) {
  const from = await loadStore()
  if (!from) return []
  return inFolder((folder) => {
    const file = (name) => path.join(folder, `${name}.db`)
    return work({
      openStore: (name) => from.openStore(`sqlite:${file(name)}`, { durability: 'relaxed' }),
      bytesOf: async (name) => bytesInSqlite(from, file(name)),
      writeRaw: async (bodies) => rawInSqlite(from, file('raw'), bodies),
    })
  })
}

/** Pages that packing has freed are used again by the next commits: `bytes` is without them, `standing` the file as it is. */
function bytesInSqlite({ openDatabase }, file) {
  const db = openDatabase(file)
  const pragma = (name) => Number(db.prepare(`PRAGMA ${name}`).get()[name])
  const free = pragma('freelist_count') * pragma('page_size')
  db.close()
  const standing = bytesOnDisk(file)
  return { bytes: standing - free, standing }
}

function rawInSqlite({ openDatabase }, file, bodies) {
  const db = openDatabase(file)
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE raw (k INTEGER PRIMARY KEY, body BLOB NOT NULL)')
  const insert = db.prepare('INSERT INTO raw VALUES (?, ?)')
  db.exec('BEGIN')
  let k = 0
  for (const body of bodies) insert.run(++k, Buffer.from(body))
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  const select = db.prepare('SELECT body FROM raw ORDER BY k')
  const read = async () =>
    select.all().map(({ body }) => JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()))
  return { read, close: async () => db.close() }
}

function inPostgres(work) {
  return withServer(async (from, url) => {
    const admin = await connect(url)
    const made = new Set()
    const urlOf = (name) => Object.assign(new URL(url), { pathname: `/bench_${name}` }).href
    /** A database for each, so that no bytes of another are counted. */
    const databaseOf = async (name) => {
      if (!made.has(name)) await admin.query(`CREATE DATABASE bench_${name}`)
      made.add(name)
      return urlOf(name)
    }
    try {
      return await work({
        openStore: async (name) => from.openStore(await databaseOf(name)),
        bytesOf: (name) => bytesInPostgres(urlOf(name)),
        writeRaw: async (bodies) => rawInPostgres(await connect(await databaseOf('raw')), bodies),
      })
    } finally {
      await admin.end()
    }
  })
}

/** Does something with the build of the store and a PostgreSQL, which does not wait for the disk. */
export async function withServer(work) {
  const from = await loadStore()
  if (!from) return []
  const { server, why } = await openServer()
  if (server === undefined) {
    say(why)
    return []
  }
  try {
    return await work(from, server.url)
  } finally {
    await server.end()
  }
}

/** A connection of the same driver as the store's. */
export async function connect(url) {
  const { Client } = createRequire(new URL('../package.json', import.meta.url))('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

/**
 * The size of the tables on disk, with their indexes and all that belongs to their rows (`pg_total_relation_size`). Room that packing has freed is used
 * again only after the server's own VACUUM, which comes by once a minute and so never in a row of this bench: `bytes` is without that room,
 * after VACUUM FULL, and `standing` with all of it.
 */
async function bytesInPostgres(url) {
  const client = await connect(url)
  const total = async () => {
    const { rows } = await client.query(
      "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relname LIKE 'pact_%'",
    )
    return Number(rows[0].bytes)
  }
  const standing = await total()
  await client.query('VACUUM FULL')
  const bytes = await total()
  await client.end()
  return { bytes, standing }
}

/** As text, which costs the driver least. */
async function rawInPostgres(client, bodies) {
  await client.query('CREATE TABLE raw (k integer PRIMARY KEY, body text NOT NULL)')
  const insert = { name: 'insert', text: 'INSERT INTO raw SELECT * FROM unnest($1::integer[], $2::text[])' }
  let k = 0
  let some = []
  const send = async () => {
    await client.query({ ...insert, values: [some.map(() => ++k), some] })
    some = []
  }
  for (const body of bodies) {
    some.push(body)
    if (some.length === 1000) await send()
  }
  await send()
  await client.query('VACUUM ANALYZE raw')
  const read = async () => {
    const { rows } = await client.query({ name: 'read', text: 'SELECT body FROM raw ORDER BY k' })
    return rows.map(({ body }) => JSON.parse(body))
  }
  return { read, close: () => client.end() }
}
